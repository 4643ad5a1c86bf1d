"""Reading and writing ``.npy`` files of known dtype and shape: the same bytes from every NumPy version."""

from __future__ import annotations

import errno
import math
import os
import re
import stat
from pathlib import Path

import numpy as np

from rigcast._validate import bad_argument

MAGIC = b"\x93NUMPY\x01\x00"
LONGEST_HEADER = 1024
HEADER = re.compile(r"\{'descr': '([^']+)', 'fortran_order': False, 'shape': \(([0-9, ]*)\), \} *\n")


def npy_header(dtype: str, shape: tuple[int, ...]) -> bytes:
    """The header of a ``.npy`` file, format 1.0: padded so that the data start at a multiple of 64 bytes."""
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape!r}, }}"
    length = -(-(len(MAGIC) + 2 + len(text) + 1) // 64) * 64 - len(MAGIC) - 2
    return MAGIC + length.to_bytes(2, "little") + text.ljust(length - 1).encode("ascii") + b"\n"


def npy_size(dtype: str, shape: tuple[int, ...]) -> int:
    """Bytes of the file that :func:`npy_header` opens."""
    return len(npy_header(dtype, shape)) + math.prod(shape) * np.dtype(dtype).itemsize


def file_status(path: Path) -> os.stat_result:
    """Status of a regular file; ``OSError`` for anything else (opening a pipe or a device may never end)."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "no regular file")
    return status


def checked_header(path: Path, dtype: str, shape: tuple[int, ...], function: str) -> tuple[int, os.stat_result]:
    """Where the data of a ``.npy`` file begin that must hold exactly this dtype and shape, and the file's status.

    Raises
    ------
    ValueError
        If the file is absent, is no ``.npy`` file, holds something else, or is longer or shorter than it
        says. Nothing is allocated before its size has been compared.
    """
    expected = f"a .npy file of {dtype} {shape}"
    try:
        file_status(path)
        with open(path, "rb") as stream:
            status = os.fstat(stream.fileno())
            head = stream.read(LONGEST_HEADER)
    except OSError as error:
        reason = error.strerror or str(error)
        raise bad_argument(function, path.name, f"unreadable ({reason})", expected) from error
    size = status.st_size
    length = len(MAGIC) + 2 + int.from_bytes(head[len(MAGIC) : len(MAGIC) + 2], "little")
    text = head[len(MAGIC) + 2 : length].decode("ascii", "replace")
    match = HEADER.fullmatch(text) if head.startswith(MAGIC) and length <= len(head) else None
    if match is None:
        raise bad_argument(function, path.name, f"a file of {size} bytes without a plain .npy header", expected)
    found = f"({match[2]})"
    if match[1] != dtype or found != repr(shape):
        raise bad_argument(function, path.name, f"{match[1]} {found}", expected)
    full = length + math.prod(shape) * np.dtype(dtype).itemsize
    if size != full:
        raise bad_argument(function, path.name, f"{size} bytes long", f"{full} bytes long")
    return length, status
