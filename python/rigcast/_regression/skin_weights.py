"""Skin weights of linear blend skinning, fitted to poses and vertices that come in batches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._core import Skeleton

Batch = tuple[NDArray[np.float32], NDArray[np.float32]]  # poses (t, C), vertices (t, V, 3)
SAME_MOTION = 1e-5  # of the mesh's size
LEAST_GAIN = 1e-3  # part of the error of linear skinning that a model must take away to be better


def gains(error: float, skinning: float) -> bool:
    """True if the mean error of a model is below that of linear skinning by more than rounding."""
    return error < (1.0 - LEAST_GAIN) * skinning


def fitted_weights(
    skeleton: Skeleton,
    rest_vertices: NDArray[np.float32],
    poses: NDArray[Any],
    batches: Iterable[Batch],
    influences: int,
    threads: int,
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float64]]:
    """The weights of Mohr and Gleicher (2003); see :func:`rigcast.baselines.linear_blend`.

    Parameters
    ----------
    influences : int
        Joints per vertex at most; 0 for as many as help.

    The others are those of :func:`gathered`.

    Returns
    -------
    joint, weight : (V, K) arrays
    error : (V,) float64 array
        Sums of squared distances.
    """
    joint, weight, error = gathered(skeleton, rest_vertices, poses, batches, threads).solve(influences, threads)
    return joint, weight, error


def gathered(
    skeleton: Skeleton,
    rest_vertices: NDArray[np.float32],
    poses: NDArray[Any],
    batches: Iterable[Batch],
    threads: int,
) -> _core.LinearBlendFit:
    """The normal equations of skin weights, from which those with any number of joints per vertex are solved.

    Joints that repeat their parent's motion in all poses, to :data:`SAME_MOTION`, are one with the parent.

    Parameters
    ----------
    poses : (T, C) array
        Of all batches.
    batches : iterable of (poses, vertices)
    """
    size = float(np.linalg.norm(np.ptp(rest_vertices, axis=0)))
    radius = float(np.linalg.norm(rest_vertices, axis=1).max())
    sources = _core.motion_sources(skeleton, poses, radius, SAME_MOTION * size)
    moving = np.flatnonzero(sources == np.arange(skeleton.num_joints))
    fit = _core.LinearBlendFit(skeleton, rest_vertices, moving)
    for some_poses, vertices in batches:
        fit.add(some_poses, vertices, threads)
    return fit
