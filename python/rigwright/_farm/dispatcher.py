"""Which task a farm gets next: decided without a farm, so that tests and the simulation run the same decisions."""

from __future__ import annotations

import bisect
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

TASKS_PER_THREAD = 2  # in flight: one that is worked on, and one that lies ready at its worker
SLOWNESS = 4.0  # a task in flight for so many median times gets a copy
LEAST_PATIENCE = 5.0  # seconds
FEWEST_TIMES = 3  # finished tasks before any is called slow


@dataclass(frozen=True)
class Attempt:
    """One submission of a task.

    Attributes
    ----------
    number : int
        Of all submissions.
    task : int
    avoid : frozenset of str
        Workers that must not get it.
    """

    number: int
    task: int
    avoid: frozenset[str]


class Dispatcher:
    """Decides what is submitted.

    Tasks are submitted in their order, :data:`TASKS_PER_THREAD` for each thread: results that nobody has fetched never
    pile up. A task that failed is tried again before others, on workers where it has not failed. When no task waits,
    those that have been in flight for :data:`SLOWNESS` times the median are submitted once more, to other workers; the
    first answer counts.

    Parameters
    ----------
    tasks : int
    most_attempts : int
        A task that has failed so often has failed for good.
    """

    def __init__(self, tasks: int, most_attempts: int) -> None:
        self.excluded: dict[str, str] = {}  # worker -> why it gets nothing more
        self.left = tasks
        self._most_attempts = most_attempts
        self._waiting = deque(range(tasks))
        self._in_flight: dict[int, tuple[int, float]] = {}  # attempt -> task, since when
        self._attempts: dict[int, set[int]] = {}  # task -> its attempts in flight
        self._failed: dict[int, list[str]] = {}  # task -> workers on which it failed
        self._ended: set[int] = set()
        self._copied: set[int] = set()
        self._times: list[float] = []  # in ascending order
        self._numbers = 0

    def attempts(self, threads: int, now: float) -> list[Attempt]:
        """What is to be submitted at a moment.

        Parameters
        ----------
        threads : int
            Of all workers that are not excluded.
        now : float
            Seconds.
        """
        made = []
        room = TASKS_PER_THREAD * threads - len(self._in_flight)
        while self._waiting and room > 0:
            task = self._waiting.popleft()
            if task not in self._ended:
                made.append(self._attempt(task, now))
                room -= 1
        if not self._waiting and room > 0:
            made += [self._attempt(task, now) for task in self._slow(now)[:room]]
        return made

    def succeeded(self, number: int, now: float) -> int | None:
        """Note an answer; returns the task, or None if it has one already."""
        task, since = self._landed(number)
        if task in self._ended:
            return None
        bisect.insort(self._times, now - since)
        self._end(task)
        return task

    def failed(self, number: int, worker: str) -> int | None:
        """Note that a task failed on a worker; returns the task if that is for good."""
        task, _ = self._landed(number)
        if task in self._ended:
            return None
        self._failed.setdefault(task, []).append(worker)
        if len(self._failed[task]) >= self._most_attempts:
            self._end(task)
            return task
        if not self._attempts.get(task):
            self._waiting.appendleft(task)
        return None

    def exclude(self, number: int, worker: str, reason: str) -> None:
        """Note that a worker cannot do any task: what it was given goes to others, and it gets nothing more."""
        task, _ = self._landed(number)
        self.excluded.setdefault(worker, reason)
        if task not in self._ended and not self._attempts.get(task):
            self._waiting.appendleft(task)

    def task(self, number: int) -> int:
        """The task of an attempt in flight."""
        return self._in_flight[number][0]

    def others(self, task: int) -> set[int]:
        """Attempts of a task that are still in flight."""
        return set(self._attempts.get(task, ()))

    def drop(self, numbers: Iterable[int]) -> None:
        """Forget attempts that have been cancelled."""
        for number in numbers:
            self._landed(number)

    def _attempt(self, task: int, now: float) -> Attempt:
        self._numbers += 1
        self._in_flight[self._numbers] = task, now
        self._attempts.setdefault(task, set()).add(self._numbers)
        return Attempt(self._numbers, task, frozenset([*self._failed.get(task, ()), *self.excluded]))

    def _slow(self, now: float) -> list[int]:
        """Tasks in flight for too long, each once."""
        if len(self._times) < FEWEST_TIMES:
            return []
        patience = max(LEAST_PATIENCE, SLOWNESS * self._times[len(self._times) // 2])
        slow = {task: None for task, since in self._in_flight.values() if now - since > patience}
        found = [task for task in slow if task not in self._copied and task not in self._ended]
        self._copied.update(found)
        return found

    def _landed(self, number: int) -> tuple[int, float]:
        task, since = self._in_flight.pop(number)
        self._attempts[task].discard(number)
        return task, since

    def _end(self, task: int) -> None:
        self._ended.add(task)
        self.left -= 1
