"""Sampling a rig into a data set."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from rigcast._farm.connecting import is_client
from rigcast._processors import available_processors
from rigcast._rigs.rig import Rig
from rigcast._validate import check_threads
from rigcast.errors import ArgumentError, FileError
from rigcast.progress import Progress, ProgressCallback, ProgressOption, as_callback
from rigcast.sampling._check import check_rig
from rigcast.sampling._dataset import Dataset
from rigcast.sampling._drawing.samplers import Sampler, named_sampler
from rigcast.sampling._executor import Executor, InProcess, LocalProcesses
from rigcast.sampling._farm.dask_workers import DaskWorkers
from rigcast.sampling._kinematics import Deviations
from rigcast.sampling._plan import SamplingPlan, make_plan
from rigcast.sampling._store.folder import DataFolder
from rigcast.sampling._work import AnotherRig, ShardWork

if TYPE_CHECKING:
    from rigcast._farm.connecting import Client


def sample(
    rig: Rig,
    path: str | os.PathLike[str],
    count: int | None = None,
    *,
    seed: int = 0,
    workers: int | Client = 1,
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
        See :class:`rigcast.sources.Rig`.
    path : path-like
        The folder, by custom ``name.rwdata``.
    count : int, optional
        Poses T; default 5000, or the number of frames of an animation without noise.
    seed : int
        Of all random numbers: the same seed draws the same channel rows.
    workers : int or distributed.Client
        Number of processes; 0 means all processors that this process may use. 1 evaluates the rig in this process;
        more need ``for_worker()`` of a rig that drives a host, and otherwise inherit the rig by fork where the
        platform has it. A client of Dask: the workers of its scheduler, see :class:`DaskWorkers`.
    sampler : "normal", "uniform", "sparse" or a sampler
        See :class:`Normal`, :class:`Uniform`, :class:`Sparse`, :class:`Animation`, :class:`Mixture`.
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
        Draws a bar, or is called with :class:`rigcast.progress.Progress`: rows done, rate and time left.

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

    Warns
    -----
    WorkerWarning
        If workers of a farm left, could not work or failed, and others did what was theirs.

    Examples
    --------
    >>> arm = rc.sources.example_body()
    >>> data = rc.sampling.sample(arm, "arm.rwdata", count=100, seed=0)
    >>> data.channels.shape, data.poses.shape, data.vertices.shape
    ((100, 6), (100, 37), (100, 1122, 3))
    """
    show = as_callback(progress)
    executor = executor or _executor(workers, show)
    facts = check_rig(rig, "sample")
    plan = make_plan(facts, named_sampler(sampler), count, seed, probe, shard_rows)
    folder = DataFolder(Path(path), plan.contents)
    with folder.written():
        if overwrite and folder.has_data():
            _replace(rig, plan, folder, executor, show)
        else:
            folder.discard_replacement()
            if folder.begin(overwrite):
                return _unchanged(folder.path, show)
            _fill(rig, plan, folder, executor, show)
    return Dataset(path)


def _unchanged(folder: Path, progress: ProgressCallback) -> Dataset:
    """A finished data set, each of its files hashed."""
    try:
        dataset = Dataset(folder)
        dataset.verify(progress)
    except ArgumentError as error:
        expected = f"{error.expected or 'whole'}; to sample {str(folder)!r} anew, pass overwrite=True"
        raise FileError(error.function, error.argument, error.got, expected, folder) from error
    return dataset


def _replace(rig: Rig, plan: SamplingPlan, folder: DataFolder, executor: Executor, progress: ProgressCallback) -> None:
    """Sample next to the data set that the folder holds, and replace it when all is done."""
    try:
        with folder.replaced() as place:
            _fill(rig, plan, place, executor, progress)
    except AnotherRig:  # an interrupted replacement was begun with a rig that has been edited since
        with folder.replaced(anew=True) as place:
            _fill(rig, plan, place, executor, progress)


def _fill(rig: Rig, plan: SamplingPlan, folder: DataFolder, executor: Executor, progress: ProgressCallback) -> None:
    """Evaluate the shards that the folder lacks, and finish it."""
    shards = plan.contents.shards
    total = sum(shard.rows for shard in shards)
    done = folder.finished_shards(lambda rows: progress(Progress("checking", rows, total)))
    left = [shard for shard in shards if shard.stem not in done]
    first = shards[:1] if shards[0].stem in done else []
    reference = (folder.stored("poses", first)[:1], folder.stored("vertices", first)[:1]) if first else None
    work = ShardWork(rig, plan.facts, folder.path, plan.rows, plan.probe_rows, reference)
    clock = _Clock(progress, total - sum(shard.rows for shard in left), total)
    results = executor.run(work, left)
    try:
        for result in results:
            done[result.shard.stem] = result
            clock.advance(result.shard.rows)
        folder.finish(_deviations(folder, plan), done)
    finally:
        if hasattr(results, "close"):
            results.close()  # no worker goes on
        folder.remove_left_overs()


def _deviations(folder: DataFolder, plan: SamplingPlan) -> dict[str, Any]:
    """The channels that plain kinematics does not decide, from the stored poses of the first shard and of the probe."""
    facts, shards = plan.facts, plan.contents.shards
    first, probe = shards[:1], [shard for shard in shards if shard.probe]
    stored, probed = folder.stored("poses", first), folder.stored("poses", probe)
    size = float(np.ptp(facts.rest_vertices, axis=0).max())
    found = Deviations(plan.contents.opening, facts.skeleton_rest, size)
    return found.find(plan.rows[: first[0].rows], stored, plan.probe_rows, probed)


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


def _executor(workers: int | Client, progress: ProgressCallback) -> Executor:
    if is_client(workers):
        return DaskWorkers(cast("Client", workers), progress=progress)
    count = check_threads("sample", workers, "workers") or available_processors()
    return InProcess() if count == 1 else LocalProcesses(count)
