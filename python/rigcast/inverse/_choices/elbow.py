"""The elbow of a curve of error against the number of weights that are on: which frames, which alphas, which point."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast.errors import NumericalError
from rigcast.inverse._distances import rmse_p95
from rigcast.inverse._methods.descent import descent
from rigcast.inverse._problem import ShotProblem
from rigcast.inverse._request import Request
from rigcast.progress import Progress

Float64 = NDArray[np.float64]

PRESENT = 1e-3  # a weight above this counts
ALPHAS = (0, 0.001, 0.01, 0.1, 1, 10, 100)  # of Rackovic et al. 2022, whose heads are in centimeters
EXPLAINED = 0.9  # part of the motion that any alpha explains which an elbow has to keep
FEWEST = 8  # training frames that a short shot gives, though they are closer together then
SAMPLE = 24  # training frames of ``alpha="auto"``: some 200 frames are solved, whatever the shot's length


def choose_alpha(sample: ShotProblem, request: Request, most: float = np.inf) -> float:
    """The elbow of some frames of a shot, solved without the temporal term and without the caller's start.

    By ``descent`` whichever method is to use it: all of them minimize the same objective, and it is the fast one. The
    choice depends on these frames alone, so that a shot that is solved in parts or with a temporal term gets the same.

    Parameters
    ----------
    sample : ShotProblem
        The frames at :func:`training_frames` of the shot, at most ``SAMPLE``; its ``alpha`` does not matter.
    request : Request
    most : float
        Larger alphas are not considered.

    Returns
    -------
    float
        In squared units of the rig; 0 for numbers that overflow, which the solve itself reports.
    """
    request.show(Progress("choosing alpha", 0, 0))
    quiet = replace(request, progress=None, joint=None)
    single = sample.with_alpha(0.0).with_smoothness(0.0).starting_at(None)
    alphas = default_alphas(sample.gram.rig)
    alphas = alphas[alphas <= min(sample.core.largest_strength, most)]
    table = np.array([_solved(single.with_alpha(alpha), quiet) for alpha in alphas])
    rest = rmse_p95(single, single.core.start, request.threads).mean()
    try:
        single.measure(single.core.start, request.threads, request.device)
    except NumericalError:
        return 0.0
    if not (np.isfinite(table).all() and np.isfinite(rest)):
        return 0.0
    return float(alphas[elbow(table[:, 0], table[:, 1], float(rest))])


def _solved(problem: ShotProblem, request: Request) -> tuple[float, float, float]:
    weights = np.clip(descent(problem, request)[0], problem.lower, problem.upper)
    return means(weights, rmse_p95(problem, weights, request.threads))


def means(weights: Float64, error: Float64) -> tuple[float, float, float]:
    """Return means over frames of an error (T,), of the number of weights (T, K) that are on, and of their sum."""
    size = np.abs(weights)
    return float(error.mean()), float((size > PRESENT).sum(axis=1).mean()), float(size.sum(axis=1).mean())


def elbow(error: Float64, cardinality: Float64, rest: float) -> int:
    """Return the index of the point (A,) at the elbow of one curve; ``TradeOff.elbows`` says how it is chosen."""
    best = error.min()
    kept = np.flatnonzero(error <= best + (1.0 - EXPLAINED) * max(rest - best, 0.0))
    total = scaled(error[kept][None]) + scaled(cardinality[kept][None])
    return int(kept[total[0].argmin()])


def default_alphas(rig: BlendshapeRig) -> Float64:
    """``ALPHAS`` square centimeters in squared units of the rig, ascending, each once."""
    with np.errstate(over="ignore", under="ignore"):
        square_centimeter = np.square(np.float64(0.01 / float(rig.meters_per_unit)))
        alphas: Float64 = np.unique(np.array(ALPHAS, np.float64) * square_centimeter)
    return alphas


def training_frames(num_frames: int, count: int, gap: int | None = None) -> NDArray[np.int64]:
    """Return at most ``count`` frames, from the first to the last, at least ``gap`` apart."""
    if gap is None:
        gap = min(10, max((num_frames - 1) // (FEWEST - 1), 1))
    count = min(count, (num_frames - 1) // gap + 1)
    return np.arange(count) * (num_frames - 1) // max(count - 1, 1)


def scaled(values: Float64) -> Float64:
    """Scale each row to 0 ... 1; a row of values that are equal up to rounding to 0."""
    low, high = values.min(axis=1, keepdims=True), values.max(axis=1, keepdims=True)
    return np.where(high - low > 1e-9 * high, (values - low) / np.where(high > low, high - low, 1.0), 0.0)
