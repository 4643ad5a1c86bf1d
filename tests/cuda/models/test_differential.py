"""Models in a differential subspace on the device: formula of the CPU, batches, storage, last steps, derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rigcast as rc
from tests.cuda.derivative_operations import resident
from tests.rig.base_shapes import based_model
from tests.support.made.differential import random_differential, random_differential_tensors
from tests.support.made.models import random_poses

KINDS: list[dict[str, Any]] = [
    {"joints": 3},  # the third anchor network has no inputs, the second gives two anchors
    {"joints": 0},
    {"joints": 3, "tail": "factorized"},
    {"joints": 0, "tail": "factorized", "network_storage": "16-bit"},
    {"joints": 3, "network_storage": "16-bit"},
    {"joints": 3, "hidden": (), "components": 1, "anchor_hidden": 1},  # one layer
    {"joints": 0, "hidden": (65, 64, 63, 20), "components": 70, "anchor_hidden": 64},  # beside the sizes of tiles
    {"joints": 3, "base": True},
    {"joints": 0, "base": True, "tail": "factorized"},
    {"joints": 3, "hidden": (70, 700)},  # the sums of a layer in pieces, in columns of a wider row
]


def model_of(kind: dict[str, Any]) -> rc.Deformer:
    """A random model; "base" puts one under it."""
    sizes = {name: value for name, value in kind.items() if name != "base"}
    return based_model(*random_differential_tensors(**sizes)) if "base" in kind else random_differential(**sizes)


def poses_of(model: rc.Deformer, frames: int, seed: int = 0) -> np.ndarray:
    if model.skeleton is None:
        return np.random.default_rng(seed).standard_normal((frames, len(model.control_names))).astype(np.float32)
    return random_poses(model.skeleton, frames, seed, numeric=len(model.metadata["numeric_controls"]))


def evaluated(on_device: Any, poses: np.ndarray, num_vertices: int) -> np.ndarray:
    out = np.full((len(poses), num_vertices, 3), np.nan, np.float32)
    on_device.evaluate(poses, out)
    return out


def assert_close(result: np.ndarray, expected: np.ndarray, bound: float) -> None:
    scale = np.abs(expected).max()
    np.testing.assert_allclose(result / scale, expected / scale, rtol=0, atol=bound)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("frames", [1, 67])
def test_vertices_are_those_of_the_cpu(kind, frames, lane, tolerance):
    model = model_of(kind)
    poses = poses_of(model, frames)
    result = evaluated(resident(lane, model), poses, len(model.rest_vertices))
    assert_close(result, model.evaluate(poses), tolerance["float32_sum"])


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_derivatives_are_those_of_the_cpu(kind, lane, tolerance):
    model = model_of(kind)
    poses = poses_of(model, 5)
    tangents = np.random.default_rng(1).standard_normal(poses.shape).astype(np.float32)
    along = np.full((5, len(model.rest_vertices), 3), np.nan, np.float32)
    resident(lane, model).jvp(poses, tangents, along)
    assert_close(along, model.jvp(poses, tangents), tolerance["float32_sum"])
    few = model.restricted([3, 170])
    jacobian = np.full((5, 6, poses.shape[1]), np.nan, np.float32)
    resident(lane, few).jacobian(poses, jacobian)
    assert_close(jacobian, few.jacobian(poses), tolerance["float32_sum"])


@pytest.mark.parametrize("joints", [0, 3])
def test_a_pose_gives_the_same_bytes_in_any_batch_and_chunk(joints, lane):
    model = random_differential(joints=joints)
    poses = poses_of(model, 67)
    on_device = resident(lane, model)
    expected = evaluated(on_device, poses, 171)
    for workspace in (0, 40_000):
        assert evaluated(resident(lane, model, workspace=workspace), poses, 171).tobytes() == expected.tobytes()
    for size in (1, 64, 65):
        parts = [evaluated(on_device, poses[t : t + size], 171) for t in range(0, 67, size)]
        assert np.concatenate(parts).tobytes() == expected.tobytes()


def test_16_bit_weights_are_seen(lane):
    model = random_differential()
    poses = poses_of(model, 3)
    whole, half = (evaluated(resident(lane, m), poses, 171) for m in (model, model.stored("16-bit")))
    assert 1e-6 < np.abs(whole - half).max() < 1e-1


@pytest.mark.parametrize("tail", ["folded", "factorized"])
def test_restricted_models_have_the_vertices_of_the_whole(tail, lane, tolerance):
    model = random_differential(tail=tail)
    poses, chosen = poses_of(model, 5), [160, 3, 77, 3]
    whole = resident(lane, model)
    assert_close(
        evaluated(whole.restricted(chosen), poses, 4), model.evaluate(poses)[:, chosen], tolerance["float32_sum"]
    )
    assert_close(
        evaluated(resident(lane, model.restricted(chosen)), poses, 4),
        evaluated(whole, poses, 171)[:, chosen],
        tolerance["float32_sum"],
    )


def test_a_model_runs_on_the_device_and_its_vertices_may_stay_there(emulated_lane):
    model = random_differential()
    poses = poses_of(model, 4)
    expected = model.evaluate(poses, device="cuda")
    before = emulated_lane.bytes_to_host()
    array = model.evaluate_on_device(poses, device="cuda")
    assert np.from_dlpack(array).tobytes() == expected.tobytes()
    assert emulated_lane.bytes_to_host() == before


def test_vertices_that_overflow_are_refused_and_name_the_row(lane):
    model = random_differential(joints=0)
    poses = poses_of(model, 3)
    poses[1] = 3e38
    with pytest.raises(ValueError, match="evaluate: poses is so large in row 1 that vertices overflow"):
        evaluated(resident(lane, model), poses, 171)
