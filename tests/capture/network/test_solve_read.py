"""A shot solved with what a network read: priors by names, landmarks beside or instead of the points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import rigcast as rc
from rigcast.capture import ReadingUse
from rigcast.capture._network.solve_read import LEAST_ERROR, PRIOR
from rigcast.capture._sides import exchanged, shares_of_names
from tests.capture.capture import FOCAL, SIZE, acting, film, tracked_vertices
from tests.capture.network.networks import exact_reading

FRAMES = 12


@pytest.fixture(scope="module")
def shot():
    """A face that acts, few noisy points of it, other exact ones, and the solve of the former."""
    rig = rc.faces.example()
    weights = acting(rig, FRAMES)
    few, others = tracked_vertices(rig, 4, seed=1), tracked_vertices(rig, 60, seed=2)
    exact = film(rig, weights, vertices=few).points
    noisy = exact + np.random.default_rng(0).normal(0, 1.5, exact.shape)
    found = rc.capture.solve(rig, noisy, few, size=SIZE, neutral=0, focal=FOCAL)
    return rig, weights, noisy, found, others, film(rig, weights, vertices=others).points


def error(found, weights):
    return float(np.abs(found.weights - weights).mean())


def reading_of(shot, error=0.05):
    rig, weights, _, _, _, seen = shot
    return exact_reading(list(rig.shape_names), weights, seen, error)


def test_weights_that_were_read_pull_the_solution(shot):
    rig, weights, points, found, *_ = shot
    read = rc.capture.solve_read(rig, found, reading_of(shot), points=points, use=ReadingUse(landmarks="none"))
    assert error(read.found, weights) < 0.8 * error(found, weights)


@pytest.mark.parametrize("how", ["beside", "instead"])
def test_landmarks_that_were_read_help(shot, how):
    rig, weights, points, found, others, _ = shot
    use = ReadingUse(prior=0.0, landmarks=how)
    read = rc.capture.solve_read(rig, found, reading_of(shot), points=points, landmarks=others, use=use)
    assert error(read.found, weights) < 0.8 * error(found, weights)
    count = len(others) + (points.shape[1] if how == "beside" else 0)
    assert read.tracks.points.shape[1] == count
    assert len(read.found.places.vertices) == read.found.residual.shape[1] == count


def test_points_of_the_detector_come_first(shot):
    rig, _, points, found, others, seen = shot
    read = rc.capture.solve_read(rig, found, reading_of(shot), points=points, landmarks=others)
    assert np.array_equal(read.tracks.points, np.concatenate([points, seen], axis=1))
    assert np.array_equal(read.found.places.vertices[: points.shape[1]], found.places.vertices)


def test_nothing_that_is_used_changes_nothing(shot):
    """The neutral, camera and places are those that were found."""
    rig, _, points, found, *_ = shot
    read = rc.capture.solve_read(rig, found, reading_of(shot), points=points, use=ReadingUse(0.0, "none"))
    assert np.array_equal(read.found.weights, found.weights)
    assert np.array_equal(read.found.head, found.head)
    assert np.array_equal(read.found.neutral, found.neutral)


def test_priors_are_as_strong_as_the_errors_allow(shot):
    rig, _, points, found, *_ = shot
    reading = reading_of(shot)
    reading.error[:] = np.linspace(0.001, 0.3, rig.num_shapes)
    _, strength = rc.capture.solve_read(rig, found, reading, points=points, use=ReadingUse(landmarks="none")).priors
    expected = PRIOR / np.maximum(reading.error, LEAST_ERROR) ** 2
    np.testing.assert_allclose(strength, np.tile(expected, (FRAMES, 1)))


def test_lost_frames_have_no_prior(shot):
    rig, _, points, found, *_ = shot
    reading = reading_of(shot)
    reading.lost[4] = True
    _, strength = rc.capture.solve_read(rig, found, reading, points=points, use=ReadingUse(landmarks="none")).priors
    assert (strength[4] == 0.0).all()
    assert (strength[5] > 0.0).all()


def test_given_priors_are_joined_by_their_strengths(shot):
    rig, weights, points, found, *_ = shot
    given = np.full(weights.shape, 0.5), np.full(weights.shape, 3.0)
    use = ReadingUse(landmarks="none")
    target, strength = rc.capture.solve_read(rig, found, reading_of(shot), points=points, use=use, priors=given).priors
    own = PRIOR / 0.05**2
    np.testing.assert_allclose(strength, 3.0 + own)
    np.testing.assert_allclose(target, (3.0 * 0.5 + own * weights) / (3.0 + own))


def test_pins_survive(shot):
    rig, weights, points, found, *_ = shot
    pins = np.full(weights.shape, np.nan)
    pins[3, 2] = 0.4
    read = rc.capture.solve_read(
        rig, found, reading_of(shot), points=points, fixed=pins, use=ReadingUse(landmarks="none")
    )
    assert read.found.weights[3, 2] == 0.4


def test_of_a_mirrored_video_the_sides_are_those_of_the_character(shot):
    rig, weights, points, found, *_ = shot
    mirrored = rc.capture.solve(rig, points, found.places, size=SIZE, neutral=0, focal=FOCAL, mirrored=True)
    read = rc.capture.solve_read(rig, mirrored, reading_of(shot), points=points, use=ReadingUse(landmarks="none"))
    np.testing.assert_allclose(read.priors[0], weights[:, exchanged(rig)])
    assert read.found.mirrored
    assert error(read.found, weights[:, exchanged(rig)]) < 0.8 * error(mirrored, weights[:, exchanged(rig)])


def test_names_are_matched_as_people_spell_them(shot):
    rig, weights, points, found, *_ = shot
    spelled = exact_reading([name[0].upper() + name[1:] for name in rig.shape_names], weights, shot[5])
    read = rc.capture.solve_read(rig, found, spelled, points=points, use=ReadingUse(landmarks="none"))
    np.testing.assert_allclose(read.priors[0], weights)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("jawOpen", {"JawOpen": 1.0}),
        ("cheekPuff", {"cheekPuff_L": 0.5, "cheekPuff_R": 0.5}),
        ("BrowInnerUpRight", {"browInnerUp": 1.0}),
        ("mouthLeft", {"mouthLeft": 1.0}),
        ("eyeBlink", {}),  # of one side alone
        ("tongueOut", {}),
    ],
)
def test_shapes_of_other_sides(wanted, expected):
    names = ["JawOpen", "cheekPuff_L", "cheekPuff_R", "browInnerUp", "mouthLeft", "mouthRight", "eyeBlink_L"]
    assert shares_of_names(names, [wanted]).tolist() == [[expected.get(name, 0.0) for name in names]]


def test_what_was_read_and_what_was_not_is_said(shot):
    rig, weights, points, found, _, seen = shot
    names = list(rig.shape_names)
    reading = exact_reading([*names[:-2], "tongueOut"], weights[:, :-1], seen)
    notes = rc.capture.solve_read(rig, found, reading, points=points, use=ReadingUse(landmarks="none")).found.notes
    assert "20 of 22 shapes were read, of the 21 that the network reads" in notes
    assert f"not read: {names[-2]}, {names[-1]}" in notes


def test_shapes_that_the_network_does_not_read_have_no_prior(shot):
    rig, weights, points, found, _, seen = shot
    reading = exact_reading(list(rig.shape_names), weights, seen)
    reading.error[5] = 0.0  # as gaze
    _, strength = rc.capture.solve_read(rig, found, reading, points=points, use=ReadingUse(landmarks="none")).priors
    assert (strength[:, 5] == 0.0).all()


def test_a_rig_without_any_of_the_names_is_refused(shot):
    rig, weights, points, found, _, seen = shot
    strange = exact_reading([f"s{k}" for k in range(rig.num_shapes)], weights, seen)
    with pytest.raises(ValueError, match=r"rig is without a shape that the network reads \(s0, s1"):
        rc.capture.solve_read(rig, found, strange, points=points)


def test_landmarks_without_places_are_left_out_with_a_note(shot):
    rig, _, points, found, _, seen = shot
    read = rc.capture.solve_read(rig, found, reading_of(shot), points=points)
    assert read.tracks.points.shape == points.shape
    assert (
        f"the network's {seen.shape[1]} landmarks were not used: where they lie on the rig is not known"
        in read.found.notes
    )
    with pytest.raises(ValueError, match=f"must be the vertices of the network's {seen.shape[1]} landmarks"):
        rc.capture.solve_read(rig, found, reading_of(shot), points=points, use=ReadingUse(landmarks="instead"))


def test_joined_points_are_no_detectors_layout(shot):
    """Of 68 in all, lips and eyes would be taken where they are not."""
    rig, _, points, found, others, seen = shot
    count = 68 - points.shape[1]
    reading = exact_reading(list(rig.shape_names), shot[1], seen[:, :count])
    read = rc.capture.solve_read(rig, found, reading, points=points, landmarks=others[:count])
    assert read.tracks.points.shape[1] == 67


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f, r, p: (f, r, p[:5]), "points is"),
        (lambda f, r, p: (f, replace(r, weights=r.weights[:3]), p), "reading is of 3 frames"),
        (lambda f, r, p: (replace(f, neutral=np.zeros(0, np.int64)), r, p), "without a neutral frame"),
    ],
)
def test_what_does_not_fit_is_named(shot, change, words):
    rig, _, points, found, *_ = shot
    found, reading, points = change(found, reading_of(shot), points)
    with pytest.raises(ValueError, match=words):
        rc.capture.solve_read(rig, found, reading, points=points, use=ReadingUse(landmarks="none"))


@pytest.mark.parametrize(("use", "words"), [({"prior": -1.0}, "prior"), ({"landmarks": "both"}, "landmarks is 'both'")])
def test_uses_are_checked(use, words):
    with pytest.raises(ValueError, match=words):
        ReadingUse(**use)
