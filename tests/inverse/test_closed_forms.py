"""cet, cet_loc and seol against their definitions on vertices, and sqp against its derivatives and descent."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import rigcast as rc
from rigcast.inverse._gram import Gram
from rigcast.inverse._methods.geodesics import heat_distances
from rigcast.inverse._methods.localized import masks
from rigcast.inverse._methods.sequential_quadratic import gradient, hessian
from rigcast.inverse._problem import make_problem
from rigcast.inverse._request import METHODS, Request
from rigcast.inverse._steps import FUNCTIONS
from tests.conftest import TOLERANCES
from tests.inverse.inverse import arrays_of, shot_of

ALPHA = 0.5


def basis_and_offset(arrays, target, omega=None):
    """B (3V, K) and b (3V,), scaled by the roots of the vertex weights."""
    neutral, deltas, _ = arrays
    root = np.sqrt(np.ones(len(neutral)) if omega is None else omega)
    basis = (deltas * root[:, None]).reshape(len(deltas), -1).T.astype(np.float64)
    return basis, ((target.astype(np.float64) - neutral) * root[:, None]).ravel()


def slow_ridge(basis, offset, alpha, box=(0.0, 1.0)):
    """The stacked least-squares problem of eq. 6, then the clip."""
    count = basis.shape[1]
    stacked = np.vstack([basis, np.sqrt(alpha) * np.eye(count)])
    return np.clip(np.linalg.lstsq(stacked, np.append(offset, np.zeros(count)), rcond=None)[0], *box)


def slow_seol(basis, offset, box=(0.0, 1.0)):
    """Eq. 7, literally."""
    weights = np.zeros(basis.shape[1])
    size = [np.linalg.norm(column.reshape(-1, 3), axis=1).mean() for column in basis.T]
    left = offset.copy()
    for k in np.argsort(-np.array(size), kind="stable"):
        norm = basis[:, k] @ basis[:, k]
        weights[k] = np.clip(basis[:, k] @ left / norm if norm else 0.0, *box)
        left = left - basis[:, k] * weights[k]
    return weights


@pytest.mark.parametrize("kind", ["linear", "any"])
@pytest.mark.parametrize("seed", range(4))
def test_cet_is_clipped_ridge_regression(kind, seed, tolerance):
    arrays = arrays_of(kind, seed)
    rig, targets = shot_of(arrays, frames=3, seed=seed)
    omega = np.random.default_rng(seed).uniform(0, 2, len(arrays[0]))
    solved = rc.inverse.solve(rig, targets, "cet", alpha=ALPHA, vertex_weights=omega)
    slow = [slow_ridge(*basis_and_offset(arrays, target, omega), ALPHA) for target in targets]
    np.testing.assert_allclose(solved.weights, slow, atol=tolerance["float32_scaled"])  # float32 Gram matrix
    assert solved.converged.all()


def test_cet_shares_a_weight_between_twins_where_nothing_else_decides(tolerance):
    neutral, deltas, _ = arrays_of("linear", 1)
    deltas[1] = deltas[0]
    arrays = neutral, deltas, []
    rig = rc.BlendshapeRig(*arrays)
    target = neutral + 0.6 * deltas[0]
    solved = rc.inverse.solve(rig, target, "cet", alpha=0.0)
    np.testing.assert_allclose(solved.weights[0, :2], 0.3, atol=tolerance["float32_scaled"])


@pytest.mark.parametrize("seed", range(6))
def test_seol_fits_one_shape_after_another(seed, tolerance):
    arrays = arrays_of("any", seed)
    rig, targets = shot_of(arrays, (-0.5, 0.75), frames=3, seed=seed)
    solved = rc.inverse.solve(rig, targets, "seol", alpha=ALPHA)
    slow = [slow_seol(*basis_and_offset(arrays, target), (-0.5, 0.75)) for target in targets]
    np.testing.assert_allclose(solved.weights, slow, atol=tolerance["float32_scaled"])


@pytest.mark.parametrize("method", ["cet", "cet_loc", "seol", "sqp"])
def test_pins_ties_priors_and_markers_are_kept(method, tolerance):
    rig, targets = shot_of(arrays_of("any", 4), frames=3, seed=4)
    pins = np.full((3, rig.num_shapes), np.nan)
    pins[0, 2], pins[2, 3] = 0.25, 0.75
    chosen = {"vertices": np.arange(5, 50), "vertex_weights": np.linspace(0, 1, 45)}
    rules = {"fixed": pins, "symmetric": [(0, 1)], "priors": (0.4, 1e9)}
    solved = rc.inverse.solve(rig, targets, method, alpha=ALPHA, **chosen, **rules)
    assert solved.weights[0, 2] == 0.25
    assert solved.weights[2, 3] == 0.75
    np.testing.assert_array_equal(solved.weights[:, 0], solved.weights[:, 1])
    free = np.isnan(pins)
    moves = np.arange(rig.num_shapes) < rig.num_shapes - 1
    np.testing.assert_allclose(
        solved.weights[free & moves], 0.4, atol=tolerance["printed"]
    )  # priors this strong decide alone


def test_sqp_arrives_where_descent_does(tolerance):
    pytest.importorskip("scipy", reason="SciPy is not installed")
    rig, targets = shot_of(arrays_of("pairs", 6), (-0.5, 1.0), frames=1, seed=6)
    start = rc.inverse.solve(rig, targets, "cet", alpha=ALPHA).weights
    theirs = rc.inverse.solve(rig, targets, "sqp", alpha=ALPHA, init=start)
    ours = rc.inverse.solve(rig, targets, "descent", alpha=ALPHA, init=theirs.weights)
    assert (ours.objective >= theirs.objective * (1 - 1e-6)).all()
    np.testing.assert_allclose(theirs.weights, ours.weights, atol=tolerance["float32_character"])
    assert theirs.converged.all()


@pytest.mark.parametrize("seed", range(5))
def test_the_hessian_is_the_gradients_derivative(seed):
    rig, targets = shot_of(arrays_of("any", seed), frames=1, seed=seed)
    problem = make_problem(Request(Gram(rig), targets, alpha=ALPHA, priors=(0.2, 0.7)))
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.01, 0.2, (1, rig.num_shapes))  # between knots
    step = 1e-4 * rng.standard_normal(weights.shape)
    found = hessian(problem, weights) @ step[0]
    slow = (gradient(problem, weights + step) - gradient(problem, weights - step)) / 2
    np.testing.assert_allclose(found, slow, rtol=TOLERANCES["gram"], atol=1e-6 * np.abs(slow).max())
    np.testing.assert_allclose(hessian(problem, weights), hessian(problem, weights).T)


def test_sqp_that_stops_on_its_way_is_not_solved():
    """At a kink its steps end, though the slopes to both sides are as far from 0 as ever."""
    optimize = pytest.importorskip("scipy.optimize", reason="SciPy is not installed")
    rest = np.zeros((2, 3))
    shape, bent = np.array([[1.0, 0, 0], [0, 0, 0]]), np.array([[0.0, 0, 0], [0, 1.0, 0]])
    rig = rc.BlendshapeRig(rest, shape[None], [((rc.Tent(0, 0.0, 0.5, 1.0),), bent)])
    target = 0.5 * shape + 2.0 * bent
    stopped = []
    minimize = optimize.minimize
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimize, "minimize", lambda *a, **k: stopped.append(minimize(*a, **k)) or stopped[-1])
        solved = rc.inverse.solve(rig, target, "sqp", alpha=0.0)
    assert stopped[0].status == 2  # "xtol termination condition is satisfied"
    assert solved.optimality[0] > 0.1
    assert not solved.converged[0]


def test_sqp_finds_the_neutral():
    pytest.importorskip("scipy", reason="SciPy is not installed")
    rig, _ = shot_of(arrays_of("any", 3), frames=1)
    solved = rc.inverse.solve(rig, rig.rest_vertices, "sqp", alpha=0.0)
    assert solved.converged.all()
    assert solved.rmse[0] < 1e-4 * np.abs(rig.columns()).max()


def test_sqp_names_the_extra_that_is_missing(monkeypatch):
    rig, targets = shot_of(arrays_of("pairs", 6), frames=1)

    class NoSciPy:
        def find_spec(self, name, path=None, target=None):
            if name.split(".")[0] == "scipy":
                raise ModuleNotFoundError(name, name="scipy")

    for name in [name for name in sys.modules if name.split(".")[0] == "scipy"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [NoSciPy(), *sys.meta_path])
    with pytest.raises(ImportError, match=r"rigcast\[inverse\]"):
        rc.inverse.solve(rig, targets, "sqp")


def sphere(rings=24, sectors=48):
    """Vertices and quads of a unit sphere without its poles' caps, and a vertex's index by ring and sector."""
    theta = np.linspace(0.05, np.pi - 0.05, rings)
    phi = np.arange(sectors) * 2 * np.pi / sectors
    t, p = np.meshgrid(theta, phi, indexing="ij")
    points = np.stack([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)], axis=-1).reshape(-1, 3)
    index = np.arange(rings * sectors).reshape(rings, sectors)
    around = np.roll(index, -1, axis=1)
    faces = np.stack([index[:-1], index[1:], around[1:], around[:-1]], axis=-1).reshape(-1, 4)
    return points, faces


def test_heat_distances_are_great_circles_on_a_sphere():
    points, faces = sphere()
    started = np.zeros((2, len(points)), bool)
    started[0, 600], started[1, [10, 900]] = True, True
    found = heat_distances(points, faces, started)
    exact = [np.arccos(np.clip(points @ points[s].T, -1, 1)).min(axis=1) for s in started]
    near = np.array(exact) < 1.5
    assert np.abs(found - exact)[near].max() < 0.12  # the heat method's own smoothing at this resolution
    assert np.abs(found - exact)[near].mean() < 0.04


def test_heat_distances_do_not_jump_between_parts_and_scale_with_the_mesh(tolerance):
    points, faces = sphere(8, 12)
    both = np.concatenate([points, points + np.array([3, 0, 0]), [[9, 9, 9]]])
    quads = np.concatenate([faces, faces + len(points)])
    started = np.zeros((1, len(both)), bool)
    started[0, 5] = True
    found = heat_distances(both, quads, started)[0]
    assert np.isfinite(found[: len(points)]).all()
    assert np.isinf(found[len(points) :]).all()
    larger = heat_distances(1000 * both, quads, started)[0]
    np.testing.assert_allclose(
        larger[: len(points)],
        1000 * found[: len(points)],
        rtol=tolerance["float64_converged"],
        atol=tolerance["float64_converged"],
    )


def two_sided_rig():
    """A strip of which every shape moves one end, the other end a little as well."""
    x, y = np.meshgrid(np.linspace(0, 10, 41), np.linspace(0, 1, 5), indexing="ij")
    points = np.stack([x, y, 0 * x], axis=-1).reshape(-1, 3)
    index = np.arange(x.size).reshape(x.shape)
    faces = np.stack([index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]], axis=-1).reshape(-1, 4)
    bump = np.exp(-((points[:, 0] - np.array([[1.0], [9.0]])) ** 2))
    deltas = (bump + 0.05 * bump[::-1])[..., None] * [0, 0, 1.0]
    return rc.BlendshapeRig(points, deltas, faces=faces), points, deltas


def test_cet_loc_is_cet_on_what_the_masks_leave(tolerance):
    rig, points, deltas = two_sided_rig()
    target = points + 0.7 * deltas[0] + 0.2 * deltas[1]
    problem = make_problem(Request(Gram(rig), target, alpha=0.01))
    kept = masks(problem)
    ends = points[:, 0] < 5
    assert not kept[0, ~ends].any()
    assert not kept[1, ends].any()
    assert kept[0, np.argmax(deltas[0, :, 2])]
    local = points, deltas * kept[..., None], []
    solved = rc.inverse.solve(rig, target, "cet_loc", alpha=0.01)
    np.testing.assert_allclose(
        solved.weights[0], slow_ridge(*basis_and_offset(local, target), 0.01), atol=tolerance["float32_scaled"]
    )
    assert solved.objective[0] > rc.inverse.solve(rig, target, "descent", alpha=0.01).objective[0]


def test_cet_loc_needs_faces():
    arrays = arrays_of("linear", 0)
    with pytest.raises(ValueError, match="without faces"):
        rc.inverse.solve(rc.BlendshapeRig(*arrays), arrays[0], "cet_loc")


def test_every_method_has_a_function():
    assert tuple(FUNCTIONS) == METHODS
