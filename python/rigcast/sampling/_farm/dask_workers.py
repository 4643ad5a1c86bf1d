"""The executor whose workers are those of a Dask scheduler."""

from __future__ import annotations

import contextlib
import errno
import os
import pickle
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rigcast._atomic_files import FULL
from rigcast._farm.connecting import is_client
from rigcast._farm.farm import Failure, Farm
from rigcast._farm.parcel import portable
from rigcast._shown import no_pickle, one_line
from rigcast._validate import bad_argument
from rigcast.errors import ArgumentError, SourceError, WorkerWarning
from rigcast.progress import ProgressOption, as_callback
from rigcast.sampling._farm.arrivals import take_in
from rigcast.sampling._farm.worker_rigs import ShardTask, WorkerRigs, sample_shard
from rigcast.sampling._store.folder import announced
from rigcast.sampling._store.layout import Done, Shard
from rigcast.sampling._work import ShardWork

if TYPE_CHECKING:
    from rigcast._farm.connecting import Client


@no_pickle("it holds a connection to a scheduler; connect again")
@one_line
class DaskWorkers:
    """The workers of a Dask scheduler, on this machine or others; an :class:`Executor` (extra ``dask``).

    A worker opens its own rig: of one that drives Blender, the path of the file and how it was opened travel, not the
    open rig, so the file must have the same path there; any other rig is pickled. A worker that shares the data set's
    folder writes its shards there, any other sends them back; which one it is, it finds out by itself. The client
    checks every answer and gives the files their names, so the bytes are those of one local worker.

    A worker that dies, leaves or cannot open the rig costs its work in hand alone, which others repeat. A shard that is
    late is given to a second worker, too. What went wrong is in ``incidents``, and one :class:`WorkerWarning` at the
    end.

    Parameters
    ----------
    client : distributed.Client
        Whoever reaches a scheduler can run programs on its workers: use TLS, or a network that you trust.
    same_bits : bool
        Use only workers whose rig gives the same bits as here for channel row 0 of the data set. False admits workers
        that round differently, as other processors may; then bytes depend on who sampled which shard.
    progress : True or callable, optional
        Told while there is no worker.

    Attributes
    ----------
    incidents : list of str
        What went wrong in the last run, in the order in which it was noticed.

    Raises
    ------
    ValueError
        If ``client`` is something else.

    Examples
    --------
    ``rc.sampling.sample(rig, path, workers=client)`` is the same as ``executor=rc.sampling.DaskWorkers(client)``.
    """

    def __init__(self, client: Client, *, same_bits: bool = True, progress: ProgressOption = None) -> None:
        if not is_client(client):
            raise bad_argument("DaskWorkers", "client", f"a {type(client).__name__}", "a distributed.Client")
        self.client, self.same_bits = client, same_bits
        self.incidents: list[str] = []
        self._show = as_callback(progress)

    def run(self, work: ShardWork, shards: Sequence[Shard]) -> Iterator[Done]:
        """See :class:`Executor`.

        Raises
        ------
        SourceError
            If a shard fails on three workers, no worker can work, or the scheduler is lost.
        """
        if not shards:
            return
        farm = Farm(self.client, progress=self._show)
        self.incidents = farm.incidents
        with announced(work.folder) as token:
            common = WorkerRigs(
                _pickled(work),
                work.facts,
                Path(os.path.abspath(work.folder)),
                token,
                np.ascontiguousarray(work.rows[:1]),
                work.try_rig(),
                self.same_bits,
            )
            tasks = [ShardTask(shard, work.channels(shard)) for shard in shards]
            answers = farm.run(sample_shard, common, tasks, [str(shard) for shard in shards])
            with contextlib.closing(answers):
                for index, answer in answers:
                    if isinstance(answer, Failure):
                        raise _error(shards[index], answer)
                    yield take_in(work, shards[index], answer)
        if self.incidents:
            text = f"sample: the data set is complete; on the way {len(self.incidents)} things went wrong, the first: "
            warnings.warn(text + self.incidents[0], WorkerWarning, stacklevel=2)

    def _facts(self) -> list[str]:
        return ["same bits" if self.same_bits else "bits of each worker"]


def _pickled(work: ShardWork) -> bytes:
    """The rig as it travels."""
    try:
        return portable(work.rig)
    except (AttributeError, TypeError, ValueError, pickle.PicklingError) as error:
        got = f"a {type(work.rig).__name__} that cannot be sent to a worker ({error})"
        raise bad_argument("sample", "rig", got, "one that can be pickled") from error


def _error(shard: Shard, failure: Failure) -> Exception:
    """The error that a shard ended in, as a local worker would raise it."""
    if failure.errno in FULL:
        return OSError(failure.errno, os.strerror(failure.errno or errno.ENOSPC), failure.text)
    if failure.kind == "ValueError":
        return ArgumentError("", "", failure.text, "")
    opening = "" if failure.text.startswith("sample (") else f"sample ({shard}): "
    closing = "" if "finished shards are kept" in failure.text else "; finished shards are kept"
    where = f" (on worker {failure.worker})" if failure.worker else ""
    return SourceError(f"{opening}{failure.text}{closing}{where}")
