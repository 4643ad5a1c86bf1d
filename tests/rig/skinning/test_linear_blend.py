"""Skeleton and linear blend skinning against slow NumPy."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from tests.rig.slow import slow_globals
from tests.support.made.models import chain_skeleton, linear_blend, random_poses


def slow_linear_blend(model, pose):
    """v_k = sum_j w_kj G_j (G_j^0)^-1 v_k, vertex by vertex."""
    tensors, skeleton = model.tensors(), model.skeleton
    now, rest = slow_globals(skeleton, pose), slow_globals(skeleton, skeleton.rest.reshape(-1))
    out = []
    for joints, weights, vertex in zip(tensors["skin.joint"], tensors["skin.weight"], model.rest_vertices, strict=True):
        point = np.append(vertex, 1.0)
        out.append(sum(w * (now[j] @ np.linalg.inv(rest[j]) @ point)[:3] for j, w in zip(joints, weights, strict=True)))
    return np.array(out)


def test_globals_match_the_chain_of_products(tolerance):
    skeleton = chain_skeleton(9, seed=3)
    poses = random_poses(skeleton, 4, seed=4, numeric=2)
    expected = np.stack([slow_globals(skeleton, pose)[:, :3] for pose in poses])
    np.testing.assert_allclose(skeleton.globals(poses), expected, atol=tolerance["float32_sum"])


@pytest.mark.parametrize("seed", range(4))
def test_evaluate_matches_numpy(seed, tolerance):
    model = linear_blend(seed=seed)
    poses = random_poses(model.skeleton, 3, seed)
    expected = np.stack([slow_linear_blend(model, pose) for pose in poses])
    np.testing.assert_allclose(model.evaluate(poses), expected, atol=tolerance["float32_sum"])


def test_rest_pose_gives_the_rest_mesh(tolerance):
    model = linear_blend(num_joints=7)
    pose = model.skeleton.rest.reshape(-1)
    np.testing.assert_allclose(model.evaluate(pose), model.rest_vertices, atol=tolerance["float32_sum"])


def test_vjp_matches_finite_differences(tolerance):
    model = linear_blend(num_joints=4, num_vertices=12)
    poses = random_poses(model.skeleton, 2)
    cotangents = np.random.default_rng(0).standard_normal((2, 12, 3)).astype(np.float32)
    gradient = model.vjp(poses, cotangents)
    step = 1e-2  # linear in every single entry along the chain but its own: the step may be large
    for column in range(poses.shape[1]):
        ahead, behind = poses.copy(), poses.copy()
        ahead[:, column] += step
        behind[:, column] -= step
        difference = (model.evaluate(ahead).astype(np.float64) - model.evaluate(behind)) / (2 * step)
        expected = (difference * cotangents).sum(axis=(1, 2))
        np.testing.assert_allclose(
            gradient[:, column],
            expected,
            rtol=tolerance["finite_difference"],
            atol=tolerance["finite_difference"],
        )


def test_any_number_of_threads_gives_the_same_bytes():
    model = linear_blend(num_vertices=300)
    poses = random_poses(model.skeleton, 17)
    assert model.evaluate(poses, threads=1).tobytes() == model.evaluate(poses, threads=4).tobytes()


def test_save_and_load_round_trip(tmp_path):
    model = linear_blend()
    model.save(tmp_path / "model.safetensors")
    again = rc.load(tmp_path / "model.safetensors")
    poses = random_poses(model.skeleton, 2)
    assert again.metadata == model.metadata
    assert again.evaluate(poses).tobytes() == model.evaluate(poses).tobytes()
    again.save(tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == (tmp_path / "model.safetensors").read_bytes()


def test_wrong_poses_are_named():
    model = linear_blend()
    with pytest.raises(ValueError, match=r"evaluate: poses is 7 wide; it must be 60 wide"):
        model.evaluate(np.zeros((2, 7)))
    poses = random_poses(model.skeleton, 2)
    poses[1, 3] = np.nan
    with pytest.raises(ValueError, match="evaluate: poses is not finite"):
        model.evaluate(poses)
    with pytest.raises(ValueError, match="evaluate: poses is <U1"):
        model.evaluate(np.array([["a"]]))
    with pytest.raises(ValueError, match="evaluate: out is"):
        model.evaluate(random_poses(model.skeleton, 2), out=np.zeros((2, 40, 3)))


def test_wrong_skeletons_are_named():
    rest = np.tile(np.eye(3, 4, dtype=np.float32), (2, 1, 1))
    with pytest.raises(ValueError, match="parents is 1 at joint a"):
        rc.Skeleton(["a", "b"], [1, 0], rest)
    with pytest.raises(ValueError, match="Skeleton: parents is 1099511627776"):
        rc.Skeleton(["a", "b"], [-1, 2**40], rest)
    with pytest.raises(ValueError, match="globals: poses is not finite"):
        rc.Skeleton(["a", "b"], [-1, 0], rest).globals(np.full((1, 24), np.nan))
    with pytest.raises(ValueError, match="'a' twice"):
        rc.Skeleton(["a", "a"], [-1, 0], rest)
    with pytest.raises(ValueError, match="zero scale at joint b"):
        rc.Skeleton(["a", "b"], [-1, 0], rest * [[[1]], [[0]]])


@pytest.mark.parametrize(
    ("key", "value"), [("meters_per_unit", -1), ("meters_per_unit", "a"), ("up_axis", "Q"), ("up_axis", 7)]
)
def test_units_that_make_no_sense_are_refused(key, value):
    model = linear_blend()
    text = json.dumps(model.metadata | {key: value})
    with pytest.raises(ValueError, match=rf"load: metadata\.{key} is"):
        _core.model_from_tensors(model.tensors(), text)


def test_confidence_falls_outside_what_was_seen(tolerance):
    """One group of one column, seen between -1 and 1: one inside, a half a quarter of that outside, then nothing."""
    model = linear_blend()
    groups = {
        "confidence.offset": np.int32([0, 1]),
        "confidence.column": np.int32([3]),
        "confidence.mean": np.float32([0]),
        "confidence.whiten.offset": np.int32([0, 1]),
        "confidence.whiten": np.float32([1]),
        "confidence.radius": np.float32([1]),
    }
    sure = _core.model_from_tensors(model.tensors() | groups, json.dumps(model.metadata))
    poses = random_poses(model.skeleton, 4)
    poses[:, 3] = [0.5, -1.0, 1.25, -2.0]
    np.testing.assert_allclose(sure.confidence(poses), [1, 1, 0.5, 2.0**-16], rtol=tolerance["float64_converged"])
