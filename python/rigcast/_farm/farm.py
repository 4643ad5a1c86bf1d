"""Tasks on the workers of a Dask scheduler."""

from __future__ import annotations

import contextlib
import pickle
import queue
import time
import uuid
import warnings
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rigcast._farm.dispatcher import TASKS_PER_THREAD, Attempt, Dispatcher
from rigcast._farm.parcel import Function, Parcel, attempt, packed
from rigcast.errors import SourceError
from rigcast.progress import Progress, ProgressCallback, silent

if TYPE_CHECKING:
    from distributed import Client, Future

TICK = 0.25  # seconds between two looks at the clock while no answer comes
REFRESH = 1.0  # seconds between two questions which workers there are
GRACE = 10.0  # seconds in which a better worker may join where all that are there cannot work


Needs = Mapping[int, Collection[int]]


@dataclass(frozen=True)
class Failure:
    """A task that has failed on as many workers as it may.

    Attributes
    ----------
    kind : str
        Name of the exception's class.
    text : str
    worker : str
        Address of the last worker; empty if none is known.
    errno : int or None
    """

    kind: str
    text: str
    worker: str
    errno: int | None = None


class Farm:
    """Runs tasks on a scheduler's workers, and keeps a record of what went wrong on the way.

    Parameters
    ----------
    client : distributed.Client
    most_attempts : int
        A task that has failed so often has failed for good.
    progress : callable
        Called while there is no worker.
    tasks_per_thread : int
        In flight.
    copies : bool
        Whether late tasks are given to a second worker: not if two would disturb each other.

    Attributes
    ----------
    incidents : list of str
        Workers that left or could not work, and tasks that failed on one worker and were tried on another.
    """

    def __init__(
        self,
        client: Client,
        most_attempts: int = 3,
        progress: ProgressCallback = silent,
        tasks_per_thread: int = TASKS_PER_THREAD,
        copies: bool = True,
    ) -> None:
        self.client, self.most_attempts, self.progress = client, most_attempts, progress
        self.tasks_per_thread, self.copies = tasks_per_thread, copies
        self.incidents: list[str] = []

    def run(
        self,
        function: Function,
        common: object,
        tasks: Sequence[object],
        names: Sequence[str],
        needs: Needs | None = None,
    ) -> Generator[tuple[int, object], None, None]:
        """Yield the index and the answer of each task as they come, or the :class:`Failure` that it ended in.

        Parameters
        ----------
        function : callable
            ``function(common, task)``, called on workers, several at a time if they have threads.
        common : object
            Sent once to each worker.
        tasks : sequence
        names : sequence of str
            What messages call them.
        needs : mapping, optional
            Tasks that must have succeeded before a task is begun, by task. If one fails for good, nothing is yielded of
            those that need it.

        Raises
        ------
        SourceError
            If the scheduler is lost, or no worker can work.
        """
        dispatcher = Dispatcher(len(tasks), self.most_attempts, needs, self.tasks_per_thread, self.copies)
        run = _Run(self, dispatcher, packed(function, common), tasks, names)
        try:
            yield from run.answers()
        finally:
            run.end()


