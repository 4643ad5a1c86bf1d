"""A data set that is sampled beside the one that it replaces, and takes its place when it is finished."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

from rigcast.sampling._folder import MANIFEST, OURS, UNFINISHED, begin, empty, remove_left_overs
from rigcast.sampling._manifest import ARRAYS, read_manifest

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
