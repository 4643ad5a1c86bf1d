"""The work on shards: evaluate the rig on some channel rows, check the answer, write three files; and all of them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_write
from rigcast._rigs.rig import Rig
from rigcast._shown import one_line
from rigcast.errors import ArgumentError, SourceError
from rigcast.progress import Progress, ProgressCallback
from rigcast.sampling._check import Answer, CheckedRig, check_answer
from rigcast.sampling._plan import SamplingPlan
from rigcast.sampling._store.layout import ARRAYS, Begun, Done, Shard, shard_file, write_array

# A rig that was opened again may differ in the last bits (other batch sizes, other threads); one that was edited
# differs by far more. Fraction of the character's size, and of the largest pose entry.
SAME_RIG = 1e-4


FIRST_ROW = Shard(False, 0, 0, 1)


class AnotherRig(ArgumentError):
    """The rig is not the one that sampling was begun with."""


@one_line
class ShardWork:
    """The work of a worker on a shard: a callable that can be sent to other processes if the rig can.

    Parameters
    ----------
    rig : Rig
    facts : CheckedRig
        What :func:`check_rig` made of it.
    folder : Path
        Where the files go; every worker must reach it.
    rows, probe_rows : (T, N), (P, N) float32 arrays
    reference : pair of arrays or None
        Poses (1, C) and vertices (1, V, 3) of channel row 0 from an earlier run, to notice that the rig has
        changed.
    """

    def __init__(
        self,
        rig: Rig,
        facts: CheckedRig,
        folder: Path,
        *,
        rows: NDArray[np.float32],
        probe_rows: NDArray[np.float32],
        reference: Answer | None = None,
    ) -> None:
        self.rig, self.facts, self.folder = rig, facts, folder
        self.rows, self.probe_rows, self.reference = rows, probe_rows, reference
        self._tried = False
        self._own_rig = False

    def reopened(self) -> ShardWork:
        """The same work with a rig of its own where the rig offers ``for_worker()``, for a worker process."""
        work = ShardWork(
            self.rig, self.facts, self.folder, rows=self.rows, probe_rows=self.probe_rows, reference=self.reference
        )
        if hasattr(self.rig, "for_worker"):
            try:
                work.rig = self.rig.for_worker()
            except Exception as error:
                raise SourceError(f"sample: the rig could not be opened in a worker: {_said(error)}") from error
            work._own_rig = work.rig is not self.rig
        return work

    def close(self) -> None:
        """Close the rig if this work opened it."""
        if self._own_rig and hasattr(self.rig, "close"):
            self.rig.close()

    def __call__(self, shard: Shard) -> Done:
        """Evaluate and write one shard."""
        return self.store(shard, self.evaluate(shard))

    def evaluate(self, shard: Shard) -> Answer:
        """Poses and vertices of one shard. The first call of a process evaluates channel row 0 alone before: a wrong
        rig shows before a whole shard is spent on it."""
        if not self._tried:
            self.try_rig()
            self._tried = True
        return evaluated(self.rig, self.facts, self.channels(shard), shard)

    def channels(self, shard: Shard) -> NDArray[np.float32]:
        """The channel rows of one shard."""
        return (self.probe_rows if shard.probe else self.rows)[shard.start : shard.stop]

    def store(self, shard: Shard, answer: Answer) -> Done:
        """Write the files of one shard; the ``.done`` file comes last and vouches for the others."""
        hashes = {
            name: write_array(self.folder / shard_file(shard.stem, name), array)
            for name, array in zip(ARRAYS, (self.channels(shard), *answer), strict=True)
        }
        return self.vouch(shard, hashes)

    def vouch(self, shard: Shard, hashes: dict[str, str]) -> Done:
        """Write the ``.done`` file of a shard whose other files lie in the folder."""
        atomic_write(self.folder / f"{shard.stem}.done", json.dumps(hashes).encode("ascii"))
        return Done(shard, hashes)

    def try_rig(self) -> Answer:
        """Evaluate channel row 0 alone, and compare it with the ``reference``.

        Raises
        ------
        AnotherRig
            If it differs by more than rounding.
        """
        answer = evaluated(self.rig, self.facts, self.rows[:1], FIRST_ROW)
        if self.reference is None:
            return answer
        size = float(np.ptp(self.facts.rest_vertices, axis=0).max())
        scales = (max(1.0, float(np.abs(self.reference[0]).max())), size)
        for name, new, old, scale in zip(ARRAYS[1:], answer, self.reference, scales, strict=True):
            gap = float(np.abs(new - old).max())
            if gap > SAME_RIG * scale:
                got = f"not the one that the folder was begun with ({name} of channel row 0 differ by {gap:.3g})"
                raise AnotherRig("sample", "rig", got, "the same, or pass overwrite=True")
        return answer

    def _facts(self) -> list[str]:
        return [f"{len(self.rows):,} rows", f"{len(self.probe_rows):,} of the probe"]


def evaluated(rig: Rig, facts: CheckedRig, channels: NDArray[np.float32], shard: Shard) -> Answer:
    """Poses and vertices of the channel rows of one shard, checked.

    Raises
    ------
    SourceError
        If the rig fails, or returns NaN or infinity.
    ValueError
        If its answer has a wrong type or shape.
    """
    try:
        answer = rig.sample(channels.copy())
    except (Exception, SystemExit) as error:
        raise SourceError(f"sample ({shard}): {_said(error)}; finished shards are kept") from error
    return check_answer(facts, answer, range(shard.start, shard.stop), shard.kind)


def _said(error: BaseException) -> str:
    text = str(error) or "no message"
    return text if isinstance(error, SourceError) else f"the rig raised {type(error).__name__}: {text}"


class Executor(Protocol):
    """Takes all shards at once and yields each when its files lie in the folder, in any order.

    An exception that the work raises comes out of the iterator and ends it; so does the death of a worker, as
    :class:`rigcast.SourceError`. When the iterator is closed, no worker goes on.
    """

    def run(self, work: ShardWork, shards: Sequence[Shard]) -> Iterator[Done]:
        """Do ``work(shard)`` for every shard; a worker process calls ``work.reopened()`` once."""
        ...


def all_shards(
    rig: Rig, plan: SamplingPlan, begun: Begun, executor: Executor, progress: ProgressCallback
) -> dict[str, Done]:
    """Evaluate the shards that the folder lacks; returns all of them by stem, with the finished ones."""
    work = ShardWork(rig, plan.facts, begun.path, rows=plan.rows, probe_rows=plan.probe_rows, reference=begun.reference)
    done, total = dict(begun.done), plan.contents.rows
    clock = _Clock(progress, total - sum(shard.rows for shard in begun.left), total)
    results = executor.run(work, begun.left)
    try:
        for result in results:
            done[result.shard.stem] = result
            clock.advance(result.shard.rows)
    finally:
        if hasattr(results, "close"):
            results.close()  # no worker goes on
    return done


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
