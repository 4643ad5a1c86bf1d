"""The motion of the head and the weights of a shot: on what rests, and together where nothing does."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.inverse import Solver
from rigcast.inverse._gram import Gram
from rigcast.inverse._parts import solve_in_parts
from rigcast.inverse._request import Request
from tests.support.characters.moving_head import face_curves, head_turns, moved, moving_face, turn
from tests.support.made.blendshapes import random_rig

FRAMES = 40
NOISE = 0.02  # centimeters


@pytest.fixture(scope="module")
def face():
    return moving_face()


@pytest.fixture(scope="module")
def weights():
    return face_curves(FRAMES)


@pytest.fixture(scope="module")
def still(face, weights):
    clean = face.evaluate(weights.astype(np.float32)).astype(np.float64)
    return clean + np.random.default_rng(1).normal(0, NOISE, clean.shape)


def angle_between(a: np.ndarray, b: np.ndarray) -> float:
    """The largest angle between two series of rotations, in degrees."""
    trace = np.trace(a @ b.transpose(0, 2, 1), axis1=1, axis2=2)
    return float(np.degrees(np.arccos(np.clip((trace - 1) / 2, -1, 1))).max())


def test_weights_are_nearly_as_good_as_those_of_a_still_head(face, weights, still):
    turning = moved(still, head_turns(FRAMES))
    quiet = np.abs(face.columns()).sum(axis=(0, 2)).argsort()[:40]

    def error(shot, **options):
        return np.abs(rc.inverse.solve(face, shot, alpha=0.0, **options).weights - weights).mean()

    baseline = error(still)
    assert error(turning, rigid="auto") < 1.2 * baseline
    assert error(turning, rigid=quiet) > 1.5 * baseline  # what it takes the place of


@pytest.mark.parametrize("degrees", [14, 100])
def test_the_motion_is_found_with_the_weights(face, still, degrees):
    turns = head_turns(FRAMES, degrees)
    found = rc.inverse.solve(face, moved(still, turns), alpha=0.0, rigid="auto")
    assert angle_between(found.transforms[:, :, :3], turns[:, :, :3]) < 0.5
    assert not any("head motion" in text for text in found.warnings)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("kind", ["turn", "shift"])
def test_weights_and_motion_have_the_least_objective(face, still, kind, axis):
    """Neither a turn of 0.06 degrees nor a shift of 0.05 mm lowers it, with weights solved for the moved shot."""
    turning = moved(still, head_turns(FRAMES))
    found = rc.inverse.solve(face, turning, alpha=0.02, rigid="auto")
    assert found.converged.all()
    for step in (-1, 1):
        other = found.transforms.copy()
        if kind == "shift":
            other[:, axis, 3] += 0.005 * step
        else:
            other[:, :, :3] @= turn(axis, 1e-3 * step)
        beside = rc.inverse.solve(face, rc.inverse.in_rig_frame(turning, other), alpha=0.02)
        assert beside.objective.sum() > found.objective.sum()


def test_the_weights_are_those_of_the_shot_without_its_motion(face, still, tolerance):
    turning = moved(still, head_turns(FRAMES))
    found = rc.inverse.solve(face, turning, alpha=0.02, rigid="auto")
    again = rc.inverse.solve(face, rc.inverse.in_rig_frame(turning, found.transforms), alpha=0.02)
    np.testing.assert_allclose(found.weights, again.weights, atol=tolerance["float32_character"])


def test_a_scale_is_found_if_it_is_asked_for(face, weights, still, tolerance):
    turns = head_turns(FRAMES)
    turns[:, :, :3] *= np.linspace(0.9, 1.2, FRAMES)[:, None, None]
    turning = moved(still, turns)
    found = rc.inverse.solve(face, turning, alpha=0.0, rigid="auto", rigid_scale=True)
    size = np.cbrt(np.linalg.det(found.transforms[:, :, :3]))
    np.testing.assert_allclose(size, np.linspace(0.9, 1.2, FRAMES), rtol=tolerance["finite_difference"])
    baseline = np.abs(rc.inverse.solve(face, still, alpha=0.0).weights - weights).mean()
    assert np.abs(found.weights - weights).mean() < 1.2 * baseline
    np.testing.assert_allclose(rc.inverse.in_rig_frame(turning, turns), still, atol=tolerance["float64"])


def test_markers_and_their_weights_decide_alone(face, weights, still, tolerance):
    chosen, omega = np.arange(0, 468, 3), np.random.default_rng(2).uniform(0, 2, 156)
    turning = moved(still, head_turns(FRAMES))
    damaged = turning.copy()
    damaged[:, 1] = 1e3  # no marker
    damaged[:, chosen[7]], omega[7] = -1e3, 0.0
    options = {"alpha": 0.0, "rigid": "auto", "vertices": chosen, "vertex_weights": omega}
    found = rc.inverse.solve(face, damaged, **options)
    assert angle_between(found.transforms[:, :, :3], head_turns(FRAMES)[:, :, :3]) < 1
    np.testing.assert_allclose(
        rc.inverse.solve(face, turning, **options).weights, found.weights, atol=tolerance["printed"]
    )
    only = rc.inverse.solve(face, damaged[:, chosen], **options)
    np.testing.assert_array_equal(only.weights, found.weights)


def test_vertices_at_rest_show_the_motion_where_there_are_some():
    rig = random_rig(seed=3, reach=0.1)
    resting = rc.inverse.resting_vertices(rig)
    assert not np.abs(rig.columns()[:, resting]).any()
    assert np.abs(np.delete(rig.columns(), resting, axis=1)).any(axis=(0, 2)).all()
    rows = np.random.default_rng(4).uniform(0, 1, (12, rig.num_shapes))
    turning = moved(rig.evaluate(rows.astype(np.float32)), head_turns(12))
    by_file, by_word, auto = (
        rc.inverse.solve(rig, turning, alpha=0.0, rigid=rigid) for rigid in (resting, "rest", "auto")
    )
    np.testing.assert_array_equal(by_word.weights, by_file.weights)
    np.testing.assert_array_equal(auto.transforms, by_file.transforms)


def test_a_rig_without_resting_vertices_cannot_use_them(face, still):
    with pytest.raises(ValueError, match=r"rigid is 'rest' where 0 of 468 given vertices rest .*'auto'"):
        rc.inverse.solve(face, still, rigid="rest")


def test_an_unknown_word_is_refused(face, still):
    with pytest.raises(ValueError, match="rigid is 'skull'; it must be 'auto', 'rest', vertices or None"):
        rc.inverse.solve(face, still, rigid="skull")


def test_a_shape_that_moves_the_whole_head_counts_as_its_motion(face, still):
    deltas = np.array(face.columns()[:20])
    deltas[5] = [0.0, 0.0, 1.0]
    rig = rc.BlendshapeRig(face.rest_vertices, deltas)
    found = rc.inverse.solve(rig, still + np.array([0, 0, 2.0]), alpha=0.0, rigid="auto")
    assert not found.weights[:, 5].any()
    assert any("count" in text and rig.shape_names[5] in text for text in found.warnings)


def test_parts_of_a_shot_give_the_whole(face, tmp_path):
    rows = face_curves(150)
    turning = moved(face.evaluate(rows.astype(np.float32)), head_turns(150))
    parts = solve_in_parts(Request(Gram(face), turning, alpha=0.01, rigid="auto"), tmp_path / "parts")
    whole = Solver(face).solve(turning, alpha=0.01, rigid="auto")
    np.testing.assert_array_equal(parts.weights, whole.weights)
    np.testing.assert_array_equal(parts.transforms, whole.transforms)


def test_smooth_weights_are_found_with_the_motion(face, weights, still):
    turning = moved(still, head_turns(FRAMES))
    found = rc.inverse.solve(face, turning, alpha=0.0, smoothness=0.5, rigid="auto")
    alone = rc.inverse.solve(face, still, alpha=0.0, smoothness=0.5)
    assert np.abs(found.weights - weights).mean() < 1.2 * np.abs(alone.weights - weights).mean()
    assert found.converged.all()


def test_a_published_face_shows_its_motion_on_the_skull(data_path, tolerance):
    rig = rc.faces.ict(data_path("ict_facekit"))
    rows = np.random.default_rng(0).uniform(0, 0.5, (8, rig.num_shapes)).astype(np.float32)
    turns = head_turns(8)
    found = rc.inverse.solve(rig, moved(rig.evaluate(rows), turns), alpha=0.0, rigid="auto")
    assert angle_between(found.transforms[:, :, :3], turns[:, :, :3]) < 1e-3
    still = rc.inverse.solve(rig, rig.evaluate(rows), alpha=0.0)
    np.testing.assert_allclose(found.weights, still.weights, atol=tolerance["finite_difference"])


@pytest.mark.parametrize("rigid", ["auto", None])
@pytest.mark.parametrize(("axis", "said"), [(None, 0), (0, 1), (1, 1), (2, 1)])
def test_a_mirrored_shot_is_said(rigid, axis, said):
    """A selfie video or a left-handed program: no rotation brings it onto the face."""
    rig = rc.faces.example()
    frames = rig.evaluate(0.6 * np.random.default_rng(0).random((6, rig.num_shapes), np.float32)).astype(np.float64)
    if axis is not None:
        frames[..., axis] *= -1.0
    found = rc.inverse.solve(rig, frames, rigid=rigid, alpha=0.0)
    assert sum("mirrored" in note for note in found.warnings) == said
