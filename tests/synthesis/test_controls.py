"""Clips, rotations, and coordinates of controls."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.rotation_vectors import rotation_vectors, rotations_of
from rigcast._rigs.rotations import euler_to_matrix
from rigcast.synthesis._clips.clips import checked_clips, resampled_clip
from rigcast.synthesis._clips.rotations import Rotations
from rigcast.synthesis._coordinates import Coordinates
from rigcast.synthesis._mesh import ControlledMesh, effects_of
from tests.support.made.synthesis import arm, face, wave

FREE = np.tile([-180.0, 180.0], (3, 1))


def one_joint(order="ZYX"):
    return Rotations(np.array([[0, 1, 2]]), [order])


def test_vectors_of_rotations_return(tolerance):
    random = np.random.default_rng(0)
    vectors = random.normal(size=(200, 3))
    vectors *= (np.linspace(0.0, np.pi - 1e-4, 200) / np.linalg.norm(vectors, axis=1))[:, None]
    np.testing.assert_allclose(rotation_vectors(rotations_of(vectors)), vectors, atol=tolerance["float64_converged"])


def test_the_exponential_is_the_series():
    vector = np.array([0.3, -0.7, 0.4])
    skew = np.array([[0, -0.4, -0.7], [0.4, 0, -0.3], [0.7, 0.3, 0]])
    series, term = np.eye(3), np.eye(3)
    for n in range(1, 25):
        term = term @ skew / n
        series = series + term
    np.testing.assert_allclose(rotations_of(vector), series, atol=1e-14)  # float64, 24 terms


def test_coordinates_return_to_the_same_rotations(tolerance):
    random = np.random.default_rng(1)
    controls = random.uniform(-70.0, 70.0, (50, 4))
    around = Coordinates.around(controls, one_joint(), np.tile([-180.0, 180.0], (4, 1)))
    again = around.unclipped(around.of(controls))
    np.testing.assert_allclose(again[:, 3], controls[:, 3], atol=tolerance["float64"] * 100)  # of 70
    turned = [euler_to_matrix(rows[:, :3], "ZYX") for rows in (again, controls)]
    np.testing.assert_allclose(turned[0], turned[1], atol=tolerance["float64_converged"])


def test_rotations_are_not_averaged_as_angles():
    """A wrist that swings through 180 degrees: the mean of its angles points backwards, the mean rotation does not."""
    angles = np.array([170.0, 175.0, -175.0, -170.0])
    controls = np.stack([angles, np.zeros(4), np.zeros(4)], axis=1)
    around = Coordinates.around(controls, one_joint(), FREE)
    mean = np.abs(around.unclipped(np.zeros((1, 3)))[0, 0])
    assert abs(mean - 180.0) < 1e-6
    assert np.abs(around.of(controls)).max() < 11.0


def test_clips_are_resampled_with_rotations_at_constant_speed(tolerance):
    """Halfway between two orientations is half the rotation, whatever the angles' average is."""
    ends = np.array([[80.0, 60.0, 0.0, 0.0], [-80.0, 60.0, 40.0, 1.0]])
    clip = resampled_clip(rc.synthesis.Clip(ends, fps=1.0), 2.0, one_joint(), np.tile([-180.0, 180.0], (4, 1)))
    assert len(clip) == 3
    assert clip.controls[1, 3] == 0.5
    first, second = euler_to_matrix(ends[:, :3], "ZYX")
    half = first @ rotations_of(0.5 * rotation_vectors(first.T @ second))
    middle = euler_to_matrix(clip.controls[1:2, :3].astype(np.float64), "ZYX")[0]
    np.testing.assert_allclose(middle, half, atol=tolerance["float32_scaled"])
    assert np.abs(clip.controls[1, :3] - ends[:, :3].mean(axis=0)).max() > 5.0


def test_a_clip_of_the_same_rate_keeps_its_bytes():
    controls = np.random.default_rng(0).normal(size=(20, 4)).astype(np.float32)
    clip = resampled_clip(rc.synthesis.Clip(controls, fps=24.0), 24.0, one_joint(), np.tile([-180.0, 180.0], (4, 1)))
    assert clip.controls.tobytes() == controls.tobytes()


