"""Latent points whose values are closest to given ones, for many targets and starts at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rigcast._core import LatentSpace

Float64 = NDArray[np.float64]

ITERATIONS = 40
LONGEST_STEP = 0.5  # of a length scale: the gradient vanishes away from the training points
DIFFERENCE = 1e-5  # of a length scale, for derivatives
STILL = 1e-4  # relative fall of the objective, below which a start rests
FIRST_DAMPING, LEAST_DAMPING = 1e-2, 1e-9


def closest_points(latent: LatentSpace, linear: Float64, targets: Float64, starts: Float64) -> tuple[Float64, Float64]:
    """Minimize ``|mean(x) @ linear - target|`` over latent points by damped Gauss-Newton steps.

    Parameters
    ----------
    latent : LatentSpace
        With P values per point.
    linear : (P, R) array
    targets : (T, R) array
    starts : (T, S, D) array

    Returns
    -------
    points : (T, D) array
        The best of the S minima.
    distances : (T,) array
    """
    count, tries, width = starts.shape
    q, r = np.linalg.qr(linear.T)  # mean @ linear lies in the span of q: what is across it cannot be reduced
    inside = targets @ q
    across = ((targets - inside @ q.T) ** 2).sum(axis=1)
    x = np.array(starts.reshape(count * tries, width))  # inputs are never modified
    wanted = np.repeat(inside, tries, axis=0)
    x, square = _descend(latent, np.ascontiguousarray(r.T), wanted, x)
    square = square.reshape(count, tries)
    best = square.argmin(axis=1)
    chosen = np.arange(count)
    points = x.reshape(count, tries, width)[chosen, best]
    return points, np.sqrt(np.maximum(square[chosen, best] + across, 0.0))


def _descend(latent: LatentSpace, linear: Float64, wanted: Float64, x: Float64) -> tuple[Float64, Float64]:
    """Points and squared distances after the last step; every row has a damping of its own."""
    residual = latent.mean(x) @ linear - wanted
    square = (residual**2).sum(axis=1)
    damping = np.full(len(x), FIRST_DAMPING)
    active = np.arange(len(x))
    for _ in range(ITERATIONS):
        if not len(active):
            break
        slopes = _slopes(latent, linear, x[active], residual[active], wanted[active])
        step = _step(slopes, residual[active], damping[active], LONGEST_STEP * latent.length)
        tried = x[active] + step
        apart = latent.mean(tried) @ linear - wanted[active]
        value = (apart**2).sum(axis=1)
        before = square[active]
        better = value < before
        rows = active[better]
        x[rows], residual[rows], square[rows] = tried[better], apart[better], value[better]
        damping[active] = np.where(better, np.maximum(0.2 * damping[active], LEAST_DAMPING), 8.0 * damping[active])
        rests = np.where(better, before - value < STILL * before, damping[active] > 1e6)
        active = active[~rests]
    return x, square


def _slopes(latent: LatentSpace, linear: Float64, x: Float64, residual: Float64, wanted: Float64) -> Float64:
    """(B, D, P) derivatives by each coordinate of x, by differences."""
    size = DIFFERENCE * latent.length
    result = np.empty((len(x), x.shape[1], residual.shape[1]))
    for d in range(x.shape[1]):
        moved = x.copy()
        moved[:, d] += size
        result[:, d] = (latent.mean(moved) @ linear - wanted - residual) / size
    return result


def _step(slopes: Float64, residual: Float64, damping: Float64, longest: float) -> Float64:
    """Levenberg-Marquardt steps (B, D), cut to a length."""
    gram = slopes @ np.swapaxes(slopes, 1, 2)
    gradient = (slopes @ residual[..., None])[..., 0]
    size = np.trace(gram, axis1=1, axis2=2) / gram.shape[1] + 1e-300
    gram = gram + (damping * size)[:, None, None] * np.eye(gram.shape[1])
    step = -np.linalg.solve(gram, gradient[..., None])[..., 0]
    length = np.linalg.norm(step, axis=1, keepdims=True)
    return np.asarray(step * np.minimum(1.0, longest / np.maximum(length, 1e-300)))
