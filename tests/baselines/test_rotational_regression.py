"""Rotational regression: against a dense solve in NumPy, what it is published for, and named errors."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.rotation_vectors import rotation_vectors
from rigcast.baselines import Samples, linear_blend, rotational_regression
from tests.baselines.baselines import random_rotational_regression, random_rotational_regression_tensors
from tests.support.made.kinds import poses_of
from tests.support.made.skinning import tube


def turned(axis, angle):
    """Rotations (T, 3, 3) about an axis of the coordinates."""
    result = np.tile(np.eye(3), (len(angle), 1, 1))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    result[:, i, i] = result[:, j, j] = np.cos(angle)
    result[:, j, i], result[:, i, j] = np.sin(angle), -np.sin(angle)
    return result


def tube_samples(frames, seed=0, bend=1.5, twist=1.8):
    """A tube of three joints that bends and twists; dual quaternion skinning keeps its volume."""
    skeleton, rest, faces, weights = tube(rings=19, sides=8)
    joint = np.argsort(-weights, axis=1)[:, :2]
    truth = rc.DualQuaternionSkinning(skeleton, rest, faces, (joint, np.take_along_axis(weights, joint, 1)))
    rng = np.random.default_rng(seed)
    poses = np.tile(skeleton.rest, (frames, 1, 1, 1))
    for j in (1, 2):
        x, y = rng.uniform(-bend, bend, frames), rng.uniform(-twist, twist, frames)
        poses[:, j, :, :3] = turned(0, x) @ turned(1, y)
    poses = poses.reshape(frames, -1).astype(np.float32)
    return Samples(skeleton, rest, faces, poses, truth.evaluate(poses))


def mean_error(model, data):
    return rc.metrics.vertex_error(data.vertices, model.evaluate(data.poses)).mean


def exponential(r):
    """exp of [r]x by its series."""
    cross = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    result, term = np.eye(3), np.eye(3)
    for n in range(1, 40):
        term = term @ cross / n
        result = result + term
    return result


def slow(tensors, skeleton, pose):
    """The vertices of one pose: a dense least squares over edges of unit directions in each triangle's plane."""
    local = pose[: 12 * skeleton.num_joints].reshape(-1, 3, 4).astype(np.float64)
    theta = []
    for matrix, rest in zip(local[..., :3], skeleton.rest[..., :3].astype(np.float64), strict=True):
        left, _, right = np.linalg.svd(matrix)
        rest_left, _, rest_right = np.linalg.svd(rest)
        rotation, rest_rotation = (
            (u * [1, 1, np.linalg.det(u @ v)]) @ v for u, v in ((left, right), (rest_left, rest_right))
        )
        theta.append(rotation_vectors(rest_rotation.T @ rotation))
    last = np.tile([[[0, 0, 0, 1.0]]], (skeleton.num_joints, 1, 1))
    square = [
        np.append(t.astype(np.float64), last, 1) for t in (skeleton.globals(pose[None])[0], skeleton.rest_globals)
    ]
    skinning = square[0] @ np.linalg.inv(square[1])
    rest = tensors["rotation.rest"].astype(np.float64)
    rows, right_side = [], []
    for f, corners in enumerate(tensors["rotation.faces"]):
        y = tensors["rotation.bias"][f].astype(np.float64)
        for i, j in enumerate(tensors["rotation.joint"][f]):
            if j >= 0:
                y = y + tensors["rotation.weight"][f, i].reshape(9, 3) @ theta[j]
        stretch = y[[3, 4, 5, 4, 6, 7, 5, 7, 8]].reshape(3, 3)
        gradient = skinning[tensors["rotation.bone"][f], :3, :3] @ exponential(y[:3]) @ stretch
        edges = (rest[corners[1:]] - rest[corners[0]]).T  # (3, 2)
        plane, triangle = np.linalg.qr(edges)
        root = np.sqrt(0.5 * abs(np.linalg.det(triangle)))
        for d in range(2):  # the derivative along a unit direction of the plane
            row = np.zeros(len(rest))
            along = np.linalg.solve(triangle, np.eye(2))[:, d]
            row[corners[1:]] = along
            row[corners[0]] = -along.sum()
            rows.append(root * row)
            right_side.append(root * gradient @ plane[:, d])
    for a, joint, weight in zip(*(tensors[n] for n in ("rotation.anchor", "skin.joint", "skin.weight")), strict=True):
        rows.append(np.eye(len(rest))[a])
        right_side.append(np.einsum("n,nij,j->i", weight, skinning[joint, :3], np.append(rest[a], 1.0)))
    return np.linalg.lstsq(np.array(rows), np.array(right_side), rcond=None)[0][tensors["rotation.output"]]


def test_the_engine_is_a_dense_least_squares(tolerance):
    model = random_rotational_regression(num_vertices=16)
    tensors, _ = random_rotational_regression_tensors(num_vertices=16)
    poses = poses_of(model, 3)
    expected = [slow(tensors, model.skeleton, pose) for pose in poses]
    np.testing.assert_allclose(model.evaluate(poses), expected, atol=tolerance["float32_sum"])


@pytest.mark.parametrize("angle", [0.0, 1e-7, 0.3, 2.0, 3.0, 3.14159])
def test_a_rotation_vector_is_axis_times_angle(angle, tolerance):
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    np.testing.assert_allclose(
        rotation_vectors(exponential(angle * axis)[None])[0], angle * axis, atol=tolerance["float32"]
    )


@pytest.mark.parametrize(("bend", "twist"), [(1.5, 0.0), (0.0, 2.0), (1.5, 1.8)])
def test_a_tube_that_bends_and_twists_keeps_its_shape_better_than_linear_blending(bend, twist):
    data, new = tube_samples(120, 0, bend, twist), tube_samples(40, 1, bend, twist)
    regression, blend = rotational_regression(data), linear_blend(data, None)
    assert mean_error(regression, new) < 0.9 * mean_error(blend, new)


