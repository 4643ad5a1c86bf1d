"""Writing files so that a reader sees the old content or the new one, never a part."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file beside ``path``; it takes the name when the block ends without an exception.

    The content is flushed to the disk before the rename, so a crash leaves the old file or the new one.
    """
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise


def atomic_write(path: str | os.PathLike[str], content: bytes) -> None:
    """Write ``content`` to ``path`` in one step (see :func:`atomic_file`)."""
    with atomic_file(path) as stream:
        stream.write(content)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
