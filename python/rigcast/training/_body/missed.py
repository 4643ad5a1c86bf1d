"""Channels that move a vertex set although the influence probe saw nothing: found in the poses that are learned from.

The probe moves one channel at a time from a few poses. A channel that acts only where another one has moved far stays
unseen if none of these poses has moved it. In the data such a channel still shows: what the known channels do not
explain of a set's residuals goes with it.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

RISK = 1e-3  # of one false find in a whole character, if deviations were normal
LEAST_ROWS = 200  # of each half: fewer show too little
RIDGE = 1e-3  # of the mean eigenvalue
SMALLEST = 1e-12  # of the largest value, or of the largest spread of a residual: a spread below is none

Array = NDArray[np.float64]


def missed_columns(
    residuals: NDArray[np.floating[Any]],
    channels: NDArray[np.floating[Any]],
    known: NDArray[np.bool_],
    least: float,
    num_tests: int,
) -> NDArray[np.bool_]:
    """Channels that go with what the known ones do not explain.

    Half of the rows explains the other half by ridge regression on the known channels and their squares, and so it
    does with the other channels, which clips move together with the known ones. A channel is found if what remains of
    it, or of its distance from its mean, is correlated with what remains of one coordinate in both halves, with one
    sign and far beyond chance, and if one deviation of it stands for at least ``least``.

    Parameters
    ----------
    residuals : (T, M, 3) array
        Of some vertices of the set, in its joint's frame.
    channels : (T, N) array
    known : (N,) bool array
        Channels that the probe found.
    least : float
        In the unit of the residuals.
    num_tests : int
        Of all sets together, by which the risk is divided.

    Returns
    -------
    (N,) bool array
        No known channel, and none where there are too few rows to say.
    """
    found = np.zeros(len(known), bool)
    others = np.flatnonzero(~known & (np.ptp(channels, axis=0) > SMALLEST * np.abs(channels).max(axis=0, initial=0.0)))
    half = len(residuals) // 2
    if half < LEAST_ROWS or len(others) == 0:
        return found
    wanted = np.asarray(residuals, np.float64).reshape(len(residuals), -1)
    features = _curved(np.asarray(channels[:, known], np.float64))
    signals = _standard(np.asarray(channels[:, others], np.float64))
    signals = np.concatenate([signals, _standard(np.abs(signals))], axis=1)
    parts = np.arange(len(wanted)) % 2 == 0
    slopes = [
        _slopes(_unexplained(features, signals, part), _unexplained(features, wanted, part)) for part in (parts, ~parts)
    ]
    bar = _threshold(num_tests, half)
    same = np.sign(slopes[0][0]) == np.sign(slopes[1][0])
    sure = same & (np.minimum(np.abs(slopes[0][0]), np.abs(slopes[1][0])) > bar)  # (2 q, 3 M)
    moved = np.minimum(np.abs(slopes[0][1]), np.abs(slopes[1][1])).reshape(len(signals[0]), -1, 3)
    far = np.linalg.norm(np.where(sure.reshape(moved.shape), moved, 0.0), axis=2).max(axis=1) > least
    found[others] = far.reshape(2, -1).any(axis=0)
    return found


def _curved(columns: Array) -> Array:
    """Standardized columns, their squares and 1."""
    linear = _standard(columns)
    return np.concatenate([np.ones((len(columns), 1)), linear, np.square(linear)], axis=1)


def _standard(columns: Array) -> Array:
    deviation = columns.std(axis=0)
    varies = deviation > SMALLEST * np.abs(columns).max(axis=0, initial=0.0)
    return np.asarray((columns - columns.mean(axis=0)) / np.where(varies, deviation, np.inf))


def _unexplained(features: Array, wanted: Array, part: NDArray[np.bool_]) -> Array:
    """The residuals in one half of the rows after regression on the other half."""
    given = features[~part]
    gram = given.T @ given
    gram += RIDGE * np.trace(gram) / len(gram) * np.eye(len(gram))
    weights = np.linalg.solve(gram, given.T @ wanted[~part])
    return np.asarray(wanted[part] - features[part] @ weights)


def _slopes(signals: Array, left: Array) -> tuple[Array, Array]:
    """Correlations (q, F) of signals (T, q) with what is left (T, F); how far one deviation of a signal takes it."""
    left = left - left.mean(axis=0)
    slope = _standard(signals).T @ left / len(left)
    deviation = left.std(axis=0)
    return slope / np.where(deviation > SMALLEST * deviation.max(initial=0.0), deviation, np.inf), slope


def _threshold(num_tests: int, half: int) -> float:
    """The correlation that chance exceeds in both halves with the risk of one test; Gaussian."""
    once = math.sqrt(2.0 * RISK / max(num_tests, 1))  # two halves, one sign
    return -NormalDist().inv_cdf(once / 2.0) / math.sqrt(half)
