"""Anchors by error gain."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.differential.anchored import components_of, random_manifold_anchors, shield, two_shields

SETS = 50


SKIN = 14062  # vertices of the published head's skin come first


def skin(data_path):
    with np.load(data_path("ict_facekit", "topology_neutral.npz")) as file:
        faces = file["faces"]
    return faces[np.all(faces < SKIN, axis=1)], SKIN


def head():
    model = rc.faces.example()
    return model.faces, len(model.rest_vertices)


def tall_shield():
    points, faces = shield(16, 60)
    return faces, len(points)


def pair():
    points, faces = two_shields()
    return faces, len(points)


def gain(faces, count, anchors):
    return rc.differential.Reconstructor(faces, count, anchors).gain().max()


@pytest.mark.parametrize("mesh", [head, tall_shield, pair])
def test_the_largest_gain_is_below_the_best_of_50_random_sets(mesh):
    faces, count = mesh()
    number = max(count // 50, 12)
    ours = gain(faces, count, rc.differential.choose_anchors(faces, count, number))
    components = components_of(faces, count)
    others = [random_manifold_anchors(faces, components, number, seed) for seed in range(SETS)]
    assert ours < min(gain(faces, count, anchors) for anchors in others)


@pytest.mark.parametrize("sets", [2, pytest.param(SETS, marks=pytest.mark.long)])
def test_a_published_head_has_a_smaller_gain_than_random_anchors(data_path, sets):
    faces, count = skin(data_path)
    number = count // 50
    components = components_of(faces, count)
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((67, count, 3)).astype(np.float32)  # 200 random vectors and one
    zero = np.zeros((len(noise), number, 3), np.float32)

    def largest(anchors):
        moved = rc.differential.Reconstructor(faces, count, anchors).solve(noise, zero)
        return np.sqrt(np.square(moved).mean(axis=(0, 2))).max()

    ours = largest(rc.differential.choose_anchors(faces, count, number))
    assert ours < min(largest(random_manifold_anchors(faces, components, number, seed)) for seed in range(sets))


def test_fewer_anchors_are_the_first_ones():
    faces, count = pair()
    many = rc.differential.choose_anchors(faces, count, 60)
    np.testing.assert_array_equal(rc.differential.choose_anchors(faces, count, 20), many[:20])


def test_the_updates_between_factorizations_are_exact():
    faces, count = pair()
    many = rc.differential.choose_anchors(faces, count, 40)
    for n in (5, 20, 39):  # each is where a new factorization says that the gain is largest
        values = rc.differential.Reconstructor(faces, count, many[:n]).gain()
        values[many[:n]] = -1
        assert values[many[n]] == pytest.approx(values.max(), rel=1e-9)  # mirrored vertices may tie


def test_the_seed_decides():
    faces, count = head()
    first = rc.differential.choose_anchors(faces, count, 30, seed=1, threads=1)
    np.testing.assert_array_equal(rc.differential.choose_anchors(faces, count, 30, seed=1, threads=2), first)
    assert not np.array_equal(rc.differential.choose_anchors(faces, count, 30, seed=2), first)


def test_all_vertices_can_be_anchors():
    points, faces = shield(2, 3)
    assert sorted(rc.differential.choose_anchors(faces, len(points), len(points))) == list(range(len(points)))
