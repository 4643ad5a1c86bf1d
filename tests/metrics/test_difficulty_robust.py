"""The gate on what real curves bring: rarely turned dials, clips, and bodies whose joints carry most of the motion."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._regression.bind_pose import bind_pose
from rigcast._regression.inputs import fit_inputs
from rigcast._regression.ridge import folds
from rigcast.baselines import Samples
from tests.support.made.models import chain_skeleton

DIALS, VERTICES, RARE = 30, 20, 12


def rarely_turned(frames, always, seed):
    """Dials in [0, 1]: the last twelve are turned in one of ``frames`` poses each, or always."""
    rng = np.random.default_rng(seed)
    x = rng.random((frames, DIALS)).astype(np.float32)
    if not always:
        once = np.zeros((frames, RARE), np.float32)
        once[rng.permutation(frames)[:RARE], np.arange(RARE)] = 1.0
        x[:, -RARE:] = once
    return x


def moved(x):
    """Dials that move vertices along straight ways, and wrinkles that no regression of degree two explains."""
    deltas = np.random.default_rng(7).standard_normal((DIALS, VERTICES, 3))
    late = np.random.default_rng(8).standard_normal((DIALS - RARE, VERTICES, 3))
    ways = np.einsum("td,dvc->tvc", x, deltas)
    return (ways + 0.5 * np.einsum("td,dvc->tvc", np.sin(9.0 * x[:, :-RARE]), late)).astype(np.float32)


@pytest.mark.slow
def test_dials_turned_in_one_of_a_thousand_poses_have_no_undue_weight():
    train, judged = rarely_turned(1000, False, 0), rarely_turned(40, True, 1)
    gate = rc.metrics.difficulty((train, moved(train)), (judged, moved(judged)))
    assert max(method.mean for method in gate.methods[:2]) < gate.motion


def test_a_rarely_turned_dial_counts_as_a_uniform_one():
    train = rarely_turned(1000, False, 0)
    scale = 1.0 / fit_inputs(train, 0, 1.0).project.diagonal()
    # 2 %: the range of a thousand uniform values, and their deviation, differ by so much from draw to draw
    np.testing.assert_allclose(scale[-RARE:], scale[:-RARE].mean(), rtol=0.02)


def test_clips_are_left_out_whole():
    clip = np.repeat(np.arange(3, dtype=np.int32), [5, 1, 4])
    assert [part.tolist() for part in folds(10, clip)] == [[0, 1, 2, 3, 4], [5], [6, 7, 8, 9]]


def test_random_poses_beside_a_clip_are_left_out_in_quarters():
    clip = np.array([-1, -1, 0, -1, -1, 0], np.int32)
    assert [part.tolist() for part in folds(6, clip)] == [[2, 5], [0], [1], [3], [4]]


@pytest.mark.parametrize("clip", [None, np.zeros(8, np.int32), np.full(8, -1, np.int32)])
def test_rows_of_one_clip_are_left_out_in_quarters(clip):
    assert [part.tolist() for part in folds(8, clip)] == [[0, 1], [2, 3], [4, 5], [6, 7]]


def test_of_many_clips_some_are_left_out_together():
    parts = folds(60, np.repeat(np.arange(20, dtype=np.int32), 3))
    assert len(parts) == 8
    assert np.concatenate(parts).tolist() == list(range(60))


def turning_body(frames, seed, bulge=0.1):
    """A chain whose joints turn far; the vertices of joint 2 rise in its frame by the angle of joint 1."""
    rng = np.random.default_rng(seed)
    skeleton = chain_skeleton(4)
    angle = rng.uniform(-2.0, 2.0, (frames, 4))
    poses = np.tile(skeleton.rest.reshape(1, 4, 3, 4), (frames, 1, 1, 1))
    turn = np.zeros((frames, 4, 3, 3))
    turn[..., 0, 0] = turn[..., 1, 1] = np.cos(angle)
    turn[..., 0, 1], turn[..., 1, 0] = -np.sin(angle), np.sin(angle)
    turn[..., 2, 2] = 1.0
    poses[..., :3] = poses[..., :3] @ turn
    poses = poses.reshape(frames, -1).astype(np.float32)
    owner = np.arange(40) % 4
    rest = (skeleton.rest_globals[owner, :, 3] + 0.3 * np.random.default_rng(1).standard_normal((40, 3))).astype(
        np.float32
    )
    faces = np.array([[i, i + 1, i + 2] for i in range(38)], np.int32)
    offset = bulge * np.sin(angle[:, 1])[:, None, None] * (owner == 2)[:, None] * np.array([0.0, 0.0, 1.0])
    moves = skeleton.globals(poses) @ _square(np.linalg.inv(_square(skeleton.rest_globals)))
    points = np.append(rest + offset, np.ones((frames, 40, 1)), axis=2)
    vertices = np.einsum("tvij,tvj->tvi", moves[:, owner], points).astype(np.float32)
    return Samples(skeleton, rest, faces, poses, vertices), owner


def _square(transforms):
    bottom = np.broadcast_to(np.array([0.0, 0.0, 0.0, 1.0]), (*transforms.shape[:-2], 1, 4))
    return np.concatenate([transforms[..., :3, :], bottom], axis=-2)


def test_bodies_are_explained_in_the_bind_pose():
    (train, _), (judged, _) = turning_body(80, 0), turning_body(20, 1)
    gate = rc.metrics.difficulty(train, judged)
    assert gate.space == "bind pose"
    assert "in the bind pose" in gate.verdict(1.0)
    assert gate.methods[0].max < 1e-3 * gate.motion


def test_offsets_in_the_bind_pose_are_those_before_skinning(tolerance):
    data, owner = turning_body(30, 0)
    space = bind_pose(data.skeleton, data.rest_vertices, data.poses, data.vertices, data.poses)
    assert space.joint.tolist() == owner.tolist()
    offsets = data.vertices.copy()
    space.offsets(data.poses, offsets)
    np.testing.assert_allclose(offsets[:, owner != 2], 0.0, atol=tolerance["float32_scaled"])
    lengths = space.lengths(data.poses, offsets)
    np.testing.assert_allclose(lengths, np.linalg.norm(offsets, axis=2), atol=tolerance["float32_scaled"])


def test_a_joint_without_an_inverse_carries_no_vertex():
    data, _ = turning_body(30, 0)
    flat = data.poses.copy()
    flat[3, 12:24] = 0.0  # joint 1, and all below
    space = bind_pose(data.skeleton, data.rest_vertices, flat, data.vertices, data.poses)
    assert set(space.joint.tolist()) == {0}


def test_a_skeleton_without_any_inverse_leaves_the_rigs_space():
    data, _ = turning_body(30, 0)
    assert bind_pose(data.skeleton, data.rest_vertices, 0.0 * data.poses, data.vertices, data.poses).skeleton is None
