"""Linear blend skinning fitted to samples of a rig."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._core import Deformer, LinearBlendSkinning, Skeleton
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
    fit = _core.LinearBlendFit(skeleton, rest, _moving_joints(skeleton, rest, poses[chosen]))
    for begin in range(0, len(chosen), _STEP):
        report(Progress("fitting skin weights", begin, len(chosen)))
        fit.add(*_take(source, chosen[begin : begin + _STEP]), threads)
    report(Progress("fitting skin weights", len(chosen), len(chosen)))
    joint, weight, error = fit.solve(influences or 0, threads)
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


def _moving_joints(skeleton: Skeleton, rest: NDArray[np.float32], poses: NDArray[np.float32]) -> NDArray[np.intp]:
    """Joints that move by themselves: not as their parent does in every pose."""
    size = float(np.linalg.norm(np.ptp(rest, axis=0)))
    radius = float(np.linalg.norm(rest, axis=1).max())
    sources = _core.motion_sources(skeleton, poses, radius, 1e-5 * size)
    return np.flatnonzero(sources == np.arange(skeleton.num_joints))


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
