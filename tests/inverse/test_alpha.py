"""The alpha that a caller does not give, and the word about one that turns nothing on."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest

import rigcast as rc
from rigcast.errors import SparsityWarning
from rigcast.inverse._parts import solve_in_parts
from rigcast.inverse._request import Request
from tests.inverse.inverse import arrays_of
from tests.support.made.blendshapes import random_rig

FRAMES = 60


@pytest.fixture(scope="module")
def face():
    """A rig in meters, as every glTF is: 8 cm of mesh, shapes of some millimeters."""
    neutral, deltas, combinations = arrays_of("linear", 0, num_vertices=200)
    metadata = {"meters_per_unit": 1.0}
    return rc.BlendshapeRig(0.04 * neutral, 0.005 * deltas, combinations, metadata=metadata)


@pytest.fixture(scope="module")
def curves(face):
    return (np.random.default_rng(1).uniform(0, 1, (FRAMES, face.num_shapes)) ** 3).astype(np.float32)


def test_a_rig_in_meters_gets_its_weights_back(face, curves):
    solved = rc.inverse.solve(face, face.evaluate(curves))
    with pytest.warns(SparsityWarning):
        lost = rc.inverse.solve(face, face.evaluate(curves), alpha=5.0)
    assert not lost.weights.any()
    assert solved.rmse.mean() < 0.05 * lost.rmse.mean()
    assert np.abs(solved.weights - curves).mean() < 0.05


def test_the_choice_is_the_elbow_of_the_sample_and_is_recorded(face, curves):
    targets = face.evaluate(curves)
    solved = rc.inverse.solve(face, targets)
    assert solved.alpha == rc.inverse.trade_off(face, targets, count=24).alpha
    np.testing.assert_array_equal(solved.weights, rc.inverse.solve(face, targets, alpha=solved.alpha).weights)


@pytest.mark.parametrize("options", [{}, {"smoothness": 1e-5}, {"method": "cet"}, {"init": 0.5}, {"fixed": 0.25}])
def test_the_choice_does_not_change_from_call_to_call(face, curves, options):
    options = options | (
        {"fixed": np.where(np.arange(face.num_shapes) == 1, 0.25, np.nan)} if "fixed" in options else {}
    )
    targets = face.evaluate(curves)
    found = {rc.inverse.solve(face, targets, threads=n, **options).alpha for n in (0, 1)}
    assert len(found) == 1


def test_pins_of_single_frames_go_with_their_frames(face, curves):
    pins = np.full(curves.shape, np.nan)
    pins[:, 0] = curves[:, 0]
    solved = rc.inverse.solve(face, face.evaluate(curves), fixed=pins)
    np.testing.assert_array_equal(solved.weights[:, 0], pins[:, 0])


def test_one_frame_is_enough(face, curves):
    frame = face.evaluate(curves[7])
    solved = rc.inverse.solve(face, frame)
    assert solved.rmse[0] < 0.1 * np.sqrt(np.square(frame - face.rest_vertices).sum(axis=-1).mean())


def test_a_resting_face_stays_at_rest_without_a_word(face):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not rc.inverse.solve(face, face.rest_vertices).weights.any()
        assert not rc.inverse.solve(face, face.rest_vertices, alpha=5.0).weights.any()


def test_parts_of_a_shot_have_the_alpha_of_the_whole(face, curves, tmp_path):
    targets = face.evaluate(curves)
    solver = rc.inverse.Solver(face)
    parts = solve_in_parts(Request(solver.gram, targets), tmp_path / "parts", frames=16)
    assert parts.alpha == solver.solve(targets).alpha


def test_too_large_an_alpha_is_told_with_its_factor(face, curves):
    targets = face.evaluate(curves)
    columns = np.asarray(face.columns(), np.float64).reshape(face.num_shapes, -1)
    offsets = (targets - face.rest_vertices).reshape(FRAMES, -1).astype(np.float64)
    pull = 2.0 * (offsets @ columns.T).max()
    with pytest.warns(SparsityWarning, match=f"alpha is {3 * pull:.6g}, 3 times the largest pull"):
        solved = rc.inverse.solve(face, targets, alpha=3 * pull)
    assert "3 times the largest pull" in solved.warnings[-1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rc.inverse.solve(face, targets, alpha=0.2 * pull)


def test_an_alpha_that_turns_nothing_on_in_most_frames_is_told_too(face, curves):
    some = curves.copy()
    some[8:] *= 0.3
    targets = face.evaluate(some)
    pulls = np.max(2.0 * rc.inverse.Solver(face).gram.matrix @ some.T, axis=0)
    alpha = 1.001 * float(np.sort(pulls)[49])  # above those of 50 frames
    moved = pulls > 0.01 * pulls.max()
    counts = f"in {(moved & (pulls < alpha)).sum()} of {moved.sum()} frames that move"
    with pytest.warns(SparsityWarning, match=counts):
        solved = rc.inverse.solve(face, targets, alpha=alpha)
    assert solved.weights.any(axis=1).sum() == 10


def test_a_face_that_mostly_rests_is_no_reason_for_a_word(face, curves):
    quiet = curves.copy()
    quiet[8:] = 0.0
    targets = face.evaluate(quiet) + np.random.default_rng(2).normal(0, 1e-6, (FRAMES, 200, 3)).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rc.inverse.solve(face, targets, alpha=1e-4)


def test_a_resting_part_of_a_moving_shot_is_no_reason_for_a_word(face, curves, tmp_path):
    late = curves.copy()
    late[:16] = 0.05
    targets = face.evaluate(late)
    solver = rc.inverse.Solver(face)
    alpha = 1.2 * float(np.max(2.0 * solver.gram.matrix @ late[0]))
    parts = solve_in_parts(Request(solver.gram, targets, alpha=alpha), tmp_path / "moving", frames=16)
    assert not parts.weights[:16].any()
    assert not any("largest pull" in text for text in parts.warnings)
    parts = solve_in_parts(Request(solver.gram, targets, alpha=5.0), tmp_path / "resting", frames=16)
    assert any("largest pull" in text for text in parts.warnings)


def test_rigs_that_move_only_in_combination_are_chosen_for_too():
    rig = random_rig(seed=5)
    targets = rig.evaluate(np.random.default_rng(0).uniform(0, 1, (12, rig.num_shapes)).astype(np.float32))
    solved = rc.inverse.solve(rig, targets)
    assert solved.weights.any()


@pytest.mark.parametrize("alpha", ["elbow", -1.0, np.nan, None])
def test_other_alphas_are_refused(face, alpha):
    with pytest.raises(ValueError, match=r"solve: alpha is .*; it must be a finite number >= 0"):
        rc.inverse.solve(face, face.rest_vertices, alpha=alpha)


def test_a_wrong_keyword_names_the_function_that_was_called(face):
    with pytest.raises(TypeError, match=r"^solve\(\) got an unexpected keyword argument 'alfa'"):
        rc.inverse.solve(face, face.rest_vertices, alfa=1.0)


def test_solve_and_solver_take_the_same_settings():
    function = inspect.signature(rc.inverse.solve).parameters
    method = inspect.signature(rc.inverse.Solver.solve).parameters
    own = {"rig", "vertices", "vertex_weights"}
    assert {name: p.default for name, p in function.items() if name not in own} == {
        name: p.default for name, p in method.items() if name != "self"
    }