def test_a_rigid_character_is_exact(tolerance):
    data = tube_samples(20, bend=0.0, twist=0.0)
    rolled = turned(2, np.linspace(0, 2, 20))
    data.poses.reshape(20, 3, 3, 4)[:, 0, :, :3] = rolled
    moved = np.einsum("tij,vj->tvi", rolled, data.rest_vertices)
    whole = Samples(data.skeleton, data.rest_vertices, data.faces, data.poses, moved.astype(np.float32))
    model = rotational_regression(whole)
    np.testing.assert_allclose(model.evaluate(data.poses), moved, atol=tolerance["float32_sum"])


def test_more_joints_per_triangle_fit_the_rotations_better():
    data = tube_samples(60)
    error = [rotational_regression(data, n).metadata["training"]["regression_rms"] for n in (1, 2)]
    assert error[1] < error[0]


def test_more_influences_than_turning_joints_are_all_of_them():
    assert rotational_regression(tube_samples(30), 15).metadata["training"]["influences"] == 2


def test_every_connected_part_has_an_anchor():
    data = tube_samples(20)
    two = Samples(
        data.skeleton,
        np.concatenate([data.rest_vertices, data.rest_vertices + np.float32([5, 0, 0]), np.float32([[9, 9, 9]])]),
        np.concatenate([data.faces, data.faces + len(data.rest_vertices)]),
        data.poses,
        np.concatenate([data.vertices, data.vertices, np.full((20, 1, 3), 9, np.float32)], axis=1),
    )
    anchors = rotational_regression(two, anchors=1).tensors()["rotation.anchor"]
    count = len(data.rest_vertices)
    assert anchors.min() < count <= anchors[-2] < 2 * count == anchors[-1]


def test_a_flat_face_does_not_count():
    data = tube_samples(20)
    more = Samples(
        data.skeleton,
        data.rest_vertices,
        np.append(data.faces, [[0, 0, 1, 1]], axis=0).astype(np.int32),
        data.poses,
        data.vertices,
    )
    assert rotational_regression(more).tensors()["rotation.faces"].shape[0] == 2 * len(data.faces)


def test_the_second_protocol_fits_the_judged_clip():
    data, clip = tube_samples(60), tube_samples(12, seed=1)
    first, second = rotational_regression(data), rotational_regression(data, fit_on=clip)
    assert second.metadata["training"]["fitted_on"] == "judged clip"
    assert mean_error(second, clip) < mean_error(first, clip)


def test_the_file_is_the_model(tmp_path):
    data = tube_samples(20)
    model = rotational_regression(data)
    model.save(tmp_path / "model.safetensors")
    loaded = rc.load(tmp_path / "model.safetensors")
    assert loaded.kind == "rotational_regression"
    assert loaded.evaluate(data.poses).tobytes() == model.evaluate(data.poses).tobytes()


def test_any_number_of_threads_gives_the_same_bytes():
    data = tube_samples(40)
    one, three = (rotational_regression(data, threads=n) for n in (1, 3))
    assert one.tensors()["rotation.weight"].tobytes() == three.tensors()["rotation.weight"].tobytes()
    assert one.evaluate(data.poses, threads=1).tobytes() == one.evaluate(data.poses, threads=3).tobytes()


def test_a_pose_has_the_same_bytes_in_any_batch():
    data = tube_samples(40)
    model = rotational_regression(data)
    whole = model.evaluate(data.poses)
    assert all(model.evaluate(data.poses[t : t + 1]).tobytes() == whole[t].tobytes() for t in (0, 17, 39))


def test_joints_that_never_turn_are_no_inputs(tolerance):
    data = tube_samples(20, bend=0.0, twist=0.0)
    data.poses[:, 3] = np.linspace(0, 1, 20)  # the root moves along x
    moved = data.vertices + np.linspace(0, 1, 20, dtype=np.float32)[:, None, None] * np.float32([1, 0, 0])
    model = rotational_regression(Samples(data.skeleton, data.rest_vertices, data.faces, data.poses, moved))
    assert model.metadata["training"]["influences"] == 0
    assert rc.metrics.vertex_error(moved, model.evaluate(data.poses)).max < tolerance["float32_scaled"]


def test_wrong_inputs_are_named():
    data = tube_samples(10)
    flat = data.poses.copy()
    flat.reshape(10, 3, 3, 4)[4, :, :, :3] = 0.0

    def samples(skeleton=data.skeleton, faces=data.faces, poses=data.poses):
        return Samples(skeleton, data.rest_vertices, faces, poses, data.vertices)

    for call, text in [
        (lambda: rotational_regression(samples(skeleton=None)), "pca_regression and dense_network fit"),
        (lambda: rotational_regression(tube_samples(1)), "rotational_regression: data is 1 poses"),
        (lambda: rotational_regression(data, fit_on=tube_samples(1)), "rotational_regression: fit_on is 1 poses"),
        (lambda: rotational_regression(samples(poses=data.poses[:1].repeat(10, 0))), "data is of constant poses"),
        (lambda: rotational_regression(samples(faces=np.int32([[0, 0, 1]]))), "data.faces is without area"),
        (lambda: rotational_regression(samples(poses=flat)), "data.poses is of zero volume at joint 'a' in pose 4"),
        (lambda: rotational_regression(data, 0), "rotational_regression: influences is 0"),
        (lambda: rotational_regression(data, anchors=0), "rotational_regression: anchors is 0"),
        (lambda: rotational_regression(data, most_frames=1), "rotational_regression: most_frames is 1"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()
