"""The learned body against slow NumPy, and what must not change its result."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rigcast as rc
from tests.rig.slow import slow_body
from tests.support.made.models import random_body, random_body_tensors, random_poses


def poses_for(model, frames, seed=0):
    return random_poses(model.skeleton, frames, seed, numeric=len(model.metadata["numeric_controls"]))


SIZES = [
    {},
    {"num_sets": 1, "overlap": 0.0},
    {"num_joints": 1, "numeric": 0, "num_vertices": 4, "num_sets": 2},
    {"num_vertices": 700, "num_sets": 9, "hidden": 128, "components": 30},
    {"hidden": 65, "components": 17, "num_vertices": 33},
    {"num_sets": 40, "num_vertices": 60},  # sets of one or two vertices, some of none
]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("seed", range(2))
def test_evaluate_matches_numpy(sizes, seed, tolerance):
    model = random_body(seed=seed, **sizes)
    poses = poses_for(model, 3, seed)
    expected = np.stack([slow_body(model, pose) for pose in poses])
    scale = np.abs(expected).max()  # chains of stretched joints reach far
    np.testing.assert_allclose(model.evaluate(poses) / scale, expected / scale, atol=tolerance["float32_sum"])


def test_rest_pose_without_offsets_gives_the_rest_mesh(tolerance):
    tensors, metadata = random_body_tensors()
    for name in tensors:
        if name.endswith((".mean", ".basis")):
            tensors[name] = np.zeros_like(tensors[name])
    model = rc._core.model_from_tensors(tensors, metadata)
    pose = np.append(model.skeleton.rest.reshape(-1), [0.3, -0.2])
    np.testing.assert_allclose(model.evaluate(pose), model.rest_vertices, atol=tolerance["float32_sum"])


@pytest.mark.parametrize("seed", range(3))
def test_threads_and_batches_give_the_same_bytes(seed):
    model = random_body(num_vertices=400, num_sets=12, hidden=70, seed=seed)
    poses = poses_for(model, 71, seed)
    expected = model.evaluate(poses, threads=1)
    for threads in (0, 2, 3, 64, 100):
        assert model.evaluate(poses, threads=threads).tobytes() == expected.tobytes(), threads
    for size in (1, 2, 3, 5, 7, 13, 33):
        parts = [model.evaluate(poses[t : t + size], threads=1) for t in range(0, len(poses), size)]
        assert np.concatenate(parts).tobytes() == expected.tobytes(), size
    single = [model.evaluate(pose, threads=4) for pose in poses]
    assert np.stack(single).tobytes() == expected.tobytes()


def test_no_poses_give_no_vertices():
    model = random_body()
    assert model.evaluate(np.zeros((0, len(model.control_names)))).shape == (0, 90, 3)


def test_only_the_inputs_of_a_set_move_it():
    tensors, metadata = random_body_tensors(num_sets=1, numeric=3)
    tensors["inputs.column"] = np.int32([72, 74])
    tensors["inputs.offset"] = np.int32([0, 2])
    tensors["set.000.layer1.weight"] = tensors["set.000.layer1.weight"][:, :2]
    model = rc._core.model_from_tensors(tensors, metadata)
    pose = poses_for(model, 1)[0]
    moved = []
    for column in (72, 73, 74):
        other = pose.copy()
        other[column] += 1.0
        moved.append(bool(np.abs(model.evaluate(other) - model.evaluate(pose)).max() > 0))
    assert moved == [True, False, True]


def test_several_python_threads_at_once():
    model = random_body(num_vertices=300, num_sets=8)
    poses = poses_for(model, 24)
    expected = model.evaluate(poses)
    with ThreadPoolExecutor(6) as pool:
        jobs = [pool.submit(model.evaluate, poses[i % 20 : i % 20 + 1 + i % 4], threads=1 + i % 3) for i in range(200)]
    for i, job in enumerate(jobs):
        assert job.result().tobytes() == expected[i % 20 : i % 20 + 1 + i % 4].tobytes()


def test_save_and_load_round_trip(tmp_path):
    model = random_body()
    model.save(tmp_path / "body.safetensors")
    again = rc.load(tmp_path / "body.safetensors")
    assert again.kind == "body"
    assert again.num_sets == 5
    poses = poses_for(model, 2)
    assert again.evaluate(poses).tobytes() == model.evaluate(poses).tobytes()


def clip_of_one_joint(model, frames, joint):
    """A pose that stands still but for the rotation of a joint, which changes every third row."""
    poses = np.repeat(poses_for(model, 1, 5), frames, axis=0)
    moving = poses_for(model, frames, 6)[:, 12 * joint : 12 * joint + 12]
    poses[:, 12 * joint : 12 * joint + 12] = np.repeat(moving, 3, axis=0)[:frames]
    return poses


@pytest.mark.parametrize("joint", range(6))
def test_rows_that_repeat_inputs_have_the_bytes_of_single_poses(joint):
    model = random_body(num_vertices=200, num_sets=8, hidden=40, seed=joint)
    poses = clip_of_one_joint(model, 41, joint)
    alone = np.stack([model.evaluate(pose, threads=1) for pose in poses])
    assert model.evaluate(poses, threads=1).tobytes() == alone.tobytes()
