"""A data set sampled beside the one that it replaces until it is finished, and a disk too full for it."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rigcast._atomic_files import DiskFull
from rigcast.sampling._folder import MANIFEST, OURS, UNFINISHED, begin, empty, remove_left_overs
from rigcast.sampling._manifest import ARRAYS, read_manifest
from rigcast.sampling._plan import Plan

REPLACEMENT = ".replacement"


def has_data(folder: Path) -> bool:
    """Whether the folder holds a data set, finished or begun."""
    return (folder / MANIFEST).exists() or (folder / UNFINISHED).exists()


def begin_again(folder: Path, opening: dict[str, Any], rest: dict[str, bytes]) -> Path:
    """Make the place for a replacement: one that this very run has begun goes on, any other is removed.

    Returns
    -------
    Path
        Where to sample.
    """
    place = folder / REPLACEMENT
    place.mkdir(exist_ok=True)
    try:
        begin(place, opening, rest, overwrite=False)
    except ValueError:
        begin(place, opening, rest, overwrite=True)
    return place


def discard(folder: Path, only_without_shards: bool = False) -> None:
    """Remove a replacement that was begun, or only one without any finished shard."""
    place = folder / REPLACEMENT
    keep = only_without_shards and (any(place.glob("*.done")) or (place / MANIFEST).exists())
    if place.is_dir() and not keep:
        remove_left_overs(place)
        empty(place)
        with contextlib.suppress(OSError):
            place.rmdir()


def move_in(folder: Path) -> None:
    """Put a finished replacement in the place of the data set; nothing happens without one.

    The folder holds no manifest from the first to the last step, so that nobody reads a mixture. Killed at any
    moment, the next call ends it.
    """
    place = folder / REPLACEMENT
    try:
        manifest = read_manifest((place / MANIFEST).read_bytes(), "sample", MANIFEST)
    except (OSError, ValueError):
        return
    names = {*manifest["files"], *_shard_names(manifest)}
    for name in (MANIFEST, UNFINISHED):
        (folder / name).unlink(missing_ok=True)
    for name in os.listdir(folder):
        if OURS.fullmatch(name) and name not in names:
            (folder / name).unlink()
    for name in sorted(names):
        with contextlib.suppress(FileNotFoundError):  # an earlier call has moved it
            os.replace(place / name, folder / name)
    os.replace(place / MANIFEST, folder / MANIFEST)
    discard(folder)


def _shard_names(manifest: dict[str, Any]) -> list[str]:
    return [
        f"{prefix}{index:05d}.{name}.npy"
        for prefix, key in (("", "shards"), ("probe.", "probe_shards"))
        for index in range(len(manifest[key]))
        for name in ARRAYS
    ]


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
