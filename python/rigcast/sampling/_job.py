"""Sampling a rig into a data set."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rigcast._farm.connecting import is_client
from rigcast._processors import available_processors
from rigcast._rigs.rig import Rig
from rigcast._validate import check_threads
from rigcast.errors import ArgumentError, FileError
from rigcast.progress import ProgressCallback, ProgressOption, as_callback
from rigcast.sampling._check import check_rig
from rigcast.sampling._dataset import Dataset
from rigcast.sampling._drawing.samplers import Sampler, named_sampler
from rigcast.sampling._executor import InProcess, LocalProcesses
from rigcast.sampling._farm.dask_workers import DaskWorkers
from rigcast.sampling._plan import make_plan
from rigcast.sampling._store.folder import DataFolder
from rigcast.sampling._work import AnotherRig, Executor, all_shards

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
    with DataFolder(Path(path), plan.contents).written(overwrite) as folder:
        if folder.is_complete():
            return _unchanged(folder.path, show)
        try:
            done = all_shards(rig, plan, folder.begin(show), executor, show)
        except AnotherRig:  # an interrupted replacement was begun with a rig that has been edited since
            if not folder.is_replacement:
                raise
            done = all_shards(rig, plan, folder.begin(show, anew=True), executor, show)
        folder.finish(facts, done)
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


def _executor(workers: int | Client, progress: ProgressCallback) -> Executor:
    if is_client(workers):
        return DaskWorkers(cast("Client", workers), progress=progress)
    count = check_threads("sample", workers, "workers") or available_processors()
    return InProcess() if count == 1 else LocalProcesses(count)
