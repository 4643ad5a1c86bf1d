"""The assignment of tasks to workers, decided without a farm: tests and the simulation run the same decisions."""

from __future__ import annotations

import bisect
import heapq
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

TASKS_PER_THREAD = 2  # one that is worked on, and one that lies ready at its worker
SLOWNESS = 4.0  # a task in flight for so many median times gets a copy
LEAST_PATIENCE = 5.0  # seconds
FEWEST_TIMES = 3  # finished tasks before any is called slow
LOOK = 0.25  # seconds between two searches for late tasks: each looks at all that are in flight


@dataclass(frozen=True)
class Attempt:
    """One submission of a task to a worker; ``number`` counts all submissions."""

    number: int
    task: int
    worker: str


class Dispatcher:
    """Decides what is submitted to which worker.

    Tasks are handed out in their order, to the worker that has the fewest per thread, :data:`TASKS_PER_THREAD` at most:
    results that nobody has fetched never pile up. A task that failed is tried again before others, on a worker where it
    has not failed. When no task waits, those that have been in flight for :data:`SLOWNESS` times the median are given
    to a second worker; the first answer counts.

    Parameters
    ----------
    tasks : int
    most_attempts : int
        A task that has failed so often has failed for good.
    needs : mapping, optional
        Tasks that must have succeeded before a task is handed out, by task.
    tasks_per_thread : int
        In flight.
    copies : bool
        Whether late tasks are given to a second worker.

    Attributes
    ----------
    left : int
        Tasks that have not ended.
    threads : dict
        By worker, of those that get tasks.
    excluded : dict
        Why other workers get nothing, by worker.
    forsaken : dict
        Tasks that are never handed out, with the one that they need and that has failed for good.
    """

    def __init__(
        self,
        tasks: int,
        most_attempts: int,
        needs: Mapping[int, Collection[int]] | None = None,
        tasks_per_thread: int = TASKS_PER_THREAD,
        copies: bool = True,
    ) -> None:
        self.left = tasks
        self.forsaken: dict[int, int] = {}
        self._tasks_per_thread, self._copying = tasks_per_thread, copies
        self._needs = {task: set(needed) for task, needed in (needs or {}).items() if needed}
        self._needed_by: dict[int, list[int]] = {}
        for task, needed in self._needs.items():
            for other in needed:
                self._needed_by.setdefault(other, []).append(task)
        self.threads: dict[str, int] = {}
        self.excluded: dict[str, str] = {}
        self._most_attempts = most_attempts
        self._waiting = deque(task for task in range(tasks) if task not in self._needs)
        self._in_flight: dict[int, tuple[Attempt, float]] = {}
        self._attempts: dict[int, set[int]] = {}  # task -> its attempts in flight
        self._tried: dict[int, list[str]] = {}  # task -> workers on which it failed
        self._ended: set[int] = set()
        self._copied: set[int] = set()
        self._times: list[float] = []  # of answers, in ascending order
        self._numbers = 0
        self._looked = -float("inf")
        self._load: dict[str, int] = {}  # by worker
        self._heap: list[tuple[float, str]] = []  # load per thread; entries that are no longer true are skipped

    def workers_are(self, threads: Mapping[str, int]) -> None:
        """Say which workers there are, with their threads. What a worker that left had in flight stays there."""
        present = {worker: count for worker, count in threads.items() if worker not in self.excluded}
        new = [worker for worker, count in present.items() if self.threads.get(worker) != count]
        self.threads = present
        for worker in new:
            self._offer(worker)

    def attempts(self, now: float) -> list[Attempt]:
        """Return the attempts to submit at a moment, in seconds."""
        made, kept = [], []
        while self._waiting:
            task = self._waiting.popleft()
            if task in self._ended:
                continue
            worker = self._worker(self._avoided(task))
            if worker is not None:
                made.append(self._attempt(task, worker, now))
                continue
            kept.append(task)
            if not self._room() or len(kept) > 100:
                break
        self._waiting.extendleft(reversed(kept))
        if self._copying and not self._waiting and self._room():
            made += self._copies(now)
        return made

    def succeeded(self, number: int, now: float) -> int | None:
        """Note an answer; returns the task, or None if it has one already."""
        attempt, since = self._landed(number)
        if attempt.task in self._ended:
            return None
        bisect.insort(self._times, now - since)
        self._end(attempt.task)
        for other in self._needed_by.get(attempt.task, ()):
            self._needs[other].discard(attempt.task)
            if not self._needs[other]:
                self._waiting.append(other)
        return attempt.task

    def failed(self, number: int, worker: str) -> int | None:
        """Note that a task failed on a worker; returns the task if that is for good."""
        task = self._landed(number)[0].task
        if task in self._ended:
            return None
        self._tried.setdefault(task, []).append(worker)
        if len(self._tried[task]) >= self._most_attempts:
            self._end(task)
            self._forsake(task)
            return task
        self._again(task)
        return None

    def exclude(self, number: int, worker: str, reason: str) -> None:
        """Note that a worker can do no task: what it was given goes to others, and it gets nothing more."""
        task = self._landed(number)[0].task
        self.excluded.setdefault(worker, reason)
        self.threads.pop(worker, None)
        if task not in self._ended:
            self._again(task)

    def task(self, number: int) -> int:
        """The task of an attempt in flight."""
        return self._in_flight[number][0].task

    def others(self, task: int) -> set[int]:
        """Attempts of a task that are still in flight."""
        return set(self._attempts.get(task, ()))

    def drop(self, numbers: Iterable[int]) -> None:
        """Forget attempts that have been cancelled."""
        for number in numbers:
            self._landed(number)

    def _attempt(self, task: int, worker: str, now: float) -> Attempt:
        self._numbers += 1
        made = Attempt(self._numbers, task, worker)
        self._in_flight[made.number] = made, now
        self._attempts.setdefault(task, set()).add(made.number)
        self._load[worker] = self._load.get(worker, 0) + 1
        self._offer(worker)
        return made

    def _landed(self, number: int) -> tuple[Attempt, float]:
        attempt, since = self._in_flight.pop(number)
        self._attempts[attempt.task].discard(number)
        self._load[attempt.worker] -= 1
        self._offer(attempt.worker)
        return attempt, since

    def _again(self, task: int) -> None:
        if not self._attempts.get(task):
            self._waiting.appendleft(task)

    def _end(self, task: int) -> None:
        self._ended.add(task)
        self.left -= 1

    def _forsake(self, failed: int) -> None:
        """End the tasks that need one that has failed."""
        for task in self._needed_by.get(failed, ()):
            if task not in self.forsaken:
                self.forsaken[task] = failed
                self._end(task)
                self._forsake(task)

    def _copies(self, now: float) -> list[Attempt]:
        """Second attempts at tasks that have been in flight for too long, one each."""
        if len(self._times) < FEWEST_TIMES or now - self._looked < LOOK:
            return []
        self._looked = now
        patience = max(LEAST_PATIENCE, SLOWNESS * self._times[len(self._times) // 2])
        made = []
        for attempt, since in list(self._in_flight.values()):
            late = now - since > patience
            if late and attempt.task not in self._copied and attempt.task not in self._ended:
                worker = self._worker({attempt.worker, *self._tried.get(attempt.task, ())})
                if worker is not None:
                    self._copied.add(attempt.task)
                    made.append(self._attempt(attempt.task, worker, now))
        return made

    def _avoided(self, task: int) -> set[str]:
        """Workers on which a task failed, while there are others."""
        tried = set(self._tried.get(task, ()))
        return tried if self.threads.keys() - tried else set()

    def _room(self) -> bool:
        return self._worker(set()) is not None

    def _worker(self, avoided: set[str]) -> str | None:
        """The worker with the fewest tasks per thread that has room and is not avoided."""
        found, skipped = None, []
        while self._heap and found is None:
            load, worker = self._heap[0]
            if load != self._load_per_thread(worker) or load >= self._tasks_per_thread:
                heapq.heappop(self._heap)  # no longer true, or full: it is offered again when a task lands
            elif worker in avoided:
                skipped.append(heapq.heappop(self._heap))
            else:
                found = worker
        for entry in skipped:
            heapq.heappush(self._heap, entry)
        return found

    def _offer(self, worker: str) -> None:
        load = self._load_per_thread(worker)
        if load < self._tasks_per_thread:
            heapq.heappush(self._heap, (load, worker))

    def _load_per_thread(self, worker: str) -> float:
        threads = self.threads.get(worker, 0)
        return self._load.get(worker, 0) / threads if threads else float("inf")
