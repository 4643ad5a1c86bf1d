"""A farm as a simulation of events: workers, scheduler, client and storage, with the package's own dispatcher."""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass

import numpy as np

from benchmarks.systems.farm.measured import Measured
from rigcast._farm.dispatcher import Attempt, Dispatcher

STORAGE = 2e9  # bytes per second that the shared storage takes from all machines together
NETWORK = 1.25e9  # bytes per second into the client's machine: 10 Gbit/s
SLOW_SHARE, SLOW_FACTOR = 0.01, 5.0  # of the workers, and how many times slower they are
DEAD_SHARE = 0.001  # of the workers: they stop in their first shard and never answer
TICK = 0.25  # seconds between two decisions about late tasks


@dataclass(frozen=True)
class Outcome:
    """The times, bytes and copies of a run.

    Attributes
    ----------
    seconds : float
        From the first submission to the last answer.
    ideal : float
        All shard times together, divided by the workers that a shard is there for, and one opening.
    scheduler, client, storage : float
        Share of the time in which each was busy.
    copies : int
        Shards that were given to a second worker.
    sent, stored : float
        Bytes through the scheduler, and to the data set's folder.
    deciding : float
        Processor seconds that the dispatcher itself took per shard, in this simulation.
    """

    seconds: float
    ideal: float
    scheduler: float
    client: float
    storage: float
    copies: int
    sent: float
    stored: float
    deciding: float


class Server:
    """Serves one after another."""

    def __init__(self) -> None:
        self.free, self.busy = 0.0, 0.0

    def serve(self, now: float, seconds: float) -> float:
        """The time at which something that arrives now is done."""
        self.free = max(self.free, now) + seconds
        self.busy += seconds
        return self.free


class Simulation:
    """One data set, or several at once, on a farm.

    Parameters
    ----------
    measured : Measured
    workers, shards : int
    rows : int
        Poses of a shard; shard times and bytes are scaled from the measured ones.
    slower : float
        Times that a rig takes longer than the measured one.
    copies : bool
        Whether late shards are given to a second worker.
    comes_back : bool
        Shards travel to the client in place of shared storage.
    seed : int
    """

    def __init__(
        self,
        measured: Measured,
        workers: int,
        shards: int,
        rows: int,
        *,
        slower: float = 1.0,
        copies: bool = True,
        comes_back: bool = False,
        seed: int = 0,
    ) -> None:
        self.measured, self.comes_back, self.shards = measured, comes_back, shards
        self.scale = rows / measured.rows
        random = np.random.default_rng(seed)
        self.times = random.choice(measured.shard_seconds, shards) * self.scale * slower
        speeds = random.random(workers)
        self.slowness = np.where(speeds < SLOW_SHARE, SLOW_FACTOR, 1.0)
        self.slowness[speeds > 1.0 - DEAD_SHARE] = np.inf
        self.dispatcher = Dispatcher(shards, 3, copies=copies)
        self.names = [str(worker) for worker in range(workers)]
        self.queues: dict[str, list[Attempt]] = {name: [] for name in self.names}
        self.working: set[str] = set()
        self.opened: set[str] = set()
        self.events: list[tuple[float, int, str, Attempt | None]] = []
        self.count = self.submitted = 0
        self.scheduler, self.client, self.storage = Server(), Server(), Server()
        self.deciding = 0.0
        self.cancelled: set[int] = set()

    def run(self) -> Outcome:
        """Run to the last answer."""
        self._decide(0.0, lambda: self.dispatcher.workers_are(dict.fromkeys(self.names, 1)))
        self._submit(0.0)
        self._push(TICK, "tick", None)
        now = 0.0
        while self.dispatcher.left:
            now, _, kind, attempt = heapq.heappop(self.events)
            if kind == "tick":
                self._submit(now)
                self._push(now + TICK, "tick", None)
            elif attempt is not None:
                getattr(self, f"_{kind}")(now, attempt)
        return self._outcome(now)

    def _push(self, when: float, kind: str, attempt: Attempt | None) -> None:
        self.count += 1
        heapq.heappush(self.events, (when, self.count, kind, attempt))

    def _decide(self, now: float, decision):
        begin = time.process_time()
        made = decision()
        self.deciding += time.process_time() - begin
        return made

    def _submit(self, now: float) -> None:
        for new in self._decide(now, lambda: self.dispatcher.attempts(now)):
            self.submitted += 1
            left_client = self.client.serve(now, 0.5 * self.measured.client_seconds)
            at_worker = self.scheduler.serve(left_client, 0.5 * self.measured.scheduler_seconds)
            self._push(at_worker, "arrive", new)

    def _arrive(self, now: float, attempt: Attempt) -> None:
        self.queues[attempt.worker].append(attempt)
        self._next(now, attempt.worker)

    def _next(self, now: float, worker: str) -> None:
        queue = self.queues[worker]
        while queue and queue[0].number in self.cancelled:
            queue.pop(0)
        if worker in self.working or not queue:
            return
        attempt = queue.pop(0)
        self.working.add(worker)
        opening = 0.0 if worker in self.opened else self.measured.opening_seconds
        self.opened.add(worker)
        seconds = (opening + self.times[attempt.task]) * self.slowness[int(worker)]
        if np.isfinite(seconds):
            self._push(now + seconds, "evaluated", attempt)

    def _evaluated(self, now: float, attempt: Attempt) -> None:
        self.working.discard(attempt.worker)
        self._next(now, attempt.worker)
        size, rate = self.measured.stored_bytes * self.scale, NETWORK if self.comes_back else STORAGE
        stored = self.storage.serve(now, size / rate)
        self._push(self.scheduler.serve(stored, 0.5 * self.measured.scheduler_seconds), "answer", attempt)

    def _answer(self, now: float, attempt: Attempt) -> None:
        if attempt.number in self.cancelled:
            return
        more = self.measured.storing_seconds * self.scale if self.comes_back else 0.0
        self._push(self.client.serve(now, 0.5 * self.measured.client_seconds + more), "taken", attempt)

    def _taken(self, now: float, attempt: Attempt) -> None:
        if attempt.number in self.cancelled:
            return
        self._decide(now, lambda: self.dispatcher.succeeded(attempt.number, now))
        others = self.dispatcher.others(attempt.task)
        self.dispatcher.drop(others)
        self.cancelled |= others
        self._submit(now)

    def _outcome(self, now: float) -> Outcome:
        measured, used = self.measured, min(len(self.names), self.shards)
        return Outcome(
            seconds=now,
            ideal=measured.opening_seconds + float(self.times.sum()) / used,
            scheduler=self.scheduler.busy / now,
            client=self.client.busy / now,
            storage=self.storage.busy / now,
            copies=self.submitted - self.shards,
            sent=self.submitted * measured.task_bytes * self.scale + measured.parcel_bytes,
            stored=self.shards * measured.stored_bytes * self.scale,
            deciding=self.deciding / self.shards,
        )
