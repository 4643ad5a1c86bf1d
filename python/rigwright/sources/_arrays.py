"""Reading one array of a ``.npy`` file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigwright._validate import bad_argument

BROKEN = (OSError, ValueError, EOFError, SyntaxError, TypeError, OverflowError)


def read_array(path: Path, function: str) -> NDArray[Any]:
    """The array of a file that ``numpy.save`` has written.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it holds anything else.
    """
    try:
        stored = np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise
    except BROKEN as error:
        got = f"{path}: no array of numbers ({' '.join(str(error).split())})"
        raise bad_argument(function, "path", got, "a .npy file") from None
    if not isinstance(stored, np.ndarray):
        raise bad_argument(function, "path", f"{path}: an archive", "one array")
    return stored
