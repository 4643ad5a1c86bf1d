"""Wrong meshes, anchors and numbers are named."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.differential.anchored import shield, two_shields

POINTS, FACES = two_shields()
V = len(POINTS)
ANCHORS = [3, V - 5]
FIRST = len(shield()[0])


def with_face(*corners):
    return np.concatenate([FACES, np.int32([corners])])


MESHES = [
    (with_face(0, 1, V, -1), V, rf"faces is {V} in face {len(FACES)}"),
    (FACES, 0, "num_vertices is 0"),
]


@pytest.mark.parametrize(("faces", "count", "text"), MESHES, ids=[text for *_, text in MESHES])
def test_a_mesh_that_cannot_be_used_is_named(faces, count, text):
    for build in (
        lambda: rc.differential.Reconstructor(faces, count, ANCHORS),
        lambda: rc.differential.choose_anchors(faces, count, 5),
    ):
        with pytest.raises(ValueError, match=text):
            build()


ANCHORED = [
    ([3, V], f"anchors is holding {V}; it must be vertices below {V}"),
    ([-1, V - 5], "anchors is holding -1"),
    ([3, V - 5, 3], "anchors is holding 3 twice"),
    ([3, 4], rf"without a vertex of component 1 \({V - FIRST} vertices, the first is {FIRST}\)"),
    ([V - 5], rf"without a vertex of component 0 \({FIRST} vertices, the first is 0\)"),
    ([], "without a vertex of component 0"),
    ([3.5, 4.5], "anchors is float64"),
]


@pytest.mark.parametrize(("anchors", "text"), ANCHORED, ids=[text for _, text in ANCHORED])
def test_wrong_anchors_are_named(anchors, text):
    with pytest.raises(ValueError, match=text):
        rc.differential.Reconstructor(FACES, V, anchors)


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan, np.inf, [1.0, 0.0], [1.0, np.nan], [1.0], [1.0, 1.0, 1.0], "1"])
def test_a_wrong_weight_is_named(weight):
    with pytest.raises(ValueError, match="anchor_weight is"):
        rc.differential.Reconstructor(FACES, V, ANCHORS, weight)


@pytest.fixture(scope="module")
def r():
    return rc.differential.Reconstructor(FACES, V, ANCHORS)


def zeros(*shape, wrong=None):
    array = np.zeros(shape, np.float32)
    if wrong is not None:
        array.flat[-1] = wrong
    return array


CALLS = [
    (lambda r: r.encode(zeros(V, 3)), "displacements is float32"),
    (lambda r: r.encode(zeros(2, V - 1, 3)), "displacements is"),
    (lambda r: r.encode(zeros(2, V, 3, wrong=np.nan)), r"displacements is not finite everywhere \(nan at"),
    (lambda r: r.encode(zeros(2, V, 3, wrong=3e38)), "displacements is so large that the result overflows"),
    (lambda r: r.solve(zeros(2, V, 3), zeros(1, 2, 3)), "anchor_positions is"),
    (lambda r: r.solve(zeros(2, V, 3), zeros(2, 3, 3)), "anchor_positions is"),
    (lambda r: r.solve(zeros(2, V, 3, wrong=np.inf), zeros(2, 2, 3)), "delta is not finite"),
    (lambda r: r.solve(zeros(2, V, 3), zeros(2, 2, 3, wrong=np.nan)), "anchor_positions is not finite"),
    (lambda r: r.folded(zeros(V, 2), zeros(3 * V)), "basis is"),
    (lambda r: r.folded(zeros(3 * V, 2), zeros(V)), "mean is"),
    (lambda r: r.folded(zeros(3 * V, 2, wrong=np.nan), zeros(3 * V)), "basis is not finite"),
    (lambda r: r.folded(zeros(3 * V, 2), zeros(3 * V), storage="8-bit"), "storage is '8-bit'"),
    (lambda r: r.folded(zeros(3 * V, 2), zeros(3 * V)).solve(zeros(1, 3), zeros(1, 2, 3)), "z is"),
    (lambda r: r.folded(zeros(3 * V, 2), zeros(3 * V)).solve(zeros(1, 2, wrong=np.nan), zeros(1, 2, 3)), "z is not"),
    (lambda r: r.solve(zeros(1, V, 3), zeros(1, 2, 3), threads=-1), "threads is -1"),
]


@pytest.mark.parametrize(("call", "text"), CALLS, ids=[f"{i}: {text}" for i, (_, text) in enumerate(CALLS)])
def test_wrong_numbers_are_named(r, call, text):
    with pytest.raises(ValueError, match=text):
        call(r)


@pytest.mark.parametrize("count", [1, V + 1, -3])
def test_a_wrong_number_of_anchors_is_named(count):
    with pytest.raises(
        ValueError, match=rf"count is {count}; it must be from 2 \(one per connected component\) to {V}"
    ):
        rc.differential.choose_anchors(FACES, V, count)


def test_a_negative_seed_is_named():
    with pytest.raises(ValueError, match="seed is -1"):
        rc.differential.choose_anchors(FACES, V, 5, seed=-1)
