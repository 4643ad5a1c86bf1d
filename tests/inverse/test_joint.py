"""Whole shots with a temporal term, against a general solver over all frames at once."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.inverse_rigs import random_rig, slow_objective


def shot_value(rig, targets, weights, *, alpha, smoothness):
    own = sum(slow_objective(rig, b, w, alpha=alpha) for b, w in zip(targets, weights, strict=True))
    return own + smoothness * np.square(np.diff(weights, n=2, axis=0)).sum()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("smoothness", [1.0, 300.0])
def test_joint_solve_is_as_good_as_a_general_solver(seed, smoothness, tolerance):
    optimize = pytest.importorskip("scipy.optimize", reason="SciPy is not installed")
    rng = np.random.default_rng(seed)
    rig = random_rig(rng, vertices=15, shapes=4, corrections=3, tents=False)
    times = np.linspace(0, 3, 7)[:, None]
    truth = 0.5 + 0.45 * np.sin(times * rng.uniform(0.5, 2, 4) + rng.uniform(0, 6, 4))
    targets = rig.evaluate(truth) + 0.3 * rng.normal(size=(7, 15, 3)).astype(np.float32)
    result = rc.inverse.solve(rig, targets, alpha=1.0, smoothness=smoothness)
    assert result.converged.all()
    mine = shot_value(rig, targets, result.weights, alpha=1.0, smoothness=smoothness)
    assert result.shot_objective == pytest.approx(mine, rel=tolerance["gram"])

    def value(flat):
        return shot_value(rig, targets, flat.reshape(7, 4), alpha=1.0, smoothness=smoothness)

    start = rc.inverse.solve(rig, targets, alpha=1.0).weights
    other = optimize.minimize(value, start.ravel(), bounds=[(0, 1)] * 28, options={"maxfun": 100000, "ftol": 1e-13})
    assert mine <= other.fun * (1 + 1e-6)


def test_locked_frames_hold_and_the_rest_is_solved_around_them():
    rng = np.random.default_rng(4)
    rig = random_rig(rng)
    targets = rig.evaluate(rng.uniform(0.2, 0.8, size=(9, 8)))
    pins = np.full((9, 8), np.nan)
    pins[4] = 0.5
    free = rc.inverse.solve(rig, targets, alpha=1.0, smoothness=20.0)
    locked = rc.inverse.solve(rig, targets, alpha=1.0, smoothness=20.0, fixed=pins)
    assert (locked.weights[4] == 0.5).all()
    assert locked.converged.all()
    assert locked.shot_objective >= free.shot_objective * (1 - 1e-9)


def test_causal_frames_depend_on_the_past_only():
    rng = np.random.default_rng(5)
    rig = random_rig(rng)
    targets = rig.evaluate(rng.uniform(size=(8, 8)))
    whole = rc.inverse.solve(rig, targets, alpha=1.0, smoothness=50.0, joint=False)
    part = rc.inverse.solve(rig, targets[:5], alpha=1.0, smoothness=50.0, joint=False)
    assert np.array_equal(whole.weights[:5], part.weights)
    bends = [
        np.square(np.diff(r.weights, n=2, axis=0)).sum() for r in (whole, rc.inverse.solve(rig, targets, alpha=1.0))
    ]
    assert bends[0] < bends[1]


def test_causal_optimality_is_that_of_each_frame_given_the_two_before():
    rng = np.random.default_rng(6)
    rig = random_rig(rng)
    targets = rig.evaluate(rng.uniform(size=(8, 8))) + 0.1 * rng.normal(size=(8, 40, 3)).astype(np.float32)
    result = rc.inverse.solve(rig, targets, alpha=1.0, smoothness=50.0, joint=False, tolerance=1e-9)
    assert result.converged.all()

    def value(t, w):
        ahead = 2 * result.weights[t - 1] - result.weights[t - 2] if t >= 2 else w
        return slow_objective(rig, targets[t], w, alpha=1.0) + 50.0 * np.square(w - ahead).sum()

    step = 1e-5
    for t, k in np.ndindex(8, 8):
        here = value(t, result.weights[t])
        for side in (-step, step):
            moved = result.weights[t].copy()
            moved[k] += side
            if 0.0 <= moved[k] <= 1.0:
                # to first order nothing falls faster than told; the rest is curvature
                assert value(t, moved) >= here - result.optimality[t] * step - 1e-9 * abs(here)
    assert result.optimality.max() < 1e-4


def test_joint_solve_reports_its_steps_and_can_be_interrupted_between_them():
    rng = np.random.default_rng(7)
    rig = random_rig(rng)
    targets = rig.evaluate(rng.uniform(size=(30, 8)))
    seen = []
    result = rc.inverse.solve(rig, targets, alpha=1.0, smoothness=50.0, progress=seen.append)
    steps = [report.done for report in seen if report.stage == "smoothing"]
    assert len(steps) > 1
    assert steps == sorted(steps)
    assert seen[-1].message == "solved"
    assert result.converged.all()

    def stop(report):
        if report.stage == "smoothing" and report.done >= 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rc.inverse.solve(rig, targets, alpha=1.0, smoothness=50.0, progress=stop)


@pytest.mark.parametrize("shapes", [7, 20, 45])
def test_blocks_of_many_sizes_solve_the_normal_equations(shapes):
    """Linear rig, solution inside the box, other weights fixed in every frame: one dense linear system."""
    rng = np.random.default_rng(shapes)
    frames, smoothness, alpha = 9, 30.0, 0.5
    rig = rc.BlendshapeRig(np.zeros((60, 3)), rng.normal(size=(shapes, 60, 3)), bounds=(-100.0, 100.0))
    targets = rig.evaluate(rng.normal(size=(frames, shapes)))
    pins = np.where(rng.uniform(size=(frames, shapes)) < rng.uniform(size=(frames, 1)), 0.3, np.nan)
    pins[4] = 0.3
    result = rc.inverse.solve(rig, targets, alpha=alpha, smoothness=smoothness, fixed=pins)

    columns = rig.columns().astype(np.float64).reshape(shapes, -1)
    bend = np.diff(np.eye(frames), n=2, axis=0)
    matrix = np.kron(np.eye(frames), columns @ columns.T) + smoothness * np.kron(bend.T @ bend, np.eye(shapes))
    right = (targets.reshape(frames, -1).astype(np.float64) @ columns.T).ravel() - 0.5 * alpha
    free = np.isnan(pins).ravel()
    expected = np.where(free, 0.0, 0.3)
    expected[free] = np.linalg.solve(matrix[np.ix_(free, free)], (right - matrix @ expected)[free])
    assert np.abs(result.weights.ravel() - expected).max() < 1e-9
    assert result.converged.all()


def waves(rng, frames, shapes):
    """Curves that run through the box."""
    times = np.linspace(0, 30, frames)[:, None]
    return 0.5 + 0.45 * np.sin(times * rng.uniform(0.5, 2, shapes) + rng.uniform(0, 6.3, shapes))


def steps_to_solve(rig, targets, **settings):
    """How many steps a joint solve takes, which must end at the tolerance."""
    seen = []
    result = rc.inverse.solve(rig, targets, threads=1, progress=seen.append, **settings)
    assert result.converged.all()
    return seen[-1].done


def noisy_waves(rng, rig, frames):
    """A shot whose curves stay at their bounds for a while."""
    targets = rig.evaluate(np.clip(waves(rng, frames, rig.num_shapes) * 1.6 - 0.3, 0, 1))
    return targets + 0.3 * rng.normal(size=targets.shape).astype(np.float32)


def test_pairs_of_nearly_equal_shapes_are_solved_to_the_tolerance():
    """What tells the shapes of a pair apart weighs a millionth of their sum: single precision knows little of it."""
    rng = np.random.default_rng(8)
    deltas = rng.normal(size=(20, 60, 3))
    deltas[10:] = deltas[:10] + 1e-3 * rng.normal(size=(10, 60, 3))
    rig = rc.BlendshapeRig(np.zeros((60, 3)), deltas)
    targets = rig.evaluate(waves(rng, 60, 20))
    assert steps_to_solve(rig, targets, alpha=0.1, smoothness=0.01) < 50


def test_a_stiff_temporal_term_on_products_of_three_takes_few_steps():
    """A single weight cut short at its bound bends the whole curve there."""
    rng = np.random.default_rng(13)
    pairs = [((0, 1, 2), rng.normal(size=(40, 3))), ((1, 2, 3), rng.normal(size=(40, 3)))]
    deltas = rng.normal(size=(4, 40, 3))
    rig = rc.BlendshapeRig(np.zeros((40, 3)), deltas, combinations=[(f, 10 * d) for f, d in pairs])
    targets = noisy_waves(rng, rig, 80)
    assert steps_to_solve(rig, targets, alpha=0.0, smoothness=3e5) < 100


@pytest.mark.parametrize("seed", [22, 28, 119])
def test_steps_that_bounds_spoil_are_tried_shorter(seed):
    """Solving again for what bounds leave free may help even less than the step cut short."""
    rng = np.random.default_rng(seed)
    rig = random_rig(rng)
    targets = noisy_waves(rng, rig, 60)
    assert steps_to_solve(rig, targets, alpha=1.0, smoothness=1e5) < 100


def test_joint_solves_give_the_same_bytes_for_any_number_of_threads():
    rng = np.random.default_rng(10)
    rig = random_rig(rng)
    targets = rig.evaluate(waves(rng, 70, rig.num_shapes))
    targets += 0.1 * rng.normal(size=targets.shape).astype(np.float32)
    one, three = (rc.inverse.solve(rig, targets, alpha=1.0, smoothness=30.0, threads=n) for n in (1, 3))
    assert one.converged.all()
    assert np.array_equal(one.weights, three.weights)