def test_what_sources_return_are_clips():
    rows = np.zeros((5, 3))
    action = rc.sources.Action("walk", rows, 30.0)
    given = rc.sources.Retargeted(rows, 0.02, rows, [], np.zeros((5, 0)), [])
    found = checked_clips("fit", {"a": [action, given, rows]}, 24.0, 3)["a"]
    assert [clip.fps for clip in found] == [30.0, 50.0, 24.0]
    assert found[0].name == "walk"


WRONG = {
    "no label": ({}, "clips is {}; it must be a mapping"),
    "an array": ({"a": np.zeros((3, 2))}, r"clips\['a'\] is a ndarray; it must be a list of clips"),
    "no clip": ({"a": []}, r"clips\['a'\] is a list; it must be a list of clips"),
    "no frame": ({"a": [np.zeros((0, 2))]}, r"clips\['a'\]\[0\] is .*; it must be numbers"),
    "two widths": ({"a": [np.zeros((3, 2)), np.zeros((3, 4))]}, r"clips\['a'\]\[1\] is .* \(3, 4\)"),
    "not finite": ({"a": [np.full((3, 2), np.nan)]}, r"clips\['a'\]\[0\] is not finite"),
    "a rate": ({"a": [rc.synthesis.Clip(np.zeros((3, 2)), fps=0.0)]}, r"clips\['a'\]\[0\].fps is 0.0"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_clips_are_named(case):
    given, message = WRONG[case]
    with pytest.raises(ValueError, match=f"^fit: {message}"):
        rc.synthesis.fit(given)


def test_weights_are_those_of_the_paper(tolerance):
    """Equation 5.3 by brute force: the least squares over the steps, of norms, for a rig that bends."""
    rig = arm()
    controls = np.zeros((60, 7))
    controls[:, :6] = 40.0 * np.sin(np.arange(60)[:, None] * np.array([0.1, 0.2, 0.05, 0.13, 0.07, 0.03]))
    mesh = ControlledMesh(rig, "fit")
    around = Coordinates.around(controls, mesh.rotations, mesh.limits)
    deviation = around.of(controls).std(axis=0)
    weights, effects = effects_of(mesh, around, deviation)
    center = rig.sample(around.controls(np.zeros((1, 7))))[1][0].astype(np.float64)
    for i in range(6):
        n = np.array([-2, -1, 0, 1, 2])
        moved = rig.sample(around.controls(n[:, None] * deviation[i] * np.eye(7)[i]))[1] - center
        size = np.sqrt((moved**2).sum(axis=2).mean(axis=1))
        step = np.abs(n * deviation[i])
        grid = np.linspace(0.9, 1.1, 2001) * weights[i]
        best = grid[((size - grid[:, None] * step) ** 2).sum(axis=1).argmin()]
        assert abs(best / weights[i] - 1.0) < tolerance["printed"]
    assert weights[6] == 0.0
    assert effects.shape[0] == 7


def test_effects_of_a_linear_rig_are_its_distances(tolerance):
    rig = face()
    random = np.random.default_rng(0)
    a, b = (random.uniform(0.2, 0.8, (10, 6)) for _ in range(2))
    synth = rc.synthesis.fit({"x": [wave(60, [0.1, 0.2, 0.3, 0.15, 0.25, 0.1])]}, rig=rig, dimensions=2, components=2)
    true = np.sqrt(((rig.evaluate(a) - rig.evaluate(b)).astype(np.float64) ** 2).sum(axis=2).mean(axis=1))
    np.testing.assert_allclose(synth.mesh_distance(a, b), true, rtol=tolerance["float32_sum"])
    features = synth.mesh_features(a) - synth.mesh_features(b)
    np.testing.assert_allclose(np.linalg.norm(features, axis=1), true, rtol=tolerance["float32_sum"])


def test_idle_and_still_controls_are_dropped_and_named():
    clip = wave(60, [0.1, 0.2, 0.3, 0.15, 0.25, 0.1])
    clip[:, 2] = 0.25
    synth = rc.synthesis.fit({"x": [clip]}, rig=face(), dimensions=2, components=3)
    assert synth.dropped == {"shape2": "constant in all clips", "shape5": "no effect on the mesh"}
    played = synth.space("x").controls(synth.space("x").points)
    assert np.ptp(played[:, [2, 5]], axis=0).tolist() == [0.0, 0.0]
    assert played[0, 2] == np.float32(0.25)


def test_clips_without_any_motion_are_refused():
    with pytest.raises(ValueError, match="without any control that moves; it must be clips that move"):
        rc.synthesis.fit({"x": [np.full((30, 6), 0.5)]}, rig=face())
