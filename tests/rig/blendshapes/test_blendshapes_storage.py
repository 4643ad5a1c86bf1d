"""What a rig takes in memory, and what 16 bits cost in accuracy."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.blendshapes import random_arrays, random_rig, random_weights

WIDTH = {"float32": 12, "int16": 6}  # bytes of an offset


def patches(num_vertices=6000, num_shapes=40, seed=0):
    """A grid of quads on a sphere with shapes that move caps of it, and products where two of them overlap."""
    rng = np.random.default_rng(seed)
    side = int(np.sqrt(num_vertices))
    u, v = np.meshgrid(np.linspace(0.1, np.pi - 0.1, side), np.linspace(0, 2 * np.pi, side), indexing="ij")
    neutral = np.stack([np.sin(u) * np.cos(v), np.cos(u), np.sin(u) * np.sin(v)], axis=-1).reshape(-1, 3)
    index = np.arange(side * side).reshape(side, side)
    faces = np.stack([index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]], axis=-1).reshape(-1, 4)
    centers = rng.standard_normal((num_shapes, 3))
    centers /= np.linalg.norm(centers, axis=1, keepdims=True)
    strength = np.maximum(neutral @ centers.T - rng.uniform(-0.4, 0.7, num_shapes), 0).T
    deltas = (strength[:, :, None] * centers[:, None]).astype(np.float32)
    pairs = [(i, j) for i in range(num_shapes) for j in range(i)]
    combinations = [((i, j), deltas[i] * (strength[j] > 0)[:, None]) for i, j in pairs[: 2 * num_shapes]]
    return neutral.astype(np.float32), deltas, combinations, faces


def nonzero_bytes(rig, storage):
    return WIDTH[storage] * sum(int((rig.column(n) != 0).any(axis=1).sum()) for n in range(rig.num_columns))


@pytest.mark.parametrize("storage", WIDTH)
def test_a_rig_takes_at_most_three_tenths_more_than_its_deltas(storage):
    neutral, deltas, combinations, faces = patches()
    rig = rc.BlendshapeRig(neutral, deltas, combinations, faces=faces, storage=storage)
    assert rig.nbytes >= sum(tensor.nbytes for tensor in rig.tensors().values())
    assert rig.num_entries * WIDTH[storage] == nonzero_bytes(rig, storage)
    assert rig.nbytes <= 1.3 * nonzero_bytes(rig, storage)


@pytest.mark.parametrize("storage", WIDTH)
def test_a_real_face_does_too(storage, data_path):
    path = data_path("ict_facekit", "expressions.npz")
    with np.load(path) as arrays, np.load(path.with_name("topology_neutral.npz")) as mesh:
        deltas = arrays["deltas"]
        faces = next(mesh[name] for name in mesh.files if mesh[name].ndim == 2 and mesh[name].shape[1] == 4)
    keep = (faces < deltas.shape[1]).all(axis=1)
    rig = rc.BlendshapeRig(np.zeros(deltas.shape[1:]), deltas, faces=faces[keep], storage=storage)
    assert len(rig.faces) > 20000
    assert rig.nbytes <= 1.3 * nonzero_bytes(rig, storage)


@pytest.mark.parametrize("shapes", ["arkit", "caucasian"])
def test_a_face_on_a_body_takes_little_beside_its_mesh(shapes, data_path):
    """Of 13,380 vertices 3,166 and 2,025 move: the others have no index."""
    rig = rc.faces.makehuman(data_path("makehuman_hm08"), shapes)
    beside = rig.nbytes - rig.rest_vertices.nbytes - rig.faces.nbytes
    assert beside <= 1.3 * nonzero_bytes(rig, "float32")


@pytest.mark.parametrize("seed", range(3))
def test_sixteen_bits_are_off_by_no_more_than_stated(seed):
    neutral, deltas, combinations = random_arrays(num_vertices=900, seed=seed)
    combinations[2] = (combinations[2][0], 100 * combinations[2][1])
    rig = rc.BlendshapeRig(neutral, deltas, combinations, storage="int16")
    exact = np.stack([*deltas, *(delta for _, delta in combinations)]).astype(np.float64)
    off = np.abs(rig.columns() - exact).max(axis=(1, 2))
    bound = np.abs(exact).max(axis=(1, 2)) / 32767 / 2
    rounding = 1 + 1e-2  # float32 of the products: a relative 1e-7 of 32767 steps is a 1e-2 part of one half
    assert (off <= bound * rounding).all()
    assert off.max() <= rig.storage_error * rounding
    assert rig.storage_error == pytest.approx(bound.max())
    assert off.max() > 0.5 * rig.storage_error  # the bound is no loose one


def test_heads_of_sixteen_bits_are_off_by_the_errors_of_their_columns(tolerance):
    arrays = random_arrays(num_vertices=600)
    exact, narrow = rc.BlendshapeRig(*arrays), rc.BlendshapeRig(*arrays, storage="int16")
    weights = random_weights(exact, 40)
    off = np.abs(exact.columns() - narrow.columns()).max(axis=(1, 2))
    bound = np.abs(exact.activations(weights)) @ off + tolerance["float32_sum"]
    difference = np.abs(exact.evaluate(weights) - narrow.evaluate(weights)).max(axis=(1, 2))
    assert (difference <= bound).all()
    assert difference.max() > tolerance["float32_sum"]


def test_float32_is_exact_and_says_so():
    assert random_rig().storage_error == 0.0


def test_a_shape_that_moves_nothing_takes_no_room_and_has_no_effect():
    neutral, deltas, _ = random_arrays()
    assert not deltas[-1].any()
    rig, without = rc.BlendshapeRig(neutral, deltas), rc.BlendshapeRig(neutral, deltas[:-1])
    assert rig.num_entries == without.num_entries
    weights = random_weights(rig, 3)
    np.testing.assert_array_equal(rig.evaluate(weights), without.evaluate(weights[:, :-1]))
    assert not rig.vjp(weights, np.ones((3, 60, 3)))[:, -1].any()
