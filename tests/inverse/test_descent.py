"""Descent against general solvers on the vertices, against truth, and against its own promises."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.inverse._methods.descent import FRAMES_PER_RUN
from rigcast.inverse._request import METHODS
from tests.support.inverse_rigs import near_duplicates_rig, random_rig, slow_objective, slow_vertices

SEEDS = range(4)


@pytest.mark.parametrize("seed", SEEDS)
def test_objective_and_rmse_are_those_of_the_vertices(seed, tolerance):
    rng = np.random.default_rng(seed)
    rig, omega = random_rig(rng), rng.uniform(0.5, 2.0, 40)
    targets = (rng.normal(size=(3, 40, 3)) * 0.1 + rig.evaluate(rng.uniform(size=(3, 8)))).astype(np.float32)
    result = rc.inverse.solve(rig, targets, alpha=3.0, vertex_weights=omega)
    for t, weights in enumerate(result.weights):
        expected = slow_objective(rig, targets[t], weights, alpha=3.0, vertex_weights=omega)
        assert result.objective[t] == pytest.approx(expected, rel=tolerance["gram"])
        error = slow_objective(rig, targets[t], weights, alpha=0.0, vertex_weights=omega) / omega.sum()
        assert result.rmse[t] == pytest.approx(np.sqrt(error), rel=tolerance["gram"])


@pytest.mark.parametrize("seed", SEEDS)
def test_no_general_solver_finds_less(seed):
    optimize = pytest.importorskip("scipy.optimize", reason="SciPy is not installed")
    rng = np.random.default_rng(seed)
    rig = random_rig(rng, vertices=20, shapes=6, corrections=6)
    targets = rig.evaluate(rng.uniform(size=(5, 6))) + 0.5 * rng.normal(size=(5, 20, 3)).astype(np.float32)
    result = rc.inverse.solve(rig, targets, alpha=2.0)
    for t, target in enumerate(targets):
        starts = [np.zeros(6), np.full(6, 0.5), *rng.uniform(size=(4, 6))]
        found = [
            optimize.minimize(lambda w, b=target: slow_objective(rig, b, w, alpha=2.0), x, bounds=[(0, 1)] * 6).fun
            for x in starts
        ]
        assert result.objective[t] <= min(found) * (1 + 1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_weights_of_a_noise_free_shot_come_back(seed):
    rng = np.random.default_rng(seed)
    rig = random_rig(rng)
    truth = rng.uniform(size=(40, 8)).astype(np.float32)
    result = rc.inverse.solve(rig, rig.evaluate(truth), alpha=0.0)
    assert result.converged.all()
    assert np.abs(result.weights - truth).mean() < 1e-5


@pytest.mark.parametrize("seed", SEEDS)
def test_no_single_weight_can_improve(seed):
    rng = np.random.default_rng(seed)
    rig = random_rig(rng)
    targets = rig.evaluate(rng.uniform(size=(2, 8))) + 0.5 * rng.normal(size=(2, 40, 3)).astype(np.float32)
    result = rc.inverse.solve(rig, targets, alpha=1.0)
    for t, k in np.ndindex(2, 8):
        for value in np.linspace(0.0, 1.0, 41):
            other = result.weights[t].copy()
            other[k] = value
            assert slow_objective(rig, targets[t], other, alpha=1.0) >= result.objective[t] * (1 - 1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_a_loose_tolerance_takes_no_more_steps_than_a_tight_one(seed):
    rng = np.random.default_rng(seed)
    rig = near_duplicates_rig(rng)
    targets = rig.evaluate(rng.uniform(size=(40, 8))) + 0.3 * rng.normal(size=(40, 40, 3)).astype(np.float32)
    loose, tight = (rc.inverse.solve(rig, targets, alpha=0.1, tolerance=level, threads=1) for level in (1e-2, 1e-9))
    assert loose.converged.all()
    assert loose.iterations.sum() <= tight.iterations.sum()


def test_optimality_is_the_steepest_slope_that_the_box_allows(tolerance):
    rng = np.random.default_rng(3)
    rig = random_rig(rng)
    target = rig.evaluate(rng.uniform(size=8)) + 0.3 * rng.normal(size=(40, 3)).astype(np.float32)
    start = np.append(rng.uniform(0.1, 0.9, 6), [0.0, 1.0])
    result = rc.inverse.solve(rig, target, alpha=1.0, init=start, max_iterations=1, fixed=start)
    assert result.optimality[0] == 0.0  # nothing is free
    free = rc.inverse.solve(rig, target, alpha=1.0, init=start, max_iterations=1)
    step, worst = 1e-6, 0.0
    for k in range(8):
        for side in (-1.0, 1.0):
            moved = free.weights[0].copy()
            moved[k] += side * step
            if 0.0 <= moved[k] <= 1.0:
                slope = slow_objective(rig, target, moved, alpha=1.0)
                worst = max(worst, -(slope - slow_objective(rig, target, free.weights[0], alpha=1.0)) / step)
    assert free.optimality[0] == pytest.approx(worst, abs=tolerance["finite_difference"])


def test_gap_bounds_the_gain_of_convex_frames():
    rng = np.random.default_rng(5)
    rig = random_rig(rng, corrections=0)
    targets = rng.normal(size=(4, 40, 3)).astype(np.float32)
    best = rc.inverse.solve(rig, targets, alpha=1.0)
    early = rc.inverse.solve(rig, targets, alpha=1.0, max_iterations=1)
    assert (best.gap <= 1e-6 * best.objective).all()
    assert (early.objective - early.gap <= best.objective * (1 + 1e-12)).all()


def test_same_bytes_for_any_number_of_threads():
    rng = np.random.default_rng(6)
    rig = random_rig(rng)
    targets = rig.evaluate(rng.uniform(size=(600, 8)))
    one, two = (rc.inverse.solve(rig, targets, alpha=1.0, threads=n) for n in (1, 2))
    assert np.array_equal(one.weights, two.weights)


def test_chunks_give_the_bytes_of_the_whole():
    rng = np.random.default_rng(10)
    rig, chunk = random_rig(rng, vertices=20), FRAMES_PER_RUN
    targets = rig.evaluate(rng.uniform(size=(2 * chunk + 40, 8))) + 0.2 * rng.normal(size=(20, 3)).astype(np.float32)
    solver = rc.inverse.Solver(rig)
    start = rng.uniform(size=(len(targets), 8))
    for init in (None, start):
        whole = solver.solve(targets, alpha=1.0, init=init).weights
        parts = [
            solver.solve(targets[i : i + chunk], alpha=1.0, init=None if init is None else init[i : i + chunk]).weights
            for i in range(0, len(targets), chunk)
        ]
        assert np.array_equal(whole, np.concatenate(parts))


def test_markers_and_whole_meshes_give_the_same():
    rng = np.random.default_rng(7)
    rig, markers = random_rig(rng), np.array([31, 2, 17, 8, 25, 12])
    targets = rig.evaluate(rng.uniform(size=(3, 8)))
    whole = rc.inverse.solve(rig, targets, alpha=0.1, vertices=markers)
    few = rc.inverse.solve(rig, targets[:, markers], alpha=0.1, vertices=markers)
    assert np.array_equal(whole.weights, few.weights)
    assert not whole.warnings
    fewer = rc.inverse.solve(rig, targets[:, markers[:2]], alpha=0.1, vertices=markers[:2])
    assert "2 vertices give 6 numbers per frame for 8 weights" in fewer.warnings[0]
    assert np.isfinite(fewer.weights).all()


def test_identical_and_idle_shapes_are_told(tolerance):
    rng = np.random.default_rng(8)
    deltas = rng.normal(size=(4, 30, 3))
    deltas[2], deltas[3] = deltas[0], 0.0
    rig = rc.BlendshapeRig(rng.normal(size=(30, 3)), deltas, names=["a", "b", "copy", "idle"])
    result = rc.inverse.solve(rig, rig.evaluate([[0.6, 0.3, 0.1, 0.9], [1.0, 0.0, 0.5, 0.0]]), alpha=0.0)
    np.testing.assert_allclose(result.weights, [[0.7, 0.3, 0, 0], [1, 0, 0.5, 0]], atol=tolerance["float32_scaled"])
    assert any("idle" in text for text in result.warnings)
    assert any("a and copy are identical" in text for text in result.warnings)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_idle_shapes_rest_whatever_the_method_and_the_start(method, alpha):
    rng = np.random.default_rng(10)
    deltas = rng.normal(size=(4, 30, 3)) * [[[1]], [[1]], [[0]], [[0]]]
    faces = np.arange(30, dtype=np.int32).reshape(10, 3)
    for bounds, rest in (((0.0, 1.0), 0.0), ((-1.0, 1.0), 0.0), ((-0.75, -0.25), -0.25)):
        rig = rc.BlendshapeRig(rng.normal(size=(30, 3)), deltas, bounds=bounds, faces=faces)
        targets = rig.evaluate(np.tile(np.float32(rest), (2, 4)))
        options = {"alpha": alpha, "init": np.full(4, 0.5 * sum(bounds)), "max_iterations": 20}
        free = rc.inverse.solve(rig, targets, method, **options)
        assert (free.weights[:, 2:] == np.float32(rest)).all()
        assert sum("left at rest" in text for text in free.warnings) == 1
        tied = rc.inverse.solve(rig, targets, method, symmetric=[(2, 3)], **options)
        assert (tied.weights[:, 2:] == np.float32(rest)).all()
        wish = [0.0, 0.0, bounds[0], bounds[1]]
        asked = rc.inverse.solve(rig, targets, method, alpha=0.0, priors=(wish, [0, 0, 10.0, 0]))
        # The prior is strong, not infinite.
        assert asked.weights[:, 2] == pytest.approx(bounds[0], abs=0.2)
        assert (asked.weights[:, 3] == np.float32(rest)).all()


@pytest.mark.filterwarnings("ignore::rigcast.errors.SparsityWarning")
def test_strong_terms_leave_the_other_figures_their_digits(tolerance):
    """RMSE and objective are sums, not what is left of larger numbers."""
    rng = np.random.default_rng(11)
    rig = random_rig(rng)
    truth = rng.uniform(size=(1, 8))
    target = np.float32(slow_vertices(rig, truth[0])[None] + 0.01)
    for options in ({"alpha": 1e12}, {"alpha": 0.0, "priors": (truth, 1e12)}):
        found = rc.inverse.solve(rig, target, "seol", **options)
        off = slow_vertices(rig, found.weights[0]) - target[0]
        assert found.rmse[0] == pytest.approx(np.sqrt(np.square(off).sum(axis=1).mean()), rel=tolerance["float32"])
    huge = rc.inverse.solve(rig, target, "seol", alpha=1e300)
    assert np.isfinite(huge.rmse).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_pinned_tied_and_pulled_weights(seed, tolerance):
    rng = np.random.default_rng(seed)
    rig = random_rig(rng)
    targets = rig.evaluate(rng.uniform(size=(3, 8)))
    pins = np.full((3, 8), np.nan)
    pins[1, 4] = 0.25
    strength, wish = rng.uniform(0, 50, 8), rng.uniform(size=8)
    result = rc.inverse.solve(rig, targets, alpha=1.0, fixed=pins, priors=(wish, strength), symmetric=[(0, 3)])
    assert result.converged.all()
    assert result.weights[1, 4] == 0.25
    assert np.array_equal(result.weights[:, 0], result.weights[:, 3])

    def value(t, w):
        return slow_objective(rig, targets[t], w, alpha=1.0) + (strength * np.square(w - wish)).sum()

    for t in range(3):
        here = value(t, result.weights[t])
        assert result.objective[t] == pytest.approx(here, rel=tolerance["gram"])
        for _ in range(50):
            other = np.clip(result.weights[t] + 0.05 * rng.normal(size=8), 0, 1)
            other[3] = other[0]
            if t == 1:
                other[4] = 0.25
            assert value(t, other) >= here * (1 - 1e-9)


@pytest.mark.parametrize("constrained", [False, True])
def test_solutions_survive_saving(tmp_path, constrained):
    rng = np.random.default_rng(9)
    rig = random_rig(rng)
    pins = np.where(np.arange(8) == 3, 0.25, np.nan)
    options = {"bounds": (0, 0.9), "fixed": pins, "priors": (0.1, 2.0), "symmetric": [(0, 6)]} if constrained else {}
    target = slow_vertices(rig, rng.uniform(size=8))
    result = rc.inverse.solve(rig, target, alpha=0.5, **options)
    again = rc.inverse.solve(rig, target, alpha=0.5, **result.constraints())
    assert np.array_equal(again.weights, result.weights)
    assert set(result.constraints()) == set(options)
    result.save(tmp_path / "shot.npz")
    again = rc.inverse.Solution.load(tmp_path / "shot.npz")
    for name, value in (vars(result) | {"seconds": 0.0}).items():  # times are not kept: equal solves give equal bytes
        np.testing.assert_array_equal(getattr(again, name), value, err_msg=name)
    (tmp_path / "other.npz").write_bytes(b"no archive")
    with pytest.raises(ValueError, match=r"load: path"):
        rc.inverse.Solution.load(tmp_path / "other.npz")


BAD = [
    ("rig", {"rig": "face.glb"}),
    ("alpha", {"alpha": -1.0}),
    ("smoothness", {"smoothness": np.inf}),
    ("bounds", {"bounds": (1.0, 0.0)}),
    ("init", {"init": np.full(8, 1.5)}),
    ("fixed", {"fixed": np.full(8, -0.5)}),
    ("priors", {"priors": (0.5, -1.0)}),
    ("priors", {"priors": (1e300, 1e300)}),
    ("alpha", {"alpha": 1e308}),
    ("smoothness", {"smoothness": 1e308}),
    ("bounds", {"bounds": (0.0, 1e30)}),
    ("vertex_weights", {"vertex_weights": np.full(40, 1e300)}),
    ("targets", {"targets": np.full((2, 40, 3), 1e30), "vertex_weights": np.full(40, 1e150)}),
    ("symmetric", {"symmetric": [(0, 9)]}),
    ("symmetric", {"symmetric": [(0.5, 1)]}),
    ("symmetric", {"symmetric": [(0, 1, 2)]}),
    ("symmetric", {"symmetric": 3}),
    ("method", {"method": "guess"}),
    ("method", {"method": ["mm"]}),
    ("vertices", {"vertices": [0, 0]}),
    ("vertex_weights", {"vertex_weights": -np.ones(40)}),
    ("tolerance", {"tolerance": -1.0}),
    ("tolerance", {"tolerance": "low"}),
    ("max_iterations", {"max_iterations": 0}),
    ("max_iterations", {"max_iterations": 2.5}),
    ("max_iterations", {"max_iterations": 10**30}),
    ("threads", {"threads": "all"}),
    ("targets", {"targets": [[1.0], [1.0, 2.0]]}),
    ("targets", {"targets": [[1.0], [1.0, 2.0]], "rigid": [0, 1, 2]}),
    ("joint", {"joint": "yes"}),
    ("device", {"device": "abacus"}),
]


@pytest.mark.parametrize(("argument", "options"), BAD)
def test_wrong_arguments_are_named(argument, options):
    rig = random_rig(np.random.default_rng(0))
    with pytest.raises(ValueError, match=rf"solve: {argument} is .*; it must be "):
        rc.inverse.solve(**{"rig": rig, "targets": np.zeros((2, 40, 3)), **options})


@pytest.mark.filterwarnings("ignore::rigcast.errors.SparsityWarning")
@pytest.mark.parametrize("method", ["descent", "mm", "mm_cet", "cet", "seol", "sqp"])
@pytest.mark.parametrize("options", [{}, {"alpha": 1e30}, {"bounds": (-1e12, 1e12)}, {"priors": (0.5, 1e30)}])
def test_numbers_of_absurd_size_never_give_nan(method, options):
    rng = np.random.default_rng(4)
    rig = random_rig(rng)
    for scale in (1.0, 1e30):
        targets = slow_vertices(rig, rng.uniform(size=8))[None] * scale
        with np.errstate(all="raise", under="ignore"):
            found = rc.inverse.solve(rig, targets, method, max_iterations=20, **options)
        for part in (found.weights, found.objective, found.optimality, found.rmse):
            assert np.isfinite(part).all()


@pytest.mark.parametrize(
    "targets", [np.zeros((0, 40, 3)), np.zeros((2, 39, 3)), np.full((2, 40, 3), np.nan), np.zeros(3), "mesh"]
)
def test_wrong_targets_are_named(targets):
    rig = random_rig(np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"solve: targets is .*; it must be "):
        rc.inverse.solve(rig, targets)
