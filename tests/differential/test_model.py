"""Differential models against slow NumPy: networks, dense least squares, blended transforms."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from tests.support.made.differential import random_differential, random_differential_tensors, slow_differential
from tests.support.made.models import random_poses

TAILS = ["folded", "factorized"]


def poses_of(model, frames, seed=0):
    if model.skeleton is None:
        return np.random.default_rng(seed).standard_normal((frames, len(model.control_names))).astype(np.float32)
    numeric = len(model.control_names) - 12 * model.skeleton.num_joints
    return random_poses(model.skeleton, frames, seed, numeric=numeric)


@pytest.mark.parametrize("joints", [0, 3])
@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("frames", [1, 2, 23, 37])
def test_evaluate_matches_slow_numpy(joints, tail, frames, tolerance):
    tensors, text = random_differential_tensors(joints=joints, tail=tail, hidden=(300, 33))
    model = _core.model_from_tensors(tensors, text)
    poses = poses_of(model, frames)
    expected = slow_differential(tensors, poses)
    np.testing.assert_allclose(model.evaluate(poses), expected, atol=tolerance["float32_sum"] * np.abs(expected).max())


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("storage", ["float32", "16-bit"])
@pytest.mark.parametrize("frames", [5, 23, 24, 33])
def test_a_pose_does_not_depend_on_the_batch_nor_on_threads(tail, storage, frames):
    # Single poses skip the zeros of relu, batches do not; large ones go by blocks of 32 inputs and 256 outputs.
    model = random_differential(tail=tail, network_storage=storage, hidden=(300, 70))
    poses = poses_of(model, frames)
    together = model.evaluate(poses, threads=1)
    alone = np.stack([model.evaluate(pose, threads=2) for pose in poses])
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("joints", [0, 3])
@pytest.mark.parametrize("tail", TAILS)
def test_jvp_and_vjp_match_finite_differences(joints, tail, tolerance):
    tensors, text = random_differential_tensors(joints=joints, tail=tail)
    model = _core.model_from_tensors(tensors, text)
    rng = np.random.default_rng(1)
    poses = poses_of(model, 3)
    tangents = rng.standard_normal(poses.shape).astype(np.float32)
    cotangents = rng.standard_normal((3, len(model.rest_vertices), 3)).astype(np.float32)
    step = 1e-4
    expected = slow_differential(tensors, poses + step * tangents) - slow_differential(tensors, poses - step * tangents)
    expected /= 2 * step
    found = model.jvp(poses, tangents)
    np.testing.assert_allclose(found, expected, atol=tolerance["finite_difference"] * np.abs(expected).max())
    along = (model.vjp(poses, cotangents) * tangents).sum(axis=1)
    by_vertices = (found * cotangents).sum(axis=(1, 2))
    np.testing.assert_allclose(along, by_vertices, rtol=1e2 * tolerance["float32_sum"], atol=1e-2)  # sums of 500


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("storage", ["float32", "16-bit"])
def test_a_restricted_model_gives_the_same_bytes(tail, storage, tmp_path):
    model = random_differential(tail=tail, network_storage=storage)
    poses = poses_of(model, 5)
    chosen = [160, 3, 77, 3]
    part = model.restricted(chosen)
    part.save(tmp_path / "part.safetensors")
    for found in (
        part,
        rc.load(tmp_path / "part.safetensors"),
        model.restricted([0, *chosen]).restricted([1, 2, 3, 4]),
    ):
        np.testing.assert_array_equal(found.evaluate(poses), model.evaluate(poses)[:, chosen])


def test_a_restricted_folded_model_is_as_cheap_as_its_vertices():
    model = random_differential(tail="folded")
    networks = model.num_bytes - 6 * 32 * (3 * 6 + 5 + 3) * 4  # six tiles of 32 vertices
    assert model.restricted([3]).num_bytes == networks + 32 * (3 * 6 + 5 + 3) * 4


def test_both_tails_agree(tolerance):
    model = random_differential(tail="folded")
    poses = poses_of(model, 5)
    other = model.with_tail("factorized")
    assert (model.tail, other.tail) == ("folded", "factorized")
    expected = model.evaluate(poses)
    np.testing.assert_allclose(other.evaluate(poses), expected, atol=tolerance["float32_sum"] * np.abs(expected).max())


def test_the_tail_is_chosen_by_cost():
    few, _ = random_differential_tensors(), None
    assert random_differential().tail == "folded"
    assert _core.model_from_tensors(*few).num_bytes <= random_differential(tail="factorized").num_bytes


def test_16_bit_storage_halves_the_constants_and_stays_near():
    model = random_differential()
    half = model.stored("16-bit")
    poses = poses_of(model, 5)
    assert half.num_bytes < 0.6 * model.num_bytes
    difference = np.abs(half.evaluate(poses) - model.evaluate(poses)).max()
    assert 0.0 < difference < 100 * half.storage_error
    np.testing.assert_array_equal(half.stored("float32").evaluate(poses), model.evaluate(poses))


def test_a_reduced_model_has_the_first_components(tolerance):
    tensors, text = random_differential_tensors()
    model = _core.model_from_tensors(tensors, text)
    cut = {
        "delta.basis": tensors["delta.basis"][:, :4],
        "network.layer3.weight": tensors["network.layer3.weight"][:4],
        "network.layer3.bias": tensors["network.layer3.bias"][:4],
    }
    poses = poses_of(model, 3)
    expected = slow_differential(tensors | cut, poses)
    found = model.reduced(4)
    assert (found.num_components, found.num_bytes < model.num_bytes) == (4, True)
    np.testing.assert_allclose(found.evaluate(poses), expected, atol=tolerance["float32_sum"] * np.abs(expected).max())
    part = model.restricted([160, 3]).reduced(4)
    np.testing.assert_array_equal(part.evaluate(poses), found.evaluate(poses)[:, [160, 3]])


def test_anchors_move_the_surface(tolerance):
    # Fails if a model ignores its anchors.
    tensors, text = random_differential_tensors(joints=0)
    moved = tensors | {"anchors.layer3.bias": tensors["anchors.layer3.bias"] + np.float32(1)}
    pose = np.zeros((1, 4), np.float32)
    change = _core.model_from_tensors(moved, text).evaluate(pose) - _core.model_from_tensors(tensors, text).evaluate(
        pose
    )
    np.testing.assert_allclose(change, 1.0, atol=tolerance["float32_character"])


def test_offsets_that_overflow_name_the_row():
    # The solver of a factorized model, which knows no rows, would refuse its right-hand sides. Threads share the rows:
    # the one that is named is the first that any of them meets.
    tensors, text = random_differential_tensors(joints=0, tail="factorized")
    model = _core.model_from_tensors(tensors | {"delta.basis": np.full_like(tensors["delta.basis"], 1e38)}, text)
    poses = np.zeros((3, 4), np.float32)
    poses[2] = 1e4
    for call in (model.evaluate, lambda p: model.jvp(p, 1e4 * np.ones_like(p))):
        with pytest.raises(ValueError, match=r"so large in row [012] that vertices overflow"):
            call(poses)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda m: m.stored("8-bit"), "storage is '8-bit'"),
        (lambda m: m.with_tail("dense"), "tail is 'dense'"),
        (lambda m: m.reduced(0), "components is 0; it must be from 1 to 6"),
        (lambda m: m.reduced(7), "components is 7"),
        (lambda m: m.restricted([1]).with_tail("factorized"), "the model is a restricted one"),
        (lambda m: m.evaluate(np.full((1, 40), 3e38, np.float32)), "so large in row 0 that vertices overflow"),
    ],
)
def test_wrong_requests_are_named(call, text):
    with pytest.raises(ValueError, match=text):
        call(random_differential())
