"""The energy of a picture: against slow NumPy, its gradient, its minimum, and each part of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import rigcast as rc
from rigcast.capture._refine import ShotRefinement
from rigcast.capture._refine_request import picture_terms
from tests.capture.pictures import Example, blurred, filmed, harmonics, sampled, shown, slow_energy

RELATIVE = 1e-6  # float32 pictures and shapes, summed in double precision
SLOPE = 1e-5  # of the gradient's largest entry: rows of the Jacobian are float32
GAIN, MOVED = 1e-6, 1e-3  # what a general minimizer may find beyond the end: share of E, and weight
COLOR = 1e-4  # share of a color: slow pictures are blurred in double precision
LIT = 0.02  # share of the light: 8 bits, and a pull toward the neutral's
DRAWN = 0.05  # of the visible samples that a coarser z-buffer may leave out
HIDDEN = 1 / 3  # of the hidden ones that it may let pass: those within a cell of what they are seen beside


@pytest.fixture(scope="module")
def example() -> Example:
    return filmed(rc.capture.example_cast())


@dataclass
class Solved:
    """A frame solved by the engine, and what it was given."""

    refinement: ShotRefinement
    frame: int
    result: dict
    strength: np.ndarray
    target: np.ndarray


def solved(example: Example, frame: int = 3, **settings) -> Solved:
    refinement = example.started(**settings)
    shapes = example.rig.num_shapes
    rng = np.random.default_rng(1)
    strength, target = rng.uniform(0.01, 0.05, shapes), rng.uniform(0.0, 0.3, shapes)
    refinement.solver.open(example.shot.color[frame], example.found.weights[frame], refinement.pose[frame])
    result = refinement.solver.solve(
        example.points[frame, refinement.used],
        np.full(len(refinement.used), refinement.settings.landmarks),
        refinement.request.whitening[frame, refinement.used],
        target,
        strength,
        *example.rig.bounds.T.astype(np.float64),
        example.found.weights[frame],
        refinement.pose[frame],
    )
    return Solved(refinement, frame, result, strength, target)


def turned(pose, step):
    """A pose after a rotation vector to its left and a translation."""
    return np.column_stack([Rotation.from_rotvec(step[:3]).as_matrix() @ pose[:, :3], pose[:, 3] + step[3:]])


@pytest.fixture(scope="module")
def frame(example) -> Solved:
    return solved(example)


def test_energy_against_slow_numpy(example, frame):
    """Colors, points with covariances, importance, smoothing, sparsity and light, at weights beside the end."""
    rng = np.random.default_rng(2)
    weights = np.clip(frame.result["weights"] + rng.normal(0.0, 0.05, example.rig.num_shapes), 0.0, 1.0)
    pose = turned(frame.result["pose"], rng.normal(0.0, 0.01, 6))
    light = frame.result["light"] + rng.normal(0.0, 0.01, (3, 9))
    value, _ = frame.refinement.solver.energy(weights, pose, light)
    terms = picture_terms(
        frame.refinement.settings,
        example.found.focal * frame.refinement.points.radius / frame.refinement.neutral_pose[2, 3],
    )
    image = blurred(example.shot.color[frame.frame], terms.fine)
    points = example.points[frame.frame]
    expected = slow_energy(
        frame.refinement, image, frame.result["used"], weights, pose, light, points, frame.strength, frame.target
    )
    assert value == pytest.approx(expected, rel=RELATIVE)


@pytest.mark.parametrize("seed", range(3))
def test_gradient_against_differences(example, frame, seed):
    rng = np.random.default_rng(seed)
    weights = np.clip(frame.result["weights"] + rng.normal(0.0, 0.05, example.rig.num_shapes), 0.01, 0.99)
    pose, light = turned(frame.result["pose"], rng.normal(0.0, 0.01, 6)), frame.result["light"]
    solver, step = frame.refinement.solver, 1e-5
    _, gradient = solver.energy(weights, pose, light)
    differences = []
    for k in range(len(gradient)):
        pair = []
        for sign in (-1.0, 1.0):
            change = sign * step * (np.arange(len(gradient)) == k)
            pair.append(solver.energy(weights + change[:-6], turned(pose, change[-6:]), light)[0])
        differences.append((pair[1] - pair[0]) / (2.0 * step))
    assert np.abs(gradient - differences).max() <= SLOPE * np.abs(differences).max()


def test_energy_never_rises_on_a_level(example):
    """Over fits of the light and steps, in every frame."""
    for t in range(1, len(example.points)):
        result = solved(example, t, steps=(4, 12), tolerance=0.0).result
        assert np.diff(result["trace"]).max() <= 0.0
        assert result["trace"][-1] < result["trace"][0]


def test_a_general_minimizer_finds_no_better_end(example):
    """L-BFGS-B from where the solver ends, under the light that it ends with."""
    frame = solved(example, steps=(6, 60), tolerance=1e-12, debias=False, fit_light=False)
    solver, result = frame.refinement.solver, frame.result
    start = np.concatenate([result["weights"], np.zeros(6)])
    base = result["pose"]

    def energy(x):
        # the gradient is that of a rotation vector at 0, which differs from that at omega by its left Jacobian
        value, gradient = solver.energy(x[:-6], turned(base, x[-6:]), result["light"])
        omega = x[-6:-3]
        angle = max(float(np.linalg.norm(omega)), 1e-9)
        cross = np.cross(np.eye(3), -omega)
        left = np.eye(3) + (1 - np.cos(angle)) / angle**2 * cross + (angle - np.sin(angle)) / angle**3 * cross @ cross
        gradient[-6:-3] = left.T @ gradient[-6:-3]
        return value, gradient

    bounds = [*example.rig.bounds.tolist(), *[(None, None)] * 6]
    best = minimize(energy, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 0.0, "gtol": 1e-12})
    assert result["energy"] == pytest.approx(energy(start)[0], rel=RELATIVE)
    assert result["energy"] - best.fun <= GAIN * result["energy"]
    assert np.abs(best.x[:-6] - result["weights"]).max() <= MOVED


def test_albedo_is_the_color_of_the_neutral_over_its_light(example, frame):
    """At every tenth sample; where the light is dim, less is divided by."""
    solver, refinement = frame.refinement.solver, frame.refinement
    terms = picture_terms(
        refinement.settings, example.found.focal * refinement.points.radius / refinement.neutral_pose[2, 3]
    )
    image = blurred(example.shot.color[0], terms.fine)
    rest = example.rig.rest_vertices.astype(np.float64)
    for i in np.flatnonzero(solver.albedo.any(axis=1))[::10]:
        at = shown(refinement, i, rest, refinement.neutral_pose)
        light = np.maximum(solver.calibrated_light @ harmonics(at.normal), 0.2 * solver.unit / 0.13)
        np.testing.assert_allclose(solver.albedo[i] * light, sampled(image, *at.image), rtol=COLOR)


def test_weaker_light_is_found(example):
    """A picture of .75 times the light, up to 8 bits: the same weights, and .75 times the light on the face."""
    color = example.shot.color.copy()
    color[3] = (255.0 * (0.75 * (color[3] / 255.0) ** 2.2) ** (1 / 2.2) + 0.5).astype(np.uint8)
    darker = Example(example.rig, rc.capture.ActorShot(color, example.shot.labels), example.points, example.found)
    plain = solved(example, steps=(8, 30))
    fitted, fixed = (solved(darker, steps=(8, 30), fit_light=fit) for fit in (True, False))
    moved, lost = (np.abs(one.result["weights"] - plain.result["weights"]).mean() for one in (fitted, fixed))
    assert moved <= 0.02 < 0.05 < lost
    toward = harmonics(np.array([0.0, 0.0, -1.0]))  # coefficients of a face alone are nearly dependent
    ratio = (fitted.result["light"] @ toward).mean() / (plain.result["light"] @ toward).mean()
    assert ratio == pytest.approx(0.75, rel=LIT)


def test_samples_are_used_where_the_renderer_sees_them(example, frame):
    """Of a head that is turned by 55 degrees, whose nose hides a cheek: another z-buffer, of another size."""
    refinement = example.started(samples=2000)
    solver, shapes = refinement.solver, example.rig.num_shapes
    around = Rotation.from_euler("Y", 55, degrees=True).as_matrix()
    middle = example.rig.rest_vertices.mean(axis=0)
    pose = refinement.neutral_pose.copy()
    pose[:, 3] += pose[:, :3] @ (middle - around @ middle)
    pose[:, :3] = pose[:, :3] @ around
    solver.open(example.shot.color[3], refinement.rest, pose)
    rows = (np.zeros(shapes), np.full(shapes, 1e-3), *example.rig.bounds.T.astype(np.float64), refinement.rest, pose)
    seen_points, white = example.points[3, refinement.used], refinement.request.whitening[3, refinement.used]
    used = solver.solve(seen_points, np.zeros(len(refinement.used)), white, *rows)["used"]
    rest, size = example.rig.rest_vertices, example.shot.color.shape[1]
    places = (rest[refinement.surface.vertices] * refinement.surface.shares[:, :, None]).sum(axis=1)
    camera = rc.render.Camera(
        size, size, focal=example.found.focal, center=example.found.center, rotation=np.eye(3), near=0.1
    )
    world, at = (np.asarray(x @ pose[:, :3].T + pose[:, 3], np.float32)[None] for x in (rest, places))
    reach = 0.06 * refinement.points.radius
    truth = rc.render.visible(world, example.rig.faces, camera, points=at, tolerance=reach)[0]
    corners = world[0][refinement.surface.vertices]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    facing = -(normal * at[0]).sum(axis=1) / np.linalg.norm(normal, axis=1) / np.linalg.norm(at[0], axis=1)
    known = solver.albedo.any(axis=1)
    turned_here = known & (facing > 0.2)
    is_used = np.isin(np.arange(len(known)), used)
    assert not is_used[~turned_here].any()
    assert is_used[turned_here & truth].mean() >= 1.0 - DRAWN
    hidden = turned_here & ~truth
    assert hidden.sum() > 50
    assert is_used[hidden].mean() <= HIDDEN


def test_the_same_bytes_twice(example):
    first, second = (example.refine() for _ in range(2))
    assert np.array_equal(first.weights, second.weights)
    assert np.array_equal(first.head, second.head)
