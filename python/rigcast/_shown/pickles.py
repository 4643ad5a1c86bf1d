"""Pickles and copies of objects that hold a part of the engine, and the sentence of those that cannot have any."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import numpy as np

Class = TypeVar("Class", bound=type)
_MADE: weakref.WeakKeyDictionary[object, tuple[tuple[Any, ...], dict[str, Any]]] = weakref.WeakKeyDictionary()


def remember(kind: Any) -> None:
    """Keep the arguments that objects of a class of the engine are made of; their pickles hold these."""
    make = kind.__init__

    def __init__(self: Any, *given: Any, **named: Any) -> None:
        make(self, *given, **named)
        _MADE[self] = tuple(map(_own, given)), {name: _own(value) for name, value in named.items()}

    def __reduce__(self: Any) -> tuple[Any, ...]:
        return _remade, (type(self), *_MADE[self])

    __init__.__doc__ = make.__doc__
    kind.__init__, kind.__reduce__ = __init__, __reduce__


def _own(value: Any) -> Any:
    """A copy of an array, which the caller may write into."""
    return value.copy() if isinstance(value, np.ndarray) else value


def _remade(kind: type, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    return kind(*given, **named)


def no_pickle(why: str) -> Callable[[Class], Class]:
    """Class decorator: a pickle or a copy of such an object is a ``TypeError`` with a sentence that says why.

    Parameters
    ----------
    why : str
        What it is, and what to do: ``"it has a position in its motion; pickle its Synthesizer"``.
    """

    def decorate(cls: Class) -> Class:
        def __reduce_ex__(self: object, protocol: object) -> NoReturn:
            raise TypeError(f"a {type(self).__name__} cannot be pickled or copied: {why}")

        cls.__reduce_ex__ = __reduce_ex__  # type: ignore[method-assign, assignment]
        return cls

    return decorate
