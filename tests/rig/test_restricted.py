"""Models of some vertices: the bytes of the whole model at these vertices."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from tests.support.made.kinds import MAKERS, WITH_DERIVATIVES, poses_of
from tests.support.made.models import linear_blend, random_poses
from tests.support.made.skinning import bumpy_tube, skinned, tube


def some_vertices(model, seed, count=9):
    """Random indices in any order; some repeat."""
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(len(model.rest_vertices))[:count]
    return np.concatenate([chosen, rng.choice(chosen, 3)])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_vertices_have_the_bytes_of_the_whole(kind, seed):
    model = MAKERS[kind]()
    vertices, poses = some_vertices(model, seed), poses_of(model, 5, seed)
    part = model.restricted(vertices)
    assert part.evaluate(poses).tobytes() == model.evaluate(poses)[:, vertices].tobytes()


@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_a_single_vertex_is_a_model(kind):
    model = MAKERS[kind]()
    poses = poses_of(model, 3)
    for vertex in range(0, len(model.rest_vertices), 7):
        assert model.restricted([vertex]).evaluate(poses).tobytes() == model.evaluate(poses)[:, [vertex]].tobytes()


@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_all_vertices_are_the_model(kind):
    model = MAKERS[kind]()
    poses = poses_of(model, 3)
    part = model.restricted(np.arange(len(model.rest_vertices)))
    assert part.evaluate(poses).tobytes() == model.evaluate(poses).tobytes()
    np.testing.assert_array_equal(part.faces, model.faces)


@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_restricted_twice_is_restricted_once(kind):
    model = MAKERS[kind]()
    poses = poses_of(model, 3)
    first, second = some_vertices(model, 0), np.array([11, 2, 5, 2, 0])
    twice = model.restricted(first).restricted(second)
    assert twice.evaluate(poses).tobytes() == model.evaluate(poses)[:, first[second]].tobytes()


@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_jvp_is_that_of_the_whole(kind, tolerance):
    model = MAKERS[kind]()
    vertices, poses = some_vertices(model, 1), poses_of(model, 3)
    tangents = np.random.default_rng(0).standard_normal(poses.shape)
    found, expected = model.restricted(vertices).jvp(poses, tangents), model.jvp(poses, tangents)[:, vertices]
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found / scale, expected / scale, atol=tolerance["float32_sum"])


@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_vjp_adds_what_repeated_vertices_ask_for(kind, tolerance):
    model = MAKERS[kind]()
    vertices, poses = some_vertices(model, 2), poses_of(model, 3)
    cotangents = np.random.default_rng(0).standard_normal((3, len(vertices), 3))
    spread = np.zeros((3, *model.rest_vertices.shape))
    np.add.at(spread, (slice(None), vertices), cotangents)
    found, expected = model.restricted(vertices).vjp(poses, cotangents), model.vjp(poses, spread)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found / scale, expected / scale, atol=tolerance["float32_sum"])


@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_a_restricted_model_is_saved_and_loaded(kind, tmp_path):
    model = MAKERS[kind]()
    part, poses = model.restricted(some_vertices(model, 3)), poses_of(model, 2)
    part.save(tmp_path / "part.safetensors")
    again = rc.load(tmp_path / "part.safetensors")
    assert type(again) is type(part) is type(model)
    assert again.metadata == part.metadata
    assert again.evaluate(poses).tobytes() == part.evaluate(poses).tobytes()


@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_what_is_no_vertex_stays(kind):
    model = MAKERS[kind]()
    vertices = some_vertices(model, 4)
    part = model.restricted(vertices)
    assert part.control_names == model.control_names
    np.testing.assert_array_equal(part.rest_vertices, model.rest_vertices[vertices])
    np.testing.assert_array_equal(part.control_ranges, model.control_ranges)


def test_faces_are_those_among_the_vertices():
    model = bumpy_tube(rc.LinearBlendSkinning)
    vertices = np.r_[20:4:-1]
    part = model.restricted(vertices)
    expected = [face for face in model.faces.tolist() if set(face) <= set(vertices.tolist())]
    assert vertices[part.faces].tolist() == expected
    assert len(expected) == 6


def test_the_hash_of_the_whole_topology_is_kept_under_its_own_name():
    model = bumpy_tube(rc.LinearBlendSkinning)
    twice = model.restricted([1, 2, 3]).restricted([0])
    assert twice.metadata["restricted_from"] == model.metadata["topology_hash"]
    assert "topology_hash" not in twice.metadata


@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
@pytest.mark.parametrize(
    ("vertices", "text"),
    [
        ([0, -1], "restricted: vertices is holding -1; it must be indices below"),
        ([0, 1000], "restricted: vertices is holding 1000; it must be indices below"),
        (np.zeros(0, int), "restricted: vertices is empty; it must be at least one vertex"),
        ([2**40], "restricted: vertices is 1099511627776 somewhere"),
        ([0.5], r"restricted: vertices is float64 \(1,\); it must be integers \(M,\)"),
        ([[0]], r"restricted: vertices is int64 \(1, 1\)"),
        ("abc", "restricted: vertices is <U3"),
    ],
)
def test_wrong_vertices_are_named(kind, vertices, text):
    with pytest.raises(ValueError, match=text):
        MAKERS[kind]().restricted(vertices)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int64", "uint64"])
def test_vertices_have_any_integer_type(dtype):
    model = MAKERS["linear_blend"]()
    part = model.restricted(np.array([3, 1], dtype))
    np.testing.assert_array_equal(part.rest_vertices, model.rest_vertices[[3, 1]])


@pytest.mark.parametrize("iterations", [0, 1, 2, 7])
def test_delta_mush_smooths_only_what_the_iterations_reach(iterations):
    """On a tube of 25 rings of 8, what a vertex reaches is its ring and one more on each side per iteration."""
    skeleton, rest, faces, weights = tube(25)
    model = rc.DeltaMush(skeleton, rest, faces, weights, iterations=iterations)
    part = model.restricted([100])
    rings = np.unique(part.tensors()["mush.rest_vertices"][:, 1])
    assert len(rings) == min(25, 2 * (iterations + 1) + 1)
    poses = random_poses(skeleton, 3)
    assert part.evaluate(poses).tobytes() == model.evaluate(poses)[:, [100]].tobytes()


@pytest.mark.parametrize("iterations", [0, 1, 3])
def test_restricted_delta_mush_on_messy_meshes(iterations):
    """Non-manifold edges, flipped faces, triangles among quads."""
    model = skinned(rc.DeltaMush, num_joints=3, num_vertices=300, iterations=iterations)
    poses = random_poses(model.skeleton, 2)
    vertices = some_vertices(model, 0)
    assert model.restricted(vertices).evaluate(poses).tobytes() == model.evaluate(poses)[:, vertices].tobytes()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"mush.output": None}, "mush.output"),
        ({"mush.faces": None}, "mush.faces"),
        ({"mush.rest_vertices": None}, "mush.rest_vertices"),
        ({"mush.output": np.int32([0])}, "mush.output"),
        (
            {"mush.output": np.int32([0, 99999])},
            "load: mush.output is 99999 somewhere; it must be vertex indices below",
        ),
        ({"mush.output": np.int32([-1, 0])}, "load: mush.output is -1 somewhere"),
        ({"mush.faces": np.int32([[0, 1, 99999, -1]])}, "load: mush.faces is 99999 in face 0"),
        ({"mush.rest_vertices": np.float32([[0, np.nan, 0]])}, "mush.rest_vertices is not finite"),
        ({"mush.rest_vertices": np.zeros((1, 3), np.float32)}, "load: mush"),
        ({"skin.joint": np.zeros((2, 1), np.int32)}, "skin.joint"),
    ],
)
def test_wrong_tensors_of_restricted_delta_mush_are_named(change, text):
    part = bumpy_tube(iterations=1).restricted([3, 4])
    tensors = {name: value for name, value in (part.tensors() | change).items() if value is not None}
    with pytest.raises(ValueError, match=text):
        _core.model_from_tensors(tensors, json.dumps(part.metadata))


@pytest.mark.parametrize(
    "other",
    [np.zeros(2), np.zeros(()), np.zeros((40, 2)), np.arange(40, dtype=np.int32)],
    ids=lambda a: f"{a.dtype}{a.shape}",
)
def test_errors_that_are_not_per_vertex_stay_as_they_are(other):
    """No model checks their shapes: chosen rows would lie outside of them."""
    model = linear_blend()
    other = other if other.dtype == np.int32 else other.astype(np.float32)
    whole = _core.model_from_tensors(model.tensors() | {"error.other": other}, json.dumps(model.metadata))
    found = whole.restricted([39, 3]).tensors()["error.other"]
    np.testing.assert_array_equal(found, other, strict=True)


def test_an_empty_list_is_named_as_such():
    with pytest.raises(ValueError, match="restricted: vertices is empty; it must be at least one vertex"):
        linear_blend().restricted([])
