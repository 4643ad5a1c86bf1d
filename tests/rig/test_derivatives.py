"""Derivatives of every kind of model that has them: jvp against differences and vjp, the Jacobian against both."""

from __future__ import annotations

import os

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from tests.support.made.blendshapes import random_rig, random_weights
from tests.support.made.kinds import MAKERS, WITH_DERIVATIVES, poses_of
from tests.support.made.models import random_poses
from tests.support.made.skinning import bumpy_tube, skinned


def directions(model, poses, seed=7):
    """Random tangents and cotangents at some poses."""
    rng = np.random.default_rng(seed)
    shape = (len(poses), *model.rest_vertices.shape)
    return rng.standard_normal(poses.shape).astype(np.float32), rng.standard_normal(shape).astype(np.float32)


def check_adjoint(model, poses, tolerance):
    """<J t, c> = <t, J^T c>."""
    tangents, cotangents = directions(model, poses)
    forward = model.jvp(poses, tangents).astype(np.float64) * cotangents
    backward = model.vjp(poses, cotangents).astype(np.float64) * tangents
    scale = np.linalg.norm(forward)
    assert abs(forward.sum() - backward.sum()) < tolerance["float32_sum"] * scale


def assert_close(found, expected, bound):
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found / scale, expected / scale, atol=bound)


# Steps of float32 cross kinks of the many units of deformation maps: tests/face compares with the slow formula.
SMOOTH = [kind for kind in WITH_DERIVATIVES if kind != "face_maps"]


@pytest.mark.parametrize("kind", SMOOTH)
def test_jvp_matches_finite_differences(kind, tolerance):
    model = MAKERS[kind]()
    poses = poses_of(model, 3)
    step = 2e-3 * directions(model, poses)[0]
    ahead, behind = poses + step, poses - step
    expected = model.evaluate(ahead).astype(np.float64) - model.evaluate(behind)
    assert_close(model.jvp(poses, ahead - behind), expected, tolerance["finite_difference"])


@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_jvp_is_the_adjoint_of_vjp(kind, tolerance):
    model = MAKERS[kind]()
    check_adjoint(model, poses_of(model, 3), tolerance)


def test_jvp_and_vjp_agree_at_the_corners_of_tents(tolerance):
    rig = random_rig()
    weights = random_weights(rig, 6)
    weights[0], weights[1] = 0.0, 0.5
    check_adjoint(rig, weights, tolerance)


@pytest.mark.parametrize("seed", range(3))
def test_jvp_and_vjp_agree_where_joints_stretch(seed, tolerance):
    model = skinned(rc.DualQuaternionSkinning, seed=seed)
    check_adjoint(model, random_poses(model.skeleton, 3, seed, stretch=0.3), tolerance)


def test_jvp_and_vjp_agree_where_a_joint_is_flat(tolerance):
    """Where the nearest rotation is not unique both leave its part out."""
    model = skinned(rc.DualQuaternionSkinning, num_joints=3)
    poses = random_poses(model.skeleton, 1)
    poses[0, :12] = 0.0
    check_adjoint(model, poses, tolerance)


def test_jvp_of_a_collapsed_mesh_is_finite():
    for model in (bumpy_tube(loose=1), skinned(rc.DeltaMush, num_joints=3)):
        poses = np.zeros((1, len(model.control_names)), np.float32)
        assert np.isfinite(model.jvp(poses, np.ones_like(poses))).all()


@pytest.mark.parametrize("vertices", [None, [3, 17, 3]])
@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_jacobian_columns_are_jvps(kind, vertices, tolerance):
    """With all vertices it has more rows than columns, with three it has fewer."""
    model = MAKERS[kind]()
    model = model if vertices is None else model.restricted(vertices)
    pose = poses_of(model, 1)
    columns = model.jvp(np.repeat(pose, pose.size, axis=0), np.eye(pose.size))
    assert_close(model.jacobian(pose)[0], columns.reshape(pose.size, -1).T, tolerance["float32_sum"])


@pytest.mark.parametrize("vertices", [None, [3, 17, 3]])
@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_jacobian_rows_are_vjps(kind, vertices, tolerance):
    model = MAKERS[kind]()
    model = model if vertices is None else model.restricted(vertices)
    pose = poses_of(model, 1)
    size = model.rest_vertices.size
    rows = model.vjp(np.repeat(pose, size, axis=0), np.eye(size).reshape(size, -1, 3))
    assert_close(model.jacobian(pose)[0], rows, tolerance["float32_sum"])


