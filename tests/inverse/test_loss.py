"""Robust losses: against a general solver on the vertices, against finite differences, and on targets with outliers."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.inverse import Solution, Solver
from rigcast.inverse._choices.loss import RobustLoss
from rigcast.inverse._choices.reweighting import _pulled, objective
from rigcast.inverse._distances import posed
from rigcast.inverse._gram import Gram
from rigcast.inverse._methods.descent import descent
from rigcast.inverse._parts import solve_in_parts
from rigcast.inverse._problem import make_problem
from rigcast.inverse._request import Request
from tests.conftest import TOLERANCES
from tests.inverse.inverse import arrays_of, shot_of
from tests.support.made.blendshapes import slow_blendshapes

LOSSES = ("huber", "tukey")
FRAMES, SCALE, ALPHA = 4, 0.3, 0.05


def slow_rho(name, square, scale):
    """The loss of one squared distance, as its definition has it."""
    inside = square <= scale**2
    if name == "huber":
        return square if inside else 2 * scale * np.sqrt(square) - scale**2
    return scale**2 / 3 * (1 - (1 - square / scale**2) ** 3) if inside else scale**2 / 3


def slow_robust(arrays, target, weights, name, omega=None):
    apart = np.square(slow_blendshapes(*arrays, np.asarray(weights, np.float64)) - target.astype(np.float64)).sum(
        axis=1
    )
    omega = np.ones(len(apart)) if omega is None else omega
    return sum(o * slow_rho(name, s, SCALE) for o, s in zip(omega, apart, strict=True)) + ALPHA * np.sum(weights)


def damaged(kind="any", seed=0, frames=FRAMES, share=0.05, noise=0.02):
    """A rig, its arrays, weights, their noisy meshes, and the same with some vertices far off."""
    arrays = arrays_of(kind, seed, num_vertices=80)
    rig, _ = shot_of(arrays, frames=1)
    rng = np.random.default_rng(seed)
    truth = rng.uniform(0, 1, (frames, rig.num_shapes)) * (rng.random((frames, rig.num_shapes)) < 0.6)
    clean = rig.evaluate(truth.astype(np.float32))
    clean += noise * rng.standard_normal(clean.shape).astype(np.float32)
    off = rng.random(clean.shape[:2]) < share
    hit = clean + off[..., None] * rng.normal(0, 8, clean.shape).astype(np.float32)
    return rig, arrays, truth, clean, hit.astype(np.float32)


@pytest.mark.parametrize("name", LOSSES)
def test_the_loss_and_its_slope_are_those_of_the_definition(name):
    square = np.linspace(0, 0.5, 200)
    loss = RobustLoss(name, SCALE)
    expected = [slow_rho(name, s, SCALE) for s in square]
    np.testing.assert_allclose(loss.value(square), expected, rtol=TOLERANCES["float64"])
    step = 1e-7
    slopes = [(slow_rho(name, s + step, SCALE) - slow_rho(name, s - step, SCALE)) / (2 * step) for s in square[1:]]
    np.testing.assert_allclose(loss.slope(square)[1:], slopes, atol=1e-6)  # of differences over 1e-7
    assert loss.slope(square)[0] == 1.0
    assert (np.diff(loss.slope(square)) <= 0).all()


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("omega", [None, "weighted"])
def test_the_reweighted_targets_bound_the_objective(name, omega):
    """For any weights the squared problem of the reweighted targets lies above, and touches at those it was made at."""
    rig, arrays, truth, _, hit = damaged()
    weights = np.random.default_rng(1).uniform(0.5, 2, 80) if omega else np.ones(80)
    problem = make_problem(Request(Gram(rig, vertex_weights=weights), hit, alpha=ALPHA))
    rng, loss = np.random.default_rng(2), RobustLoss(name, SCALE)
    at = np.clip(truth + rng.normal(0, 0.2, truth.shape), 0, 1)
    targets = _pulled(problem, at, loss, 1).targets

    def squared(w):
        apart = posed(problem.gram, w).astype(np.float64) - targets
        return np.square(apart).sum(axis=2) @ weights + ALPHA * w.sum(axis=1)

    touch = objective(problem, at, loss) - squared(at)
    np.testing.assert_allclose(
        objective(problem, at, loss), [slow_robust(arrays, b, w, name, weights) for b, w in zip(hit, at, strict=True)]
    )
    gaps = [squared(w) + touch - objective(problem, w, loss) for w in rng.uniform(0, 1, (50, *truth.shape))]
    assert np.min(gaps) > 0


@pytest.mark.parametrize("name", LOSSES)
def test_no_round_raises_the_objective(name):
    rig, _, _, _, hit = damaged(seed=3)
    request, loss = Request(Gram(rig), hit, alpha=ALPHA), RobustLoss(name, SCALE)
    problem = make_problem(request)
    weights, values = np.clip(descent(problem, request)[0], 0, 1), []
    for _ in range(6):
        values.append(objective(problem, weights, loss))
        around = problem.with_targets(_pulled(problem, weights, loss, 1).targets, request)
        weights = np.clip(descent(around.starting_at(weights), request)[0], 0, 1)
    falls = -np.diff(values, axis=0)
    assert falls[0].min() > 0
    assert falls.min() > -1e-6 * np.max(values)  # targets are float32


def test_it_is_the_minimum_that_a_general_solver_finds():
    """Huber's loss of a linear rig is convex, so that there is one."""
    optimize = pytest.importorskip("scipy.optimize", reason="SciPy is not installed")
    rig, arrays, _, _, hit = damaged("linear")
    found = rc.inverse.solve(rig, hit, alpha=ALPHA, loss="huber", loss_scale=SCALE)
    assert found.converged.all()
    box = [(0, 1)] * rig.num_shapes
    for frame, target in enumerate(hit):
        best = optimize.minimize(
            lambda w, b=target: slow_robust(arrays, b, w, "huber"), np.full(rig.num_shapes, 0.5), bounds=box, tol=1e-12
        )
        assert found.objective[frame] <= best.fun * (1 + 1e-5)  # the last round falls by less than 1e-6
        assert found.objective[frame] == pytest.approx(slow_robust(arrays, target, found.weights[frame], "huber"))


