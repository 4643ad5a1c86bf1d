"""Skin weights fitted to samples: known weights come back, bounds hold, and no simpler construction is better."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from rigcast.baselines import Samples, linear_blend
from tests.support.made.models import chain_skeleton, random_poses


def rigid_poses(skeleton, frames, seed, still=()):
    """Random rotations about the rest's joint positions; joints in `still` keep their rest."""
    poses = random_poses(skeleton, frames, seed, stretch=0.0).reshape(frames, -1, 3, 4)
    poses[:, 1:, :, 3] = skeleton.rest[1:, :, 3]
    for joint in still:
        poses[:, joint] = skeleton.rest[joint]
    return poses.reshape(frames, -1)


def known_rig(num_joints=6, num_vertices=40, influences=3, frames=25, seed=0, still=()):
    """Samples of a linear blend rig, and its dense weights."""
    skeleton = chain_skeleton(num_joints, seed)
    rng = np.random.default_rng(seed)
    weights = np.zeros((num_vertices, num_joints), np.float32)
    moving = [j for j in range(num_joints) if j not in still]
    for row in weights:
        row[rng.permutation(moving)[:influences]] = rng.dirichlet(np.ones(influences))
    rest = rng.standard_normal((num_vertices, 3)).astype(np.float32)
    faces = np.array([[0, 1, 2]], np.int32)
    model = rc.LinearBlendSkinning(skeleton, rest, faces, weights)
    poses = rigid_poses(skeleton, frames, seed + 1, still)
    return Samples(skeleton, rest, faces, poses, model.evaluate(poses)), weights


def dense(model):
    tensors = model.tensors()
    weights = np.zeros((len(model.rest_vertices), model.skeleton.num_joints))
    np.add.at(weights, (np.arange(len(weights))[:, None], tensors["skin.joint"]), tensors["skin.weight"])
    return weights


def rms(model, data):
    return rc.metrics.vertex_error(data.vertices, model.evaluate(data.poses)).rms


def curved(data):
    """Samples that no linear skinning explains."""
    vertices = data.vertices + np.float32(0.2) * np.sin(3 * data.vertices)
    return Samples(data.skeleton, data.rest_vertices, data.faces, data.poses, vertices)


@pytest.mark.parametrize("influences", [3, 5, None])
def test_known_weights_come_back(influences, tolerance):
    data, weights = known_rig()
    model = linear_blend(data, influences)
    assert model.kind == "linear_blend"
    np.testing.assert_allclose(dense(model), weights, atol=tolerance["float32_sum"])
    assert rms(model, data) < tolerance["float32_sum"]


def test_one_influence_is_the_best_rigid_joint():
    data, _ = known_rig(seed=4)
    best = _core.rigid_errors(data.skeleton, data.rest_vertices, data.poses, data.vertices).argmin(axis=1)
    model = linear_blend(data, 1)
    np.testing.assert_array_equal(model.tensors()["skin.joint"][:, 0], best)
    np.testing.assert_array_equal(model.tensors()["skin.weight"], 1.0)


def test_more_influences_are_never_worse():
    data = curved(known_rig(num_joints=8, influences=6, seed=1)[0])
    errors = [rms(linear_blend(data, k), data) for k in (1, 2, 3, 4, None)]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 1.5 * errors[-1]


def test_full_fit_matches_scipy(tolerance):
    nnls = pytest.importorskip("scipy.optimize", reason="SciPy is not installed").nnls
    data = curved(known_rig(seed=2)[0])
    fitted = dense(linear_blend(data, None))
    inverse = np.linalg.inv(np.concatenate([data.skeleton.rest_globals, np.tile([[[0, 0, 0, 1]]], (6, 1, 1))], axis=1))
    skinning = data.skeleton.globals(data.poses).astype(np.float64) @ inverse
    for k in range(0, 40, 5):
        moved = skinning @ np.append(data.rest_vertices[k], 1.0)  # (T, J, 3)
        columns = moved.transpose(0, 2, 1).reshape(-1, 6)
        heavy = 1e4
        target = np.append(data.vertices[:, k].reshape(-1).astype(np.float64), heavy)
        expected, _ = nnls(np.vstack([columns, np.full((1, 6), heavy)]), target)
        np.testing.assert_allclose(fitted[k], expected, atol=tolerance["float32_sum"])


def test_bounded_fit_is_within_reach_of_every_choice(tolerance):
    """Against all pairs of joints: the search finds the best pair nearly everywhere, and is never far off."""
    data = curved(known_rig(num_joints=9, influences=5, seed=3)[0])
    fit = _core.LinearBlendFit(data.skeleton, data.rest_vertices, np.arange(9))
    fit.add(data.poses, data.vertices)
    _, _, found = fit.solve(2)
    best = np.full(len(found), np.inf)
    for pair in itertools.combinations(range(9), 2):
        only = _core.LinearBlendFit(data.skeleton, data.rest_vertices, pair)
        only.add(data.poses, data.vertices)
        best = np.minimum(best, only.solve(0)[2])
    assert (found >= best * (1 - tolerance["gram"])).all()
    assert (found <= best * (1 + tolerance["gram"])).mean() > 0.9
    assert (found <= best * 1.1).all()


