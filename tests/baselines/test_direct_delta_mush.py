"""Direct delta mush: the published equations in slow NumPy, and what makes it stand for delta mush."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from rigcast.baselines import Samples, direct_delta_mush
from rigcast.baselines._direct_delta_mush import mush_tensors
from tests.support.made.models import common_tensors, metadata
from tests.support.made.skinning import bent, bumpy_tube

ITERATIONS, STEP = 4, 0.5


def tube_and_weights():
    model = bumpy_tube(rc.LinearBlendSkinning)
    tensors = model.tensors()
    weights = np.zeros((len(model.rest_vertices), 3))
    np.add.at(weights, (np.arange(len(weights))[:, None], tensors["skin.joint"]), tensors["skin.weight"])
    return model, weights


def direct(model, weights, iterations=ITERATIONS):
    """The model of given weights."""
    tensors = common_tensors(model.skeleton, len(model.rest_vertices)) | {
        "rest_vertices": np.asarray(model.rest_vertices),
        "faces": np.asarray(model.faces),
        **mush_tensors(np.asarray(model.rest_vertices), np.asarray(model.faces), weights, iterations, STEP, 0.0),
    }
    return _core.model_from_tensors(tensors, metadata("direct_delta_mush", model.skeleton))


def smoothing_matrix(model, iterations=ITERATIONS):
    adjacency = np.zeros((len(model.rest_vertices),) * 2)
    for a, b in _core.edges(model.faces, len(adjacency)):
        adjacency[a, b] = adjacency[b, a] = 1
    one = (1 - STEP) * np.eye(len(adjacency)) + STEP * adjacency / adjacency.sum(axis=1)[:, None]
    return np.linalg.matrix_power(one, iterations)


def square(transforms):
    last = np.broadcast_to([0.0, 0.0, 0.0, 1.0], (*transforms.shape[:-2], 1, 4))
    return np.concatenate([transforms, last], axis=-2)


def slow(model, weights, poses):
    """Le and Lewis 2019, equations 11 to 13: about the origin, one vertex after another."""
    rest = np.append(np.asarray(model.rest_vertices, np.float64), np.ones((len(weights), 1)), axis=1)
    smooth = smoothing_matrix(model)
    skeleton = model.skeleton
    rest_inverse = np.linalg.inv(square(skeleton.rest_globals.astype(np.float64)))
    moves = square(skeleton.globals(poses).astype(np.float64)) @ rest_inverse
    out = np.zeros((len(poses), len(rest), 3))
    for t in range(len(poses)):
        for k in range(len(rest)):
            psi = np.einsum("i,ij,ia,ib->jab", smooth[k], weights, rest, rest)
            omega = sum(moves[t, j] @ psi[j] for j in range(len(psi)))
            q, p = omega[:3, 3], psi.sum(axis=0)[:3, 3]
            u, _, vt = np.linalg.svd(omega[:3, :3] - np.outer(q, p))
            turned = u @ np.diag([1, 1, np.linalg.det(u @ vt)]) @ vt
            out[t, k] = turned @ (rest[k, :3] - p) + q
    return out


def test_vertices_are_those_of_the_published_equations(tolerance):
    model, weights = tube_and_weights()
    poses = bent(model)
    found = direct(model, weights).evaluate(poses)
    np.testing.assert_allclose(found, slow(model, weights, poses), atol=tolerance["float32_sum"])


def test_the_rest_pose_is_exact(tolerance):
    model, weights = tube_and_weights()
    found = direct(model, weights).evaluate(model.skeleton.rest.reshape(1, -1))[0]
    np.testing.assert_allclose(found, model.rest_vertices, atol=tolerance["float32"])


def test_a_moved_root_moves_all(tolerance):
    model, weights = tube_and_weights()
    poses = bent(model)
    moved = poses.copy()
    moved[:, [3, 7, 11]] += np.float32([100, -50, 20])
    direct_model = direct(model, weights)
    expected = direct_model.evaluate(poses) + np.float32([100, -50, 20])
    np.testing.assert_allclose(direct_model.evaluate(moved), expected, atol=100 * tolerance["float32"])


def test_without_smoothing_it_is_linear_blend_skinning_where_rigid(tolerance):
    """One joint per vertex, no smoothing: both are that joint's motion."""
    model, weights = tube_and_weights()
    rigid = np.eye(3)[weights.argmax(axis=1)]
    blended = rc.LinearBlendSkinning(model.skeleton, model.rest_vertices, model.faces, rigid)
    found = direct(model, rigid, iterations=0).evaluate(bent(model))
    np.testing.assert_allclose(found, blended.evaluate(bent(model)), atol=tolerance["float32_sum"])


