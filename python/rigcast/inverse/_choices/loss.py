"""Losses of a vertex's distance that large distances do not dominate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rigcast.inverse._gram import Gram

Float64 = NDArray[np.float64]
LossName = Literal["squared", "huber", "tukey"]

SQUARED, HUBER, TUKEY = "squared", "huber", "tukey"
NAMES = (SQUARED, HUBER, TUKEY)

NORMAL = 1.538  # standard deviations of one coordinate: the median distance in space under normal noise
# The usual 1.345 and 4.685 standard deviations as multiples of the median distance.
MEDIANS = {HUBER: 1.345 / NORMAL, TUKEY: 4.685 / NORMAL}
FINEST = 1e-4  # of the rig's extent: the smallest scale that is chosen, for fits that leave nothing
COVERED = 3.0  # times the distance by which alpha, smoothness or priors hold a vertex back: so much is in a scale
FAR = 2.0  # median distances: farther vertices pull the motion of the head with constant force


@dataclass(frozen=True)
class RobustLoss:
    """``rho(s)`` of squared distances s: s near 0, and ever flatter beyond the square of the scale c.

    ``"huber"`` (Huber 1964): ``s`` up to c^2, then ``2 c sqrt(s) - c^2``, so that a far vertex pulls with constant
    force. ``"tukey"`` (Beaton and Tukey 1974): ``c^2 / 3 (1 - (1 - s / c^2)^3)`` up to c^2, then constant, so that it
    does not pull at all.

    Attributes
    ----------
    name : str
        ``"huber"`` or ``"tukey"``.
    scale : float
        c, in units of length.
    """

    name: str
    scale: float

    def value(self, square: Float64) -> Float64:
        """``rho`` of squared distances."""
        limit = self.scale**2
        if self.name == HUBER:
            return np.where(square <= limit, square, 2.0 * self.scale * np.sqrt(square) - limit)
        return np.asarray(limit / 3.0 * (1.0 - (1.0 - np.minimum(square / limit, 1.0)) ** 3))

    def slope(self, square: Float64) -> Float64:
        """``d rho / ds``, the weight of a vertex: 1 at distance 0, never rising with the distance."""
        ratio = square / self.scale**2
        if self.name == HUBER:
            return np.asarray(1.0 / np.sqrt(np.maximum(ratio, 1.0)))
        return np.asarray(np.square(1.0 - np.minimum(ratio, 1.0)))


def moved_by_alpha(gram: Gram, alpha: float, upper: Float64) -> float:
    """Return the largest distance by which alpha holds a vertex back.

    That is ``alpha / (2 |b_k|^2)`` of a shape b_k that it does not turn off.

    Parameters
    ----------
    gram : Gram
    alpha : float
    upper : (T, K)
        The box's.
    """
    energy = np.diag(gram.matrix)[: len(gram.idle)]
    on = (energy > 0) & (alpha < 2.0 * energy * upper.max(axis=0, initial=0.0))
    return float((alpha * gram.reach[on] / (2.0 * energy[on])).max(initial=0.0))


def moved_by_priors(gram: Gram, weights: Float64, target: Float64, strength: Float64) -> float:
    """Return the largest distance by which priors hold a vertex back from weights that were found without them.

    The weight v of a shape b_k alone becomes ``(|b_k|^2 v + s t) / (|b_k|^2 + s)`` with a prior of target t and
    strength s.

    Parameters
    ----------
    gram : Gram
    weights, target, strength : (T, K)
    """
    shapes = weights.shape[1]
    energy = np.maximum(np.diag(gram.matrix)[:shapes], np.finfo(np.float64).tiny)
    return float((strength / (energy + strength) * np.abs(weights - target) * gram.reach[:shapes]).max(initial=0.0))


def drawn(points: Float64, fit: Float64, counted: NDArray[np.bool_], wider: float = 0.0) -> Float64:
    """Draw points (T, M, 3) to a fit (T, M, 3) as far as Huber's loss does, by the median distance of each frame.

    Least squares on them has the gradient of Huber's loss on the points. The scale is ``FAR`` times the median over the
    vertices that are counted (M,), plus ``wider``.
    """
    apart = points - fit
    distance = np.sqrt(np.square(apart).sum(axis=2))
    least = FINEST * np.ptp(fit[:, counted], axis=1).max(axis=1)
    scale = np.maximum(FAR * np.median(distance[:, counted], axis=1), least) + wider
    share = np.minimum(scale[:, None] / np.maximum(distance, np.finfo(np.float64).tiny), 1.0)
    return np.asarray(fit + share[..., None] * apart)