@pytest.mark.parametrize("name", LOSSES)
def test_optimality_is_that_of_the_robust_objective(name, tolerance):
    rig, arrays, _, _, hit = damaged(seed=5)
    found = rc.inverse.solve(rig, hit, alpha=ALPHA, loss=name, loss_scale=SCALE, max_iterations=1)
    step = 1e-5
    for frame, target in enumerate(hit):
        slopes = []
        for k, w in enumerate(found.weights[frame]):
            unit = step * np.eye(rig.num_shapes)[k]
            up, here, down = (slow_robust(arrays, target, found.weights[frame] + d * unit, name) for d in (1, 0, -1))
            slopes.append(max(0.0, (here - up) / step if w < 1 else 0.0, (here - down) / step if w > 0 else 0.0))
        assert found.optimality[frame] == pytest.approx(max(slopes), rel=0.05, abs=1e-2)  # one-sided differences


@pytest.mark.parametrize("name", LOSSES)
def test_outliers_cost_little_where_squares_follow_them(name):
    rig, _, truth, clean, hit = damaged(frames=12)
    squared, robust, best = (
        np.abs(rc.inverse.solve(rig, shot, alpha=1e-3, **how).weights - truth).mean()
        for shot, how in ((hit, {}), (hit, {"loss": name}), (clean, {}))
    )
    assert robust < 0.25 * squared
    assert robust < 2 * best


def test_what_tukey_ignores_can_be_anywhere(tolerance):
    rig, _, _, clean, hit = damaged(frames=3)
    off = np.abs(hit - clean).max(axis=2) > 0
    farther = (clean + 100 * (hit - clean)).astype(np.float32)
    start = rc.inverse.solve(rig, clean, alpha=ALPHA).weights
    settings = {"alpha": ALPHA, "loss": "tukey", "loss_scale": SCALE, "init": start}
    near, far = (Solver(rig).solve(shot, **settings).weights for shot in (hit, farther))
    np.testing.assert_allclose(near, far, atol=0.02)  # the last round falls by less than a millionth, not by nothing
    holes = [
        rc.inverse.solve(rig, clean[t], alpha=ALPHA, vertices=np.flatnonzero(~off[t])).weights[0] for t in range(3)
    ]
    np.testing.assert_allclose(far, holes, atol=0.05)  # inside the scale Tukey's loss is no square