def test_it_stands_for_delta_mush():
    """Nearer to delta mush than linear blend skinning is, by far: what it was published for."""
    model, weights = tube_and_weights()
    poses = bent(model)
    mush = rc.DeltaMush(
        model.skeleton, model.rest_vertices, model.faces, weights, iterations=ITERATIONS, step=STEP
    ).evaluate(poses)
    near = rc.metrics.vertex_error(mush, direct(model, weights).evaluate(poses)).mean
    assert near < 0.5 * rc.metrics.vertex_error(mush, model.evaluate(poses)).mean


def test_loose_vertices_follow_their_joints(tolerance):
    model = bumpy_tube(rc.LinearBlendSkinning, loose=2)
    tensors = model.tensors()
    weights = np.zeros((len(model.rest_vertices), 3))
    np.add.at(weights, (np.arange(len(weights))[:, None], tensors["skin.joint"]), tensors["skin.weight"])
    found = direct(model, weights).evaluate(bent(model))[:, -2:]
    np.testing.assert_allclose(found, model.evaluate(bent(model))[:, -2:], atol=tolerance["float32_sum"])


def samples(seed=0, frames=30):
    """Delta mush of a bumpy tube in random bends."""
    truth = bumpy_tube(rc.DeltaMush, iterations=ITERATIONS, step=STEP)
    rng = np.random.default_rng(seed)
    poses = np.concatenate([bent(truth, degrees=float(d)) for d in rng.uniform(10, 60, frames // 3)])
    faces = np.asarray(truth.faces)
    return Samples(truth.skeleton, np.asarray(truth.rest_vertices), faces, poses, truth.evaluate(poses))


def test_fitted_to_samples_it_follows_them():
    data, new = samples(), samples(seed=1)
    model = direct_delta_mush(data, 3, iterations=ITERATIONS)
    assert rc.metrics.vertex_error(new.vertices, model.evaluate(new.poses)).mean < 0.02


def test_the_file_is_the_model(tmp_path):
    data = samples(frames=6)
    model = direct_delta_mush(data, 3)
    model.save(tmp_path / "model.safetensors")
    loaded = rc.load(tmp_path / "model.safetensors")
    assert loaded.evaluate(data.poses).tobytes() == model.evaluate(data.poses).tobytes()


def test_the_second_protocol_fits_the_judged_clip():
    model = direct_delta_mush(samples(), 3, fit_on=samples(seed=1, frames=9))
    assert model.metadata["training"]["fitted_on"] == "judged clip"
    assert model.metadata["error"]["poses"] == 9


def test_wrong_inputs_are_named():
    data = samples(frames=6)
    boneless = Samples(None, data.rest_vertices, data.faces, data.poses, data.vertices)
    for call, text in [
        (lambda: direct_delta_mush(boneless), "direct_delta_mush: data is without a skeleton"),
        (lambda: direct_delta_mush(data, 0), "direct_delta_mush: influences is 0"),
        (lambda: direct_delta_mush(data, iterations=-1), "direct_delta_mush: iterations is -1"),
        (lambda: direct_delta_mush(data, step=0.0), "direct_delta_mush: step is 0"),
        (lambda: direct_delta_mush(data, rows=[0]), "direct_delta_mush: data is 1 poses; it must be at least 2"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()
