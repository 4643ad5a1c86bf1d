"""Vertex sets that overlap: a partition of unity over the mesh by heat diffusion, or hard sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast import _core

FAINT = 0.02  # weights are lowered by this much and cut at zero before they are normalized: a bound on the overlap


@dataclass(frozen=True)
class VertexSets:
    """S sets of vertices, each in the frame of a joint; the weights of a vertex sum to 1.

    Attributes
    ----------
    joint : (S,) int32 array
    offset : (S + 1,) int32 array
        Set i holds the entries ``offset[i]`` to ``offset[i + 1]`` of ``vertex`` (ascending) and ``weight``.
    vertex : (M,) int32 array
    weight : (M,) float32 array, above 0
    learns : (S,) bool array
        Whether a network adds to the set; the other sets only follow their joint.
    """

    joint: NDArray[np.int32]
    offset: NDArray[np.int32]
    vertex: NDArray[np.int32]
    weight: NDArray[np.float32]
    learns: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.joint)

    def members(self, index: int) -> slice:
        """The entries of ``vertex`` and ``weight`` that belong to a set."""
        return slice(int(self.offset[index]), int(self.offset[index + 1]))


def sets_from_weights(weights: NDArray[np.float64], joints: NDArray[np.intp]) -> VertexSets:
    """Sets from weights (V, S) and the joint of each set; sets without a vertex are dropped."""
    used = np.flatnonzero((weights > 0).any(axis=0))
    per_set = [np.flatnonzero(weights[:, i] > 0) for i in used]
    sizes = [len(vertices) for vertices in per_set]
    return VertexSets(
        joint=np.asarray(joints[used], np.int32),
        offset=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
        vertex=np.concatenate(per_set).astype(np.int32),
        weight=np.concatenate([weights[v, i] for v, i in zip(per_set, used, strict=True)]).astype(np.float32),
        learns=np.ones(len(used), bool),
    )


def hard_sets(assignment: NDArray[np.intp]) -> VertexSets:
    """One set per joint that any vertex is assigned to, without overlap."""
    joints = np.unique(assignment)
    return sets_from_weights((assignment[:, None] == joints).astype(np.float64), joints)


def blended_sets(assignment: NDArray[np.intp], faces: NDArray[np.int32], width: float) -> VertexSets:
    """Overlapping sets: the indicators of hard sets diffused over the mesh, at most two sets per vertex.

    Solves (I + width^2 L) a_i = 1_i with the graph Laplacian L of the edges: a_i falls off like exp(-d / width) with
    the number of edges d from the border, and the a_i of a vertex sum to 1. Subtracting the third largest weight of
    a vertex (or ``FAINT``, where that is more) before normalizing keeps two sets and keeps the weights continuous.

    Parameters
    ----------
    assignment : array_like of int, shape (V,)
        Joint of each vertex.
    faces : (F, 4) int32 array
    width : float
        In edges; 0 gives hard sets.
    """
    joints = np.unique(assignment)
    indicator = np.asarray(assignment[:, None] == joints, np.float64)
    if width == 0.0 or len(joints) == 1:
        return hard_sets(assignment)
    weights = _diffused(indicator, faces, width * width)
    third = np.sort(weights, axis=1)[:, -3] if len(joints) > 2 else np.zeros(len(weights))
    cut = np.maximum(weights - np.maximum(third, FAINT)[:, None], 0.0)
    equal = cut.max(axis=1) <= 1e-9  # three sets meet with equal weights: keep the first of them
    cut[equal] = np.arange(len(joints)) == weights[equal].argmax(axis=1)[:, None]
    return sets_from_weights(cut / cut.sum(axis=1, keepdims=True), joints)


def _diffused(values: NDArray[np.float64], faces: NDArray[np.int32], time: float) -> NDArray[np.float64]:
    count = len(values)
    rows, columns, laplacian = _core.graph_laplacian(faces, count)
    everyone = np.arange(count)
    matrix = _core.SparseCholesky(
        np.concatenate([rows, everyone]),
        np.concatenate([columns, everyone]),
        np.concatenate([time * laplacian, np.ones(count)]),
        count,
    )
    return np.asarray(matrix.solve(values))
