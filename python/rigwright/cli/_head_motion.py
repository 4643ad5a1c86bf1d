"""Telling that a shot moves the head, which shapes cannot follow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright.inverse._rigid_motion import procrustes

FRAMES = 32  # looked at, evenly spread over the shot
EXPLAINED = 0.5  # of the squared distances: what is left of noise loses far less to six numbers a frame
FEWEST = 8  # points: of fewer, six numbers explain much of anything
NOTICED = 1e-3  # of the rig's extent: a distance below is no fault of the fit


def head_motion_warnings(
    rig: Any, targets: NDArray[np.float32], weights: NDArray[np.float64], vertices: ArrayLike | None = None
) -> list[str]:
    """One sentence where a rigid motion explains most of what a fit leaves, else nothing.

    Parameters
    ----------
    rig : BlendshapeRig
    targets : (T, V, 3), or (T, M, 3) where ``vertices`` are given
    weights : (T, K)
        The fit.
    vertices : (M,) int, optional
    """
    frames = np.unique(np.linspace(0, len(weights) - 1, FRAMES).round().astype(np.int64))
    fit, shot = rig.evaluate(weights[frames].astype(np.float32)), targets[frames]
    if vertices is not None:
        chosen = np.asarray(vertices)
        shot = shot if shot.shape[1] == len(chosen) else shot[:, chosen]
        fit = fit[:, chosen]
    if fit.shape[1] < FEWEST:
        return []
    left = aligned = 0.0
    for source, target in zip(fit.astype(np.float64), shot.astype(np.float64), strict=True):
        try:
            motion = procrustes(source, target[None])[0]
        except ValueError:  # points on a line tell no rotation
            return []
        left += np.square(target - source).sum()
        aligned += np.square(target - source @ motion[:, :3].T - motion[:, 3]).sum()
    extent = float(np.ptp(np.asarray(rig.rest_vertices, np.float64), axis=0).max())
    distance = np.sqrt(left / (len(frames) * fit.shape[1]))
    if distance <= NOTICED * extent or aligned > (1.0 - EXPLAINED) * left:
        return []
    share = 1.0 - aligned / left
    return [
        f"a rigid motion of each frame explains {share:.0%} of what the fit leaves: the head moves in this shot; "
        "take it off with --rigid FILE, vertices that expressions leave alone (skull, ears)"
    ]
