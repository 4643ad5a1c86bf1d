"""The engine's energy of a frame against slow NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import rigcast as rc
from rigcast import _core
from tests.capture.capture import FOCAL, SIZE, UPRIGHT, Setup, acting, film
from tests.conftest import TOLERANCES

CAMERA = np.array([FOCAL, SIZE[0] / 2, SIZE[1] / 2])
SETTINGS = {
    "noise": 1.0,
    "outlier": 4.0,
    "smoothing": 0.5,
    "gate": 3.0,
    "sparsity": 0.05,
    "rest": 1e-3,
    "tolerance": 1e-10,
    "max_iterations": 60,
    "debias": False,
}


@pytest.fixture(scope="module")
def rig():
    return rc.faces.example()


@pytest.fixture(scope="module")
def shot(rig):
    return film(rig, acting(rig, frames=12), Setup(noise=1.0, roll=4.0))


def terms(**changes):
    return _core.PointTerms(**{**SETTINGS, **changes})


def model_of(rig, vertices, strength=None, offsets=None):
    count = len(vertices)
    return _core.PointModel(
        rig,
        np.repeat(vertices[:, None], 3, axis=1).astype(np.int32),
        np.tile([0.5, 0.25, 0.25], (count, 1)),
        np.ones(rig.num_shapes) if strength is None else strength,
        np.zeros((count, 3)) if offsets is None else offsets,
    )


def slow_energy(rig, shot, t, unknowns, target, strength, certainty, sparsity=0.05, limit=4.0):
    """The energy as the header states it, point by point."""
    shapes = rig.num_shapes
    weights, omega, shift = unknowns[:shapes], unknowns[shapes : shapes + 3], unknowns[shapes + 3 :]
    positions = slow_positions(rig, weights)[shot.vertices]
    placed = positions @ (Rotation.from_rotvec(omega).as_matrix() @ UPRIGHT).T + shift
    total = 0.0
    for i, (x, y, z) in enumerate(placed):
        seen = CAMERA[1:] + FOCAL * np.array([x, y]) / z
        away = np.linalg.norm(seen - shot.points[t, i])
        total += certainty[i] * (away**2 if away <= limit else 2 * limit * away - limit**2) / len(placed)
    return total + strength @ (weights - target) ** 2 + sparsity * weights.sum()


def slow_positions(rig, weights):
    """All vertices in float64."""
    columns = rig.columns().astype(np.float64)
    activations = [*weights]
    for drivers in rig.combinations:
        value = 1.0
        for driver in drivers:
            if isinstance(driver, rc.Tent):
                value *= np.interp(weights[driver.shape], [driver.x1, driver.x2, driver.x3], [0.0, 1.0, 0.0])
            else:
                value *= weights[driver]
        activations.append(value)
    return rig.rest_vertices.astype(np.float64) + np.tensordot(activations, columns, 1)


@pytest.fixture(scope="module")
def frame(rig, shot):
    """Arguments of one frame's energy, away from its minimum and from corners of tents, with a far point."""
    generator = np.random.default_rng(5)
    shapes = rig.num_shapes
    weights = generator.uniform(0.1, 0.4, shapes)
    unknowns = np.concatenate([weights, generator.normal(0, 0.2, 3), [0.4, -0.3, 48.0]])
    certainty = generator.uniform(0.2, 1.0, len(shot.vertices))
    return unknowns, generator.uniform(0, 1, shapes), generator.uniform(0.1, 1, shapes), certainty


def engine_energy(rig, shot, t, unknowns, target, strength, certainty):
    model = model_of(rig, shot.vertices)
    return _core.point_energy(model, shot.points[t], certainty, target, strength, CAMERA, UPRIGHT, unknowns, terms())


def test_the_energy_is_that_of_slow_numpy(rig, shot, frame):
    energy, _ = engine_energy(rig, shot, 5, *frame)
    assert energy == pytest.approx(slow_energy(rig, shot, 5, *frame), rel=TOLERANCES["float32_sum"])


def test_the_gradient_is_that_of_central_differences(rig, shot, frame):
    unknowns, *rest = frame
    _, gradient = engine_energy(rig, shot, 5, unknowns, *rest)
    step = 1e-6
    slow = np.zeros(len(unknowns))
    for k in range(len(unknowns)):
        ahead, behind = unknowns.copy(), unknowns.copy()
        ahead[k] += step
        behind[k] -= step
        slow[k] = (engine_energy(rig, shot, 5, ahead, *rest)[0] - engine_energy(rig, shot, 5, behind, *rest)[0]) / (
            2 * step
        )
    assert np.abs(gradient - slow).max() <= 1e-6 * np.abs(slow).max()


def solved(rig, shot, chosen, **changes):
    shapes, count = rig.num_shapes, len(shot.vertices)
    none = np.zeros((len(chosen), shapes))
    return _core.solve_points(
        model_of(rig, shot.vertices),
        shot.points[chosen],
        np.ones((len(chosen), count)),
        np.full((len(chosen), shapes), np.nan),
        none,
        none,
        CAMERA,
        UPRIGHT,
        terms(**changes),
    )


def test_the_energy_never_rises(rig, shot):
    found = solved(rig, shot, np.arange(len(shot.points)))
    assert (found["energy"] <= found["start_energy"] * (1 + 1e-12)).all()
    assert (found["energy"] < 0.9 * found["start_energy"]).any()


def test_scipy_gains_nothing_from_our_end(rig, shot):
    """At the end of the first frame, where there is no smoothing: L-BFGS-B in the box, by our energy and gradient."""
    found = solved(rig, shot, np.array([8]))
    shapes = rig.num_shapes
    start = np.concatenate([found["weights"][0], np.zeros(3), found["pose"][0, :, 3]])
    turn = found["pose"][0, :, :3]
    target, strength = np.zeros(shapes), np.full(shapes, 1e-3)
    model, certainty = model_of(rig, shot.vertices), np.ones(len(shot.vertices))

    def energy(x):
        return _core.point_energy(model, shot.points[8], certainty, target, strength, CAMERA, turn, x, terms())

    box = [*rig.bounds.tolist(), *[(None, None)] * 6]
    end = minimize(energy, start, jac=True, method="L-BFGS-B", bounds=box, options={"maxiter": 500, "ftol": 1e-14})
    assert energy(start)[0] == pytest.approx(found["energy"][0])
    assert energy(start)[0] - end.fun <= 1e-6 * end.fun
    assert np.abs(end.x[:shapes] - start[:shapes]).max() <= 1e-3


def test_a_strength_multiplies_the_motion_of_a_shape(rig, shot):
    strength = np.linspace(0.5, 1.5, rig.num_shapes)
    model, plain = model_of(rig, shot.vertices, strength), model_of(rig, shot.vertices)
    one = np.zeros(rig.num_shapes)
    one[3] = 0.4
    rest = plain.evaluate(np.zeros(rig.num_shapes))
    moved = plain.evaluate(one) - rest
    assert np.abs(model.evaluate(one) - rest - strength[3] * moved).max() <= TOLERANCES["float32"]


@pytest.mark.parametrize(
    ("argument", "value"),
    [("noise", 0.0), ("outlier", -1.0), ("smoothing", np.nan), ("sparsity", -0.1), ("tolerance", 0.0)],
)
def test_terms_out_of_range_are_refused(rig, shot, argument, value):
    with pytest.raises(rc.errors.ArgumentError, match=f"solve_points: {argument} is"):
        solved(rig, shot, np.array([0]), **{argument: value})
