"""Learning a body: vertex sets, their inputs, their output bases, their networks, one model (Bailey et al. 2018)."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigwright import _core
from rigwright._core import Deformer
from rigwright._extras import require
from rigwright._pose_statistics.confidence import confidence_groups, confidence_tensors
from rigwright._validate import bad_argument, check_threads
from rigwright.progress import Progress, ProgressCallback, ProgressOption, as_callback
from rigwright.sampling import Dataset
from rigwright.training._checkpoint import State, only_run, read_checkpoint, write_checkpoint
from rigwright.training._export import LearnedSet, common_metadata, common_tensors, measured, set_tensors
from rigwright.training._networks import layers, make_problem, normalize
from rigwright.training._optimize import Budget, Trainer, torch_settings
from rigwright.training._optimizers import Arrays
from rigwright.training._outlook import Outlook
from rigwright.training._preparation import Preparation, prepare
from rigwright.training._settings import BodySettings, settings_for

DEFAULT_STEPS = 8000
MEASURING = 0.03  # part of a time budget that is kept for measuring and writing the model
LEAST_SHARE = 0.5  # part of it that the steps get at least: a model without steps is worth nothing
WATCHED = 32  # held-out poses whose error is reported while training


def body(
    ds: Dataset,
    *,
    seed: int = 0,
    method: str = "blended",
    minutes: float | None = None,
    steps: int | None = None,
    device: str = "cpu",
    threads: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    restart: bool = False,
    progress: ProgressOption = None,
    holdout: float | None = None,
    tau: float | None = None,
    assignment_poses: int | None = None,
    border: float | None = None,
    compact_rotations: bool | None = None,
    influence_threshold: float | None = None,
    pca_threshold: float | None = None,
    max_components: int | None = None,
    hidden: int | None = None,
    batch: int | None = None,
    optimizer: str | None = None,
    learning_rate: float | None = None,
    schedule: str | None = None,
    patience: int | None = None,
) -> Deformer:
    """Learn the deformation of a rig with a skeleton from samples of it.

    A vertex follows joints rigidly, plus what small networks predict from the joints and controls that influence it
    (Bailey et al. 2018, equation 4; with the blended method v' = sum_i a_i (X_i (rest_i + n_i) + t_i)).

    Parameters
    ----------
    ds : Dataset
        Poses and vertices; with its influence probe where it has one.
    seed : int
        The same data, seed, settings, machine and number of threads give the same model, bit for bit, unless
        ``minutes`` decides when to stop.
    method : "blended" or "paper"
        "blended": vertex sets that overlap and a decaying learning rate; "paper": the method as printed.
    minutes : float or None
        Time for the whole call; the learning rate falls over the time there is. Half of it is for the steps,
        however long the preparation takes.
    steps : int or None
        Steps of the optimizer; 8000 where neither ``minutes`` nor ``steps`` is given.
    device : str
        Where the networks are trained: "cpu" or "cuda".
    threads : int
        Number of threads; 0 means all processors that this process may use. PyTorch's own number is restored.
        The environment variable OMP_NUM_THREADS limits what 0 means: beside other heavy programs, fewer are faster.
    checkpoint : path-like or None
        File that a killed run continues from; it is removed when the model is finished.
    restart : bool
        Begin anew: remove the ``checkpoint`` that an earlier run left, unless a run is at work on it.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigwright.progress.Progress`: the held-out error in the rig's unit.
    holdout, tau, assignment_poses, border, compact_rotations, influence_threshold, pca_threshold : optional
        How the mesh and the data are cut: see :class:`BodySettings`; None keeps the method's default.
    max_components, hidden, batch, optimizer, learning_rate, schedule, patience : optional
        The networks and their training: see :class:`BodySettings`; None keeps the method's default.

    Returns
    -------
    Deformer
        A model of kind "body" that knows its error on the held-out rows.

    Raises
    ------
    ValueError
        If ``ds`` is no data set, has no skeleton or too few rows, or has changed since it was sampled, a used joint
        cannot be inverted in some pose, a setting makes no sense, or the checkpoint belongs to another run
        or is written by one.
    NumericalError
        If training diverges.
    MemoryError
        If the device has too little memory.
    MissingExtra
        Without PyTorch.

    Examples
    --------
    >>> data = rw.sampling.sample(rw.sources.example_body(), "arm.rwdata", count=100, seed=0)
    >>> model = rw.training.body(data, seed=0, steps=1)  # minutes=5 for a model worth having
    >>> model.evaluate(data.poses[:2]).shape
    (2, 1122, 3)
    """
    started = time.monotonic()
    torch = require("torch", extra="training", purpose="training a model")
    report = as_callback(progress)
    if minutes is None and steps is None:
        steps = DEFAULT_STEPS
    check_training_arguments("body", torch, ds, device, threads)
    chosen = settings_for(
        method,
        seed=seed,
        minutes=minutes,
        steps=steps,
        holdout=holdout,
        tau=tau,
        assignment_poses=assignment_poses,
        border=border,
        compact_rotations=compact_rotations,
        influence_threshold=influence_threshold,
        pca_threshold=pca_threshold,
        max_components=max_components,
        hidden=hidden,
        batch=batch,
        optimizer=optimizer,
        learning_rate=learning_rate,
        schedule=schedule,
        patience=patience,
    )
    file = None if checkpoint is None else Path(checkpoint)
    with contextlib.nullcontext() if file is None else only_run(file):
        if file is not None and restart:
            file.unlink(missing_ok=True)
        if hasattr(ds, "verify"):
            ds.verify(report)  # the model states the hash of what it has learned from
        ready = prepare(ds, chosen, report)
        with torch_settings(torch, threads, device):
            try:
                learned, steps_done = Networks(ds, ready, chosen, device).train(file, report, started)
            except torch.cuda.OutOfMemoryError as error:
                raise MemoryError(f"body: {device} has too little memory for these networks") from error
        report(Progress("measuring", 0, 1))
        used = {"torch": torch.__version__, "device": device, "threads": threads, "steps_done": steps_done}
        model = measured(model_tensors(ds, ready, learned), metadata(ds, ready, chosen, used), ds, ready.held_out)
        if file is not None:
            file.unlink(missing_ok=True)
    return model


def check_data_set(function: str, ds: Any) -> None:
    """Raise ValueError unless ``ds`` is a data set."""
    # Not "vertices": asking a set for them reads all of them into memory, and training reads them piece by piece.
    missing = [name for name in ("skeleton", "poses", "probe", "hash", "take") if not hasattr(ds, name)]
    if missing:
        got = f"a {type(ds).__name__} without {', '.join(missing)}"
        raise bad_argument(function, "ds", got, "a data set: rigwright.Dataset(path)")


def check_training_arguments(function: str, torch: Any, ds: Any, device: str, threads: int) -> None:
    """Raise ValueError unless ``ds`` is a data set, the device is there, and ``threads`` a number of threads."""
    check_data_set(function, ds)
    usable = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    if not isinstance(device, str) or device.split(":")[0] not in usable:
        raise bad_argument(function, "device", repr(device), " or ".join(f'"{name}"' for name in usable) + " here")
    kind, colon, index = device.partition(":")
    count = torch.cuda.device_count() if kind == "cuda" else 1
    if colon and not (index.isdecimal() and int(index) < count):
        raise bad_argument(function, "device", repr(device), f'"{kind}:0" to "{kind}:{count - 1}" here')
    check_threads(function, threads)


class Networks:
    """The networks of the sets that have inputs and components: their problem, their training, their layers."""

    def __init__(self, ds: Dataset, ready: Preparation, settings: BodySettings, device: str) -> None:
        self.ds, self.ready, self.settings, self.device = ds, ready, settings, device
        self.active = [i for i, basis in enumerate(ready.bases) if len(ready.columns[i]) and basis.components.shape[1]]
        self.inputs = [ready.poses[:, ready.columns[i]] for i in self.active]
        self.targets = [ready.bases[i].coefficients for i in self.active]
        rows = ready.training
        self.maps = [normalize(x[rows], c[rows]) for x, c in zip(self.inputs, self.targets, strict=True)]

    def learned(self, weights: Arrays) -> list[LearnedSet]:
        """All sets, with the layers that these weights make."""
        parts = [LearnedSet(c, basis, {}) for c, basis in zip(self.ready.columns, self.ready.bases, strict=True)]
        for s, i in enumerate(self.active):
            parts[i] = replace(parts[i], layers=layers(weights, s, self.maps[s]))
        return parts

    def train(
        self, checkpoint: Path | None, progress: ProgressCallback, started: float
    ) -> tuple[list[LearnedSet], int]:
        """Train; the sets with the best weights, and the steps that were done.

        Parameters
        ----------
        checkpoint : path-like or None
        progress : callable
        started : float
            When the call began (``time.monotonic``): what was spent since then counts.
        """
        if not self.active:
            return self.learned({}), 0
        settings, ready = self.settings, self.ready
        training = np.isin(np.arange(len(ready.poses)), ready.training)
        problem = make_problem(self.inputs, self.targets, self.maps, training)
        widths = [m.whiten.shape[1] for m in self.maps], [len(m.scale) for m in self.maps]
        trainer = Trainer(problem, *widths, settings, self.device)
        budget = Budget(settings.steps, seconds_of_training(settings.minutes, time.monotonic() - started))
        outlook = Outlook(budget)
        _, poses, truth = self.ds.take(ready.held_out[:WATCHED])
        unit = 1000.0 * self.ds.meters_per_unit
        about = json.dumps(common_metadata(self.ds, "body", {}))

        def report(now: State, weights: Arrays) -> None:
            tensors = common_tensors(self.ds, ready.poses) | set_tensors(ready.sets, self.learned(weights))
            model = _core.model_from_tensors(tensors, about)
            distance = np.linalg.norm(model.evaluate(poses) - truth, axis=2) * unit
            words = outlook.words(now, float(distance.mean()))
            message = f"held-out error {distance.mean():.3g} mm, at most {distance.max():.3g} mm, {words}"
            progress(Progress("training", budget.spent(now), 1.0, message))

        run = hashlib.sha256(json.dumps([self.ds.hash, settings.record()]).encode()).hexdigest()
        state = (read_checkpoint(checkpoint, run) if checkpoint else None) or trainer.start()
        state.seconds += time.monotonic() - started

        def keep(now: State) -> None:
            if checkpoint is not None:
                write_checkpoint(checkpoint, now, run)

        state = trainer.run(state, budget, report, keep)
        return self.learned(state.best), state.step


def seconds_of_training(minutes: float | None, prepared: float) -> float | None:
    """When the steps end, in seconds since the call began: before measuring, but not before half the time was for them.

    Parameters
    ----------
    minutes : float or None
        Time for the whole call.
    prepared : float
        Seconds that preparation took: on a busy machine, perhaps more than there are.
    """
    if minutes is None:
        return None
    return max(60.0 * minutes * (1.0 - MEASURING), prepared + LEAST_SHARE * 60.0 * minutes)


def model_tensors(ds: Dataset, ready: Preparation, learned: list[LearnedSet]) -> dict[str, NDArray[Any]]:
    """All tensors of the model but its errors."""
    poses: NDArray[np.float32] = ready.poses[ready.training]
    groups = confidence_groups(poses, len(ready.description.parents), ready.unread(), ready.extent)
    return common_tensors(ds, poses) | set_tensors(ready.sets, learned) | confidence_tensors(groups)


def metadata(ds: Dataset, ready: Preparation, settings: BodySettings, used: dict[str, Any]) -> dict[str, Any]:
    """Metadata of the model: what is needed to repeat the training, and what came of it."""
    record = settings.record() | {
        "influence": "probe" if ds.probe is not None else "all varying columns: the data set has no influence probe",
        "loss": "squared vertex distance in bone space",
        "sets": len(ready.sets),
        "members": len(ready.sets.vertex),
        "inputs": [len(c) for c in ready.columns],
        "components": [basis.components.shape[1] for basis in ready.bases],
        "training_poses": len(ready.training),
        "held_out_poses": len(ready.held_out),
    }
    return common_metadata(ds, "body", record | used)
