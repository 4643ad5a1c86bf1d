"""Learning deformation maps of a face: layout, coarse networks, refinements of the frozen coarse model, one model."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rigcast._core import Deformer
from rigcast._extras import require
from rigcast._pose_statistics.confidence import confidence_of
from rigcast._rigs.surface import surface_of
from rigcast.progress import Progress, ProgressOption, as_callback
from rigcast.sampling import Dataset
from rigcast.training._checkpoint import only_run
from rigcast.training._export import common_metadata, common_tensors, measured
from rigcast.training._face_maps._export import LearnedMap, map_tensors, quality_steps
from rigcast.training._face_maps._levels import Levels
from rigcast.training._face_maps._model_layout import floors_record
from rigcast.training._face_maps._preparation import Preparation, prepare
from rigcast.training._face_maps._settings import FaceMapsSettings, settings_for
from rigcast.training._optimize import torch_settings
from rigcast.training._pace import share_of
from rigcast.training._pipeline import DEFAULT_STEPS, check_training_arguments
from rigcast.training._simple_methods import simple_methods, without_worse_networks


def face_maps(
    ds: Dataset,
    *,
    seed: int = 0,
    method: str = "ours",
    minutes: float | None = None,
    steps: int | None = None,
    device: str = "cpu",
    threads: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    restart: bool = False,
    progress: ProgressOption = None,
    holdout: float | None = None,
    normal_weight: float | None = None,
    base: bool | None = None,
    hidden: int | None = None,
    components: int | None = None,
    first_channels: int | None = None,
    channels: int | None = None,
    refinement: float | None = None,
    gradient_weight: float | None = None,
    regions: int | None = None,
    texels: float | None = None,
    bins: int | None = None,
    batch: int | None = None,
    optimizer: str | None = None,
    learning_rate: float | None = None,
    schedule: str | None = None,
    patience: int | None = None,
) -> Deformer:
    """Learn the offsets of a face as small images, one network per segment, from samples of a rig.

    Under the maps lie base shapes: offsets that are linear in the controls, in products of them and in max(x, 0) of
    signed ones. Of what they leave, each network turns the controls that move its segment into the coefficients of a
    basis of maps of 32 x 32 texels. Their combination is sampled at the vertices' texture coordinates; refinement maps
    of 64 x 64 texels add what the coarse maps cannot show; teeth and other rigid parts follow the vertices around them
    (Bailey 2020, chapter 3, with a basis in place of convolutions). Artists' texture coordinates are mended first.
    The loss is ``mean |v - v'|_1 + normal_weight * mean |n - n'|_1`` over all vertices and the face normals of the
    whole mesh, with lengths in fortieths of the diagonal of the rest mesh's box (about a centimeter on a head).

    Maps that make the base worse on held-out rows are left out, and the metadata say so.

    Whole clips are held out, since neighboring frames are alike; a set of random poses is judged by random poses, and
    the model says so (metadata ``face_maps``, entry ``judged_by``).

    Parameters
    ----------
    ds : Dataset
        Poses and vertices, best with the influence probe. The head must not travel: sample the dials alone
        (:func:`rigcast.sources.dials_only`) where joints move it.
    seed : int
        The same data, seed, settings, machine and number of threads give the same model, bit for bit, unless
        ``minutes`` decides when to stop.
    method : "ours" or "paper"
        "paper": convolutions, batches of 8 and three learning rates in turn, as published.
    minutes : float or None
        Time for the whole call, as in :func:`body`.
    steps : int or None
        Steps of the optimizer, coarse and refinement together; 8000 if neither ``minutes`` nor ``steps`` is given.
    device : str
        Where the networks are trained: "cpu" or "cuda".
    threads : int
        Number of threads; 0 means all processors that this process may use.
    checkpoint : path-like or None
        File that a killed run continues from, with more of its name beside it, one per stage; removed at the end.
    restart : bool
        Begin anew: remove the ``checkpoint`` that an earlier run left, unless a run is at work on it.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.
    holdout, normal_weight, gradient_weight, refinement, regions, texels, bins : optional
        The data, the loss and the stages: see :class:`FaceMapsSettings`; None keeps the method's default.
    base, hidden, components, first_channels, channels : optional
        The networks, and whether base shapes lie under them.
    batch, optimizer, learning_rate, schedule, patience : optional
        The steps: see :class:`FaceMapsSettings`.

    Returns
    -------
    Deformer
        A model of kind "face_maps" that knows its error on the held-out rows.

    Raises
    ------
    ValueError
        If ``ds`` is no data set, has too few rows, has changed since it was sampled, or moves no vertex; a setting
        makes no sense; or the checkpoint belongs to another run or is written by one.
    NumericalError
        If training diverges.
    MemoryError
        If the device has too little memory.
    MissingExtra
        Without PyTorch.

    References
    ----------
    Bailey 2020, "Applications of Machine Learning for Character Animation", chapter 3.

    Examples
    --------
    >>> data = rc.sampling.sample(rc.sources.example_body(), "arm.rwdata", count=60, seed=0)
    >>> model = rc.training.face_maps(data, steps=4)  # minutes=30 for a model worth having
    >>> model.metadata["face_maps"]["judged_by"]
    'random poses'
    """
    started = time.monotonic()
    torch = require("torch", extra="training", purpose="training a model")
    report = as_callback(progress)
    if minutes is None and steps is None:
        steps = DEFAULT_STEPS
    check_training_arguments("face_maps", torch, ds, device, threads)
    chosen = settings_for(
        method,
        seed=seed,
        minutes=minutes,
        steps=steps,
        holdout=holdout,
        normal_weight=normal_weight,
        base=base,
        hidden=hidden,
        components=components,
        first_channels=first_channels,
        channels=channels,
        refinement=refinement,
        gradient_weight=gradient_weight,
        regions=regions,
        texels=texels,
        bins=bins,
        batch=batch,
        optimizer=optimizer,
        learning_rate=learning_rate,
        schedule=schedule,
        patience=patience,
    )
    file = None if checkpoint is None else Path(checkpoint)
    lock = contextlib.nullcontext() if file is None else only_run(file, "face_maps")
    with lock, torch_settings(torch, threads, device):
        levels = Levels(ds, chosen, device, file, report)
        if restart:
            levels.forget()
        if hasattr(ds, "verify"):
            ds.verify(report)
        ready = prepare(ds, chosen, threads, report)
        beside = simple_methods(ds, ready.training, ready.held_out, threads, report)
        used = {"torch": torch.__version__, "device": device, "threads": threads}

        def finished(laid_out: Preparation, learned: list[LearnedMap], known: dict[str, Any]) -> Deformer:
            model = exported(ds, laid_out, learned, chosen, known, beside)
            if laid_out.base is None or not learned:
                return model
            return without_worse_networks(model, exported(ds, laid_out, [], chosen, known, beside))

        def rehearse(laid_out: Preparation, begin: list[LearnedMap], share: float) -> None:
            some = replace(laid_out, held_out=share_of(laid_out.held_out, share))
            finished(some, begin, used | {"seconds": 0.0})

        try:
            ready, learned, done = levels.train(ready, threads, started, rehearse)
        except torch.cuda.OutOfMemoryError as error:
            raise MemoryError(f"face_maps: {device} has too little memory for these networks") from error
        report(Progress("measuring", 0, 1))
        model = finished(ready, learned, used | done)
        levels.forget()
    return model


def exported(
    ds: Dataset,
    ready: Preparation,
    learned: list[LearnedMap],
    settings: FaceMapsSettings,
    used: dict[str, Any],
    beside: dict[str, Any] | None = None,
) -> Deformer:
    """The model with its errors by step of quality, and everything that is needed to repeat the training."""
    poses = ready.poses[ready.training]
    joints = 0 if ds.skeleton is None else len(ds.skeleton.parents)
    read = np.zeros(poses.shape[1], bool)
    read[np.concatenate([segment.columns for segment in ready.layout.segments])] = True
    sure = confidence_of(poses, joints, ~read, ready.extent)
    tensors = common_tensors(ds, poses) | map_tensors(learned, ready.layout) | sure
    tensors |= {} if ready.base is None else ready.base.tensors()
    record = settings.record() | {
        "loss": "vertex distance and face normals, L1 (Bailey 2020, equation 3.1)",
        "loss_length_meters": ready.length * ds.meters_per_unit,
        "inputs": [len(item.segment.columns) for item in learned],
        "training_poses": len(ready.training),
        "held_out_poses": len(ready.held_out),
        **ready.about_base,
    }
    about = common_metadata(ds, "face_maps", record | used) | (beside or {})
    quality = quality_steps(tensors, about, learned, ready.layout, ds, ready.held_out)
    about["face_maps"] = description(ds, ready, learned, quality)
    if "seconds" in used:
        about["face_maps"]["seconds"] = used["seconds"]
    return measured(tensors, about, ds, ready.held_out)


def description(ds: Dataset, ready: Preparation, learned: list[LearnedMap], quality: dict[str, Any]) -> dict[str, Any]:
    """What training found, for people: the metadata entry ``face_maps``."""
    segments = [
        {
            "name": item.segment.name,
            "level": item.segment.level,
            "resolution": item.segment.resolution,
            "vertices": len(item.segment.vertices),
            "inputs": len(item.segment.columns),
            "multiply_adds": item.shape.multiply_adds(),
            "parameters": sum(value.size for value in item.weights.values()),
        }
        for item in learned
    ]
    parts = [{"name": p.name, "vertices": len(p.vertices), "error_mm": p.error} for p in ready.layout.parts]
    return {
        "judged_by": ready.judged_by,
        "quality": quality,
        "segments": segments,
        "floors": floors_record(ready.layout, surface_of(ds), np.asarray(ds.faces), len(ds.rest_vertices)),
        "rigid_parts": parts,
        "notes": ready.layout.notes,
    }
