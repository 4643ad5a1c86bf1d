"""Rotations, curves and bounded least squares for batches of frames; plain NumPy, used to solve the demo's walk."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def axis_rotation(axis: int, angles: Array) -> Array:
    """Rotations (T, 3, 3) about a coordinate axis, radians."""
    result = np.zeros((len(angles), 3, 3))
    first, second = (axis + 1) % 3, (axis + 2) % 3
    cosine, sine = np.cos(angles), np.sin(angles)
    result[:, axis, axis] = 1.0
    result[:, first, first] = result[:, second, second] = cosine
    result[:, second, first], result[:, first, second] = sine, -sine
    return result


def euler_xyz(angles: Array) -> Array:
    """Rotations (T, 3, 3) of Blender's order XYZ (x first) from angles (T, 3), radians."""
    return axis_rotation(2, angles[:, 2]) @ axis_rotation(1, angles[:, 1]) @ axis_rotation(0, angles[:, 0])


def channel_rotation(channels: Array, column: Mapping[str, int], bone: str) -> Array:
    """Rotations (T, 3, 3) of a bone in order YZX (y first) from its rotation channels, degrees."""
    result = np.tile(np.eye(3), (len(channels), 1, 1))
    for axis in (0, 2, 1):
        index = column.get(f"{bone}.rotation_{'xyz'[axis]}")
        if index is not None:
            result = result @ axis_rotation(axis, np.radians(channels[:, index]))
    return result


def euler_yzx(rotations: Array) -> Array:
    """Angles (T, 3) about x, y and z, radians, of rotations in Blender's order YZX: R = Rx Rz Ry."""
    z = np.arcsin(np.clip(-rotations[:, 0, 1], -1.0, 1.0))
    y = np.arctan2(rotations[:, 0, 2], rotations[:, 0, 0])
    x = np.arctan2(rotations[:, 2, 1], rotations[:, 1, 1])
    return np.stack([x, y, z], axis=1)


def rotation_vector(rotations: Array) -> Array:
    """Axis times angle (T, 3), radians, of rotations by less than half a turn."""
    skew = np.stack(
        [
            rotations[:, 2, 1] - rotations[:, 1, 2],
            rotations[:, 0, 2] - rotations[:, 2, 0],
            rotations[:, 1, 0] - rotations[:, 0, 1],
        ],
        axis=1,
    )
    sine = np.linalg.norm(skew, axis=1) / 2
    cosine = (np.trace(rotations, axis1=1, axis2=2) - 1) / 2
    angle = np.arctan2(sine, cosine)
    return np.asarray(skew * (angle / np.maximum(2 * sine, 1e-12))[:, None])


def pchip(times: Array, values: Array, at: Array) -> Array:
    """Monotone cubic interpolation (Fritsch and Carlson 1980) of keys (K,), (K, D) at times (T,); ends are held."""
    if len(times) == 1:
        return np.repeat(values, len(at), axis=0)
    steps = np.diff(times)[:, None]
    slopes = np.diff(values, axis=0) / steps
    tangents = np.zeros_like(values)
    left, right = slopes[:-1], slopes[1:]
    same = left * right > 0
    w1, w2 = 2 * steps[1:] + steps[:-1], steps[1:] + 2 * steps[:-1]
    safe_left, safe_right = np.where(same, left, 1.0), np.where(same, right, 1.0)
    tangents[1:-1] = np.where(same, (w1 + w2) / (w1 / safe_left + w2 / safe_right), 0.0)
    at = np.clip(at, times[0], times[-1])
    index = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    step = steps[index]
    u = (at - times[index])[:, None] / step
    return np.asarray(
        (1 + 2 * u) * (1 - u) ** 2 * values[index]
        + u * (1 - u) ** 2 * step * tangents[index]
        + u**2 * (3 - 2 * u) * values[index + 1]
        + u**2 * (u - 1) * step * tangents[index + 1]
    )


def solve_bounded(
    residual: Callable[[Array], Array],
    start: Array,
    ranges: Array,
    iterations: int = 60,
    step: float = 0.02,
    settled: float = 1e-6,
) -> Array:
    """Minimize the squared residuals of all frames at once within bounds (projected Levenberg-Marquardt).

    Parameters
    ----------
    residual : callable
        Maps values (T, n) to residuals (T, m); frames are independent.
    start : (T, n) array
    ranges : (n, 2) array
    step : float
        Of the central differences, in the unit of the values.
    settled : float
        Stop when no frame's squared residual falls by more than this part of it.
    """
    low, high = ranges.T
    values = np.clip(start, low, high)
    current = residual(values)
    damping = np.full(len(values), 1e-9)
    for _ in range(iterations):
        jacobian = np.stack(
            [(residual(values + step * e) - residual(values - step * e)) / (2 * step) for e in np.eye(len(low))], axis=2
        )
        gradient = np.einsum("tmn,tm->tn", jacobian, current)
        stuck = ((values <= low) & (gradient > 0)) | ((values >= high) & (gradient < 0))
        jacobian = np.where(stuck[:, None, :], 0.0, jacobian)
        normal = np.einsum("tmi,tmj->tij", jacobian, jacobian)
        normal[:, range(len(low)), range(len(low))] += damping[:, None] + stuck
        change = np.linalg.solve(normal, np.einsum("tmn,tm->tn", jacobian, current)[..., None])[..., 0]
        trial = np.clip(values - change, low, high)
        proposed = residual(trial)
        cost, gain = (current**2).sum(axis=1), (current**2).sum(axis=1) - (proposed**2).sum(axis=1)
        better = gain > 0
        values = np.where(better[:, None], trial, values)
        current = np.where(better[:, None], proposed, current)
        damping = np.where(better, damping / 4, damping * 8)
        if (gain <= settled * cost).all():
            break
    return values
