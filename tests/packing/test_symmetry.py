"""The left-right map, pairs by shape and by motion, and groups."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._hashing import padded_faces
from rigcast.transfer._packing import mirror
from tests.packing import oracles
from tests.support.characters.plain_face import bumpy_shield, plain_face

pack = rc.transfer.pack_expressions


def rotation(seed: int):
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_partners_of_a_mirrored_mesh_anywhere_in_space(seed):
    points, faces, expected = bumpy_shield()
    if seed is not None:
        points = points @ rotation(seed).T + [3.0, -7.0, 2.0]
    found = mirror(points.astype(np.float32), faces)
    assert np.array_equal(found.partner, expected)


@pytest.mark.parametrize("seed", range(5))
def test_partners_survive_a_slightly_asymmetric_neutral(seed):
    points, faces, expected = bumpy_shield()
    points = points + np.random.default_rng(seed).normal(scale=0.05, size=points.shape)
    found = mirror(points.astype(np.float32), faces)
    assert np.array_equal(found.partner, expected)


def test_layers_in_one_place_are_told_apart_by_their_neighbors():
    """Two sheets with the same border vertices: positions alone cannot say which border belongs to which."""
    points, faces, expected = bumpy_shield()
    lifted = points + np.array([0.0, 0.0, 3.0])
    border = (points[:, 1] == points[:, 1].min()) | (points[:, 1] == points[:, 1].max())
    lifted[border] = points[border]
    shuffle = np.random.default_rng(4).permutation(len(points))
    place = np.argsort(shuffle)
    both = np.concatenate([points, lifted[shuffle]]).astype(np.float32)
    found = mirror(both, np.concatenate([faces, place[faces] + len(points)]).astype(np.int32))
    assert np.array_equal(found.partner[: len(points)], expected)
    assert np.array_equal(found.partner[len(points) :], place[expected[shuffle]] + len(points))


def test_a_vertex_out_of_place_is_found_by_its_faces():
    points, faces, expected = bumpy_shield()
    points[10] += [0.9, 0.8, 1.5]
    found = mirror(points.astype(np.float32), faces)
    assert np.array_equal(found.partner, expected)


@pytest.mark.parametrize("seed", range(3))
def test_a_mesh_without_symmetry_gives_an_involution(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(40, 3)).astype(np.float32)
    found = mirror(points, padded_faces(rng.permutation(40)[:39].reshape(-1, 3)))
    known = np.flatnonzero(found.partner >= 0)
    assert np.array_equal(found.partner[found.partner[known]], known)
    assert found.found == len(known)


def sided_face():
    """Neutral, shapes and faces of :func:`plain_face`."""
    rig = plain_face()
    return rig.rest_vertices, rig.rest_vertices + rig.columns(), rig.faces


def test_left_and_right_shapes_find_each_other():
    neutral, shapes, faces = sided_face()
    plan = pack(neutral, shapes, faces)
    assert {(pair.first, pair.second, pair.kind) for pair in plan.pairs} == {(0, 1, "shape"), (2, 3, "shape")}
    assert all(type(pair.error) is float for pair in plan.pairs)  # as the file of a plan takes them
    assert plan.mirrored == len(neutral)
    for left, right in ((0, 1), (2, 3)):
        assert all((left in entry) == (right in entry) for entry in plan.expressions)


def test_a_pair_keeps_its_area_and_shares_no_vertex():
    neutral, shapes, faces = sided_face()
    plan = pack(neutral, shapes, faces)
    active = oracles.binary(neutral, shapes, 0.3)
    assert (active[2] & active[3]).any()
    assert not (plan.active[2] & plan.active[3]).any()
    for left, right in ((0, 1), (2, 3)):
        assert np.array_equal(plan.active[left] | plan.active[right], active[left] | active[right])
    assert np.array_equal(plan.active[4:], active[4:])


@pytest.mark.parametrize("method", ["optimal", "greedy"])
def test_packing_with_pairs_solves_the_published_program(method, tolerance):
    pytest.importorskip("highspy", reason="highspy is not installed")
    neutral, shapes, faces = sided_face()
    plan = pack(neutral, shapes, faces, method=method)
    left = set(range(6))
    pairs = [(pair.first, pair.second) for pair in plan.pairs]
    for expression in plan.expressions:
        assert plan.active[expression].sum(axis=0).max() <= 1
        best = oracles.published_program(plan.active, plan.importance, pairs, left)
        weight = plan.importance[expression].sum()
        assert weight <= best + tolerance["gram"]
        if method == "optimal":
            assert weight == pytest.approx(best, abs=tolerance["gram"])
        left -= set(expression)
    assert not left


def test_greedy_with_pairs_is_algorithm_1():
    """Smallest key first, its partner with it, whoever overlaps them is out; said again shape by shape."""
    neutral, shapes, faces = sided_face()
    plan = pack(neutral, shapes, faces, method="greedy")
    active = oracles.binary(neutral, shapes, 0.3)
    partner = {k: {k} for k in range(6)}
    for pair in plan.pairs:
        partner[pair.first] = partner[pair.second] = {pair.first, pair.second}
    left = set(range(6))
    for expression in plan.expressions:
        chosen, open_shapes = set(), set(left)
        while open_shapes:
            k = min(open_shapes, key=lambda k: ((2.0 - plan.importance[k]) * active[k].sum(), k))
            chosen |= partner[k]
            area = active[sorted(chosen)].any(axis=0)
            open_shapes = {m for m in open_shapes if not any((active[p] & area).any() for p in partner[m])}
        assert expression == sorted(chosen)
        left -= chosen


def test_refusing_one_of_a_pair_refuses_its_partner():
    neutral, shapes, faces = sided_face()
    plan = pack(neutral, shapes, faces, reject_at={0: [0]})
    assert not {0, 1} & set(plan.expressions[0])
    with pytest.raises(ValueError, match="reject_at is a refusal of every shape left at position 0"):
        pack(neutral, shapes[:2], faces, reject_at={0: [1]})


@pytest.mark.parametrize("method", ["optimal", "greedy"])
def test_refusing_a_pair_takes_it_apart(method):
    neutral, shapes, faces = sided_face()
    before, plan = (pack(neutral, shapes, faces, method=method, reject=sets) for sets in ([], [[0, 1]]))
    assert (0, 1) in [(pair.first, pair.second) for pair in before.pairs]
    assert plan.pairs == [pair for pair in before.pairs if (pair.first, pair.second) != (0, 1)]
    assert not any({0, 1} <= set(entry) for entry in plan.expressions)
    assert sorted(k for entry in plan.expressions for k in entry) == list(range(6))


def test_the_partner_of_a_shape_left_out_stands_alone():
    neutral, shapes, faces = sided_face()
    plan = pack(neutral, shapes, faces, without=[1])
    assert plan.uncovered == [1]
    assert not any(1 in group for group in plan.groups)
    assert sorted(k for entry in plan.expressions for k in entry) == [0, 2, 3, 4, 5]


def test_motions_of_painted_areas_that_answer_each_other():
    """Upper and lower lid: opposite directions pair up, the same direction does not, nor does a shape of both areas."""
    neutral, _, faces = oracles.random_shapes(0, 1, side=12)
    upper, lower = np.flatnonzero(neutral[:, 0] < 4), np.flatnonzero(neutral[:, 0] > 7)
    offsets = np.zeros((5, len(neutral), 3), np.float32)
    offsets[0][upper[:8]] = [1.0, 0.05, 0.0]
    offsets[1][lower[-8:]] = [-0.5, 0.0, 0.0]
    offsets[2][lower[-20:-12]] = [0.7, 0.0, 0.0]
    offsets[3][np.r_[upper[20:24], lower[:4]]] = [-1.0, 0.0, 0.0]
    offsets[4][upper[12:16]] = [1.0, 0.3, 0.0]
    plan = pack(neutral, neutral + offsets, faces, symmetry=False, motion_areas=[(upper, lower)])
    assert [(pair.first, pair.second, pair.kind) for pair in plan.pairs] == [(0, 1, "motion")]
    cosine = float(np.dot([1.0, 0.05], [-1.0, 0.0]) / np.hypot(1.0, 0.05))
    assert plan.pairs[0].error == pytest.approx(cosine)
    assert all((0 in entry) == (1 in entry) for entry in plan.expressions)


def test_pairs_of_pairs_stand_together():
    """Both eyes' upper lids by shape, upper and lower lid by motion: all four are one item."""
    points, faces, partner = bumpy_shield()
    neutral = points.astype(np.float32)
    left = neutral[:, 0] < -3
    y = neutral[:, 1]
    upper, lower = y > y.mean() + 1.5, y < y.mean() - 1.5
    offsets = np.zeros((4, len(neutral), 3), np.float32)
    offsets[0][left & upper] = [0, -1, 0]
    offsets[2][left & lower] = [0, 0.6, 0]
    offsets[1], offsets[3] = offsets[0][partner], offsets[2][partner]
    plan = pack(neutral, neutral + offsets, faces, motion_areas=[(upper, lower)])
    assert plan.groups == [[0, 1, 2, 3]]
    assert plan.expressions == [[0, 1, 2, 3]]
    assert sorted(pair.kind for pair in plan.pairs).count("shape") == 2
