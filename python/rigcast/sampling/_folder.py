"""The folder of a data set while it is written: its lock, what is finished in it, what is left over."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rigcast._atomic_files import atomic_write
from rigcast._resume.locks import locked
from rigcast._safe_reading import LARGEST_JSON, read_bytes
from rigcast._validate import bad_argument
from rigcast.sampling._manifest import ARRAYS, closed, difference, parse_json, read_manifest
from rigcast.sampling._work import Done, Shard

MANIFEST, UNFINISHED, LOCK = "manifest.json", "unfinished.json", ".lock"
OURS = re.compile(
    r"(manifest|unfinished)\.json|(rest_vertices|faces|skeleton_rest|vertex_parts|face_materials|uvs|uv_faces|clip)\.npy"
    r"|(probe\.)?\d{5,}\.(done|(channels|poses|vertices)\.npy)"
)
LEFT_OVER = re.compile(rf"\.({OURS.pattern})\.\w+\.part|\.token\.[0-9a-f]{{32}}")
LOCK_PATIENCE = 2.0  # seconds: workers of a process that was just killed may still hold the lock


def only_writer(folder: Path) -> contextlib.AbstractContextManager[None]:
    """Keep other processes from writing into the folder: see :func:`rigcast._resume.locks.locked`."""
    return locked(folder / LOCK, "sample", "path", folder, LOCK_PATIENCE)


def begin(folder: Path, opening: dict[str, Any], rest: dict[str, bytes], overwrite: bool) -> bool:
    """Make the folder ready for the run that ``opening`` describes; returns whether it is already complete.

    Raises
    ------
    ValueError
        If the folder holds another run, another kind of files, or damaged notes, and ``overwrite`` is false.
    """
    remove_left_overs(folder)
    _refuse_strangers(folder, overwrite)
    if overwrite:
        empty(folder)
    elif _same_run(folder, opening):
        _tidy(folder)
        return True
    atomic_write(folder / UNFINISHED, json.dumps(opening, indent=1).encode("ascii"))
    for name, content in rest.items():
        if file_hash(folder / name) != opening["files"][name]:
            atomic_write(folder / name, content)
    return False


def finish(
    folder: Path, opening: dict[str, Any], deviations: dict[str, Any], done: dict[str, Done], shards: list[Shard]
) -> None:
    """Write the manifest and remove the notes that made the run resumable."""
    entries = [{"rows": shard.rows, **done[shard.stem].hashes} for shard in shards]
    data = [entry for entry, shard in zip(entries, shards, strict=True) if not shard.probe]
    probe = [entry for entry, shard in zip(entries, shards, strict=True) if shard.probe]
    manifest = closed(opening, deviations, data, probe)
    atomic_write(folder / MANIFEST, json.dumps(manifest, indent=1).encode("ascii") + b"\n")
    _tidy(folder)


def finished_shards(folder: Path, shards: list[Shard], seen: Callable[[int], None]) -> dict[str, Done]:
    """The shards whose three files have the hashes that their ``.done`` file states; others count as not
    done.

    ``seen(rows)`` is told after each shard how many rows have been looked at.
    """
    done: dict[str, Done] = {}
    looked = 0
    if not any((folder / f"{shard.stem}.done").exists() for shard in shards):
        return done
    for shard in shards:
        try:
            hashes = json.loads((folder / f"{shard.stem}.done").read_bytes())
            right = isinstance(hashes, dict) and hashes == {
                name: file_hash(folder / f"{shard.stem}.{name}.npy") for name in ARRAYS
            }
        except (OSError, ValueError):
            right = False
        if right:
            done[shard.stem] = Done(shard, hashes)
        looked += shard.rows
        seen(looked)
    return done


def file_hash(path: Path) -> str | None:
    """Hex SHA-256 of a file; None if it does not exist."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    except FileNotFoundError:
        return None
    return digest.hexdigest()


def remove_left_overs(folder: Path) -> None:
    """Remove the half-written files of processes that were killed; nobody else may be writing."""
    for name in os.listdir(folder):
        if LEFT_OVER.fullmatch(name):
            (folder / name).unlink()


@contextlib.contextmanager
def announced(folder: Path) -> Iterator[str]:
    """A file of a name that nobody else knows, inside the block: who sees it shares the folder. Yields the token."""
    token = uuid.uuid4().hex
    path = token_file(folder, token)
    atomic_write(path, b"")
    try:
        yield token
    finally:
        path.unlink(missing_ok=True)


def token_file(folder: Path, token: str) -> Path:
    """The file of a token."""
    return folder / f".token.{token}"


def _refuse_strangers(folder: Path, overwrite: bool) -> None:
    """``ValueError`` if there are files but neither a finished nor a begun data set."""
    names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    if MANIFEST in names or UNFINISHED in names:
        return
    strange = [name for name in names if not (overwrite and OURS.fullmatch(name))]
    if strange:
        got = f"{str(folder)!r}, a folder that holds {strange[0]!r} and no data set"
        raise bad_argument("sample", "path", got, "a new or empty folder, or one that sample began")


def _same_run(folder: Path, opening: dict[str, Any]) -> bool:
    """Whether the folder is complete; ``ValueError`` if it belongs to another run."""
    complete, begun = folder / MANIFEST, folder / UNFINISHED
    if complete.exists():
        manifest = read_manifest(read_bytes(complete, LARGEST_JSON), "sample", MANIFEST)
        found = {key: manifest[key] for key in opening}
    elif begun.exists():
        found = parse_json(read_bytes(begun, LARGEST_JSON), "sample", UNFINISHED)
    else:
        return False
    differs = difference(found, opening)
    if differs:
        expected = "the same rig and settings, or pass overwrite=True"
        raise bad_argument("sample", "path", f"{str(folder)!r}, begun with {differs}", expected)
    return complete.exists()


def empty(folder: Path) -> None:
    """Remove the files of a data set, its manifest first, and nothing else."""
    names = [name for name in os.listdir(folder) if OURS.fullmatch(name)]
    for name in sorted(names, key=lambda name: (name != MANIFEST, not name.endswith(".done"), name == UNFINISHED)):
        (folder / name).unlink()


def _tidy(folder: Path) -> None:
    for name in os.listdir(folder):
        if OURS.fullmatch(name) and (name.endswith(".done") or name == UNFINISHED):
            (folder / name).unlink()
