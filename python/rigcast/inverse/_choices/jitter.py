"""The jitter that noise makes in weights, and the smoothness that takes it away and no more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig
from rigcast._shown import one_line
from rigcast._validate import Arguments, check_blendshape_rig
from rigcast.inverse._gram import Gram
from rigcast.inverse._problem import ShotProblem, make_problem
from rigcast.inverse._request import Request

Float64 = NDArray[np.float64]

FEWEST = 12  # frames: second differences of fewer separate noise from motion too badly
FRAMES_PER_BLOCK = 64  # evaluated at a time
STRIDES = (2, 4, 8)
DOMINATES = 1.2  # how much larger bends over a stride are than over one frame where motion shows in them
# Weights bend where they start and stop and hardly in between. One variance for all of their bends is that of the few
# large ones, and a term in squares that took it in full would round these off; a tenth is where the error of weights
# is least, for shots of 24 to 120 frames per second and noise of 0.05 to 1 mm.
SHARE = 0.1
FINEST = 1e-5  # of the rig's extent: less noise is rounding, and nothing is smoothed
SLOWEST = 1e-4  # per frame squared: motion counts as at least so fast


@one_line
@dataclass(frozen=True)
class Jitter:
    """Noise of a shot and motion of its weights, separated by their second differences in time.

    Attributes
    ----------
    noise : float
        Standard deviation of a coordinate's noise, in the rig's unit: what changes from frame to frame in the distance
        between the shot and its fit. What the rig cannot follow but moves smoothly is no noise.
    jitter : float
        Root mean square second difference of the weights.
    motion : float
        The part of it that is motion.
    smoothness : float
        What ``smoothness="auto"`` is, in squared units of the rig.
    """

    noise: float
    jitter: float
    motion: float
    smoothness: float


def jitter(rig: BlendshapeRig, targets: ArrayLike, weights: ArrayLike, *, vertices: ArrayLike | None = None) -> Jitter:
    """Measure how much of a solved shot's second differences is noise.

    Noise: the second differences in time of the fit's residual have six times the variance of independent noise.
    Motion: over a stride of h frames a smooth curve bends ``h^2`` times as much as over one, noise as much as over one.

    Parameters
    ----------
    rig : BlendshapeRig
    targets : (T, V, 3), or (T, M, 3) if ``vertices`` are given
        In the rig's frame.
    weights : array_like, shape (T, K)
        A fit without smoothness.
    vertices : array_like of int, shape (M,), optional

    Returns
    -------
    Jitter

    Raises
    ------
    ValueError
        If the shapes do not fit together.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> shot = np.tile(rig.rest_vertices, (20, 1, 1)) + np.random.default_rng(0).normal(0, 0.1, (20, 2536, 3))
    >>> round(float(rc.inverse.jitter(rig, shot, np.zeros((20, rig.num_shapes))).noise), 1)
    0.1
    """
    check_blendshape_rig("jitter", rig)
    gram = Gram(rig, vertices=vertices)
    shot = gram.checked(targets)
    rows = Arguments("jitter", T=len(shot), K=rig.num_shapes).numbers("weights", weights, "T K")
    return jitter_of(make_problem(Request(gram, shot, alpha=0.0)), rows)


def jitter_of(problem: ShotProblem, weights: Float64) -> Jitter:
    """Measure the jitter of weights (T, K) of a problem that were found without smoothness."""
    gram, targets = problem.gram, problem.host_targets
    if len(weights) < FEWEST:
        return Jitter(0.0, 0.0, 0.0, 0.0)
    free = float(((weights > problem.lower) & (weights < problem.upper)).sum(axis=1).mean())
    noise, weighted = _noise(gram, targets, weights, free)
    bends = {stride: _bend(weights, stride) for stride in (1, *STRIDES) if 4 * stride <= len(weights)}
    shows = [stride for stride in STRIDES if bends.get(stride, 0.0) > DOMINATES * bends[1]]
    stride = min([*shows, max(bends)])
    motion = min(max((bends[stride] - bends[1]) / (stride**4 - 1), 0.0), bends[1])
    extent = float(np.ptp(gram.neutral, axis=0).max())
    smoothness = 0.0
    if noise > FINEST * extent:
        smoothness = SHARE * weighted / max(motion, SLOWEST**2)
        smoothness = min(smoothness, problem.core.largest_strength)
    return Jitter(noise, float(np.sqrt(bends[1])), float(np.sqrt(motion)), float(smoothness))


def _noise(gram: Gram, targets: NDArray[np.float32], weights: Float64, free: float) -> tuple[float, float]:
    """Return the standard deviation of a coordinate, and its variance times the weights of vertices."""
    square = np.zeros(len(gram.vertices))
    for begin in range(0, len(weights) - 2, FRAMES_PER_BLOCK):
        cut = slice(begin, min(begin + FRAMES_PER_BLOCK + 2, len(weights)))
        posed = gram.rig.evaluate(weights[cut].astype(np.float32))[:, gram.vertices]
        left = gram.chosen(targets[cut]).astype(np.float64) - posed
        square += np.square(np.diff(left, n=2, axis=0)).sum(axis=(0, 2))
    counted = gram.vertex_weights > 0
    unknown = max(1.0 - free / (3.0 * counted.sum()), 0.1)  # what the weights have not followed of the noise
    variance = square / (6.0 * 3.0 * (len(weights) - 2) * unknown)
    return float(np.sqrt(variance[counted].mean())), float((gram.vertex_weights * variance)[counted].mean())


def _bend(weights: Float64, stride: int) -> float:
    """Return the mean square second difference over a stride."""
    bends = weights[2 * stride :] - 2.0 * weights[stride:-stride] + weights[: -2 * stride]
    return float(np.square(bends).mean())
