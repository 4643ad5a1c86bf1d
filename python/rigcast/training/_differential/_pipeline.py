"""From a data set to a differential model."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import Deformer
from rigcast._extras import require
from rigcast._validate import check_threads
from rigcast.progress import Progress, ProgressCallback, ProgressOption, as_callback
from rigcast.sampling import Dataset
from rigcast.training._checkpoint import State, only_run, read_checkpoint, write_checkpoint
from rigcast.training._differential._export import common_metadata, common_tensors, learned_tensors
from rigcast.training._differential._inputs import anchor_columns, describe, network_columns
from rigcast.training._differential._labels import find_labels
from rigcast.training._differential._networks import Problem
from rigcast.training._differential._settings import DifferentialSettings, settings_for
from rigcast.training._differential._trainer import SubspaceDescent
from rigcast.training._differential._transforms import SkinOption
from rigcast.training._direct_networks import check_device
from rigcast.training._export import measured
from rigcast.training._held_out import split
from rigcast.training._optimize import Budget, torch_settings
from rigcast.training._optimizers import Arrays
from rigcast.training._outlook import Outlook
from rigcast.training._pace import seconds_of_ending, seconds_of_training, share_of, too_few_steps
from rigcast.training._pipeline import check_data_set
from rigcast.training._simple_methods import simple_methods, without_worse_networks

DEFAULT_STEPS = 8000


def differential(
    ds: Dataset,
    *,
    seed: int = 0,
    minutes: float | None = None,
    steps: int | None = None,
    anchors: int | ArrayLike | None = None,
    skin: SkinOption = None,
    recipe: str = "narrow",
    device: str = "cpu",
    threads: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    restart: bool = False,
    progress: ProgressOption = None,
    holdout: float | None = None,
    components: int | None = None,
    anchor_share: float | None = None,
    anchor_weight: float | None = None,
    hidden: int | None = None,
    layers: int | None = None,
    base: bool | None = None,
    anchor_networks: str | None = None,
    anchor_hidden: int | None = None,
    anchor_layers: int | None = None,
    anchor_rate: float | None = None,
    influence_threshold: float | None = None,
    loss: str | None = None,
    batch: int | None = None,
    optimizer: str | None = None,
    learning_rate: float | None = None,
    schedule: str | None = None,
    patience: int | None = None,
) -> Deformer:
    """Learn a face or a body in a differential subspace (Song et al. 2020).

    Vertices are ``v = T (v0 + o + d)``: linear transforms T of displaced rest vertices. Base shapes o are linear in the
    pose columns, in products of them and in max(x, 0) of signed controls; of what they leave, one network predicts the
    principal components of the delta coordinates of d, a small network per anchor the displacement of that anchor, and
    a least-squares solve gives d (:class:`rigcast.differential.Reconstructor`). Transforms, base, anchors and
    components come from the training rows alone. Networks that make the base worse on held-out rows are left out, and
    the metadata say so. Whole clips are held out, as in :func:`face_maps`.

    Parameters
    ----------
    ds : Dataset
        Poses and vertices, with or without joints; with its influence probe if it has one. The mesh need not be
        manifold: lashes may be welded to lids.
    seed : int
        The same data, seed, settings, machine and number of threads give the same model, bit for bit, unless
        ``minutes`` decides when to stop.
    minutes : float, optional
        Time for the whole call, preparation, measuring and writing included. If fewer than 1,000 steps fit, the
        metadata entry ``too_few_steps`` of ``training`` says so, and how many minutes are enough.
    steps : int, optional
        Steps of the optimizer; 8000 if neither ``minutes`` nor ``steps`` is given.
    anchors : int or (A,) integers, optional
        Their number, or the vertices. By default 2 % of the vertices, chosen by
        :func:`rigcast.differential.choose_anchors`.
    skin : tuple, rig or "identity", optional
        The linear transforms of a character with joints. A pair (V, K) of joints and weights, or a rig with ``skin``:
        the source's own skinning. A rig with ``with_rest(vertices)``, which returns the same rig with other rest
        vertices: probed, by moving them. By default fitted linear blend skinning. ``model.transforms`` says which.
    recipe : "narrow" or "paper"
        "narrow": three layers of 384 units, 256 components at most, squared displacement, Adam. "paper": five layers of
        2,048 units, L1 on delta coordinates, SGD, as printed.
    device : str
        Where the networks are trained: "cpu" or "cuda".
    threads : int
        Number of threads; 0 means all processors that this process may use. PyTorch's own number is restored.
    checkpoint : path-like, optional
        File that a killed run continues from; it is removed when the model is finished.
    restart : bool
        Begin anew: remove the ``checkpoint`` that an earlier run left.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`: the held-out error in millimeters.
    holdout, components, anchor_share, anchor_weight, influence_threshold : optional
        The data and the subspace: see :class:`DifferentialSettings`; None keeps the recipe's.
    base, hidden, layers, anchor_networks, anchor_hidden, anchor_layers : optional
        The networks: see :class:`DifferentialSettings`.
    loss, batch, optimizer, learning_rate, schedule, patience : optional
        Their training: see :class:`DifferentialSettings`.

    Returns
    -------
    Deformer
        A model of kind "differential" that knows its error on the held-out rows.

    Raises
    ------
    ValueError
        If ``ds`` is no data set, has too few rows, or has changed since it was sampled, anchors are wrong, a linear
        transform has no inverse in some pose, there are more components than poses, a setting makes no sense, or the
        checkpoint belongs to another run or is written by one.
    NumericalError
        If training diverges.
    MissingExtra
        Without PyTorch.

    Examples
    --------
    >>> data = rc.sampling.sample(rc.sources.example_body(), "arm.rwdata", count=60, seed=0)
    >>> model = rc.training.differential(data, seed=0, steps=2)  # minutes=5 for a model worth having
    >>> model.evaluate(data.poses[:2]).shape
    (2, 1122, 3)
    """
    started = time.monotonic()
    check_device("differential", device)
    check_data_set("differential", ds)
    check_threads("differential", threads)
    if minutes is None and steps is None:
        steps = DEFAULT_STEPS
    settings = settings_for(
        recipe,
        seed=seed,
        minutes=minutes,
        steps=steps,
        holdout=holdout,
        components=components,
        anchor_share=anchor_share,
        anchor_weight=anchor_weight,
        hidden=hidden,
        layers=layers,
        base=base,
        anchor_networks=anchor_networks,
        anchor_hidden=anchor_hidden,
        anchor_layers=anchor_layers,
        anchor_rate=anchor_rate,
        influence_threshold=influence_threshold,
        loss=loss,
        batch=batch,
        optimizer=optimizer,
        learning_rate=learning_rate,
        schedule=schedule,
        patience=patience,
    )
    report = as_callback(progress)
    file = None if checkpoint is None else Path(checkpoint)
    lock = contextlib.nullcontext() if file is None else only_run(file, "differential")
    torch = require("torch", extra="training", purpose="training a model")
    with lock, torch_settings(torch, threads, device):
        if file is not None and restart:
            file.unlink(missing_ok=True)
        if hasattr(ds, "verify"):
            ds.verify(report)
        problem, held_out, extent, about = _prepare(ds, anchors, skin, settings, threads, report)
        beside = simple_methods(ds, np.flatnonzero(problem.training), held_out, threads, report)
        used = {"torch": torch.__version__, "device": device, "threads": threads} | about

        def finish(weights: Arrays, share: float, done: dict[str, Any]) -> Deformer:
            rows = share_of(held_out, share)
            model = _model(ds, problem, weights, rows, extent, used | done, beside)
            if problem.labels.base is None:
                return model
            alone = _model(ds, problem, problem.nothing(), rows, extent, used | done, beside)
            return without_worse_networks(model, alone)

        trainer = SubspaceDescent(problem, device, 100.0 * float(ds.meters_per_unit))
        prepared = time.monotonic() - started
        ending = seconds_of_ending(minutes, lambda share: finish(trainer.start().best, share, {}), prepared)
        last, done = _train(ds, trainer, file, report, started, ending, minutes is not None and threads == 0)
        report(Progress("measuring", 0, 1))
        if minutes is not None:  # with steps alone, two runs make the same file
            done["seconds"] = last.seconds
        model = finish(last.best, 1.0, done)
        if file is not None:
            file.unlink(missing_ok=True)
    return model


def _prepare(
    ds: Any, anchors: Any, skin: Any, settings: DifferentialSettings, threads: int, progress: ProgressCallback
) -> tuple[Problem, NDArray[np.integer[Any]], float, dict[str, Any]]:
    """The problem, the held-out rows, the diagonal of the rest mesh, and what metadata say of the base."""
    training, held_out, judged_by = split("differential", ds, settings.holdout, settings.seed)
    poses = np.asarray(ds.poses)
    extent = float(np.linalg.norm(np.ptp(ds.rest_vertices, axis=0)))
    description = describe(ds, poses, extent)
    labels, about = find_labels(ds, anchors, skin, training, description, settings, threads, progress)
    progress(Progress("finding influences", 0, 1))
    columns = anchor_columns(ds, labels.transforms, labels.anchors, description, extent, settings)
    learn = np.zeros(len(poses), bool)
    learn[training] = True
    joints = len(description.parents)
    problem = Problem(poses, joints, labels, network_columns(description), columns, learn, settings)
    return problem, held_out, extent, about | {"judged_by": judged_by}


def _train(
    ds: Any,
    trainer: SubspaceDescent,
    checkpoint: Path | None,
    progress: ProgressCallback,
    started: float,
    ending: float,
    measured_threads: bool,
) -> tuple[State, dict[str, Any]]:
    """The last state: its ``best`` are the weights; and metadata: the steps done, and whether they are too few."""
    problem, settings = trainer.problem, trainer.settings
    prepared = time.monotonic() - started
    budget = Budget(settings.steps, seconds_of_training(settings.minutes, prepared, ending), measured_threads)
    outlook = Outlook(budget)
    unit = 1000.0 * ds.meters_per_unit

    def report(now: State, _: Arrays) -> None:
        message = f"held-out error {trainer.error * unit:.3g} mm, {outlook.words(now, trainer.error)}"
        progress(Progress("training", budget.spent(now), 1.0, message))

    anchors = problem.labels.anchors.tolist()
    about = json.dumps(["differential", ds.hash, settings.record(), anchors, problem.labels.transforms.origin])
    run = hashlib.sha256(about.encode()).hexdigest()
    state = (read_checkpoint(checkpoint, run, "differential") if checkpoint else None) or trainer.start()

    def keep(now: State) -> None:
        if checkpoint is not None:
            write_checkpoint(checkpoint, now, run)

    state = trainer.run(state, budget, report, keep)
    few = too_few_steps(settings.minutes, state.step, state.seconds, prepared + ending, budget.out_of_time(state))
    return state, {"steps_done": state.step, **few}


def _model(
    ds: Any,
    problem: Problem,
    weights: Arrays,
    held_out: NDArray[np.integer[Any]],
    extent: float,
    used: dict[str, Any],
    beside: dict[str, Any],
) -> Deformer:
    labels, settings = problem.labels, problem.settings
    poses = np.asarray(ds.poses)
    read = np.zeros(poses.shape[1], bool)
    read[np.concatenate([*problem.network.columns, *problem.anchor_columns])] = True
    record = settings.record() | {
        "influence": "probe" if ds.probe is not None else "all varying columns: the data set has no influence probe",
        "components": labels.basis.shape[1],
        "anchors": len(labels.anchors),
        "transforms": labels.transforms.origin,
        "inputs": len(problem.network.columns[0]),
        "anchor_inputs": [len(c) for c in problem.anchor_columns],
        "training_poses": int(problem.training.sum()),
        "held_out_poses": len(held_out),
    }
    tensors = common_tensors(ds, poses[problem.training], extent, read) | learned_tensors(problem, weights)
    about = common_metadata(ds, record | used) | {"transforms": labels.transforms.origin} | beside
    return measured(tensors, about, ds, held_out)
