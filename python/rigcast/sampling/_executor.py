"""Executors: this process, or worker processes on this machine."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import pickle
import queue
import signal
import sys
import threading
import time
import traceback
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

from rigcast._processors import available_processors
from rigcast._shown import one_line
from rigcast._validate import bad_argument, check_threads
from rigcast.errors import SourceError
from rigcast.sampling._store.layout import Done, Shard
from rigcast.sampling._work import ShardWork

PATIENCE = 2.0  # seconds that a worker gets to close its rig before it is killed
PR_SET_PDEATHSIG = 1


@one_line
class InProcess:
    """All shards one after the other in this process."""

    def run(self, work: ShardWork, shards: Sequence[Shard]) -> Iterator[Done]:
        """See :class:`Executor`."""
        for shard in shards:
            yield work(shard)

    def _facts(self) -> list[str]:
        return []


@one_line
class LocalProcesses:
    """Worker processes on this machine.

    Parameters
    ----------
    workers : int
        Number of processes; 0 means all processors that this process may use.
    start_method : "fork", "spawn" or None
        None takes fork where it is safe (not on macOS and Windows): a forked worker has the rig already,
        whatever class it is and wherever it was defined. Spawn needs a rig that can be pickled.

    Examples
    --------
    >>> executor = rc.sampling.LocalProcesses(2)
    >>> executor.workers
    2
    """

    def __init__(self, workers: int, start_method: str | None = None) -> None:
        known = multiprocessing.get_all_start_methods()
        if start_method not in (None, *known):
            raise bad_argument("LocalProcesses", "start_method", repr(start_method), f"None or one of {known}")
        fork = "fork" in known and sys.platform != "darwin"
        self.workers = check_threads("LocalProcesses", workers, "workers") or available_processors()
        self.start_method = start_method or ("fork" if fork else "spawn")

    def run(self, work: ShardWork, shards: Sequence[Shard]) -> Iterator[Done]:
        """See :class:`Executor`."""
        waiting = deque(shards)
        workers: list[_Worker] = []
        try:
            for _ in range(min(self.workers, len(waiting))):
                workers.append(_Worker(self.start_method, work, [worker.connection for worker in workers]))
                workers[-1].give(waiting.popleft())
            while busy := [worker for worker in workers if worker.shard]:
                ready = wait([worker.connection for worker in busy])
                for worker in busy:
                    if worker.connection in ready:
                        done = worker.take()
                        worker.give(waiting.popleft() if waiting else None)
                        yield done
        finally:
            _end(workers)

    def _facts(self) -> list[str]:
        return [f"{self.workers} workers", self.start_method]


class _Worker:
    """One worker process, seen from the parent."""

    def __init__(self, start_method: str, work: ShardWork, others: list[Connection]) -> None:
        context: Any = multiprocessing.get_context(start_method)
        self.shard: Shard | None = None
        self.connection, theirs = context.Pipe()
        inherited = [*others, self.connection] if start_method == "fork" else []
        self.process = context.Process(target=_serve, args=(theirs, work, os.getpid(), inherited))
        try:
            with _interrupts_held(), warnings.catch_warnings():
                # Python 3.12 warns of fork with threads; the engine's pool and NumPy's survive it.
                warnings.simplefilter("ignore", DeprecationWarning)
                self.process.start()
        except (AttributeError, TypeError, ValueError, pickle.PicklingError) as error:
            self.connection.close()
            got = f"a {type(work.rig).__name__} that cannot be sent to a process ({error})"
            raise bad_argument("sample", "rig", got, "one that can be pickled, or sampled with workers=1") from error
        finally:
            theirs.close()

    def give(self, shard: Shard | None) -> None:
        """Hand over the next shard; None: there are no more, close the rig and end."""
        self.shard = shard
        with contextlib.suppress(OSError):  # a dead worker is noticed where its answer is awaited
            self.connection.send(shard)

    def take(self) -> Done:
        """The finished shard, or the exception that it ended in."""
        try:
            answer = self.connection.recv()
        except (EOFError, OSError) as error:
            self.process.join(PATIENCE)
            ending = _ending(self.process.exitcode)
            raise SourceError(
                f"sample ({self.shard}): the worker process {ending}; "
                "finished shards are kept, and the same call goes on from there"
            ) from error
        if isinstance(answer, Done):
            return answer
        failure, text = answer
        raise failure from _InWorker(text)


class _InWorker(Exception):
    """Carries the traceback of a worker process as the cause of an exception raised here."""

    def __str__(self) -> str:
        return f"in the worker process:\n{self.args[0]}"


class _Terminated(BaseException):
    """The parent wants this worker to end now."""


def _serve(connection: Connection, work: ShardWork, parent: int, inherited: list[Connection]) -> None:
    """The main function of a worker process."""
    for other in inherited:
        other.close()
    try:
        _end_with_parent(parent)
        shards: queue.SimpleQueue[Shard | None] = queue.SimpleQueue()
        threading.Thread(target=_receive, args=(connection, shards), daemon=True).start()
        _work_on(connection, work, shards)
    except _Terminated:
        pass


def _work_on(connection: Connection, work: ShardWork, shards: queue.SimpleQueue[Shard | None]) -> None:
    mine: ShardWork | None = None
    try:
        while (shard := shards.get()) is not None:
            try:
                mine = mine or work.reopened()
                answer: Any = mine(shard)
            except Exception as error:  # noqa: BLE001  sent to the parent, which raises it
                answer = (error.with_traceback(None), traceback.format_exc())
            connection.send(answer)
    finally:
        if mine is not None:
            mine.close()


def _receive(connection: Connection, shards: queue.SimpleQueue[Shard | None]) -> None:
    """Pass shards on; the end of the pipe means that the parent is gone, so this process ends at once."""
    while True:
        try:
            shards.put(connection.recv())
        except (EOFError, OSError):
            os._exit(1)


def _end_with_parent(parent: int) -> None:
    """Ctrl-C is the parent's to handle; SIGTERM ends this process and closes the rig; the parent's death ends
    it."""

    def terminate(*_: object) -> None:
        raise _Terminated

    signal.signal(signal.SIGTERM, terminate)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def _end(workers: list[_Worker]) -> None:
    """Wait for workers that know that there are no more shards, stop the rest."""
    for worker in workers:
        if worker.shard is not None:
            worker.process.terminate()
    deadline = time.monotonic() + PATIENCE
    for worker in workers:
        worker.process.join(max(0.0, deadline - time.monotonic()))
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.connection.close()
        worker.process.close()


def _ending(exitcode: int | None) -> str:
    if exitcode is None:
        return "stopped answering"
    if exitcode >= 0:
        return f"ended with exit code {exitcode}"
    with contextlib.suppress(ValueError):
        return f"was killed by {signal.Signals(-exitcode).name}"
    return f"was killed by signal {-exitcode}"


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Delay Ctrl-C while a worker is being started, so that it finds the worker ready to ignore it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
