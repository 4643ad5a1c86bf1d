"""Reading one array of a ``.npy`` file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from rigcast._formats.npz import array
from rigcast._validate import bad_argument


def read_array(path: Path, function: str) -> NDArray[Any]:
    """The real numbers of a file that ``numpy.save`` has written.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it holds anything else.
    """
    try:
        return array.read_array(path)
    except ValueError as error:
        got, _, expected = str(error).partition("; it must be ")
        raise bad_argument(function, "path", got, expected or "a .npy file of numbers") from None
