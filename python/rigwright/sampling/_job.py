"""Sampling a rig into a data set."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigwright._files import DiskFull
from rigwright._processors import available_processors
from rigwright._rigs.rig import Rig
from rigwright._validate import bad_argument, check_threads
from rigwright.progress import Progress, ProgressCallback, ProgressOption, as_callback
from rigwright.sampling._check import RigFacts, check_rig
from rigwright.sampling._dataset import Dataset
from rigwright.sampling._executor import Executor, InProcess, LocalProcesses
from rigwright.sampling._folder import begin, finish, finished_shards, only_writer, remove_left_overs
from rigwright.sampling._kinematics import Deviations
from rigwright.sampling._manifest import opening, rest_files, shard_bounds
from rigwright.sampling._npy import npy_size
from rigwright.sampling._replacement import REPLACEMENT, begin_again, discard, has_data, move_in
from rigwright.sampling._rows import RowFile, Rows
from rigwright.sampling._samplers import Sampler, default_count, named_sampler, probe_rows, round_inside
from rigwright.sampling._stream import Stream
from rigwright.sampling._work import AnotherRig, Shard, ShardWork

SHARD_BYTES = 1 << 23
LARGEST_SHARD = 64  # rows: what a killed worker loses of a slow rig
LARGEST_PROBE = 1 << 30  # bytes of the probe's channel rows


def sample(
    rig: Rig,
    path: str | os.PathLike[str],
    count: int | None = None,
    *,
    seed: int = 0,
    workers: int = 1,
    sampler: str | Sampler = "normal",
    probe: int = 4,
    shard_rows: int | None = None,
    overwrite: bool = False,
    executor: Executor | None = None,
    progress: ProgressOption = None,
) -> Dataset:
    """Sample a rig into a data set folder; the same call goes on where an interrupted one stopped.

    All channel rows are drawn from the seed before the rig is evaluated, and every shard is evaluated in one
    piece, so the files are the same whatever the number of workers and however often the run was interrupted.

    Parameters
    ----------
    rig : Rig
        See :class:`rigwright.sources.Rig`.
    path : path
        The folder, by custom ``name.rwdata``.
    count : int, optional
        Poses T; default 5000, or the number of frames of an animation without noise.
    seed : int
        Of all random numbers: the same seed draws the same channel rows.
    workers : int
        Number of processes; 0 means all processors that this process may use. 1 evaluates the rig in this process;
        more need ``for_worker()`` of a rig that drives a host, and otherwise inherit the rig by fork where the
        platform has it.
    sampler : "normal", "uniform" or a sampler
        See :class:`Normal`, :class:`Uniform`, :class:`Animation`, :class:`Mixture`.
    probe : int
        Base poses of the influence probe, each with one more row a channel; 0 switches it off.
    shard_rows : int, optional
        Rows per file; default as many as make 8 MiB of vertices, at most 64.
    overwrite : bool
        Replace the data set that the folder holds, when all is done: until then the disk holds both, and whatever
        stops the call leaves the old one as it is. The same call goes on where it was interrupted.
    executor : Executor, optional
        Who evaluates; overrides ``workers``.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigwright.progress.Progress`: rows done, rate and time left.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        For a wrong rig or argument, an answer of the wrong shape or type, a folder of another run, or one
        that another process is writing, or whose finished files have changed since.
    SourceError
        If the rig fails, returns NaN or infinity, or a worker process dies. What is finished stays.
    OSError
        With ``errno.ENOSPC`` if the disk is, or would get, full. What is finished stays.
    """
    workers = check_threads("sample", workers, "workers")
    facts = check_rig(rig, "sample")
    plan = _plan(facts, named_sampler(sampler), count, seed, probe, shard_rows)
    executor = executor or _local(workers)
    folder = Path(path)
    show = as_callback(progress)
    _make_folder(folder)
    with only_writer(folder), _full_disk_in_words(folder, plan):
        move_in(folder)
        if overwrite and has_data(folder):
            _replace(rig, plan, folder, executor, show)
        else:
            discard(folder)
            if begin(folder, plan.opening, rest_files(facts), overwrite):
                return _unchanged(folder, show)
            _fill(rig, plan, folder, executor, show)
    return Dataset(folder)


@dataclass(frozen=True)
class _Plan:
    facts: RigFacts
    opening: dict[str, Any]
    rows: NDArray[np.float32]
    probe_rows: NDArray[np.float32]
    shards: list[Shard]

    def size(self, shard: Shard) -> int:
        """Bytes of the shard's three files."""
        columns = (self.rows.shape[1],), (len(self.facts.pose_names),), (len(self.facts.rest_vertices), 3)
        return sum(npy_size("<f4", (shard.rows, *shape)) for shape in columns)


def _check_probe(probe: int, channels: int) -> None:
    """The probe's rows are drawn at once: as many numbers as the square of the channels, for each base pose."""
    most = LARGEST_PROBE // (8 * channels * (channels + 1))
    if probe > most:
        size = 8 * probe * channels * (channels + 1) / 1e9
        got = f"{probe}, which takes {probe * (channels + 1):,} rows of {channels:,} channels ({size:.1f} GB)"
        raise bad_argument("sample", "probe", got, f"from 0 to {most} for so many channels")


def _plan(facts: RigFacts, sampler: Sampler, count: int | None, seed: int, probe: int, shard_rows: int | None) -> _Plan:
    count = default_count(sampler) if count is None else _integer("count", count, 1)
    seed, probe = _integer("seed", seed, 0), _integer("probe", probe, 0)
    _check_probe(probe, len(facts.channel_names))
    if shard_rows is None:
        shard_rows = min(max(1, SHARD_BYTES // (12 * len(facts.rest_vertices))), LARGEST_SHARD)
    shard_rows = _integer("shard_rows", shard_rows, 1)
    ranges, stream = facts.channel_ranges, Stream(seed)
    drawn = sampler.draw(ranges, facts.channel_rest, count, stream.child(0))
    if drawn.shape != (count, len(ranges)) or not np.isfinite(drawn).all():
        expected = f"finite numbers ({count}, {len(ranges)})"
        raise bad_argument("sample", "sampler.draw()", f"{drawn.dtype} {drawn.shape}", expected)
    probes = probe_rows(ranges, probe, stream.child(1))
    kinds = [(False, count), (True, len(probes))]
    shards = [
        Shard(is_probe, index, start, stop)
        for is_probe, total in kinds
        for index, (start, stop) in enumerate(shard_bounds(total, shard_rows))
    ]
    stated = opening(facts, sampler.settings(), seed, count, probe, shard_rows)
    return _Plan(facts, stated, round_inside(drawn, ranges), round_inside(probes, ranges), shards)


def _unchanged(folder: Path, progress: ProgressCallback) -> Dataset:
    """A finished data set, each of its files hashed."""
    try:
        dataset = Dataset(folder)
        dataset.verify(progress)
    except ValueError as error:
        raise ValueError(f"{error}; to sample {str(folder)!r} anew, pass overwrite=True") from error
    return dataset


def _replace(rig: Any, plan: _Plan, folder: Path, executor: Executor, progress: ProgressCallback) -> None:
    """Sample beside the data set that the folder holds, and replace it when all is done."""
    rest = rest_files(plan.facts)
    try:
        try:
            _fill(rig, plan, begin_again(folder, plan.opening, rest), executor, progress)
        except AnotherRig:  # an interrupted replacement was begun with a rig that has been edited since
            discard(folder)
            _fill(rig, plan, begin_again(folder, plan.opening, rest), executor, progress)
    finally:
        discard(folder, only_without_shards=True)
    move_in(folder)


def _fill(rig: Any, plan: _Plan, folder: Path, executor: Executor, progress: ProgressCallback) -> None:
    total = sum(shard.rows for shard in plan.shards)
    done = finished_shards(folder, plan.shards, lambda rows: progress(Progress("checking", rows, total)))
    left = [shard for shard in plan.shards if shard.stem not in done]
    _check_space(folder, sum(map(plan.size, left)))
    reference = _reference(folder, plan) if plan.shards[0].stem in done else None
    work = ShardWork(rig, plan.facts, folder, plan.rows, plan.probe_rows, reference)
    clock = _Clock(progress, total - sum(shard.rows for shard in left), total)
    results = executor.run(work, left)
    try:
        for result in results:
            done[result.shard.stem] = result
            clock.advance(result.shard.rows)
        finish(folder, plan.opening, _deviations(folder, plan), done, plan.shards)
    finally:
        if hasattr(results, "close"):
            results.close()  # no worker goes on
        remove_left_overs(folder)


def _reference(folder: Path, plan: _Plan) -> tuple[NDArray[Any], NDArray[Any]]:
    """Stored poses and vertices of channel row 0."""
    first = plan.shards[0]
    shape = (first.rows, len(plan.facts.rest_vertices), 3)
    vertices = Rows([RowFile(folder / f"{first.stem}.vertices.npy", "<f4", shape, function="sample")])
    return _stored_poses(folder, plan, first)[:1].copy(), vertices[:1]


def _stored_poses(folder: Path, plan: _Plan, shard: Shard) -> NDArray[np.float32]:
    shape = shard.rows, len(plan.facts.pose_names)
    return Rows([RowFile(folder / f"{shard.stem}.poses.npy", "<f4", shape, function="sample")])[:]


def _deviations(folder: Path, plan: _Plan) -> dict[str, Any]:
    """What plain kinematics does not decide, from the stored poses of the first shard and of the probe."""
    facts, first = plan.facts, plan.shards[0]
    probe = [_stored_poses(folder, plan, shard) for shard in plan.shards if shard.probe]
    size = float(np.ptp(facts.rest_vertices, axis=0).max())
    return Deviations(plan.opening, facts.skeleton_rest, size).find(
        plan.rows[: first.rows],
        _stored_poses(folder, plan, first),
        plan.probe_rows,
        np.concatenate([np.empty((0, len(facts.pose_names)), np.float32), *probe]),
    )


class _Clock:
    """Reports progress with a rate and the time left, counted from the start of this call."""

    def __init__(self, progress: ProgressCallback, done: int, total: int) -> None:
        self.progress, self.done, self.total = progress, done, total
        self.before, self.start = done, time.monotonic()
        progress(Progress("sampling", done, total))

    def advance(self, rows: int) -> None:
        self.done += rows
        rate = (self.done - self.before) / max(time.monotonic() - self.start, 1e-9)
        left = round((self.total - self.done) / rate)
        clock = f"{left // 3600}:{left // 60 % 60:02d}:{left % 60:02d}" if left >= 3600 else ""
        clock = clock or f"{left // 60}:{left % 60:02d}"
        speed = f"{rate:.0f}" if rate >= 10.0 else f"{rate:.2g}"
        self.progress(Progress("sampling", self.done, self.total, f"{speed} poses/s, {clock} left"))


def _local(workers: int) -> Executor:
    count = workers or available_processors()
    return InProcess() if count == 1 else LocalProcesses(count)


def _integer(argument: str, value: Any, lowest: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < lowest:
        raise bad_argument("sample", argument, repr(value), f"an integer from {lowest}")
    return int(value)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        expected = "a folder, or a name for a new one"
        raise bad_argument("sample", "path", f"{str(folder)!r}, which is or lies in a file", expected) from error


@contextlib.contextmanager
def _full_disk_in_words(folder: Path, plan: _Plan) -> Iterator[None]:
    """Turn "No space left on device" into how much is missing, where, and what to do."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT) or isinstance(error, _DiskFull):
            raise
        place = folder / REPLACEMENT if (folder / REPLACEMENT).is_dir() else folder
        missing = [shard for shard in plan.shards if not (place / f"{shard.stem}.done").exists()]
        raise _disk_full(place, sum(map(plan.size, missing))) from error


def _check_space(folder: Path, needed: int) -> None:
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