@pytest.mark.parametrize("name", LOSSES)
def test_a_scale_beyond_every_distance_is_the_squared_solve(name, tolerance):
    rig, _, _, clean, _ = damaged(frames=2)
    squared = rc.inverse.solve(rig, clean, alpha=ALPHA)
    found = rc.inverse.solve(rig, clean, alpha=ALPHA, loss=name, loss_scale=1e3)
    np.testing.assert_allclose(found.weights, squared.weights, atol=tolerance["printed"])
    np.testing.assert_allclose(found.rmse, squared.rmse, rtol=tolerance["printed"])


def test_the_scale_is_chosen_by_the_noise_and_not_by_outliers():
    rig, _, _, clean, hit = damaged(frames=12, noise=0.1)
    quiet, loud = (rc.inverse.solve(rig, shot, alpha=0.0, loss="tukey").loss_scale for shot in (clean, hit))
    assert quiet == pytest.approx(4.685 * 0.1, rel=0.15)  # the weights follow some of the noise
    assert loud < 1.3 * quiet
    halved = rc.inverse.solve(rig, clean, alpha=0.0, loss="huber").loss_scale
    assert halved == pytest.approx(quiet * 1.345 / 4.685)


def test_smoothness_markers_and_head_motion_go_with_it():
    rig, _, _, _, hit = damaged(frames=12)
    markers = np.arange(0, 80, 2)
    turn = np.linalg.qr(np.random.default_rng(4).standard_normal((3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    settings = {"alpha": 1e-3, "loss": "tukey", "loss_scale": SCALE, "vertices": markers}
    rough = rc.inverse.solve(rig, hit[:, markers], **settings)
    smooth = rc.inverse.solve(rig, hit[:, markers], smoothness=5.0, **settings)
    assert (
        np.square(np.diff(smooth.weights, 2, axis=0)).sum() < 0.5 * np.square(np.diff(rough.weights, 2, axis=0)).sum()
    )
    assert smooth.shot_objective < rough.shot_objective + 5.0 * np.square(np.diff(rough.weights, 2, axis=0)).sum()
    moved = rc.inverse.solve(rig, hit @ turn.T + [1, 2, 3], rigid=np.arange(80), alpha=1e-3, loss="tukey")
    assert moved.transforms.shape == (12, 3, 4)
    automatic = rc.inverse.solve(rig, hit, smoothness="auto", loss="huber")
    assert automatic.smoothness > 0
    assert automatic.loss_scale > 0


def test_a_shot_in_parts_and_a_file_have_the_same_solution(tmp_path):
    rig, _, _, _, hit = damaged(frames=20)
    solver = Solver(rig)
    whole = solver.solve(hit, loss="tukey")
    parts = solve_in_parts(Request(solver.gram, hit, loss="tukey"), tmp_path / "parts")
    whole.save(tmp_path / "whole.npz")
    for other in (parts, Solution.load(tmp_path / "whole.npz")):
        np.testing.assert_array_equal(other.weights, whole.weights)
        assert (other.loss, other.loss_scale) == ("tukey", whole.loss_scale)
    plain = solver.solve(hit)
    plain.save(tmp_path / "plain.npz")
    assert Solution.load(tmp_path / "plain.npz").loss is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss": "l1"}, "loss is 'l1'; it must be one of: squared, huber, tukey"),
        ({"loss": None}, "loss is None"),
        ({"loss": "huber", "loss_scale": 0.0}, "loss_scale is 0.0"),
        ({"loss": "huber", "loss_scale": -1.0}, "loss_scale is -1"),
        ({"loss": "huber", "loss_scale": np.nan}, "loss_scale is nan"),
        ({"loss": "huber", "loss_scale": "wide"}, "loss_scale is 'wide'"),
        ({"loss_scale": 1.0}, "loss_scale is 1.0 with loss 'squared'"),
        ({"loss": "tukey", "method": "cet"}, "loss is 'tukey' with method 'cet'"),
        ({"loss": "tukey", "smoothness": 1.0, "joint": False}, "loss is 'tukey' with joint=False"),
    ],
)
def test_what_is_no_loss_is_refused(settings, message):
    rig, _, _, clean, _ = damaged(frames=1)
    with pytest.raises(ValueError, match=f"solve: {message}"):
        rc.inverse.solve(rig, clean, alpha=0.1, **settings)
