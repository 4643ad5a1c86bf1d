"""A disk that is full, or would get full: how much is missing, where, and what to do."""

from __future__ import annotations

import contextlib
import errno
import shutil
from collections.abc import Iterator
from pathlib import Path

from rigcast._atomic_files import DiskFull
from rigcast.sampling._plan import Plan
from rigcast.sampling._replacement import REPLACEMENT


@contextlib.contextmanager
def full_disk_in_words(folder: Path, plan: Plan) -> Iterator[None]:
    """Turn "No space left on device" into how much is missing, where, and what to do."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT) or isinstance(error, _DiskFull):
            raise
        place = folder / REPLACEMENT if (folder / REPLACEMENT).is_dir() else folder
        missing = [shard for shard in plan.shards if not (place / f"{shard.stem}.done").exists()]
        raise _disk_full(place, sum(map(plan.size, missing))) from error


def check_space(folder: Path, needed: int) -> None:
    """``OSError`` if the disk of a folder has less than ``needed`` bytes left."""
    with contextlib.suppress(NotImplementedError):
        usage = shutil.disk_usage(folder)
        if usage.total and usage.free < needed:
            raise _disk_full(folder, needed)


class _DiskFull(DiskFull):
    """Says what is missing, too."""


def _disk_full(place: Path, needed: int) -> _DiskFull:
    free = shutil.disk_usage(place).free
    replaces = place.name == REPLACEMENT
    folder = place.parent if replaces else place
    text = (
        f"sample: the disk is full: {str(folder)!r} needs {_bytes(needed)} more and {_bytes(free)} are free; "
        "finished shards are kept, and the same call goes on from there"
    ) + ("; the data set that it replaces is as it was" if replaces else "")
    return _DiskFull(errno.ENOSPC, text)


def _bytes(count: int) -> str:
    size = float(count)
    for unit in ("bytes", "KB", "MB"):
        if size < 1000.0:
            return f"{size:.3g} {unit}"
        size /= 1000.0
    return f"{size:.3g} GB"