@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_one_pose_has_the_bytes_of_a_batch(kind):
    model = MAKERS[kind]()
    poses = poses_of(model, 5)
    tangents = directions(model, poses)[0]
    assert model.jvp(poses[2], tangents[2]).tobytes() == model.jvp(poses, tangents)[2].tobytes()
    assert model.jacobian(poses[2]).tobytes() == model.jacobian(poses)[2].tobytes()


@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_any_number_of_threads_gives_the_same_derivatives(kind):
    model = MAKERS[kind]()
    poses = poses_of(model, 9)
    tangents = directions(model, poses)[0]
    assert model.jvp(poses, tangents, threads=1).tobytes() == model.jvp(poses, tangents, threads=4).tobytes()
    assert model.jacobian(poses, threads=1).tobytes() == model.jacobian(poses, threads=4).tobytes()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda m, p: m.jvp(p, p[:1]), r"jvp: tangents is \(1, 61\); it must be \(2, 61\)"),
        (lambda m, p: m.jvp(p, p[0]), r"jvp: tangents is float32 \(61,\); it must be an array of numbers \(T, C\)"),
        (lambda m, p: m.jvp(p[0], p), r"jvp: tangents is float32 \(2, 61\); it must be an array of numbers \(C,\)"),
        (lambda m, p: m.jvp(p, p * np.nan), r"jvp: tangents is not finite everywhere \(nan at \(0, 0\)\)"),
        (lambda m, p: m.jvp(p * np.inf, p), "jvp: poses is not finite"),
        (lambda m, p: m.jvp(p[:, :9], p), "jvp: poses is 9 wide; it must be 61 wide"),
        (lambda m, p: m.jvp(p, np.sign(p) * 3e38), "jvp: tangents is so large that the derivative overflows"),
        (lambda m, p: m.jvp(p, p, "abacus"), "jvp: device is 'abacus'; it must be one of: cpu"),
        (lambda m, p: m.jvp(p, p, threads=-1), "jvp: threads is -1"),
        (lambda m, p: m.jacobian(p[:, :9]), "jacobian: poses is 9 wide; it must be 61 wide"),
        (lambda m, p: m.jacobian(p * np.nan), "jacobian: poses is not finite"),
        (lambda m, p: m.jacobian(p, "abacus"), "jacobian: device is 'abacus'; it must be one of: cpu"),
        (lambda m, p: m.jacobian(p, threads=-1), "jacobian: threads is -1"),
    ],
)
def test_wrong_arguments_are_named(call, text):
    model = MAKERS["linear_blend"]()
    with pytest.raises(ValueError, match=text):
        call(model, poses_of(model, 2))


# AddressSanitizer ends the process at a request that the system itself would only refuse.
REFUSED_REQUESTS = pytest.mark.skipif(
    "asan" in os.environ.get("LD_PRELOAD", ""), reason="AddressSanitizer ends the process at requests beyond memory"
)


@REFUSED_REQUESTS
def test_a_jacobian_beyond_memory_is_named():
    """More bytes than a processor can address, asked for by a few megabytes of poses."""
    skeleton = rc.Skeleton([f"j{i}" for i in range(2000)], [-1] * 2000, np.tile(np.eye(3, 4), (2000, 1, 1)))
    one = rc.LinearBlendSkinning(skeleton, np.zeros((1, 3)), np.zeros((0, 3), int), (np.zeros((1, 1), int), [[1.0]]))
    model = one.restricted(np.zeros(1_000_000, int))
    poses = np.zeros((500, 24000), np.float32)
    with pytest.raises(ValueError, match=r"jacobian: poses is so many that the result \(500, 3000000, 24000\) does"):
        model.jacobian(poses)


def test_derivatives_are_methods_of_every_model():
    for name in ("jvp", "jacobian", "restricted", "session"):
        assert getattr(_core.Deformer, name).__doc__


@REFUSED_REQUESTS
def test_poses_too_many_to_copy_are_named():
    model = MAKERS["linear_blend"]()
    poses = np.broadcast_to(np.float64(0), (2**42, len(model.control_names)))  # beyond any address space
    with pytest.raises(ValueError, match=r"jacobian: poses is .*too many to copy"):
        model.jacobian(poses)
