"""Motion at another rate, beside one frame at a time in quaternions."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast._rigs.motions.resampling import resampled
from rigcast._rigs.rotations import axis_rotation, euler_to_matrix, quaternion_to_matrix


def quaternion_of(matrix):
    """(x, y, z, w) of one rotation that turns by less than 180 degrees."""
    w = np.sqrt(max(0.0, 1 + np.trace(matrix))) / 2
    x, y, z = matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]
    return np.array([x / (4 * w), y / (4 * w), z / (4 * w), w])


def slerp(first, second, share):
    """As Shoemake 1985 writes it, of two rotation matrices."""
    a, b = quaternion_of(first), quaternion_of(second)
    b = b if a @ b > 0 else -b
    angle = np.arccos(min(1.0, a @ b))
    return quaternion_to_matrix((np.sin((1 - share) * angle) * a + np.sin(share * angle) * b) / np.sin(angle))


def motion(frames=6, joints=2):
    random = np.random.default_rng(0)
    local = np.empty((frames, joints, 3, 4))
    local[..., :3] = euler_to_matrix(random.uniform(-60, 60, (frames, joints, 3)), "XYZ")
    local[..., 3] = random.normal(size=(frames, joints, 3))
    return np.concatenate([local.reshape(frames, -1), random.normal(size=(frames, 3))], axis=1)


@pytest.mark.parametrize(("fps", "frames"), [(24.0, 6), (48.0, 11), (30.0, 7), (12.0, 3), (23.976, 5), (60.0, 13)])
def test_frames_lie_between_their_neighbors(fps, frames, tolerance):
    poses = motion()
    found = resampled(poses, 2, 24.0, fps)
    assert len(found) == frames
    for n, row in enumerate(found):
        at = n * 24.0 / fps
        left = min(int(at), 4)
        share = at - left
        linear = (1 - share) * poses[left] + share * poses[left + 1]
        expected = linear.copy()
        for joint in range(2):
            ends = [poses[k, 12 * joint : 12 * joint + 12].reshape(3, 4)[:, :3] for k in (left, left + 1)]
            expected[12 * joint : 12 * joint + 12].reshape(3, 4)[:, :3] = slerp(*ends, share)
        np.testing.assert_allclose(row, expected, atol=5 * tolerance["float32"])


def test_a_turn_of_almost_half_a_circle_has_constant_speed(tolerance):
    local = np.zeros((2, 1, 3, 4))
    local[..., :3] = axis_rotation("Z", np.array([[0.0], [170.0]]))
    found = resampled(local.reshape(2, 12), 1, 1.0, 10.0).reshape(-1, 3, 4)[:, :, :3]
    np.testing.assert_allclose(found, axis_rotation("Z", np.linspace(0, 170, 11)), atol=tolerance["float32"])


def test_a_stretch_is_linear_beside_the_turn(tolerance):
    local = np.zeros((2, 1, 3, 4))
    local[0, 0, :, :3] = np.eye(3)
    local[1, 0, :, :3] = axis_rotation("X", np.array(80.0)) @ np.diag([1.0, 3.0, 1.0])
    found = resampled(local.reshape(2, 12), 1, 1.0, 2.0).reshape(-1, 3, 4)[1, :, :3]
    expected = axis_rotation("X", np.array(40.0)) @ np.diag([1.0, 2.0, 1.0])
    np.testing.assert_allclose(found, expected, atol=tolerance["float32"])


def test_one_frame_stays_one_frame():
    poses = motion(1)
    np.testing.assert_array_equal(resampled(poses, 2, 24.0, 60.0), poses.astype(np.float32))
