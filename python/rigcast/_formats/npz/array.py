"""One array of numbers in a ``.npy`` file."""

from __future__ import annotations

import os
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.npz.archive import BROKEN
from rigcast._safe_reading import check_regular
from rigcast._validate import bad_file

HEADER = (SyntaxError, TokenError, TypeError, KeyError, OverflowError, MemoryError)  # of NumPy's reader of headers


def read_array(path: str | os.PathLike[str]) -> NDArray[Any]:
    """Real numbers as ``numpy.save`` writes them; nothing is unpickled.

    Raises
    ------
    FileNotFoundError
    ValueError
        Naming the path, if the file is an archive, or its numbers are complex, truth values, text or objects.
    """
    check_regular(path)
    with open(path, "rb") as stream:
        try:
            stored = np.load(stream, allow_pickle=False)
        except (*BROKEN, *HEADER) as error:
            raise bad_file(path, f"no array of numbers ({' '.join(str(error).split())})") from None
    if not isinstance(stored, np.ndarray):
        raise bad_file(path, "an archive", "one array")
    if stored.dtype.kind not in "fiu":
        raise bad_file(path, f"no array of numbers ({stored.dtype} {stored.shape})")
    return stored
