"""The engine by itself: one pose and a batch of a model, as it is and with less quality."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._core import Deformer
from rigcast._timing.reading import MemoryReader, readings
from rigcast._timing.storages import has_networks, narrower, own_error_of, storage_error
from rigcast._timing.turns import interleaved, load_average, machine
from rigcast._validate import bad_argument
from rigcast._version import __version__

LEAST_RUNS = 10
STORED = (_core.BodyModel, _core.FaceMaps, _core.DifferentialModel)

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class TimedModels:
    """The models and poses to time.

    Attributes
    ----------
    models : dict
        "rigcast" is the model itself, others are narrower storages of it by name.
    poses : (T, C) array
        The batch.
    storages : list of dicts
        What narrower weights cost in accuracy, if that is known (`storages.StorageError`).
    """

    models: dict[str, Deformer]
    poses: Floats
    storages: list[dict[str, Any]]

    @property
    def model(self) -> Deformer:
        """The model itself."""
        return self.models["rigcast"]

    def jobs(self) -> tuple[tuple[Floats, int], ...]:
        """Poses and threads of each row: one pose on one thread, and the batch on all processors."""
        return (self.poses[:1], 1), (self.poses, _core.num_processors())

    def calls(self, poses: Floats, threads: int) -> dict[str, Callable[[], Floats]]:
        """Calls that evaluate the model, its storages, and of a face the coarse maps alone, into one array."""
        out = np.empty((len(poses), *self.model.rest_vertices.shape), np.float32)
        calls: dict[str, Callable[[], Floats]] = {
            name: partial(model.evaluate, poses, threads=threads, out=out) for name, model in self.models.items()
        }
        if isinstance(self.model, _core.FaceMaps) and self.model.num_refinements:
            coarse = np.zeros(self.model.num_refinements, np.float32)
            calls["coarse"] = partial(self.model.evaluate_detail, poses, coarse, threads=threads, out=out)
        return calls

    def reading(self, runs: int) -> list[dict[str, Any]]:
        """Compare one pose with the rate of memory, on one thread and on all; [] for models without weights."""
        readers: dict[str, MemoryReader] = {
            name: model for name, model in self.models.items() if isinstance(model, STORED)
        }
        threads = [1] if _core.num_processors() == 1 else [1, _core.num_processors()]
        return [found.figures() for count in threads for found in readings(readers, self.poses[0], count, runs)]


def subject_of(
    model: Deformer, poses: Floats | None, truth: Floats | None, *, runs: int, batch: int, seed: int
) -> TimedModels:
    """A model and what it is timed on: see `engine_figures`."""
    if runs < LEAST_RUNS:
        raise bad_argument("bench", "runs", runs, f"at least {LEAST_RUNS}: medians of fewer say little")
    models: dict[str, Deformer] = {"rigcast": model}
    storages: list[dict[str, Any]] = []
    if isinstance(model, _core.BodyModel) and has_networks(model):
        own_error = own_error_of(model.stored("float32"), poses, truth)
        stored = narrower(model, poses, own_error)
        models |= stored
        if poses is not None:
            storages = [storage_error(model, narrow, poses, own_error).figures() for narrow in stored.values()]
    elif isinstance(model, STORED) and has_networks(model):
        models["16-bit"] = model.stored("16-bit")
    return TimedModels(models, batch_of(model, poses, batch, seed), storages)


def batch_of(model: Deformer, poses: Floats | None, count: int, seed: int) -> Floats:
    """So many poses: the given ones repeated, or random ones between the control ranges."""
    if poses is None:
        low, high = model.control_ranges.T
        share = np.random.default_rng(seed).random((count, len(low)))
        between: Floats = (low + share * (high - low)).astype(np.float32)
        return between
    return np.resize(np.asarray(poses, np.float32), (count, np.shape(poses)[1]))


def engine_figures(
    model: Deformer,
    poses: Floats | None = None,
    truth: Floats | None = None,
    *,
    runs: int = 30,
    batch: int = 256,
    seed: int = 0,
) -> dict[str, Any]:
    """Time a model's evaluation, from pose to vertices.

    Variants of a model with networks are its weights in 16 bits, of a body with `poses` and a known error also in int8,
    and of a face the coarse maps alone. Times are medians of calls that take turns, after a warm-up.

    Parameters
    ----------
    model : Deformer
    poses : (T, C) array, optional
        Poses to evaluate, repeated to the size of the batch; by default random ones between the control ranges.
    truth : (T, V, 3) array, optional
        The rig's vertices of these poses, for a body's own error; by default the error that its file states.
    runs : int
        Rounds, at least 10.
    batch : int
        Poses of the row for batches, on all processors.
    seed : int
        Of the random poses.

    Returns
    -------
    dict
        "machine", "versions", "load" (of the machine, before) and "rows": a list of dicts with "job", "poses",
        "threads", "seconds" and "variants" (name to seconds). "reading": how near one pose comes to the rate of memory
        (`reading.Reading`). "storages": what narrower weights of a body cost in accuracy, if `poses` are given.

    Raises
    ------
    ValueError
        There are too few runs.
    """
    subject = subject_of(model, poses, truth, runs=runs, batch=batch, seed=seed)
    facts = about()
    rows = []
    for some, threads in subject.jobs():
        calls = subject.calls(some, threads)
        rows.append(row(interleaved(calls, runs, in_a_row(some)), calls, len(some), threads))
    return facts | {"rows": rows, "reading": subject.reading(runs), "storages": subject.storages}


def about() -> dict[str, Any]:
    """The machine, how busy it is, and the versions on it."""
    versions = {"rigcast": __version__, "numpy": np.__version__}
    return {"machine": machine(), "load": load_average(), "versions": versions}


def in_a_row(poses: Floats) -> int:
    """Calls in each turn: a single pose is short and depends on warm caches, a batch is long and does not."""
    return 5 if len(poses) == 1 else 1


def row(times: Mapping[str, float], ours: Mapping[str, object], poses: int, threads: int) -> dict[str, Any]:
    """Seconds of the model and of its variants, `ours`."""
    return {
        "job": "one pose" if poses == 1 else f"{poses} poses",
        "poses": poses,
        "threads": threads,
        "seconds": times["rigcast"],
        "variants": {name: times[name] for name in ours if name != "rigcast"},
    }