class _Run:
    """One call of :meth:`Farm.run`."""

    def __init__(
        self, farm: Farm, dispatcher: Dispatcher, content: bytes, tasks: Sequence[object], names: Sequence[str]
    ) -> None:
        self.farm, self.client, self.tasks, self.names = farm, farm.client, tasks, names
        self.dispatcher = dispatcher
        self.name = f"rigcast-{uuid.uuid4().hex}"
        self.landed: queue.SimpleQueue[tuple[int, Future]] = queue.SimpleQueue()
        self.futures: dict[int, Future] = {}
        self.seen: set[str] = set()
        self.refreshed = self.stuck_since = -float("inf")
        self.address = str(getattr(self.client.scheduler, "address", "?"))
        self.parcel = self._submit(Parcel, content, key=f"{self.name}-parcel")

    def answers(self) -> Iterator[tuple[int, object]]:
        while self.dispatcher.left:
            self._refresh()
            for new in self.dispatcher.attempts(time.monotonic()):
                self._send(new)
            with contextlib.suppress(queue.Empty):
                yield from self._land(*self.landed.get(timeout=TICK))
        self._refresh(now=True)

    def end(self) -> None:
        """Drop what is in flight; the parcel, and with it what workers hold open, goes as well."""
        if self.client.status == "running":
            with contextlib.suppress(Exception):
                self.client.cancel([*self.futures.values(), self.parcel], force=True)
        self.futures.clear()

    def _submit(self, function: Any, *arguments: Any, **options: Any) -> Future:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # Dask warns of rigs beyond 10 MB, which travel once
                return self.client.submit(function, *arguments, pure=False, **options)
        except Exception as error:
            raise self._lost(error) from error

    def _send(self, new: Attempt) -> None:
        # If the worker dies, Dask gives its tasks to others, and says so of one of which many have died.
        where = {"workers": [new.worker], "allow_other_workers": True}
        task = pickle.dumps(self.tasks[new.task], protocol=5)
        future = self._submit(attempt, self.parcel, task, key=f"{self.name}-{new.number}", **where)
        self.futures[new.number] = future
        future.add_done_callback(lambda done: self.landed.put((new.number, done)))

    def _land(self, number: int, future: Future) -> Iterator[tuple[int, object]]:
        if self.futures.pop(number, None) is None:
            return  # a copy that lost the race
        if future.status == "cancelled":
            raise self._lost(None)
        try:
            error = future.exception() if future.status == "error" else None
            answer = _of_dask(error) if error is not None else future.result()
        except Exception as lost:  # an attempt's own errors are in its answer: the answer did not arrive
            raise self._lost(lost) from lost
        future.release()
        name = self.names[self.dispatcher.task(number)]
        if "fault" in answer:
            self._tell(f"worker {answer['worker']} gets no more work: {answer['fault']}", answer["worker"])
            self.dispatcher.exclude(number, answer["worker"], answer["fault"])
        elif "error" in answer:
            self._tell(f"{name} failed on worker {answer['worker'] or '(unknown)'}: {answer['text']}")
            task = self.dispatcher.failed(number, answer["worker"])
            if task is not None:
                self._cancel(task)
                yield task, Failure(answer["error"], answer["text"], answer["worker"], answer["errno"])
        else:
            task = self.dispatcher.succeeded(number, time.monotonic())
            if task is not None:
                self._cancel(task)
                yield task, answer["answer"]

    def _cancel(self, task: int) -> None:
        """Cancel the other attempts of a task."""
        others = self.dispatcher.others(task)
        futures = [self.futures.pop(number) for number in others]
        self.dispatcher.drop(others)
        if futures:
            self.client.cancel(futures, force=True)

    def _tell(self, text: str, worker: str | None = None) -> None:
        if worker is None or worker not in self.dispatcher.excluded:
            self.farm.incidents.append(text)

    def _refresh(self, now: bool = False) -> None:
        """Update the set of workers, and note those that have left."""
        moment = time.monotonic()
        if not now and moment - self.refreshed < REFRESH:
            return
        self.refreshed = moment
        if self.client.status != "running":
            raise self._lost(None)
        try:
            present: dict[str, int] = dict(self.client.nthreads())
        except Exception as error:
            raise self._lost(error) from error
        for worker in sorted(self.seen - present.keys()):
            self.farm.incidents.append(f"worker {worker} has left; what it was working on went to others")
        self.seen = set(present)
        self.dispatcher.workers_are(present)
        self._notice_idleness(present, moment)

    def _notice_idleness(self, present: dict[str, int], moment: float) -> None:
        if self.dispatcher.threads or not self.dispatcher.left:
            self.stuck_since = -float("inf")
            return
        self.farm.progress(Progress("waiting for workers", 0, 0, f"scheduler {self.address}"))
        if not present or self.futures:
            return
        if self.stuck_since < 0:
            self.stuck_since = moment
        elif moment - self.stuck_since > GRACE:
            reasons = "; ".join(dict.fromkeys(self.dispatcher.excluded.values()))
            raise SourceError(f"none of the {len(present)} workers of {self.address} can work: {reasons}")

    def _lost(self, error: BaseException | None) -> SourceError:
        reason = " ".join(str(error).split()) if error is not None else ""
        text = f"the Dask scheduler at {self.address} is lost" + (f" ({reason})" if reason else "")
        return SourceError(f"{text}; what is finished is kept, and the same call goes on from there")


def _of_dask(error: BaseException) -> dict[str, Any]:
    """The outcome of a task that failed in Dask itself: its workers died, or could not unpack it."""
    text = " ".join(str(error).split())
    if type(error).__name__ == "KilledWorker":
        last = getattr(getattr(error, "last_worker", None), "address", "")
        text = f"{getattr(error, 'allowed_failures', 0) + 1} workers died of it"
        return {"worker": last, "error": "KilledWorker", "errno": None, "text": text}
    return {"worker": "", "error": type(error).__name__, "errno": None, "text": text or type(error).__name__}
