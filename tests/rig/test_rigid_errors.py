"""The table of rigid assignment errors against slow NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast import _core
from tests.rig.slow import slow_skinning
from tests.support.made.models import chain_skeleton, random_poses


def slow_rigid_errors(skeleton, rest_vertices, poses, vertices):
    errors = np.zeros((len(rest_vertices), skeleton.num_joints))
    for pose, frame in zip(poses, vertices, strict=True):
        for j, motion in enumerate(slow_skinning(skeleton, pose)):
            moved = rest_vertices.astype(np.float64) @ motion[:3, :3].T + motion[:3, 3]
            errors[:, j] += ((moved - frame) ** 2).sum(axis=1)
    return errors


@pytest.mark.parametrize(("num_joints", "num_vertices", "frames"), [(1, 1, 1), (5, 64, 3), (7, 131, 4)])
def test_errors_match_numpy(num_joints, num_vertices, frames, tolerance):
    rng = np.random.default_rng(num_vertices)
    skeleton = chain_skeleton(num_joints, seed=1)
    rest = rng.standard_normal((num_vertices, 3)).astype(np.float32)
    poses = random_poses(skeleton, frames, seed=2, numeric=2)
    vertices = rng.standard_normal((frames, num_vertices, 3)).astype(np.float32)
    expected = slow_rigid_errors(skeleton, rest, poses, vertices)
    errors = _core.rigid_errors(skeleton, rest, poses, vertices)
    assert errors.dtype == np.float64
    np.testing.assert_allclose(errors, expected, rtol=tolerance["float32_sum"])  # rest inverses are float32


def test_vertices_that_move_with_a_joint_are_given_to_it(tolerance):
    skeleton = chain_skeleton(6, seed=3)
    rng = np.random.default_rng(0)
    rest = rng.standard_normal((90, 3)).astype(np.float32)
    poses = random_poses(skeleton, 8, seed=4)
    owner = rng.integers(0, 6, 90)
    motions = np.stack([slow_skinning(skeleton, pose)[owner] for pose in poses])
    vertices = np.einsum("tvab,vb->tva", motions, np.append(rest, np.ones((90, 1)), axis=1))[..., :3]
    errors = _core.rigid_errors(skeleton, rest, poses, vertices)
    np.testing.assert_array_equal(errors.argmin(axis=1), owner)
    np.testing.assert_allclose(errors[np.arange(90), owner], 0.0, atol=tolerance["float32_sum"] ** 2 * 8 * 100)


def test_any_number_of_threads_gives_the_same_bytes():
    skeleton = chain_skeleton(4)
    rng = np.random.default_rng(1)
    arguments = (
        skeleton,
        rng.standard_normal((700, 3)),
        random_poses(skeleton, 5),
        rng.standard_normal((5, 700, 3)),
    )
    expected = _core.rigid_errors(*arguments, threads=1).tobytes()
    assert all(_core.rigid_errors(*arguments, threads=n).tobytes() == expected for n in (0, 2, 5))


def test_wrong_inputs_are_named():
    skeleton = chain_skeleton(2)
    rest, poses, vertices = np.zeros((4, 3)), np.tile(skeleton.rest.reshape(1, -1), (3, 1)), np.zeros((3, 4, 3))
    with pytest.raises(ValueError, match=r"rigid_errors: vertices is \(3, 5, 3\); it must be \(3, 4, 3\)"):
        _core.rigid_errors(skeleton, rest, poses, np.zeros((3, 5, 3)))
    with pytest.raises(ValueError, match="rigid_errors: poses is 23 wide; it must be at least 24 wide"):
        _core.rigid_errors(skeleton, rest, poses[:, 1:], vertices)
    with pytest.raises(ValueError, match=r"rigid_errors: rest_vertices is \(4, 2\)"):
        _core.rigid_errors(skeleton, rest[:, :2], poses, vertices)
    for argument in range(3):
        arrays = [rest.copy(), poses.copy(), vertices.copy()]
        arrays[argument].flat[0] = np.nan
        name = ["rest_vertices", "poses", "vertices"][argument]
        with pytest.raises(ValueError, match=f"rigid_errors: {name} is not finite"):
            _core.rigid_errors(skeleton, *arrays)
