"""The folder of a data set: begun, looked through for finished shards, finished or replaced.

``rigcast.sampling`` lists its files and the order in which they are written. The files of shards are written by whoever
evaluates them (``rigcast.sampling._work``), all others here.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import DiskFull, atomic_write
from rigcast._hashing import file_hash
from rigcast._resume.locks import locked
from rigcast._safe_reading import LARGEST_JSON, read_bytes
from rigcast._validate import bad_argument
from rigcast.progress import Progress, ProgressCallback
from rigcast.sampling._check import CheckedRig
from rigcast.sampling._kinematics import Deviations
from rigcast.sampling._store.layout import (
    ARRAYS,
    LEFT_OVER,
    LOCK,
    MANIFEST,
    OURS,
    REPLACEMENT,
    UNFINISHED,
    Begun,
    Contents,
    Done,
    Shard,
    shard_file,
    shard_names,
    token_file,
)
from rigcast.sampling._store.manifest import closed, difference
from rigcast.sampling._store.manifest_reader import parse_json, read_manifest
from rigcast.sampling._store.rows import FloatRows, RowFile

LOCK_PATIENCE = 2.0  # seconds: workers of a process that was just killed may still hold the lock


class DataFolder:
    """The folder of one run of ``sample``, which begins it, fills it with shards and finishes it.

    Parameters
    ----------
    path : Path
    contents : Contents
    is_replacement : bool
        True for a folder that will take the place of a data set.
    """

    def __init__(self, path: Path, contents: Contents, is_replacement: bool = False) -> None:
        self.path, self.contents, self.is_replacement = path, contents, is_replacement

    @contextlib.contextmanager
    def written(self, overwrite: bool) -> Iterator[DataFolder]:
        """Make the folder, keep other processes from writing into it, and yield the folder to fill.

        It is a replacement if ``overwrite`` and the folder holds a data set: when the block ends, the replacement takes
        the place of the data set; if the block fails, the data set stays as it is. A finished replacement that an
        interrupted call left is moved in. A full disk is said in words.

        Raises
        ------
        ValueError
            If the folder is or lies in a file, or another process writes into it.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            got = f"{str(self.path)!r}, which is or lies in a file"
            raise bad_argument("sample", "path", got, "a folder, or a name for a new one", self.path) from error
        with locked(self.path / LOCK, "sample", "path", self.path, LOCK_PATIENCE):
            try:
                self._move_in()
                with self._to_fill(overwrite) as folder:
                    yield folder
            except OSError as error:
                if error.errno not in (errno.ENOSPC, errno.EDQUOT) or isinstance(error, _DiskFull):
                    raise
                place = self._replacement if self._replacement.is_dir() else self.path
                missing = [shard for shard in self.contents.shards if not (place / f"{shard.stem}.done").exists()]
                raise _disk_full(place, self.contents.size(missing)) from error

    def is_complete(self) -> bool:
        """Return True if the folder holds the finished data set of this run.

        Raises
        ------
        ValueError
            If the folder holds another run, another kind of files, or damaged notes.
        """
        self._remove_left_overs()
        self._refuse_strangers()
        complete = self._is_finished()
        if complete:
            self._tidy()
        return complete

    def begin(self, progress: ProgressCallback, anew: bool = False) -> Begun:
        """Write all files but the shards, and look for finished shards; with ``anew`` all are removed before.

        Raises
        ------
        OSError
            If the disk has too little room for the shards that are missing.
        """
        if anew:
            self._clear()
        opening = self.contents.opening
        atomic_write(self.path / UNFINISHED, json.dumps(opening, indent=1).encode("ascii"))
        for name, content in self.contents.files.items():
            path = self.path / name
            if not path.exists() or file_hash(path) != opening["files"][name]:
                atomic_write(path, content)
        done = self._finished_shards(progress)
        shards = self.contents.shards
        first = shards[:1] if shards[0].stem in done else []
        reference = (self._stored("poses", first)[:1], self._stored("vertices", first)[:1]) if first else None
        return Begun(self.path, done, [shard for shard in shards if shard.stem not in done], reference)

    def finish(self, facts: CheckedRig, done: dict[str, Done]) -> None:
        """Write the manifest and remove the notes that made the run resumable.

        The stored poses of the first shard and of the probe tell which channels plain kinematics does not decide.
        """
        shards = self.contents.shards
        entries = [{"rows": shard.rows, **done[shard.stem].hashes} for shard in shards]
        data = [entry for entry, shard in zip(entries, shards, strict=True) if not shard.probe]
        probe = [entry for entry, shard in zip(entries, shards, strict=True) if shard.probe]
        parts = (shards[:1], [shard for shard in shards if shard.probe])
        stored = [self._stored(array, part) for part in parts for array in ("channels", "poses")]
        deviations = Deviations(self.contents.opening, facts.skeleton_rest, facts.rest_vertices).find(*stored)
        manifest = closed(self.contents.opening, deviations, data, probe)
        atomic_write(self.path / MANIFEST, json.dumps(manifest, indent=1).encode("ascii") + b"\n")
        self._tidy()

    @contextlib.contextmanager
    def _to_fill(self, overwrite: bool) -> Iterator[DataFolder]:
        """The folder itself, or a replacement of the data set that it holds, which is moved in after the block.

        A replacement that this very run has begun goes on, any other is removed. If the block fails, finished shards
        of the replacement stay.
        """
        if not overwrite or not ((self.path / MANIFEST).exists() or (self.path / UNFINISHED).exists()):
            self._discard_replacement()
            if overwrite:
                self._clear()
            try:
                yield self
            finally:
                self._remove_left_overs()
            return
        place = DataFolder(self._replacement, self.contents, is_replacement=True)
        place.path.mkdir(exist_ok=True)
        try:
            try:
                place.is_complete()
            except ValueError:
                place._clear()
            yield place
        finally:
            place._remove_left_overs()
            self._discard_replacement(only_without_shards=True)
        self._move_in()

    def _finished_shards(self, progress: ProgressCallback) -> dict[str, Done]:
        """The shards whose three files have the hashes that their ``.done`` file states; others count as not done.

        Raises OSError if the disk has too little room for those that are not.
        """
        done: dict[str, Done] = {}
        looked, shards = 0, self.contents.shards
        for shard in shards if any((self.path / f"{shard.stem}.done").exists() for shard in shards) else []:
            try:
                hashes = json.loads((self.path / f"{shard.stem}.done").read_bytes())
                files = {name: self.path / shard_file(shard.stem, name) for name in ARRAYS}
                right = isinstance(hashes, dict) and hashes == {name: file_hash(file) for name, file in files.items()}
            except (OSError, ValueError):
                right = False
            if right:
                done[shard.stem] = Done(shard, hashes)
            looked += shard.rows
            progress(Progress("checking", looked, self.contents.rows))
        needed = self.contents.size([shard for shard in shards if shard.stem not in done])
        with contextlib.suppress(NotImplementedError):
            usage = shutil.disk_usage(self.path)
            if usage.total and usage.free < needed:
                raise _disk_full(self.path, needed)
        return done

    def _stored(self, array: str, shards: list[Shard]) -> NDArray[np.float32]:
        """Channels, poses or vertices of finished shards, one after another."""
        shape = self.contents.shapes[ARRAYS.index(array)]
        files = [
            RowFile(self.path / shard_file(shard.stem, array), "<f4", (shard.rows, *shape), function="sample")
            for shard in shards
        ]
        return FloatRows(files)[:] if files else np.empty((0, *shape), np.float32)

    def _remove_left_overs(self) -> None:
        """Remove the half-written files of processes that were killed; nobody else may be writing."""
        for name in os.listdir(self.path):
            if LEFT_OVER.fullmatch(name):
                (self.path / name).unlink()

    def _discard_replacement(self, only_without_shards: bool = False) -> None:
        """Remove a replacement that was begun, or only one without any finished shard."""
        place = self._replacement
        keep = only_without_shards and (any(place.glob("*.done")) or (place / MANIFEST).exists())
        if place.is_dir() and not keep:
            inner = DataFolder(place, self.contents)
            inner._remove_left_overs()
            inner._empty()
            with contextlib.suppress(OSError):
                place.rmdir()

    @property
    def _replacement(self) -> Path:
        return self.path / REPLACEMENT

    def _move_in(self) -> None:
        """Put a finished replacement in the place of the data set; nothing happens without one.

        The folder holds no manifest from the first to the last step, so that nobody reads a mixture. Killed at any
        moment, the next call ends it.
        """
        folder, place = self.path, self._replacement
        try:
            manifest = read_manifest((place / MANIFEST).read_bytes(), "sample", MANIFEST)
        except (OSError, ValueError):
            return
        names = {*manifest["files"], *shard_names(manifest)}
        for name in (MANIFEST, UNFINISHED):
            (folder / name).unlink(missing_ok=True)
        for name in os.listdir(folder):
            if OURS.fullmatch(name) and name not in names:
                (folder / name).unlink()
        for name in sorted(names):
            with contextlib.suppress(FileNotFoundError):  # an earlier call has moved it
                os.replace(place / name, folder / name)
        os.replace(place / MANIFEST, folder / MANIFEST)
        self._discard_replacement()

    def _refuse_strangers(self, overwrite: bool = False) -> None:
        """Raise ValueError if there are files but neither a finished nor a begun data set."""
        names = sorted(name for name in os.listdir(self.path) if not name.startswith("."))
        if MANIFEST in names or UNFINISHED in names:
            return
        strange = [name for name in names if not (overwrite and OURS.fullmatch(name))]
        if strange:
            got = f"{str(self.path)!r}, a folder that holds {strange[0]!r} and no data set"
            raise bad_argument("sample", "path", got, "a new or empty folder, or one that sample began", self.path)

    def _is_finished(self) -> bool:
        """Return True if the folder is finished; ValueError if it belongs to another run."""
        complete, begun = self.path / MANIFEST, self.path / UNFINISHED
        if complete.exists():
            manifest = read_manifest(read_bytes(complete, LARGEST_JSON), "sample", MANIFEST)
            found = {key: manifest[key] for key in self.contents.opening}
        elif begun.exists():
            found = parse_json(read_bytes(begun, LARGEST_JSON), "sample", UNFINISHED)
        else:
            return False
        differs = difference(found, self.contents.opening)
        if differs:
            expected = "the same rig and settings, or pass overwrite=True"
            raise bad_argument("sample", "path", f"{str(self.path)!r}, begun with {differs}", expected, self.path)
        return complete.exists()

    def _clear(self) -> None:
        """Remove whatever an earlier run left; ValueError if there are other files, too."""
        self._remove_left_overs()
        self._refuse_strangers(overwrite=True)
        self._empty()

    def _empty(self) -> None:
        """Remove the files of a data set, its manifest first, and nothing else."""
        names = [name for name in os.listdir(self.path) if OURS.fullmatch(name)]
        for name in sorted(names, key=lambda name: (name != MANIFEST, not name.endswith(".done"), name == UNFINISHED)):
            (self.path / name).unlink()

    def _tidy(self) -> None:
        for name in os.listdir(self.path):
            if OURS.fullmatch(name) and (name.endswith(".done") or name == UNFINISHED):
                (self.path / name).unlink()


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
