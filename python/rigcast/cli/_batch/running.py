"""Running jobs: on this machine, or on the workers of a Dask scheduler."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rigcast._farm.dispatcher import Attempt, Dispatcher
from rigcast._farm.farm import Failure, Farm, Needs
from rigcast._farm.parcel import WorkerFault
from rigcast.cli._batch.checking import CheckedJob
from rigcast.cli._batch.job_process import JobOutcome, run_job
from rigcast.cli._batch.records import Records
from rigcast.cli._sentences import one_line
from rigcast.progress import ProgressCallback
from rigcast.sampling._store.folder import announced
from rigcast.sampling._store.layout import token_file

if TYPE_CHECKING:
    from rigcast._farm.connecting import Client

TICK = 0.25  # seconds
HERE = "this machine"
FARM_ATTEMPTS = 2


@dataclass(frozen=True)
class JobPlace:
    """The folders of the jobs and of their records, as absolute paths."""

    folder: Path
    records: Path


class Locally:
    """Jobs in processes on this machine.

    Parameters
    ----------
    workers : int
        Jobs at a time.

    Attributes
    ----------
    working : dict
        The last line of progress of each job that runs, by its name.
    incidents : list of str
        Empty: what fails here has failed.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.working: dict[str, str] = {}
        self.incidents: list[str] = []

    def run(self, jobs: Sequence[CheckedJob], needs: Needs, place: JobPlace) -> Iterator[tuple[int, JobOutcome] | None]:
        """Yield the index and outcome of each job as it ends, and None from time to time.

        When the iterator is closed, jobs are interrupted, and waited for until their work is in safety.
        """
        dispatcher = Dispatcher(len(jobs), 1, needs, tasks_per_thread=1, copies=False)
        dispatcher.workers_are({HERE: self.workers})
        landed: queue.SimpleQueue[tuple[int, JobOutcome]] = queue.SimpleQueue()
        stop = threading.Event()
        threads: dict[int, threading.Thread] = {}

        def work(new: Attempt) -> None:
            one = jobs[new.task]
            try:
                outcome = _kept(one, place, stop.is_set, lambda line: self.working.update({one.job.name: line}))
            except Exception as error:  # noqa: BLE001  a job's, as of a full disk: others go on
                outcome = JobOutcome(0.0, None, one_line(error))
            landed.put((new.number, outcome))

        try:
            while dispatcher.left:
                for new in dispatcher.attempts(time.monotonic()):
                    self.working[jobs[new.task].job.name] = "begins"
                    threads[new.number] = threading.Thread(target=work, args=(new,))
                    threads[new.number].start()
                with contextlib.suppress(queue.Empty):
                    number, outcome = landed.get(timeout=TICK)
                    threads.pop(number).join()
                    task = dispatcher.task(number)
                    self.working.pop(jobs[task].job.name, None)
                    done = outcome.result is not None
                    dispatcher.succeeded(number, time.monotonic()) if done else dispatcher.failed(number, HERE)
                    yield task, outcome
                yield None
        finally:
            stop.set()
            for thread in threads.values():
                thread.join()


class OnFarm:
    """Jobs in processes next to the workers of a Dask scheduler, which all see the jobs' folder under the same path.

    Attributes
    ----------
    working : dict
        Empty: only the scheduler knows.
    incidents : list of str
        See :class:`rigcast._farm.farm.Farm`.
    """

    def __init__(self, client: Client, progress: ProgressCallback) -> None:
        self.farm = Farm(client, FARM_ATTEMPTS, progress, tasks_per_thread=1, copies=False)
        self.working: dict[str, str] = {}
        self.incidents = self.farm.incidents

    def run(self, jobs: Sequence[CheckedJob], needs: Needs, place: JobPlace) -> Iterator[tuple[int, JobOutcome] | None]:
        """As :meth:`Locally.run`; jobs that run when the iterator is closed are interrupted by their workers."""
        names = [one.job.name for one in jobs]
        for left in place.records.glob(".token.*"):  # of a batch that was killed: its jobs, if they still run, stop
            left.unlink(missing_ok=True)
        with announced(place.records) as token:
            answers = self.farm.run(_on_worker, (place, token), jobs, names, needs)
            with contextlib.closing(answers):
                for task, answer in answers:
                    yield task, _outcome(answer)


def _on_worker(common: tuple[JobPlace, str], one: CheckedJob) -> Mapping[str, Any]:
    """Run a job on a worker, and return plain values.

    Raises
    ------
    WorkerFault
        If this machine does not see the jobs' folder.
    RuntimeError
        If the job fails.
    """
    place, token = common
    file = token_file(place.records, token)
    if not file.is_file():
        raise WorkerFault(f"does not see {os.fspath(place.folder)!r}: jobs need a folder that all machines share")
    outcome = _kept(one, place, lambda: not file.is_file())
    if outcome.result is None:
        raise RuntimeError(outcome.error)
    return {"seconds": outcome.seconds, "result": outcome.result}


def _kept(one: CheckedJob, place: JobPlace, stop: Any, heard: Any = lambda _: None) -> JobOutcome:
    """Run a job and keep its record."""
    records = Records(place.records)
    begun = records.get(one.job) is not None  # its results, or those that a former process is about to write
    read = records.begin(one, place.folder)
    words = _words(one, place.folder, begun)
    outcome = run_job([one.job.command, *words], place.folder, stop, heard, records.lock(one))
    if outcome.result is not None:
        records.end(one, read, outcome.result, outcome.seconds)
    return outcome


def _words(one: CheckedJob, folder: Path, begun: bool) -> list[str]:
    """The arguments of a job. Results that are there may be replaced: that was checked, or the job has begun them."""
    left = begun or any((folder / path).exists() for path in one.writes)
    again = left and one.can_overwrite and not one.overwrites and (one.replaces or not one.continues)
    return [*one.job.arguments, *["--overwrite"] * again]


def _outcome(answer: object) -> JobOutcome:
    """A worker's answer, checked."""
    if isinstance(answer, Failure):
        return JobOutcome(0.0, None, answer.text)
    if isinstance(answer, Mapping) and answer.keys() == {"seconds", "result"}:
        seconds, result = answer["seconds"], answer["result"]
        if isinstance(seconds, float) and isinstance(result, dict):
            return JobOutcome(seconds, result)
    return JobOutcome(0.0, None, "a worker answered something that is no result")


def job_place(path: Path, records: Path) -> JobPlace:
    """The place at which the jobs of a file are run."""
    return JobPlace(Path(os.path.abspath(path.parent)), Path(os.path.abspath(records)))
