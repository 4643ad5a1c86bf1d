"""Linear blend skinning fitted to samples of a rig."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import Deformer, LinearBlendSkinning, Skeleton
from rigcast._regression.skin_weights import fitted_weights
from rigcast._rigs.model_surface import with_surface
from rigcast._rigs.surface import surface_of
from rigcast._validate import Arguments, bad_argument
from rigcast.baselines._samples import Data
from rigcast.progress import Progress, ProgressOption, as_callback

_STEP = 256  # poses read at a time


def linear_blend(
    data: Data,
    influences: int | None = 4,
    *,
    fit_on: Data | None = None,
    rows: ArrayLike | None = None,
    threads: int = 0,
    progress: ProgressOption = None,
) -> Deformer:
    """Fit skin weights to samples (Mohr and Gleicher 2003).

    Of each vertex the weights that minimize ``sum_t |sum_j w_j G_tj (G_j^0)^-1 v^0 - v_t|^2`` with ``w >= 0`` and
    ``sum w = 1`` over all poses given: exactly over all joints, and over one. With a bound on the number of joints the
    choice is combinatorial: the best of three constructions, improved by exchanging joints until none helps.

    Joints that repeat their parent's motion in all poses (to 1e-5 of the mesh's size) are one with the parent: the
    samples cannot tell them apart.

    Parameters
    ----------
    data : Dataset or Samples
        A data set, or samples in memory.
    influences : int or None
        Joints per vertex at most; None for as many as help.
    fit_on : Dataset or Samples, optional
        Fit to these poses in place of those of ``data`` (the second protocol: the clip that is judged).
    rows : array_like of int, shape (T,), optional
        Rows of what is fitted to; all by default.
    threads : int
        Number of threads; 0 means all processors that this process may use.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    Deformer
        A model of kind ``linear_blend``; ``metadata["training"]`` says what it was fitted to.

    Raises
    ------
    ValueError
        If the data has no skeleton or no rows, or shapes do not fit.

    Examples
    --------
    >>> data = rc.sampling.sample(rc.sources.example_body(), "arm.rwdata", count=100, seed=0)
    >>> model = rc.baselines.linear_blend(data, influences=4)
    >>> model.evaluate(data.poses).shape
    (100, 1122, 3)
    """
    skeleton = data.skeleton
    if skeleton is None:
        raise bad_argument("linear_blend", "data", "without a skeleton", "a rig with joints")
    if influences is not None and influences < 1:
        raise bad_argument("linear_blend", "influences", repr(influences), "None or at least 1")
    Arguments("linear_blend").threads(threads)
    source = data if fit_on is None else fit_on
    poses = Arguments("linear_blend").numbers("data.poses", source.poses, "T C", dtype=None, finite=False)
    chosen = _chosen(rows, len(poses))
    report = as_callback(progress)
    rest = Arguments("linear_blend").numbers("data.rest_vertices", data.rest_vertices, "V 3", dtype=np.float32)

    def batches() -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        for begin in range(0, len(chosen), _STEP):
            report(Progress("fitting skin weights", begin, len(chosen)))
            yield _take(source, chosen[begin : begin + _STEP])
        report(Progress("fitting skin weights", len(chosen), len(chosen)))

    joint, weight, error = fitted_weights(skeleton, rest, poses[chosen], batches(), influences or 0, threads)
    ranges = np.stack([poses[chosen].min(axis=0), poses[chosen].max(axis=0)], axis=1)
    training = {
        "method": "linear_blend",
        "influences": influences,
        "samples": len(chosen),
        "fitted_on": "training poses" if fit_on is None else "judged clip",
        "rms": float(np.sqrt(error.mean() / len(chosen))),
    }
    about: dict[str, Any] = {
        key: getattr(data, key)
        for key in ("name", "meters_per_unit", "up_axis", "licence", "origin")
        if hasattr(data, key)
    }
    if entry := getattr(data, "channel_entry", None):
        about["channels"] = entry
    model = LinearBlendSkinning(
        skeleton,
        rest,
        data.faces,
        (joint, weight),
        dials=_numeric_controls(data, skeleton, poses.shape[1]),
        control_ranges=ranges,
        metadata={**about, "data_hash": getattr(source, "hash", ""), "training": training},
    )
    return with_surface(model, surface_of(data))


def linear_part(model: Deformer) -> Deformer | None:
    """Linear skinning with four joints per vertex that was fitted to the samples of a learned body: what it must beat.

    Returns
    -------
    Deformer or None
        A model of kind ``linear_blend``; None for models that carry none.

    Examples
    --------
    >>> data = rc.sampling.sample(rc.sources.example_body(), "arm.rwdata", count=100, seed=0)
    >>> model = rc.training.body(data, seed=0, steps=1)
    >>> rc.baselines.linear_part(model).kind
    'linear_blend'
    """
    tensors = model.tensors()
    if model.skeleton is None or "beside.joint" not in tensors:
        return None
    about = {key: model.metadata.get(key, "") for key in ("name", "licence", "origin", "data_hash")}
    skinning = LinearBlendSkinning(
        model.skeleton,
        model.rest_vertices,
        model.faces,
        (tensors["beside.joint"], tensors["beside.weight"]),
        dials=list(model.control_names[12 * len(model.joint_names) :]),
        control_ranges=tensors["control_ranges"],
        metadata={**about, "meters_per_unit": model.meters_per_unit, "up_axis": model.up_axis},
    )
    return with_surface(skinning, surface_of(model))


def _chosen(rows: ArrayLike | None, count: int) -> NDArray[np.intp]:
    """Row numbers, checked."""
    given = np.arange(count) if rows is None else rows
    return Arguments("linear_blend").integers("rows", given, "T+", below=count, dtype=np.intp)


def _take(data: Any, rows: NDArray[np.intp]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Poses and vertices of rows; a data set reads only those."""
    if hasattr(data, "take"):
        _, poses, vertices = data.take(rows)
        return poses, vertices
    check = Arguments("linear_blend")
    poses = check.numbers("data.poses", data.poses, "T C", dtype=None, finite=False)
    return poses[rows], check.numbers("data.vertices", data.vertices, "T V 3", dtype=None, finite=False)[rows]


def _numeric_controls(data: object, skeleton: Skeleton, width: int) -> list[str]:
    """Names of the pose columns after the joints'."""
    count = width - 12 * skeleton.num_joints
    names = list(getattr(data, "dial_names", []))
    return names if len(names) == count else [f"control{i}" for i in range(count)]
