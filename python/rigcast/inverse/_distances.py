"""Distances between the posed rig and its targets, vertex by vertex, which the Gram matrix does not hold."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig, Deformer
from rigcast.inverse._gram import Gram
from rigcast.inverse._motion.rigid import in_rig_frame
from rigcast.inverse._problem import ShotProblem
from rigcast.inverse._solution import Solution

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

FRAMES_AT_ONCE = 64  # bounds the memory for posed vertices
PERCENT = 95  # of the vertices are nearer: the percentile of Rackovic et al. 2022, section 5.2


def posed(gram: Gram, weights: Float64, threads: int = 0) -> Float32:
    """Pose the chosen vertices (T, M, 3) of the rig at weights (T, K)."""
    key = "rig on the chosen vertices"
    if key not in gram.prepared:
        gram.prepared[key] = _on_vertices(gram.rig, gram.vertices)
    rig: Deformer = gram.prepared[key]
    return np.asarray(rig.evaluate(weights.astype(np.float32), threads=threads))


def rmse_p95(problem: ShotProblem, weights: Float64, threads: int = 0) -> Float64:
    """Return (T,): the 95th percentile of the distance over the vertices of a weight above 0.

    What the paper calls RMSE: a group of vertices far off is a visible error, the same mean spread over all vertices is
    none. Infinite for weights so large that vertices overflow float32.
    """
    result, counted = np.full(len(weights), np.inf), problem.gram.vertex_weights > 0
    for cut in cuts(len(weights)):
        with contextlib.suppress(ValueError):  # of the rig, about such weights
            found = posed(problem.gram, weights[cut], threads)
            result[cut] = _percentile(found, problem.gram.chosen(problem.targets[cut]), counted)
    return result


def solved_p95(rig: BlendshapeRig, targets: Float32, solution: Solution, threads: int = 0) -> Float64:
    """Return the same of a solution, for targets (T, V or M, 3) as ``solve`` got them, head motion and all."""
    chosen = np.arange(len(rig.rest_vertices)) if solution.vertices is None else solution.vertices
    counted = np.ones(len(chosen), bool) if solution.vertex_weights is None else solution.vertex_weights > 0
    seen, result = _on_vertices(rig, chosen), np.empty(len(targets))
    for cut in cuts(len(targets)):
        own: NDArray[Any] = targets[cut] if targets.shape[1] == len(chosen) else targets[cut][:, chosen]
        if solution.transforms is not None:
            own = in_rig_frame(own, solution.transforms[cut])
        result[cut] = _percentile(
            seen.evaluate(solution.weights[cut].astype(np.float32), threads=threads), own, counted
        )
    return result


def _on_vertices(rig: BlendshapeRig, vertices: NDArray[np.int64]) -> Deformer:
    whole = np.array_equal(vertices, np.arange(len(rig.rest_vertices)))
    return rig if whole else rig.restricted(vertices)


def cuts(frames: int) -> list[slice]:
    return [slice(begin, begin + FRAMES_AT_ONCE) for begin in range(0, frames, FRAMES_AT_ONCE)]


def _percentile(found: Float32, targets: NDArray[Any], counted: NDArray[np.bool_]) -> Float64:
    apart = np.linalg.norm(found[:, counted].astype(np.float64) - targets[:, counted], axis=2)
    return np.asarray(np.percentile(apart, PERCENT, axis=1))
