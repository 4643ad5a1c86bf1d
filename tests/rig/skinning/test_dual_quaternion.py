"""Dual quaternion skinning against slow NumPy, what it promises, and its derivative."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.rig.slow import slow_skinning
from tests.support.made.models import chain_skeleton, random_poses
from tests.support.made.skinning import check_vjp, skinned, tube


def slow_parts(motion, center):
    """Rotation, stretch and translation of a skinning transform about a joint's rest position."""
    u, _, vt = np.linalg.svd(motion[:3, :3])
    rotation = u @ np.diag([1, 1, np.sign(np.linalg.det(u @ vt))]) @ vt
    return rotation, rotation.T @ motion[:3, :3], motion[:3] @ np.append(center, 1) - rotation @ center


def slow_product(a, b):
    (w, x), (v, y) = (a[0], a[1:]), (b[0], b[1:])
    return np.append(w * v - x @ y, w * y + v * x + np.cross(x, y))


def slow_quaternion(rotation):
    """The eigenvector of the quaternion characteristic matrix: no case distinctions."""
    r = rotation
    matrix = np.array(
        [
            [r[0, 0] + r[1, 1] + r[2, 2], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
            [r[2, 1] - r[1, 2], r[0, 0] - r[1, 1] - r[2, 2], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]],
            [r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], r[1, 1] - r[0, 0] - r[2, 2], r[1, 2] + r[2, 1]],
            [r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], r[2, 2] - r[0, 0] - r[1, 1]],
        ]
    )
    return np.linalg.eigh(matrix)[1][:, -1]


def slow_dual_quaternion(model, pose):
    skeleton, tensors = model.skeleton, model.tensors()
    parts = [
        (*slow_parts(motion, center), center)
        for motion, center in zip(
            slow_skinning(skeleton, pose), skeleton.rest_globals[:, :, 3].astype(float), strict=True
        )
    ]
    out = []
    for joints, weights, vertex in zip(tensors["skin.joint"], tensors["skin.weight"], model.rest_vertices, strict=True):
        pivot = slow_quaternion(parts[joints[weights.argmax()]][0])
        point, real, dual = np.zeros(3), np.zeros(4), np.zeros(4)
        for j, w in zip(joints, weights.astype(float), strict=True):
            rotation, stretch, translation, center = parts[j]
            point += w * (center + stretch @ (vertex - center))
            q = slow_quaternion(rotation)
            q = q if q @ pivot >= 0 else -q
            real += w * q
            dual += w * 0.5 * slow_product(np.append(0, translation), q)
        size = np.linalg.norm(real)
        real, dual = real / size, dual / size
        back = real * [1, -1, -1, -1]
        turned = slow_product(slow_product(real, np.append(0, point)), back)[1:]
        out.append(turned + 2 * slow_product(dual, back)[1:])
    return np.array(out)


@pytest.mark.parametrize("stretch", [0.0, 0.15])
@pytest.mark.parametrize("seed", range(3))
def test_evaluate_matches_numpy(seed, stretch, tolerance):
    model = skinned(rc.DualQuaternionSkinning, seed=seed)
    poses = random_poses(model.skeleton, 3, seed, stretch=stretch)
    expected = np.stack([slow_dual_quaternion(model, pose) for pose in poses])
    np.testing.assert_allclose(model.evaluate(poses), expected, atol=tolerance["float32_sum"])


def test_rest_pose_gives_the_rest_mesh(tolerance):
    model = skinned(rc.DualQuaternionSkinning)
    vertices = model.evaluate(model.skeleton.rest.reshape(-1))
    np.testing.assert_allclose(vertices, model.rest_vertices, atol=tolerance["float32_sum"])


def test_one_joint_a_vertex_is_linear_blending(tolerance):
    """Without anything to blend both are the joint's own transform, stretch, shear and mirror included."""
    skeleton, rest, faces, _ = tube()
    weights = np.eye(3)[np.arange(len(rest)) % 3]
    poses = random_poses(skeleton, 4, 1, stretch=0.3)
    poses[3, :12] = np.diag([-1, 1, 1, 1])[:3].reshape(-1)  # a mirrored root
    dual = rc.DualQuaternionSkinning(skeleton, rest, faces, weights).evaluate(poses)
    linear = rc.LinearBlendSkinning(skeleton, rest, faces, weights).evaluate(poses)
    np.testing.assert_allclose(dual, linear, atol=tolerance["float32_sum"])


