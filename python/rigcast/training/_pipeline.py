"""Learning a body: vertex sets, their inputs, their output bases, their networks, one model (Bailey et al. 2018)."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from rigcast._core import Deformer
from rigcast._extras import require
from rigcast._rigs.rig import Rig
from rigcast._validate import bad_argument, check_threads
from rigcast.progress import Progress, ProgressCallback, ProgressOption, as_callback
from rigcast.sampling import Dataset, Sampler
from rigcast.training._checkpoint import only_run
from rigcast.training._choice import chosen_linear
from rigcast.training._error_bound import LEAST_ROWS, add_error_bound
from rigcast.training._export import LearnedSet, measured
from rigcast.training._learned_body import Beside, Networks, beside_skinning, metadata, model_tensors
from rigcast.training._linear_part import Skinnings, skinning_rows
from rigcast.training._optimize import torch_settings
from rigcast.training._outline import parted
from rigcast.training._pace import share_of
from rigcast.training._preparation import Preparation, prepare
from rigcast.training._settings import BodySettings, settings_for
from rigcast.training._until._goal import Goal
from rigcast.training._until._pipeline import Samples, learn_until, samples_of

DEFAULT_STEPS = 8000
STEPS_OF_ROUND = 2000  # to a stated error


def body(
    ds: Dataset | Rig,
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
    linear: str | None = None,
    influences: int | None = None,
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
    weight_decay: float | None = None,
    gain: float | None = None,
    schedule: str | None = None,
    patience: int | None = None,
    tolerance: float | None = None,
    statistic: str = "p99",
    rig: Rig | None = None,
    folder: str | os.PathLike[str] | None = None,
    poses: int | None = None,
    sampler: str | Sampler = "normal",
    workers: int = 1,
) -> Deformer:
    """Learn the deformation of a rig with a skeleton from samples of it.

    A vertex follows joints rigidly, plus what small networks predict from the joints and controls that influence it
    (Bailey et al. 2018, equation 4; with the blended method v' = sum_i a_i (X_i (rest_i + n_i) + t_i)).

    Parameters
    ----------
    ds : Dataset or Rig
        Poses and vertices; with its influence probe where it has one. With a ``tolerance`` also a rig.
    seed : int
        The same data, seed, settings, machine and number of threads give the same model, bit for bit, unless
        ``minutes`` decides when to stop.
    method : "blended" or "paper"
        "blended": vertex sets that overlap and a decaying learning rate; "paper": the method as printed.
    minutes : float or None
        Time for the whole call, preparation, measuring and writing included; the learning rate falls over the time
        that is left for steps. If fewer than 1,000 steps fit, the metadata entry ``too_few_steps`` of ``training``
        says so, and how many minutes are enough.
    steps : int or None
        Steps of the optimizer; 8000 where neither ``minutes`` nor ``steps`` is given.
    device : str
        Where the networks are trained: "cpu" or "cuda".
    threads : int
        Number of threads; 0 means all processors that this process may use. With ``minutes``, 0 lets the steps use one
        or all of them, whichever is faster. PyTorch's own number is restored. The environment variable OMP_NUM_THREADS
        limits what 0 means: beside other heavy programs, fewer are faster.
    checkpoint : path-like or None
        File that a killed run continues from; it is removed when the model is finished.
    restart : bool
        Begin anew: remove the ``checkpoint`` that an earlier run left, unless a run is at work on it.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`: the held-out error in the rig's unit.
    linear : "auto", "rigid", "skinning" or "own", optional
        What the networks correct; by default ("auto") what learns best in a brief training, as the metadata states.
    holdout, influences, tau, assignment_poses, border, compact_rotations, influence_threshold, pca_threshold : optional
        How the mesh and the data are cut: see :class:`BodySettings`; None keeps the method's default.
    max_components, hidden, batch, optimizer, learning_rate, weight_decay, gain, schedule, patience : optional
        The networks and their training: see :class:`BodySettings`; None keeps the method's default.
    tolerance : float or None
        Train to a stated error, in the unit of the rig: sample where the model is least sure, train on, and stop when
        the ``statistic`` of the error on fresh poses is below it with a confidence of 95 %. ``steps`` are then those
        of the first round (default 2000), ``minutes`` the time for all of them.
    statistic : "mean", "p99" or "max"
        Of the vertices of fresh poses: mean, 99th percentile, or largest. The bound of "max" is one for 99 % of the
        poses.
    rig : Rig, optional
        With a ``tolerance``: who is sampled, if ``ds`` is a data set of it.
    folder : path-like or None
        With a ``tolerance``: keeps the samples and models of the rounds, and a killed run goes on from it to the same
        bytes. A smaller tolerance or larger budget goes on from it, too. Takes the place of ``checkpoint``.
    poses : int or None
        With a ``tolerance``: most poses of the rig; default 20000.
    sampler, workers : optional
        With a ``tolerance``: see :func:`rigcast.sampling.sample`.

    Returns
    -------
    Deformer
        A model of kind "body" that knows its error on the held-out rows. After training to a stated error its metadata
        entry ``until`` says what was reached, why it stopped ("error", "poses" or "minutes"), and the curve.

    Raises
    ------
    ValueError
        If ``ds`` is no data set, has no skeleton or too few rows, or has changed since it was sampled, a used joint
        cannot be inverted in some pose, a setting makes no sense, the checkpoint or folder belongs to another run
        or is written by one, or a tolerance is not positive, its statistic unknown, or there is no rig to sample.
    NumericalError
        If training diverges.
    MemoryError
        If the device has too little memory.
    MissingExtra
        Without PyTorch.

    Examples
    --------
    >>> data = rc.sampling.sample(rc.sources.example_body(), "arm.rwdata", count=100, seed=0)
    >>> model = rc.training.body(data, seed=0, steps=1)  # minutes=5 for a model worth having
    >>> model.evaluate(data.poses[:2]).shape
    (2, 1122, 3)
    """
    started = time.monotonic()
    torch = require("torch", extra="training", purpose="training a model")
    report = as_callback(progress)
    goal = None if tolerance is None else Goal(statistic, tolerance)
    if (minutes is None or goal is not None) and steps is None:
        steps = DEFAULT_STEPS if goal is None else STEPS_OF_ROUND
    samples = _samples(goal, ds, rig, folder, poses, sampler, workers)
    if samples is None or samples.given is not None:
        check_data_set("body", ds)
    check_place("body", torch, device, threads)
    chosen = settings_for(
        method,
        seed=seed,
        minutes=minutes,
        steps=steps,
        holdout=holdout,
        linear=linear,
        influences=influences,
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
        weight_decay=weight_decay,
        gain=gain,
        schedule=schedule,
        patience=patience,
    )
    if goal is not None and samples is not None:
        return learn_until(samples, goal, chosen, device, threads, restart, report)
    file = None if checkpoint is None else Path(checkpoint)
    with contextlib.nullcontext() if file is None else only_run(file):
        if file is not None and restart:
            file.unlink(missing_ok=True)
        model = _learned(ds, chosen, device, threads, file, report, started)
        if file is not None:
            file.unlink(missing_ok=True)
    return model


def _samples(goal: Goal | None, ds: Any, *sampling: Any) -> Samples | None:
    """Who samples, with a goal; None without, and then ValueError if a rig, a folder or a number of poses is given."""
    if goal is not None:
        return samples_of(ds, *sampling)
    for name, value in zip(("rig", "folder", "poses"), sampling, strict=False):
        if value is not None:
            raise bad_argument("body", name, "given", "left out without a tolerance, which asks for new poses")
    return None


def _learned(
    ds: Any,
    chosen: BodySettings,
    device: str,
    threads: int,
    file: Path | None,
    report: ProgressCallback,
    started: float,
) -> Deformer:
    torch = require("torch", extra="training", purpose="training a model")
    if hasattr(ds, "verify"):
        ds.verify(report)  # the model states the hash of what it has learned from
    used: dict[str, Any] = {"torch": torch.__version__, "device": device, "threads": threads}
    skinnings = Skinnings(ds, skinning_rows(parted(ds, chosen)[0], chosen.seed), threads)

    def rehearse(begin: list[LearnedSet], share: float) -> None:
        rows = share_of(ready.training, share, 2), share_of(ready.held_out, share, LEAST_ROWS)
        part = replace(ready, training=rows[0], held_out=rows[1])
        beside = beside_skinning(ds, part, begin, skinnings)[2]
        _finished(ds, part, begin, beside, chosen, used)  # the networks, whichever is better

    with torch_settings(torch, threads, device):
        try:
            chosen, trials = chosen_linear(ds, chosen, skinnings, device, report, started)
            ready = prepare(ds, chosen, report, skinnings=skinnings)
            networks = Networks(ds, ready, chosen, device)
            measured_threads = chosen.minutes is not None and threads == 0
            learned, done = networks.train(file, report, started, measured_threads=measured_threads, finish=rehearse)
        except torch.cuda.OutOfMemoryError as error:
            raise MemoryError(f"body: {device} has too little memory for these networks") from error
        report(Progress("measuring", 0, 1))
        better, learned, beside = beside_skinning(ds, ready, learned, skinnings)
        return _finished(ds, better, learned, beside, chosen, used | done | trials)


def _finished(
    ds: Any,
    ready: Preparation,
    learned: list[LearnedSet],
    beside: Beside,
    chosen: BodySettings,
    used: dict[str, Any],
) -> Deformer:
    """The model with its bound and its errors."""
    tensors = model_tensors(ds, ready, learned) | beside.tensors
    parts = tensors, metadata(ds, ready, chosen, used) | {"linear_skinning": beside.about}
    parts = add_error_bound(*parts, ds, ready.training, ready.held_out, chosen.seed)
    return measured(*parts, ds, ready.held_out)


def check_data_set(function: str, ds: Any) -> None:
    """Raise ValueError unless ``ds`` is a data set."""
    # Not "vertices": asking a set for them reads all of them into memory, and training reads them piece by piece.
    missing = [name for name in ("skeleton", "poses", "probe", "hash", "take") if not hasattr(ds, name)]
    if missing:
        got = f"a {type(ds).__name__} without {', '.join(missing)}"
        raise bad_argument(function, "ds", got, "a data set: rigcast.Dataset(path)")


def check_training_arguments(function: str, torch: Any, ds: Any, device: str, threads: int) -> None:
    """Raise ValueError unless ``ds`` is a data set, the device is there, and ``threads`` a number of threads."""
    check_data_set(function, ds)
    check_place(function, torch, device, threads)


def check_place(function: str, torch: Any, device: str, threads: int) -> None:
    """Raise ValueError unless the device is there, and ``threads`` a number of threads."""
    usable = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    if not isinstance(device, str) or device.split(":")[0] not in usable:
        raise bad_argument(function, "device", repr(device), " or ".join(f'"{name}"' for name in usable) + " here")
    kind, colon, index = device.partition(":")
    count = torch.cuda.device_count() if kind == "cuda" else 1
    if colon and not (index.isdecimal() and int(index) < count):
        raise bad_argument(function, "device", repr(device), f'"{kind}:0" to "{kind}:{count - 1}" here')
    check_threads(function, threads)
