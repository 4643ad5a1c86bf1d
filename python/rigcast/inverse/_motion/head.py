"""Noticing that a shot moves the head, which shapes cannot follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig
from rigcast._shown import one_line
from rigcast._validate import bad_argument
from rigcast.inverse._motion.rigid import procrustes

FRAMES = 32  # sampled evenly over the shot
EXPLAINED = 0.5  # of the squared distances: of noise six numbers per frame explain far less
FEWEST = 8  # points: of fewer, six numbers explain much of anything
NOTICED = 1e-3  # of the rig's extent: smaller distances are no fault of the fit


@one_line
@dataclass(frozen=True)
class HeadMotion:
    """Motion of the head as a whole in a solved shot: the share of the error that a rigid motion explains.

    Attributes
    ----------
    explained : float
        Share of the squared distances, in [0, 1]; 0 if there are too few points, or all are on a line.
    distance : float
        Root mean square distance of the fit, in the rig's unit.
    moves : bool
        Whether the head moves: half or more is explained, and the distance is more than a thousandth of the rig.
    """

    explained: float
    distance: float
    moves: bool


def head_motion(
    rig: BlendshapeRig, targets: ArrayLike, weights: ArrayLike, *, vertices: ArrayLike | None = None
) -> HeadMotion:
    """Measure whether a solved shot moves the head as a whole.

    Shapes cannot follow such a motion; the argument ``rigid`` of :func:`rigcast.inverse.solve` removes it. At most 32
    frames are compared, evenly spread over the shot.

    Parameters
    ----------
    rig : BlendshapeRig
    targets : (T, V, 3), or (T, M, 3) if ``vertices`` are given
    weights : array_like, shape (T, K)
        The fit.
    vertices : array_like of int, shape (M,), optional
        Compare these only.

    Returns
    -------
    HeadMotion

    Raises
    ------
    ValueError
        If the targets have another number of frames than the weights.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> shot = np.repeat(rig.rest_vertices[None], 3, axis=0) + np.arange(3)[:, None, None] * np.float32([1, 0, 0])
    >>> motion = rc.inverse.head_motion(rig, shot, np.zeros((3, rig.num_shapes)))
    >>> bool(motion.moves)
    True
    """
    shot, rows = np.asarray(targets), np.asarray(weights)
    if shot.ndim != 3 or rows.ndim != 2 or len(shot) != len(rows) or not len(rows):
        got = f"of shape {shot.shape} for weights {rows.shape}"
        raise bad_argument("head_motion", "targets", got, "(T, V, 3) for weights (T, K), T at least 1")
    frames = np.unique(np.linspace(0, len(rows) - 1, FRAMES).round().astype(np.int64))
    fit, shot = rig.evaluate(rows[frames].astype(np.float32)), shot[frames]
    if vertices is not None:
        chosen = np.asarray(vertices)
        shot = shot if shot.shape[1] == len(chosen) else shot[:, chosen]
        fit = fit[:, chosen]
    return _compare(fit.astype(np.float64), shot.astype(np.float64), rig)


def _compare(fit: NDArray[np.float64], shot: NDArray[np.float64], rig: BlendshapeRig) -> HeadMotion:
    left = aligned = 0.0
    for source, target in zip(fit, shot, strict=True):
        left += np.square(target - source).sum()
        try:
            motion = procrustes(source, target[None])[0] if len(source) >= FEWEST else None
        except ValueError:  # points on a line show no rotation
            motion = None
        if motion is None:
            aligned = np.inf
        else:
            aligned += np.square(target - source @ motion[:, :3].T - motion[:, 3]).sum()
    distance = float(np.sqrt(left / (len(fit) * fit.shape[1])))
    explained = 0.0 if left == 0.0 else max(1.0 - aligned / left, 0.0)
    extent = float(np.ptp(np.asarray(rig.rest_vertices, np.float64), axis=0).max())
    return HeadMotion(explained, distance, distance > NOTICED * extent and explained >= EXPLAINED)
