"""The input of a simulation: processor times and bytes of shards, of Dask's scheduler and of the client.

Everything is processor time of the process that works, so that other work on the machine hardly matters.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import rigcast as rc
from rigcast._farm.connecting import connected
from rigcast._farm.farm import Farm
from rigcast._farm.parcel import packed
from rigcast.sampling._check import check_rig
from rigcast.sampling._drawing.samplers import Normal
from rigcast.sampling._farm.arrivals import take_in
from rigcast.sampling._farm.worker_rigs import ShardTask, WorkerRigs, sample_shard
from rigcast.sampling._plan import make_plan
from rigcast.sampling._store.folder import announced
from rigcast.sampling._store.layout import Done
from rigcast.sampling._work import ShardWork

CLOCK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Measured:
    """Seconds and bytes.

    Attributes
    ----------
    shard_seconds : tuple of float
        Processor time of the rig's host and of the worker, for each measured shard of ``shard_rows`` poses.
    opening_seconds : float
        Of a host that opens the rig, and evaluates channel row 0.
    rows, vertices : int
        Of a shard.
    stored_bytes, task_bytes, parcel_bytes : int
        Of a shard's files; of a task as it is sent; of what a worker gets once.
    client_seconds, scheduler_seconds : float
        Processor time per shard that the client and the scheduler spend on it, storage by the workers.
    storing_seconds : float
        What the client spends more on a shard that comes back.
    """

    shard_seconds: tuple[float, ...]
    opening_seconds: float
    rows: int
    vertices: int
    stored_bytes: int
    task_bytes: int
    parcel_bytes: int
    client_seconds: float
    scheduler_seconds: float
    storing_seconds: float


def measure(blend: Path, shards: int, tasks: int) -> Measured:
    """Measure with a rig in a Blender file, ``shards`` of its shards and ``tasks`` empty tasks."""
    with rc.sources.load(blend, timeout=3600.0) as rig, tempfile.TemporaryDirectory() as place:
        facts = check_rig(rig)
        plan = make_plan(facts, Normal(), 20_000, 0, 0, None)
        work = ShardWork(rig, facts, Path(place), rows=plan.rows, probe_rows=plan.probe_rows)
        first = work.try_rig()
        opening, times = _shard_times(rig, work, plan.contents.shards[:shards])
        with announced(work.folder) as token:
            rigs = WorkerRigs(pickle.dumps(rig), facts, work.folder, token, plan.rows[:1], first, True)
            parcel = packed(sample_shard, rigs)
            taking, storing = _client_times(work, rigs, plan.contents.shards[:shards])
        task = ShardTask(plan.contents.shards[0], work.channels(plan.contents.shards[0]))
        client, scheduler = _dask_times(tasks, task)
    return Measured(
        tuple(times),
        opening,
        plan.contents.shards[0].rows,
        len(facts.rest_vertices),
        plan.contents.size([plan.contents.shards[0]]),
        len(pickle.dumps(task, 5)),
        len(parcel),
        client + taking,
        scheduler,
        storing,
    )


def _shard_times(
    rig: rc.sources.BlenderRig, work: ShardWork, shards: list[rc.sampling.Shard]
) -> tuple[float, list[float]]:
    """Opening a second host, and each shard on it."""
    before = time.process_time()
    with rig.for_worker() as other:
        other.sample(work.rows[:1])
        host = other._host.pid
        opening = seconds_of(host) + time.process_time() - before
        other_work = ShardWork(other, work.facts, work.folder, rows=work.rows, probe_rows=work.probe_rows)
        times = []
        for shard in shards:
            begin = seconds_of(host) + time.process_time()
            other_work(shard)
            times.append(seconds_of(host) + time.process_time() - begin)
    return opening, times


def _client_times(work: ShardWork, rigs: WorkerRigs, shards: list[rc.sampling.Shard]) -> tuple[float, float]:
    """Processor seconds per shard to take in files that a worker has written, and what arrays cost more."""
    zeros = np.zeros((shards[0].rows, len(work.facts.pose_names)), np.float32)
    vertices = np.zeros((shards[0].rows, *work.facts.rest_vertices.shape), np.float32)
    answers = [rigs.delivered(ShardTask(shard, work.channels(shard)), (zeros, vertices)) for shard in shards]
    begin = time.process_time()
    for shard, answer in zip(shards, answers, strict=True):
        take_in(work, shard, answer)
    taking = (time.process_time() - begin) / len(shards)
    begin = time.process_time()
    for shard in shards:
        take_in(work, shard, {"poses": zeros, "vertices": vertices})
    return taking, (time.process_time() - begin) / len(shards) - taking


def _empty(common: object, task: ShardTask) -> Done:
    """As small an answer as that of a worker that shares the folder."""
    return Done(task.shard, dict.fromkeys(("channels", "poses", "vertices"), "0" * 64))


def _dask_times(tasks: int, task: ShardTask) -> tuple[float, float]:
    """Processor seconds per task of the client and of the scheduler, for tasks that do nothing."""
    with _scheduler() as (file, scheduler), connected(file, 120.0) as client:
        client.wait_for_workers(1)
        farm = Farm(client, tasks_per_thread=64)
        list(farm.run(_empty, None, [task] * 200, [""] * 200))
        before, begin = seconds_of(scheduler), time.process_time()
        list(farm.run(_empty, None, [task] * tasks, [""] * tasks))
        return (time.process_time() - begin) / tasks, (seconds_of(scheduler) - before) / tasks


@contextlib.contextmanager
def _scheduler() -> Iterator[tuple[str, int]]:
    """A scheduler with one worker: its file and its process id."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "scheduler.json"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        begin = [sys.executable, "-m"]
        lines = [
            ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"],
            ["distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard"],
        ]
        started = [subprocess.Popen([*begin, *line, "--scheduler-file", str(file)], **quiet) for line in lines]
        try:
            while not file.exists():
                time.sleep(0.1)
            yield str(file), started[0].pid
        finally:
            for process in started:
                process.kill()
                process.wait()


def seconds_of(pid: int) -> float:
    """Processor seconds that a process has used (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / CLOCK
