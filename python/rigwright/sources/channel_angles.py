"""Channel values for a wanted rotation: Euler angles inside ranges, for joints with one, two or three axes."""

from __future__ import annotations

import numpy as np

from rigwright.errors import bad_argument
from rigwright.sources.rotations import AXES, Float64, matrix_to_euler


def fit_angles(local: Float64, order: str, bounds: Float64) -> Float64:
    """Angles of rotations by the solution that leaves the ranges least.

    With two axes the third goes between them and is dropped; with one, the angle of the nearest rotation is taken.

    Parameters
    ----------
    local : (T, 3, 3) array
    order : str of one to three different axes, leftmost factor first
    bounds : (len(order), 2) array, degrees

    Returns
    -------
    (T, len(order)) float64 array, degrees; may lie outside the bounds
    """
    if not order or len(set(order)) != len(order) or set(order) - set(AXES):
        raise bad_argument("retarget", "rig", f"a rig with the rotation order {order!r}", "of different axes X, Y, Z")
    letters = len(order)
    if letters == 1:
        i = AXES.index(order)
        j, k = (i + 1) % 3, (i + 2) % 3
        angle = np.degrees(np.arctan2(local[:, k, j] - local[:, j, k], local[:, j, j] + local[:, k, k]))
        return _wrap(angle[:, None], bounds)
    if letters == 2:
        order = order[0] + next(axis for axis in AXES if axis not in order) + order[1]
        bounds = np.insert(bounds, 1, 0.0, axis=0)
    first = matrix_to_euler(local, order)
    second = first * [1, -1, 1] + 180.0
    solutions = np.stack([_wrap(first, bounds), _wrap(second, bounds)])
    outside = np.maximum(0, np.maximum(bounds[:, 0] - solutions, solutions - bounds[:, 1])).sum(axis=2)
    size = np.abs(solutions).sum(axis=2)
    better = (outside[1] < outside[0] - 1e-9) | ((outside[1] < outside[0] + 1e-9) & (size[1] < size[0]))
    angles = np.where(better[:, None], solutions[1], solutions[0])
    return np.delete(angles, 1, axis=1) if letters == 2 else angles


def _wrap(angles: Float64, bounds: Float64) -> Float64:
    """Whole turns away so that angles lie around the middle of their range."""
    middle = bounds.mean(axis=1)
    return np.asarray(angles - 360.0 * np.round((angles - middle) / 360.0))
