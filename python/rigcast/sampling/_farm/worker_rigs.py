"""The side of a worker: rigs that are opened there, and what becomes of a shard."""

from __future__ import annotations

import contextlib
import pickle
import threading
import uuid
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._farm.parcel import WorkerFault
from rigcast._rigs.rig import Rig
from rigcast.sampling._check import Answer, CheckedRig
from rigcast.sampling._store.layout import ARRAYS, Shard, shard_file, token_file, write_array
from rigcast.sampling._work import ShardWork, evaluated


@dataclass(frozen=True)
class ShardTask:
    """One shard, with its channel rows."""

    shard: Shard
    channels: NDArray[np.float32]


class WorkerRigs:
    """The rigs that one worker process has open: as many as its threads have needed at once.

    Parameters
    ----------
    rig : bytes
        The pickled rig. That of a rig that drives a host is where its file lies and how it was opened.
    facts : CheckedRig
    folder : Path
    token : str
        A file of this name in the folder shows that a worker shares the client's storage.
    first_row : (1, N) float32 array
    first_answer : pair of arrays
        What the client's own rig made of it.
    same_bits : bool
        Whether this rig must give the same bits.
    """

    def __init__(
        self,
        rig: bytes,
        facts: CheckedRig,
        folder: Path,
        token: str,
        first_row: NDArray[np.float32],
        first_answer: Answer,
        same_bits: bool,
    ) -> None:
        self.rig, self.facts, self.folder, self.token = rig, facts, folder, token
        self.first_row, self.first_answer, self.same_bits = first_row, first_answer, same_bits
        self._begin()

    def _begin(self) -> None:
        self._idle: list[Rig] = []
        self._lock = threading.Lock()
        weakref.finalize(self, _close_all, self._idle)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    @contextlib.contextmanager
    def borrowed(self) -> Iterator[Rig]:
        """An open rig that no other thread has; one that fails is closed.

        Raises
        ------
        WorkerFault
            If the rig cannot be opened here, or is another one than the client's.
        """
        with self._lock:
            rig = self._idle.pop() if self._idle else None
        if rig is None:
            rig = self._opened()
        try:
            yield rig
        except BaseException:
            _close(rig)
            raise
        with self._lock:
            self._idle.append(rig)

    def _opened(self) -> Rig:
        try:
            rig: Rig = pickle.loads(self.rig)
            if hasattr(rig, "for_worker"):
                rig = rig.for_worker()
        except Exception as error:
            raise WorkerFault(f"cannot open the rig ({type(error).__name__}: {error})") from error
        try:
            work = ShardWork(
                rig,
                self.facts,
                self.folder,
                rows=self.first_row,
                probe_rows=self.first_row[:0],
                reference=self.first_answer,
            )
            answer = work.try_rig()
        except Exception as error:
            _close(rig)
            raise WorkerFault(f"cannot evaluate the rig ({error})") from error
        if self.same_bits and any(a.tobytes() != b.tobytes() for a, b in zip(answer, self.first_answer, strict=True)):
            _close(rig)
            raise WorkerFault("rounds the rig's channel row 0 differently, so that bytes would depend on the worker")
        return rig

    def delivered(self, task: ShardTask, answer: Answer) -> dict[str, Any]:
        """The hashes of files in the shared folder, or the arrays themselves if this worker does not share it.

        Files get names of their own: the client gives them those of the shard, so that a worker that is slow, or that
        everyone believes dead, never touches a finished file.
        """
        if not token_file(self.folder, self.token).is_file():
            return {"poses": answer[0], "vertices": answer[1]}
        attempt = uuid.uuid4().hex
        paths = part_paths(self.folder, task.shard, attempt)
        arrays = (task.channels, *answer)
        hashes = {name: write_array(paths[name], array) for name, array in zip(ARRAYS, arrays, strict=True)}
        if not token_file(self.folder, self.token).is_file():  # the run has ended: nobody waits for them
            for path in paths.values():
                path.unlink(missing_ok=True)
        return {"attempt": attempt, "hashes": hashes}


def sample_shard(rigs: WorkerRigs, task: ShardTask) -> dict[str, Any]:
    """Evaluate one shard on a worker: see :meth:`WorkerRigs.delivered`."""
    with rigs.borrowed() as rig:
        answer = evaluated(rig, rigs.facts, task.channels, task.shard)
    return rigs.delivered(task, answer)


def part_paths(folder: Path, shard: Shard, attempt: str) -> dict[str, Path]:
    """The files of the arrays of one attempt at a shard."""
    return {name: folder / f".{shard_file(shard.stem, name)}.{attempt}.part" for name in ARRAYS}


def _close_all(rigs: list[Rig]) -> None:
    while rigs:
        _close(rigs.pop())


def _close(rig: Rig) -> None:
    with contextlib.suppress(Exception):
        if hasattr(rig, "close"):
            rig.close()
