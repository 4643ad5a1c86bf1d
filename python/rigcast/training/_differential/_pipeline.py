"""From a data set to a differential model."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import Deformer
from rigcast._pose_statistics.confidence import confidence_of
from rigcast._resume.fingerprints import fingerprint
from rigcast.progress import Progress, ProgressOption
from rigcast.sampling import Dataset
from rigcast.training._arguments import check_data_set, check_record, verify
from rigcast.training._budget import Budget, budget_of, check_published
from rigcast.training._descend import train
from rigcast.training._differential._export import learned_tensors
from rigcast.training._differential._inputs import anchor_columns, describe, network_columns
from rigcast.training._differential._labels import find_labels
from rigcast.training._differential._networks import SubspaceProblem
from rigcast.training._differential._settings import DifferentialSettings
from rigcast.training._differential._trainer import SeenMotion, SubspaceDescent
from rigcast.training._differential._transforms import SkinOption
from rigcast.training._export import common_metadata, common_tensors, measured
from rigcast.training._held_out import split
from rigcast.training._optimizers import Arrays
from rigcast.training._pace import seconds_of_ending, share_of
from rigcast.training._simple_methods import simple_methods, without_worse_networks

EPOCHS = 10_000  # of Song et al. 2020, section 3.3


def differential(
    data: Dataset,
    settings: DifferentialSettings = DifferentialSettings(),
    *,
    anchors: int | ArrayLike | None = None,
    skin: SkinOption = None,
    minutes: float | None = None,
    steps: int | None = None,
    seed: int = 0,
    device: str = "cpu",
    threads: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    restart: bool = False,
    progress: ProgressOption = None,
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
    data : Dataset
        Poses and vertices, with or without joints; with its influence probe if it has one. The mesh need not be
        manifold: lashes may be welded to lids.
    settings : DifferentialSettings
        The data, the subspace, the networks and their steps; ``DifferentialSettings(recipe="paper")`` follows
        Song et al. 2020, and its docstring lists what differs.
    anchors : int or (A,) integers, optional
        Their number, or the vertices. By default 2 % of the vertices, chosen by
        :func:`rigcast.differential.choose_anchors`.
    skin : tuple, rig or "identity", optional
        The linear transforms of a character with joints. A pair (V, K) of joints and weights, or a rig with ``skin``:
        the source's own skinning. A rig with ``with_rest(vertices)``, which returns the same rig with other rest
        vertices: probed, by moving them. By default fitted linear blend skinning. ``model.transforms`` says which.
    minutes : float, optional
        Time for the whole call, preparation, measuring and writing included. If fewer than 1,000 steps fit, the
        metadata entry ``too_few_steps`` of ``training`` says so, and how many minutes are enough.
    steps : int, optional
        Steps of the optimizer; 8000 if neither ``minutes`` nor ``steps`` is given. The paper's recipe needs one of
        them: its 10,000 epochs are hours to days on a processor.
    seed : int
        Decides the held-out rows, the anchors, the initial weights, the batches. The same data, seed, settings, machine
        and number of threads give the same model, bit for bit, unless ``minutes`` decides when to stop.
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

    Returns
    -------
    Deformer
        A model of kind "differential" that knows its error on the held-out rows.

    Raises
    ------
    ValueError
        If ``data`` is no data set, has too few rows, or has changed since it was sampled, anchors are wrong, a linear
        transform has no inverse in some pose, there are more components than poses, a setting makes no sense, the
        paper's recipe is given no budget, or the checkpoint belongs to another run or is written by one.
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
    budget = budget_of("differential", minutes, steps, seed, device, threads, checkpoint, restart, progress)
    check_data_set("differential", data)
    check_record("differential", settings, DifferentialSettings)
    if settings.recipe == "paper":
        check_published("differential", minutes, steps, _published(len(data), settings))
    with budget.at_work():
        verify(data, budget)
        ready = _prepare(data, anchors, skin, settings, budget)
        training = np.flatnonzero(ready.problem.training)
        simple = simple_methods(data, training, ready.held_out, threads, budget.progress)
        finish = partial(_finished, data, ready, budget, simple)
        weights, done = _train(data, ready, budget, finish)
        budget.progress(Progress("measuring", 0, 1))
        return finish(weights, done)


def _published(rows: int, settings: DifferentialSettings) -> str:
    """The budget of the paper, in words: ``10,000 epochs, 765,000 steps of these rows``."""
    training = rows - round(settings.holdout * rows)
    return f"{EPOCHS:,} epochs, {EPOCHS * max(training // settings.batch, 1):,} steps of these rows"


@dataclass(frozen=True)
class _Ready:
    """The problem, the held-out rows, the diagonal of the rest mesh, and the metadata of the base."""

    problem: SubspaceProblem
    held_out: NDArray[np.integer[Any]]
    extent: float
    about: dict[str, Any]


def _prepare(ds: Any, anchors: Any, skin: Any, settings: DifferentialSettings, budget: Budget) -> _Ready:
    training, held_out, judged_by = split("differential", ds, settings.holdout, budget.seed)
    poses = np.asarray(ds.poses)
    extent = float(np.linalg.norm(np.ptp(ds.rest_vertices, axis=0)))
    description = describe(ds, poses, extent)
    labels, about = find_labels(ds, anchors, skin, training, description, settings, budget)
    budget.progress(Progress("finding influences", 0, 1))
    columns = anchor_columns(ds, labels.transforms, labels.anchors, description, extent, settings)
    learn = np.zeros(len(poses), bool)
    learn[training] = True
    joints = len(description.parents)
    problem = SubspaceProblem(poses, joints, labels, network_columns(description), columns, learn, settings)
    return _Ready(problem, held_out, extent, about | {"judged_by": judged_by})


def _train(ds: Any, ready: _Ready, budget: Budget, finish: Any) -> tuple[Arrays, dict[str, Any]]:
    """The best weights, and metadata: the steps done, and whether they are too few."""
    problem = ready.problem
    motion = None
    if problem.settings.motion_weight > 0.0:
        motion = SeenMotion(ds, problem, budget.device, budget.threads)
    trainer = SubspaceDescent(problem, budget, 100.0 * float(ds.meters_per_unit), motion)
    begin = trainer.start().best
    ending = seconds_of_ending(budget.minutes, lambda share: finish(begin, {}, share), budget.elapsed())
    unit = 1000.0 * ds.meters_per_unit
    labels, record = problem.labels, budget.record(problem.settings)
    state, done = train(
        trainer,
        budget,
        lambda _: (f"{trainer.error * unit:.3g} mm", trainer.error),
        run=fingerprint(ds.hash, record, labels.anchors.tolist(), labels.transforms.origin),
        ending=ending,
    )
    if budget.minutes is not None:  # with steps alone, two runs make the same file
        done["seconds"] = state.seconds
    return state.best, done


def _finished(
    ds: Any,
    ready: _Ready,
    budget: Budget,
    simple: dict[str, Any],
    weights: Arrays,
    done: dict[str, Any],
    share: float = 1.0,
) -> Deformer:
    """The model, or its base alone if that is better, measured on a share of the held-out rows."""
    rows, problem = share_of(ready.held_out, share), ready.problem
    used = budget.used() | ready.about | done
    model = _model(ds, ready, budget, weights, rows, used, simple)
    if problem.labels.base is None:
        return model
    alone = _model(ds, ready, budget, problem.nothing(budget.seed), rows, used, simple)
    return without_worse_networks(model, alone)


def _model(
    ds: Any,
    ready: _Ready,
    budget: Budget,
    weights: Arrays,
    held_out: NDArray[np.integer[Any]],
    used: dict[str, Any],
    simple: dict[str, Any],
) -> Deformer:
    problem = ready.problem
    labels, settings = problem.labels, problem.settings
    poses = np.asarray(ds.poses)
    read = np.zeros(poses.shape[1], bool)
    read[np.concatenate([*problem.network.columns, *problem.anchor_columns])] = True
    record = budget.record(settings) | {
        "influence": "probe" if ds.probe is not None else "all varying columns: the data set has no influence probe",
        "components": labels.basis.shape[1],
        "anchors": len(labels.anchors),
        "transforms": labels.transforms.origin,
        "inputs": len(problem.network.columns[0]),
        "anchor_inputs": [len(c) for c in problem.anchor_columns],
        "training_poses": int(problem.training.sum()),
        "held_out_poses": len(held_out),
    }
    own, joints = poses[problem.training], 0 if ds.skeleton is None else ds.skeleton.num_joints
    tensors = common_tensors(ds, own) | confidence_of(own, joints, ~read, ready.extent)
    tensors |= learned_tensors(problem, weights)
    about = common_metadata(ds, "differential", record | used)
    about |= {"laplacian": "D - A", "transforms": labels.transforms.origin} | simple
    return measured(tensors, about, ds, held_out)