def test_the_second_protocol_fits_the_judged_clip():
    data = curved(known_rig(num_joints=8, influences=6, seed=1)[0])
    poses = rigid_poses(data.skeleton, 9, seed=40)
    clip = Samples(data.skeleton, data.rest_vertices, data.faces, poses, data.vertices[:9])
    first, second = linear_blend(data, 4), linear_blend(data, 4, fit_on=clip)
    assert rms(second, clip) < rms(first, clip)
    assert second.metadata["training"]["fitted_on"] == "judged clip"


def test_joints_that_follow_their_parent_are_one_with_it(tolerance):
    data, weights = known_rig(num_joints=7, still=(2, 5), seed=5)
    model = linear_blend(data, None)
    np.testing.assert_allclose(dense(model), weights, atol=tolerance["float32_sum"])
    assert not np.isin(model.tensors()["skin.joint"], [2, 5]).any()


def test_examples_may_come_in_pieces(tolerance):
    data = curved(known_rig(seed=6)[0])
    whole = _core.LinearBlendFit(data.skeleton, data.rest_vertices, np.arange(6))
    whole.add(data.poses, data.vertices)
    pieces = _core.LinearBlendFit(data.skeleton, data.rest_vertices, np.arange(6))
    pieces.add(data.poses[:7], data.vertices[:7])
    pieces.add(data.poses[7:], data.vertices[7:])
    assert pieces.num_examples == whole.num_examples == 25
    for a, b in zip(whole.solve(0), pieces.solve(0), strict=True):
        np.testing.assert_allclose(a, b, atol=tolerance["float32"])


def test_a_distant_character_is_fitted_as_well():
    """Nothing is lost where the poses carry the mesh far away: rounding of the float32 vertices is all that is left."""
    data, weights = known_rig(seed=7)
    poses = data.poses.reshape(-1, 6, 3, 4).copy()
    poses[:, 0, :, 3] += np.random.default_rng(0).uniform(-1000, 1000, (len(poses), 3)).astype(np.float32)
    poses = poses.reshape(len(poses), -1)
    model = rc.LinearBlendSkinning(data.skeleton, data.rest_vertices, data.faces, weights)
    far = Samples(data.skeleton, data.rest_vertices, data.faces, poses, model.evaluate(poses))
    # Weights, which sum to one, from samples: least squares leaves half a hundredth.
    np.testing.assert_allclose(dense(linear_blend(far, None)), weights, atol=5e-3)
    assert rms(linear_blend(far, None), far) < 1e-3


def test_any_number_of_threads_gives_the_same_bytes():
    data = curved(known_rig(num_vertices=90, seed=8)[0])
    fitted = [linear_blend(data, 2, threads=n).tensors() for n in (1, 3)]
    assert all(fitted[0][name].tobytes() == fitted[1][name].tobytes() for name in fitted[0])


def test_a_data_set_keeps_its_names_and_rows(tmp_path, cylinder_rig, tolerance):
    data = rc.sampling.sample(cylinder_rig, tmp_path / "cylinder.rwdata", count=60, seed=0, workers=1)
    stages = []
    model = linear_blend(data, 4, rows=np.arange(50), progress=stages.append)
    assert model.metadata["data_hash"] == data.hash
    assert model.metadata["licence"] == data.licence
    assert model.metadata["training"]["samples"] == 50
    assert model.metadata["training"]["influences"] == 4
    assert model.control_names == data.pose_names
    assert model.meters_per_unit == data.meters_per_unit
    assert model.up_axis == data.up_axis
    np.testing.assert_array_equal(model.control_ranges[:, 1], data.poses[:50].max(axis=0))
    assert stages[-1].done == stages[-1].total == 50
    error = rc.metrics.vertex_error(data.vertices[:50], model.evaluate(data.poses[:50]))
    assert model.metadata["training"]["rms"] == pytest.approx(error.rms, rel=tolerance["float32_sum"])


def test_wrong_inputs_are_named():
    data, _ = known_rig()
    boneless = Samples(None, data.rest_vertices, data.faces, data.poses, data.vertices)
    for call, text in [
        (lambda: linear_blend(boneless), "linear_blend: data is without a skeleton"),
        (lambda: linear_blend(data, 0), "linear_blend: influences is 0; it must be None or at least 1"),
        (lambda: linear_blend(data, rows=[]), "linear_blend: rows is"),
        (lambda: linear_blend(data, rows=[25]), r"linear_blend: rows is 25 at 0; it must be integers .* from 0 to 24"),
        (
            lambda: linear_blend(
                Samples(data.skeleton, data.rest_vertices, data.faces, data.poses, data.vertices[:, 1:])
            ),
            r"LinearBlendFit.add: vertices is \(25, 39, 3\); it must be \(25, 40, 3\)",
        ),
        (lambda: _core.LinearBlendFit(data.skeleton, data.rest_vertices, [6]), "LinearBlendFit: joints is 6 somewhere"),
        (lambda: _core.LinearBlendFit(data.skeleton, data.rest_vertices, []), "LinearBlendFit: joints is"),
        (
            lambda: _core.LinearBlendFit(data.skeleton, data.rest_vertices, [0]).solve(),
            "LinearBlendFit.solve: the number of examples is 0",
        ),
    ]:
        with pytest.raises(ValueError, match=text):
            call()
