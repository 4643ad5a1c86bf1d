"""Checks of arguments, and the one wording of a wrong argument."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def bad_argument(function: str, argument: str, got: object, expected: str) -> ValueError:
    """Make the ``ValueError`` for a wrong argument.

    Parameters
    ----------
    function, argument : str
        Public names, as a user wrote them.
    got : object
        What the argument is, in words (a shape, a value, a type).
    expected : str
        What it must be.
    """
    return ValueError(f"{function}: {argument} is {got}; it must be {expected}")


def missing_file(function: str, argument: str, path: object, expected: str = "an existing file") -> FileNotFoundError:
    """Make the ``FileNotFoundError`` for a file that is not there; a file of other content is a ``ValueError``."""
    return FileNotFoundError(f"{function}: {argument} is {str(path)!r}, which does not exist; it must be {expected}")


def as_array(function: str, argument: str, value: ArrayLike, expected: str) -> NDArray[Any]:
    """An array, or a ``ValueError`` for rows of different lengths."""
    try:
        return np.asarray(value)
    except ValueError:
        raise bad_argument(function, argument, f"a ragged {type(value).__name__}", expected) from None


def check_threads(function: str, threads: int) -> None:
    """Refuse what is no number of threads; 0 stands for all processors.

    Raises
    ------
    ValueError
    """
    if not isinstance(threads, (int, np.integer)) or threads < 0:
        raise bad_argument(function, "threads", repr(threads), "0 (all processors) or more")


def check_finite(function: str, argument: str, array: NDArray[np.generic]) -> None:
    """Refuse an array of numbers with a NaN or an infinity, and say where the first one stands.

    Raises
    ------
    ValueError
    """
    wrong = ~np.isfinite(array)
    if wrong.any():
        place = tuple(int(i) for i in np.unravel_index(int(wrong.argmax()), array.shape))
        where = f"({', '.join(map(str, place))})" if len(place) != 1 else f"{place[0]}"
        raise bad_argument(function, argument, f"not finite everywhere ({array[place]} at {where})", "finite")
