"""Errors of evaluating a rig with its first few shapes (a prefix) only: on given weights, and at worst."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._blendshapes import Tent
from rigcast._core import BlendshapeRig
from rigcast._shown import one_line
from rigcast.crowd._arguments import checked_order, checked_rig, checked_weights

Float64 = NDArray[np.float64]


@one_line
@dataclass(frozen=True)
class LevelOfDetailErrors:
    """Distances of vertices with the n most important shapes only, for every n, in the rig's unit.

    Attributes
    ----------
    max, rms : (T, K + 1) float64
        Over the vertices, of frame t evaluated with n shapes; 0 for n = K.
    """

    max: Float64
    rms: Float64


def level_of_detail_errors(rig: BlendshapeRig, order: ArrayLike | None, weights: ArrayLike) -> LevelOfDetailErrors:
    """Measure how far vertices are off on given weights, with the n most important shapes only, for every n.

    Works from the longest prefix to the shortest: what a step leaves out is added to the difference so far, so that
    each column that acts is touched once, not once a prefix.

    Parameters
    ----------
    rig : BlendshapeRig
    order : (K,) integers or None
        Shapes, most important first.
    weights : array_like, shape (T, K)
        Frames.

    Returns
    -------
    LevelOfDetailErrors

    Raises
    ------
    ValueError
        If the order is no permutation, or weights are not (T, K) finite numbers with T at least 1.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> errors = rc.crowd.level_of_detail_errors(rig, rc.crowd.importance_order(rig), np.ones((1, rig.num_shapes)))
    >>> errors.rms.shape, float(errors.rms[0, -1])
    ((1, 23), 0.0)
    """
    checked_rig("level_of_detail_errors", rig)
    shapes = checked_order("level_of_detail_errors", order, rig.num_shapes)
    frames = checked_weights("level_of_detail_errors", "weights", weights, rig)
    steps = list(_dropped(rig, shapes))
    activations = rig.activations(frames).astype(np.float64)
    largest, mean = np.zeros((2, len(frames), rig.num_shapes + 1))
    for t, row in enumerate(activations):
        largest[t], mean[t] = _squares(len(rig.rest_vertices), steps, row)
    return LevelOfDetailErrors(np.sqrt(largest), np.sqrt(mean))


def _squares(num_vertices: int, steps: list[_PrefixStep], activations: Float64) -> tuple[Float64, Float64]:
    """Largest and mean squared distance of every prefix in one frame, both (K + 1,)."""
    difference, square = np.zeros((num_vertices, 3)), np.zeros(num_vertices)
    largest, mean = np.zeros((2, len(steps) + 1))
    for step in steps:
        largest[step.length], mean[step.length] = largest[step.length + 1], mean[step.length + 1]
        acting = [column for column in step.columns if activations[column.index]]
        for column in acting:
            moved = difference[column.vertices] + activations[column.index] * column.delta
            difference[column.vertices] = moved
            square[column.vertices] = np.einsum("vc,vc->v", moved, moved)
        if acting:
            largest[step.length], mean[step.length] = square.max(), square.mean()
    return largest, mean


def level_of_detail_error_bound(rig: BlendshapeRig, order: ArrayLike | None) -> Float64:
    """Bound how far vertices can be off with the n most important shapes only, for every n.

    Holds for all weights inside the rig's bounds. The distance of a vertex is at most the sum of what the columns that
    are left out can move it, each at its largest activation (triangle inequality). Shapes that never act together, or
    against each other, make it generous: measure (:func:`level_of_detail_errors`) where the weights are known.

    Parameters
    ----------
    rig : BlendshapeRig
    order : (K,) integers or None
        Shapes, most important first.

    Returns
    -------
    (K + 1,) float64
        Largest distance with n shapes, never rising with n; 0 for n = K. In the rig's unit.

    Raises
    ------
    ValueError
        If the order is no permutation.
    """
    checked_rig("level_of_detail_error_bound", rig)
    shapes = checked_order("level_of_detail_error_bound", order, rig.num_shapes)
    largest = _largest_activations(rig)
    reach = np.zeros(len(rig.rest_vertices))
    bound = np.zeros(rig.num_shapes + 1)
    for step in _dropped(rig, shapes):
        for column in step.columns:
            reach[column.vertices] += largest[column.index] * np.linalg.norm(column.delta, axis=1)
        bound[step.length] = reach.max()
    return bound


@dataclass(frozen=True)
class _Column:
    """Column ``index``, and its offsets where it moves vertices."""

    index: int
    vertices: NDArray[np.intp]
    delta: Float64


@dataclass(frozen=True)
class _PrefixStep:
    """The columns that the prefix of ``length`` shapes leaves out, but the next longer one does not."""

    length: int
    columns: list[_Column]


def _dropped(rig: BlendshapeRig, order: NDArray[np.int32]) -> Iterator[_PrefixStep]:
    """The steps from prefix K - 1 down to 0. A combination leaves with the least important of its shapes."""
    position = np.empty(len(order), np.int64)
    position[order] = np.arange(len(order))
    last = [*position, *(max(position[_shape(f)] for f in factors) for factors in rig.combinations)]
    for length in range(len(order) - 1, -1, -1):
        yield _PrefixStep(length, [_column(rig, int(n)) for n in np.flatnonzero(np.asarray(last) == length)])


def _column(rig: BlendshapeRig, index: int) -> _Column:
    delta = rig.column(index)
    vertices = np.flatnonzero(delta.any(axis=1))
    return _Column(index, vertices, delta[vertices].astype(np.float64))


def _shape(factor: int | Tent) -> int:
    return factor.shape if isinstance(factor, Tent) else factor


def _largest_activations(rig: BlendshapeRig) -> Float64:
    """(N,) the largest magnitude of each activation inside the bounds: factors are of different shapes."""
    bounds = rig.bounds.astype(np.float64)
    plain = np.abs(bounds).max(axis=1)

    def largest(factor: int | Tent) -> float:
        if not isinstance(factor, Tent):
            return float(plain[factor])
        nearest = np.clip(factor.x2, *bounds[factor.shape])
        return float(np.interp(nearest, [factor.x1, factor.x2, factor.x3], [0.0, 1.0, 0.0]))

    products = [np.prod([largest(factor) for factor in factors]) for factors in rig.combinations]
    return np.array([*plain, *products])
