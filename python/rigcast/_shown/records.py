"""Objects in one line and as tables: what each field holds, or which settings are not the default."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sized
from os import PathLike, fspath
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rigcast._shown.lines import LONGEST_LINE, cut, html_table, line, unit_words
from rigcast._text import escaped, shortened

Class = TypeVar("Class", bound=type)
MOST_MEASURED = 1_000_000  # numbers of an array whose least and greatest a table states


def one_line(cls: Class) -> Class:
    """Class decorator, over ``@dataclass`` if it is one: one line for ``repr``, a table in notebooks.

    A result states its fields, or what its method ``_facts`` returns. A record whose fields all have defaults states
    those that differ from them: ``BodySettings(batch=64)``. One of numbers and words alone is the call that makes it.
    A ``__repr__`` that the class defines stays; of other classes it states what their ``_facts`` return.
    """
    if not dataclasses.is_dataclass(cls):
        if "__repr__" not in vars(cls):
            cls.__repr__ = _stated  # type: ignore[method-assign, assignment]
        cls._repr_html_ = _stated_table  # type: ignore[attr-defined]
        return cls
    if hasattr(cls.__repr__, "__wrapped__"):  # made by dataclass
        show: Callable[[Any], str] = _changed if _is_settings(cls) else _result
        cls.__repr__ = show  # type: ignore[method-assign]
    else:
        cls.__repr__ = _short_form(cls.__repr__)  # type: ignore[method-assign]
    cls._repr_html_ = _table  # type: ignore[attr-defined]
    return cls


def _short_form(own: Callable[[Any], str]) -> Callable[[Any], str]:
    """A line that a class makes itself, cut where it is too long."""
    return lambda self: cut(own(self))


def _stated(value: Any) -> str:
    module = type(value).__module__.partition("._")[0]
    return line(f"{module}.{type(value).__name__}", "", value._facts())


def _stated_table(value: Any) -> str:
    """The HTML of what is no dataclass: its line, what its ``_shown_rows`` adds, and the rest pose of its rig."""
    kind, _, holds = repr(value).strip("<>").partition(": ")
    rows = {"holds": holds} | (value._shown_rows() if hasattr(value, "_shown_rows") else {})
    return html_table(kind, rows, getattr(value, "rig", None) or value)


def _is_settings(cls: type) -> bool:
    given = [field for field in dataclasses.fields(cls) if field.init]
    missing = dataclasses.MISSING
    return bool(given) and all(f.default is not missing or f.default_factory is not missing for f in given)


def _fields(record: Any) -> Iterator[tuple[str, Any]]:
    """Names and values of what is shown: public fields that are there, measured ones only where they were asked for."""
    for field in dataclasses.fields(record):
        if field.repr and not field.name.startswith("_") and field.name in vars(record):
            yield field.name, vars(record)[field.name]


def _result(record: Any) -> str:
    own = dict(_fields(record))
    if not hasattr(record, "_facts") and all(_is_plain(value) for value in own.values()):
        return _call(record, [f"{key}={_short(value)}" for key, value in own.items()])
    name = getattr(record, "name", "")
    name = name if isinstance(name, str) else ""
    facts = (
        record._facts() if hasattr(record, "_facts") else [_fact(*own) for own in _fields(record) if own[0] != "name"]
    )
    return line(type(record).__name__, name, facts)


def _changed(record: Any) -> str:
    """The constructor's call, without what is the default."""
    usual = dict(_fields(type(record)()))
    return _call(record, [f"{key}={_short(own)}" for key, own in _fields(record) if not _same(own, usual[key])])


def _call(record: Any, given: list[str]) -> str:
    whole = f"{type(record).__name__}({', '.join(given)})"
    return whole if len(whole) <= LONGEST_LINE else f"{cut(whole).removesuffix('>')})"


def _same(value: Any, default: Any) -> bool:
    try:
        return bool(np.array_equal(value, default)) if isinstance(value, np.ndarray) else bool(value == default)
    except (TypeError, ValueError):  # sequences of arrays
        return False


def _fact(name: str, value: Any) -> str:
    """A field in a few words: ``weights (80, 52)``, ``79 of 80 converged``, ``alpha 0.1``, ``3 warnings``."""
    words = name.replace("_", " ")
    if value is None or (isinstance(value, Sized) and not isinstance(value, np.ndarray) and not len(value)):
        return ""
    if isinstance(value, bool | np.bool_):
        return words if value else ""
    if isinstance(value, np.ndarray):
        if not value.size or not value.ndim:
            return "" if value.ndim else f"{words} {_short(value[()])}"
        if value.dtype == bool and value.ndim == 1:
            return f"{int(value.sum()):,} of {len(value):,} {words}"
    elif isinstance(value, list | tuple | set | frozenset | dict) and not _is_point(value):
        return f"{len(value):,} {words}"
    return f"{words} {_short(value)}"


def _short(value: Any) -> str:
    """A value without the numbers of arrays."""
    if isinstance(value, np.ndarray):
        return str(value.shape) if value.ndim else _short(value[()])
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return f"{float(value):.4g}"
    if value is None:
        return "None"
    if isinstance(value, str):
        return repr(shortened(escaped(value), 40))
    if isinstance(value, PathLike):
        return repr(shortened(escaped(str(fspath(value))), 40))
    if _is_point(value):
        return f"({', '.join(map(_short, value))})"
    if isinstance(value, Sized) and not dataclasses.is_dataclass(value):
        return f"{len(value)} of {type(value).__name__}"
    return type(value).__name__ if not callable(value) else getattr(value, "__name__", type(value).__name__)


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str | np.number) or _is_point(value)


def _is_point(value: Any) -> bool:
    """Tuples of at most four numbers or short words, such as a size in pixels."""
    plain = (int, float, str, np.number)
    return isinstance(value, tuple) and 0 < len(value) <= 4 and all(isinstance(part, plain) for part in value)


def _cell(value: Any) -> str:
    """A value in a table, which has more space than a line."""
    if isinstance(value, np.ndarray) and value.size and value.ndim:
        return f"{_short(value)} {value.dtype}{_span(value)}"
    if isinstance(value, list | tuple | set | frozenset) and value and all(isinstance(part, str) for part in value):
        return f"{len(value)}: {', '.join(value)}" if len(value) > 4 else ", ".join(value)
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, np.ndarray) or (isinstance(value, Sized) and not len(value)):
        return ""
    return repr(value) if hasattr(value, "_repr_html_") else _short(value)


def _span(array: NDArray[Any]) -> str:
    if array.dtype == bool:
        return f", {int(array.sum()):,} true"
    if array.dtype.kind not in "iuf" or array.size > MOST_MEASURED:
        return ""
    known = array[np.isfinite(array)] if array.dtype.kind == "f" else array
    return f", {known.min():.4g} to {known.max():.4g}" if known.size else ", no finite number"


def _table(record: Any) -> str:
    """The HTML that a notebook shows: one row per field."""
    rows = {"": ", ".join(filter(None, record._facts()))} if hasattr(record, "_facts") else {}
    own = dict(_fields(record))
    unit = unit_words(own.pop("meters_per_unit", None), own.pop("up_axis", None)) if "meters_per_unit" in own else ""
    rows |= {name.replace("_", " "): _cell(value) for name, value in own.items()}
    return html_table(type(record).__name__, rows | {"unit": unit}, record)
