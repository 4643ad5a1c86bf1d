"""Learning deformation maps of a face: layout, refinements, networks, one model."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from rigcast._core import Deformer
from rigcast._pose_statistics.confidence import confidence_of
from rigcast._rigs.surface import surface_of
from rigcast.progress import Progress, ProgressOption
from rigcast.sampling import Dataset
from rigcast.training._arguments import check_data_set, check_record, verify
from rigcast.training._budget import Budget, budget_of
from rigcast.training._export import common_metadata, common_tensors, measured
from rigcast.training._face_maps._layout_of_model import floors_record
from rigcast.training._face_maps._preparation import MapPreparation, prepare, refined
from rigcast.training._face_maps._settings import FaceMapsSettings
from rigcast.training._face_maps._train.learned_map import LearnedMap, map_tensors, quality_steps
from rigcast.training._face_maps._train.levels import Levels
from rigcast.training._face_maps._train.stages import STAGES, too_late
from rigcast.training._pace import share_of
from rigcast.training._simple_methods import simple_methods, without_worse_networks


def face_maps(
    data: Dataset,
    settings: FaceMapsSettings = FaceMapsSettings(),
    *,
    minutes: float | None = None,
    steps: int | None = None,
    seed: int = 0,
    device: str = "cpu",
    threads: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    restart: bool = False,
    progress: ProgressOption = None,
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
    data : Dataset
        Poses and vertices, best with the influence probe. The head must not travel: sample the dials alone
        (:func:`rigcast.sources.dials_only`) where joints move it.
    settings : FaceMapsSettings
        The data, the loss, the stages, the networks and their steps; ``FaceMapsSettings(method="paper")``: after the
        published method.
    minutes : float or None
        Time for the whole call, as in :func:`body`.
    steps : int or None
        Steps of the optimizer, coarse and refinement together; 8000 if neither ``minutes`` nor ``steps`` is given.
    seed : int
        Decides the held-out rows, the initial weights, the batches. The same data, seed, settings, machine and number
        of threads give the same model, bit for bit, unless ``minutes`` decides when to stop.
    device : str
        Where the networks are trained: "cpu" or "cuda".
    threads : int
        Number of threads; 0 means all processors that this process may use.
    checkpoint : path-like or None
        File that a killed run continues from, with one more per stage of a longer name; removed at the end.
    restart : bool
        Begin anew: remove the ``checkpoint`` that an earlier run left, unless a run is at work on it.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    Deformer
        A model of kind "face_maps" that knows its error on the held-out rows.

    Raises
    ------
    ValueError
        If ``data`` is no data set, has too few rows, has changed since it was sampled, or moves no vertex; a setting
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
    budget = budget_of("face_maps", minutes, steps, seed, device, threads, checkpoint, restart, progress)
    check_data_set("face_maps", data)
    check_record("face_maps", settings, FaceMapsSettings)
    with budget.at_work(len(STAGES)):
        verify(data, budget)
        ready = prepare(data, settings, budget)
        simple = simple_methods(data, ready.training, ready.held_out, threads, budget.progress)
        finish = partial(_finished, data, settings, budget, simple)
        left_out = {} if ready.base is None else too_late(budget)
        if left_out:
            return finish(ready, [], left_out)
        ready = refined(data, ready, settings, budget)
        learned, done = Levels(data, settings, budget).train(ready, partial(_rehearsed, finish, ready))
        budget.progress(Progress("measuring", 0, 1))
        return finish(ready, learned, done)


def _rehearsed(finish: Any, ready: MapPreparation, begin: list[LearnedMap], share: float) -> None:
    """Make the model of the first weights, and measure it on a share of the rows."""
    finish(replace(ready, held_out=share_of(ready.held_out, share)), begin, {"seconds": 0.0})


def _finished(
    ds: Dataset,
    settings: FaceMapsSettings,
    budget: Budget,
    simple: dict[str, Any],
    ready: MapPreparation,
    learned: list[LearnedMap],
    done: dict[str, Any],
) -> Deformer:
    """The model, or its base alone if that is better."""
    known = budget.used() | done
    model = exported(ds, ready, learned, settings, budget, known, simple)
    if ready.base is None or not learned:
        return model
    return without_worse_networks(model, exported(ds, ready, [], settings, budget, known, simple))


def exported(
    ds: Dataset,
    ready: MapPreparation,
    learned: list[LearnedMap],
    settings: FaceMapsSettings,
    budget: Budget,
    used: dict[str, Any],
    simple: dict[str, Any] | None = None,
) -> Deformer:
    """The model with its errors by step of quality, and everything that is needed to repeat the training."""
    poses = ready.poses[ready.training]
    joints = 0 if ds.skeleton is None else len(ds.skeleton.parents)
    read = np.zeros(poses.shape[1], bool)
    read[np.concatenate([segment.columns for segment in ready.layout.segments])] = True
    sure = confidence_of(poses, joints, ~read, ready.extent)
    tensors = common_tensors(ds, poses) | map_tensors(learned, ready.layout) | sure
    tensors |= {} if ready.base is None else ready.base.tensors()
    record = budget.record(settings) | {
        "loss": "vertex distance and face normals, L1 (Bailey 2020, equation 3.1)",
        "loss_length_meters": ready.length * ds.meters_per_unit,
        "inputs": [len(item.segment.columns) for item in learned],
        "training_poses": len(ready.training),
        "held_out_poses": len(ready.held_out),
        **ready.about_base,
    }
    about = common_metadata(ds, "face_maps", record | used) | (simple or {})
    quality = quality_steps(tensors, about, learned, ready.layout, ds, ready.held_out)
    about["face_maps"] = description(ds, ready, learned, quality)
    if "seconds" in used:
        about["face_maps"]["seconds"] = used["seconds"]
    return measured(tensors, about, ds, ready.held_out)


def description(
    ds: Dataset, ready: MapPreparation, learned: list[LearnedMap], quality: dict[str, Any]
) -> dict[str, Any]:
    """The results of training for people: the metadata entry ``face_maps``."""
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