def test_a_twist_keeps_the_radius(tolerance):
    """Where linear blending collapses the tube ("candy wrapper")."""
    skeleton, rest, faces, weights = tube()
    pose = skeleton.rest.reshape(1, -1).copy()
    angle = np.radians(175)
    pose[0, 12:24].reshape(3, 4)[:, :3] = [
        [np.cos(angle), 0, np.sin(angle)],
        [0, 1, 0],
        [-np.sin(angle), 0, np.cos(angle)],
    ]
    radius = np.linalg.norm(rest[:, [0, 2]], axis=1)
    dual, linear = (
        np.linalg.norm(make(skeleton, rest, faces, weights).evaluate(pose)[0][:, [0, 2]], axis=1)
        for make in (rc.DualQuaternionSkinning, rc.LinearBlendSkinning)
    )
    np.testing.assert_allclose(dual, radius, atol=tolerance["float32_sum"])
    assert linear.min() < 0.1 * radius.min()


def test_antipodal_quaternions_blend_the_short_way(tolerance):
    """Rotations whose quaternions lie on opposite sides differ little: the blend lies between them."""
    skeleton = chain_skeleton(3)
    model = rc.DualQuaternionSkinning(skeleton, np.eye(3), [[0, 1, 2]], np.tile([0.4, 0.3, 0.3], (3, 1)))
    center = [rc.DualQuaternionSkinning(skeleton, np.eye(3), [[0, 1, 2]], np.eye(3)[[j] * 3]) for j in range(3)]
    rest = skeleton.rest.reshape(-1)
    for degrees in range(0, 360, 15):
        pose = rest.copy()
        turn = np.radians(degrees)
        rotation = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
        pose[:12] = (rotation @ rest[:12].reshape(3, 4)).reshape(-1)
        each = np.stack([m.evaluate(pose) for m in center])
        np.testing.assert_allclose(model.evaluate(pose), each.mean(axis=0), atol=tolerance["float32_sum"])


def test_moving_the_world_moves_the_mesh(tolerance):
    """A rigid motion of the root is a rigid motion of the mesh, stretches or not: no world origin plays a part."""
    model = skinned(rc.DualQuaternionSkinning, seed=3, num_joints=4)
    poses = random_poses(model.skeleton, 2, 5, stretch=0.2)
    move = np.vstack([random_poses(chain_skeleton(1), 1, 6, stretch=0.0).reshape(3, 4), [0, 0, 0, 1]])
    moved = poses.copy()
    root = poses[:, :12].reshape(-1, 3, 4)
    moved[:, :12] = (move[:3, :3] @ root + np.pad(move[:3, 3:], ((0, 0), (3, 0)))).reshape(-1, 12)
    expected = model.evaluate(poses) @ move[:3, :3].T + move[:3, 3]
    np.testing.assert_allclose(model.evaluate(moved), expected, atol=tolerance["float32_sum"])


@pytest.mark.parametrize("stretch", [0.0, 0.15])
def test_vjp_matches_finite_differences(stretch, tolerance):
    model = skinned(rc.DualQuaternionSkinning, num_joints=3, num_vertices=12, seed=2)
    check_vjp(model, random_poses(model.skeleton, 2, 1, stretch=stretch), tolerance)


def test_a_flattened_joint_is_finite():
    model = skinned(rc.DualQuaternionSkinning, num_joints=3)
    poses = random_poses(model.skeleton, 3, 0)
    poses[0, :12] = 0.0
    poses[1, :12] = np.diag([1.0, 0.0, 0.0, 0.0])[:3].reshape(-1)
    poses[2, :12] = np.diag([1e-18, 1e-18, 1e-18, 0.0])[:3].reshape(-1)
    assert np.isfinite(model.evaluate(poses)).all()
    assert np.isfinite(model.vjp(poses, np.ones((3, *model.rest_vertices.shape)))).all()


def test_any_number_of_threads_gives_the_same_bytes():
    model = skinned(rc.DualQuaternionSkinning, num_vertices=5000)
    poses = random_poses(model.skeleton, 5)
    assert model.evaluate(poses, threads=1).tobytes() == model.evaluate(poses, threads=4).tobytes()
    seeds = np.ones((5, 5000, 3))
    assert model.vjp(poses, seeds, threads=1).tobytes() == model.vjp(poses, seeds, threads=3).tobytes()


def test_save_and_load_round_trip(tmp_path):
    model = skinned(rc.DualQuaternionSkinning)
    model.save(tmp_path / "model.safetensors")
    again = rc.load(tmp_path / "model.safetensors")
    poses = random_poses(model.skeleton, 2)
    assert again.kind == "dual_quaternion"
    assert again.evaluate(poses).tobytes() == model.evaluate(poses).tobytes()
