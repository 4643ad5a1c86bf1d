"""A lock that one process holds while it writes an output; the lock of a dead process does not count."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from rigcast._validate import bad_argument

TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)  # some network file systems


@contextlib.contextmanager
def locked(path: Path, function: str, argument: str, output: Path, patience: float = 0.0) -> Iterator[None]:
    """Hold the lock file ``path`` inside the block; it is removed afterwards.

    A file system without locks gives none, and the block runs all the same.

    Parameters
    ----------
    path : Path
        The lock file; its folder exists.
    function, argument : str
        For the message.
    output : Path
        What the lock protects, for the message.
    patience : float
        Seconds to wait for another holder.

    Raises
    ------
    ValueError
        If another living process holds the lock (or another run of this process). The message names the process.
    FileNotFoundError
        If the folder of the lock file disappears.
    """
    deadline = time.monotonic() + patience
    while (handle := _try_lock(path)) is None:
        if time.monotonic() > deadline:
            got = f"{str(output)!r}, which {_holder(path)} is writing"
            raise bad_argument(function, argument, got, "a place that no other process writes", output)
        time.sleep(0.05)
    try:
        with contextlib.suppress(OSError):  # on a full disk the holder has no name
            os.ftruncate(handle, 0)
            os.write(handle, f"process {os.getpid()} on {socket.gethostname()}".encode())
        yield
    finally:
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        os.close(handle)


def _holder(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace").strip() or "another process"
    except OSError:
        return "another process"


def _try_lock(path: Path) -> int | None:
    """An open, locked file of this name; None where another process has it."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock_file(handle)
            # The holder removes the file before it lets go: a lock on a removed file protects nothing.
            if os.path.samestat(os.fstat(handle), path.stat()):
                return handle
        except FileNotFoundError:
            pass
        except OSError as error:
            os.close(handle)
            if error.errno in TAKEN:
                return None
            raise
        os.close(handle)


def _lock_file(handle: int) -> None:
    try:
        import fcntl
    except ModuleNotFoundError:
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
