"""Reading one array of a ``.npy`` file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from rigcast._formats.npz import array
from rigcast._validate import bad_argument
from rigcast.errors import FileError


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
    except FileError as error:
        raise bad_argument(function, "path", error.got, error.expected or "a .npy file of numbers", path) from None
