"""Rows of ``.npy`` files that stay on the disk until they are read."""

from __future__ import annotations

import errno
import math
import os
import re
import stat
from collections.abc import Sequence
from io import FileIO
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from rigcast._posing import pose_names
from rigcast._validate import bad_argument
from rigcast.sampling._store.layout import ARRAYS, MAGIC, row_shapes, shard_bounds, shard_file

Scalar = TypeVar("Scalar", bound=np.generic)
LONGEST_HEADER = 1024
HEADER = re.compile(r"\{'descr': '([^']+)', 'fortran_order': False, 'shape': \(([0-9, ]*)\), \} *\n")


class RowFile:
    """A ``.npy`` file that must hold exactly this dtype and shape, read by rows.

    Nothing is mapped into memory: a file that is cut or replaced after it was opened is an error at the next read,
    where a memory map would end the process or mix two files.

    Parameters
    ----------
    path : Path
    dtype : str
    shape : tuple of int
        Rows first.
    first : int
        Number of the first row, for messages.
    function : str
        Public name of the function that reads, for messages.

    Raises
    ------
    ValueError
        As :func:`checked_header`. Later, at any read: if the file is missing, shorter (the
        message names file and row), or not the one that was opened.
    """

    def __init__(
        self, path: Path, dtype: str, shape: tuple[int, ...], first: int = 0, function: str = "Dataset"
    ) -> None:
        self.path, self.dtype, self.shape = path.absolute(), np.dtype(dtype), shape
        self.first, self.function = first, function
        self._row_bytes = math.prod(shape[1:]) * self.dtype.itemsize
        self._offset, self._status = checked_header(path, dtype, shape, function)

    def __len__(self) -> int:
        return self.shape[0]

    def read(self, runs: Sequence[tuple[int, int]], into: NDArray[Scalar]) -> None:
        """Read rows ``start`` to ``stop`` of each run, one after another, into a contiguous array."""
        if into.size == 0:
            return
        whole, begin = into.data.cast("B"), 0
        try:
            with open(self.path, "rb", buffering=0) as stream:
                self._check(os.fstat(stream.fileno()))
                for start, stop in runs:
                    end = begin + (stop - start) * self._row_bytes
                    self._fill(stream, start, whole[begin:end])
                    begin = end
        except OSError as error:
            got = f"unreadable ({error.strerror or error})"
            raise bad_argument(self.function, self.path.name, got, "there as long as the data set is used") from error

    def _fill(self, stream: FileIO, start: int, into: memoryview) -> None:
        stream.seek(self._offset + start * self._row_bytes)
        done = 0
        while done < len(into):
            count = stream.readinto(into[done:])
            if not count:
                raise self._short(start + done // self._row_bytes)
            done += count

    def _check(self, status: os.stat_result) -> None:
        """Refuse another file than the one that was opened."""
        if status.st_size < self._status.st_size:
            raise self._short(max(0, status.st_size - self._offset) // self._row_bytes)
        if not os.path.samestat(status, self._status) or _version(status) != _version(self._status):
            got = "a file that has changed since the data set was opened"
            raise bad_argument(self.function, self.path.name, got, "unchanged; open the data set again")

    def _short(self, row: int) -> ValueError:
        got = f"cut short: row {self.first + row} is missing"
        return bad_argument(self.function, self.path.name, got, f"{self._status.st_size} bytes long, as it was")


class Rows(Generic[Scalar]):
    """Rows of several files, one after another; slices are read as they are asked for.

    Parameters
    ----------
    files : list of RowFile
        At least one; of one dtype, and one shape but for the rows.
    """

    def __init__(self, files: list[RowFile]) -> None:
        self._files = files
        self._starts = np.cumsum([0, *map(len, files)])
        self.shape = (int(self._starts[-1]), *files[0].shape[1:])

    @classmethod
    def joined(cls, parts: Sequence[Rows[Scalar]]) -> Rows[Scalar]:
        """The rows of several, one after another."""
        return cls([file for part in parts for file in part._files])

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> NDArray[Scalar]:
        start, stop, step = rows.indices(len(self))
        return self.take(np.arange(start, stop, step))

    def take(self, rows: NDArray[np.integer[Any]]) -> NDArray[Scalar]:
        """Copies of rows from 0 to T - 1, in the order given."""
        result = np.empty((len(rows), *self.shape[1:]), self._files[0].dtype)
        where = np.searchsorted(self._starts, rows, side="right") - 1
        for number in np.unique(where):
            chosen = np.flatnonzero(where == number)
            local = rows[chosen] - self._starts[number]
            if chosen[-1] - chosen[0] + 1 == len(chosen):
                self._files[number].read(_runs(local), result[chosen[0] : chosen[-1] + 1])
            else:
                part = np.empty((len(chosen), *self.shape[1:]), result.dtype)
                self._files[number].read(_runs(local), part)
                result[chosen] = part
        return result


FloatRows = Rows[np.float32]


def open_rows(folder: Path, manifest: dict[str, Any], prefix: str, rows: int) -> tuple[FloatRows, FloatRows, FloatRows]:
    """Channels (T, N), poses (T, C) and vertices (T, V, 3) of the data or of the probe; the files stay on the disk.

    Parameters
    ----------
    folder : Path
    manifest : dict
    prefix : str
        What the names of the files begin with: nothing, or ``probe.``.
    rows : int
        T.

    Raises
    ------
    ValueError
        If a file is missing, malformed, truncated or of another shape. The message names the file.
    """
    columns = len(pose_names(manifest["joint_names"], manifest["dial_names"]))
    shapes = row_shapes(len(manifest["channel_names"]), columns, manifest["num_vertices"])
    bounds = shard_bounds(rows, manifest["shard_rows"])
    channels, poses, vertices = (
        FloatRows(
            [
                RowFile(folder / shard_file(f"{prefix}{index:05d}", name), "<f4", (stop - start, *shape), start)
                for index, (start, stop) in enumerate(bounds)
            ]
        )
        for name, shape in zip(ARRAYS, shapes, strict=True)
    )
    return channels, poses, vertices


def file_status(path: Path) -> os.stat_result:
    """Status of a regular file; ``OSError`` for anything else (opening a pipe or a device may never end)."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "no regular file")
    return status


def checked_header(path: Path, dtype: str, shape: tuple[int, ...], function: str) -> tuple[int, os.stat_result]:
    """The place of the data in a ``.npy`` file that must hold exactly this dtype and shape, and its status.

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


def _runs(rows: NDArray[np.integer[Any]]) -> list[tuple[int, int]]:
    """First and last row (exclusive) of the runs of consecutive rows."""
    breaks = np.flatnonzero(np.diff(rows) != 1) + 1
    starts, ends = np.r_[0, breaks], np.r_[breaks, len(rows)] - 1
    return [(int(rows[a]), int(rows[b]) + 1) for a, b in zip(starts, ends, strict=True)]


def _version(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns
