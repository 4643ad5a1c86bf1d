"""Writing files so that a reader sees the old content or the new one, never a part."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from rigcast.errors import FileError

FULL = (errno.ENOSPC, errno.EDQUOT)
LONGEST = 50  # letters of a file's name in that of its temporary file: 255 bytes are all there are


class DiskFull(OSError):
    """A disk that is full; the message is complete."""

    def __str__(self) -> str:
        return str(self.strerror)


@contextlib.contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file next to ``path``; it takes the name when the block ends without an exception.

    The content is flushed to the disk before the rename, so a crash leaves the old file or the new one. A link stays a
    link: the file that it leads to is replaced. A file that is replaced hands on its mode.

    Raises
    ------
    ValueError
        If ``path`` is a folder, a pipe or a device, or a file that is read-only.
    DiskFull
    """
    with _replaced(path) as (_, handle), os.fdopen(handle, "wb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())


def atomic_write(path: str | os.PathLike[str], content: bytes | memoryview) -> None:
    """Write ``content`` to ``path`` in one step (see :func:`atomic_file`)."""
    with atomic_file(path) as stream:
        stream.write(content)


def atomic_npz(path: str | os.PathLike[str], arrays: dict[str, Any], compressed: bool = False) -> None:
    """Write named arrays to a ``.npz`` file in one step (see :func:`atomic_file`)."""
    atomic_write(path, npz_content(arrays, compressed))


def npz_content(arrays: dict[str, Any], compressed: bool = False) -> memoryview:
    """The content of a ``.npz`` file: the same bytes for the same arrays.

    It is complete before any of it is written: an archive that breaks off at a full disk complains once more when it
    is collected.
    """
    whole = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(whole, **arrays)
    return whole.getbuffer()


def unwritable(path: Path) -> FileError | None:
    """The error for a name under which no file can be written; None if one can be."""
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        return _refused(path, f"cannot be written ({error.strerror or error})", "a place for a file")
    if stat.S_ISDIR(mode):
        return _refused(path, "is a folder", "a file")
    if not stat.S_ISREG(mode):
        return _refused(path, "is a pipe or a device", "a file")
    # Access is always granted to an administrator, who has made the file read-only all the same.
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(target, os.W_OK):
        return _refused(path, "is read-only", "writable")
    return None


def _refused(path: Path, problem: str, expected: str) -> FileError:
    return FileError("", "", f"{path} {problem}", expected, path)


@contextlib.contextmanager
def _replaced(path: str | os.PathLike[str]) -> Iterator[tuple[str, int]]:
    """A temporary file, as name and handle, that takes the place of ``path`` when the block ends."""
    if refused := unwritable(Path(path)):
        raise refused
    target = Path(os.path.realpath(path))
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else default_mode(0o666)
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:LONGEST]}.", suffix=".part", dir=target.parent)
    try:
        yield name, handle
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException as error:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        if isinstance(error, OSError) and error.errno in FULL and not isinstance(error, DiskFull):
            text = f"the disk is full: {os.fspath(path)!r} was not written, and nothing was replaced"
            raise DiskFull(error.errno, text) from error
        raise


def default_mode(mode: int) -> int:
    """``mode`` less what the process's umask withholds, which temporary files and folders do not heed."""
    mask = os.umask(0)
    os.umask(mask)
    return mode & ~mask
