"""Learned inverse kinematics of a small face, judged on the rig."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from benchmarks.systems.ik.learned import figures

import rigcast as rc

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

RIG = rc.faces.example()
POINTS = np.arange(0, len(RIG.rest_vertices), len(RIG.rest_vertices) // 40)
MILLIMETERS = 1000.0 * RIG.meters_per_unit
SETTINGS = rc.training.FaceIkSettings(hidden=48, rows=2000, batch=64, bins=1, noise=1e-3)  # it moves by 2 mm only
NOISE = 1.0 / MILLIMETERS


@pytest.fixture(scope="module")
def ik() -> rc.ik.FaceIk:
    return rc.training.face_ik(RIG, POINTS, steps=300, threads=1, settings=SETTINGS)


@pytest.fixture(scope="module")
def expressions() -> tuple[np.ndarray, np.ndarray]:
    """Weights (T, K) of expressions and their vertices (T, V, 3)."""
    rng = np.random.default_rng(1)
    shape = (20, RIG.num_shapes)
    weights = rng.random(shape) * (rng.random(shape) < 0.6)
    return weights, RIG.evaluate(weights)


def best(targets: np.ndarray) -> np.ndarray:
    """Point errors (T,) in millimeters of the optimum of the squared point loss on the rig."""
    ends = np.full((len(targets), *RIG.rest_vertices.shape), np.nan)
    ends[:] = RIG.rest_vertices
    ends[:, POINTS] = targets
    found = rc.inverse.solve(RIG, ends, vertices=POINTS, alpha=0.0)
    return distance(RIG.evaluate(found.weights)[:, POINTS], targets)


def distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.linalg.norm(a - b, axis=2).mean(axis=1) * MILLIMETERS


def test_reachable_points_are_met_nearly_as_well_as_the_optimum_does(ik, expressions):
    _, vertices = expressions
    goals = vertices[:, POINTS]
    found = ik.solve(goals)
    error = distance(RIG.evaluate(found.channels)[:, POINTS], goals).mean()
    assert error <= 1.5 * best(goals).mean() + 0.2


def test_unreachable_points_are_met_nearly_as_well_as_the_optimum_does(ik, expressions):
    _, vertices = expressions
    goals = vertices[:, POINTS] + np.random.default_rng(2).uniform(-NOISE, NOISE, (len(vertices), len(POINTS), 3))
    found = ik.solve(goals)
    error = distance(RIG.evaluate(found.channels)[:, POINTS], goals).mean()
    assert error <= 1.3 * best(goals).mean()


def test_the_whole_face_is_far_better_than_that_of_the_nearest_training_pose(ik, expressions):
    weights, vertices = expressions
    rng = np.random.default_rng(3)
    known = rng.random((50_000, RIG.num_shapes)) * (rng.random((50_000, RIG.num_shapes)) < 0.6)
    seen = RIG.restricted(POINTS).evaluate(known).reshape(len(known), -1)
    goals = vertices[:, POINTS].reshape(len(weights), -1)
    nearest = known[[np.square(seen - goal).sum(axis=1).argmin() for goal in goals]]
    ours = distance(RIG.evaluate(ik.solve(vertices[:, POINTS]).channels), vertices).mean()
    assert ours <= 0.5 * distance(RIG.evaluate(nearest), vertices).mean()


def test_a_moved_point_changes_the_parameters_of_its_region_alone(ik):
    assert len(ik.regions) > 3
    rest = RIG.rest_vertices[POINTS]
    before = ik.solve(rest).unknowns[0]
    for points, parameters in ik.regions:
        goals = rest.copy()
        goals[points[0]] += 3.0 / MILLIMETERS
        changed = np.flatnonzero(ik.solve(goals).unknowns[0] != before)
        assert set(changed) <= set(parameters.tolist())


def test_each_region_has_all_parameters_that_move_its_points(ik):
    alone = RIG.restricted(POINTS).evaluate(np.eye(RIG.num_shapes)) - RIG.rest_vertices[POINTS]
    moves = np.linalg.norm(alone, axis=2) * MILLIMETERS > 0.05
    for points, parameters in ik.regions:
        assert set(np.flatnonzero(moves[:, points].any(axis=1))) <= set(parameters.tolist())


def test_figures_are_of_the_rig_and_not_of_the_approximation(expressions):
    """Networks that are trained through a model which moves too little turn parameters up too far."""
    columns = 0.6 * RIG.columns()[: RIG.num_shapes]
    wrong = rc.BlendshapeRig(RIG.rest_vertices, columns, faces=RIG.faces)
    ik = rc.training.face_ik(wrong, POINTS, steps=60, threads=1, settings=SETTINGS)
    found = figures(ik, RIG, expressions[0], 0.0)
    goals = expressions[1][:, POINTS]
    assert found["points on the rig"] == pytest.approx(
        distance(RIG.evaluate(ik.solve(goals).unknowns)[:, POINTS], goals).mean()
    )
    assert found["points on the rig"] > 1.2 * found["points on the approximation"]


def test_errors_are_measured_when_they_are_asked_for(ik, expressions, tolerance):
    goals = expressions[1][:, POINTS]
    found = ik.solve(goals)
    assert "error" not in vars(found)
    expected = np.linalg.norm(RIG.evaluate(found.channels)[:, POINTS] - goals, axis=2)
    np.testing.assert_allclose(found.error, expected, rtol=0, atol=tolerance["float32"])
    np.testing.assert_allclose(found.objective, np.square(found.error).sum(axis=1), rtol=tolerance["gram"])
    with pytest.raises(AttributeError, match="measure"):
        _ = found.measure


def test_errors_are_those_of_the_targets_that_were_solved(ik, expressions):
    goals = np.ascontiguousarray(expressions[1][:, POINTS], np.float32)
    found, expected = ik.solve(goals), ik.solve(goals).error
    goals += 1.0
    found.poses[:] = 0.0
    assert found.error.tobytes() == expected.tobytes()


def test_a_solution_is_pickled_with_its_errors(ik, expressions):
    found = pickle.loads(pickle.dumps(ik.solve(expressions[1][:, POINTS])))
    assert found.error.shape == (20, len(POINTS))
    assert "_measure" not in vars(found)


def test_parameters_are_inside_their_bounds(ik):
    goals = RIG.rest_vertices[POINTS] + np.random.default_rng(4).normal(0.0, 40 * NOISE, (20, len(POINTS), 3))
    found = ik.solve(goals)
    assert found.unknowns.min() >= 0.0
    assert found.unknowns.max() <= 1.0
    assert found.at_bound.any()


def test_polishing_ends_near_the_optimum_of_all_regions_together(ik, expressions):
    _, vertices = expressions
    goals = vertices[:, POINTS] + np.random.default_rng(2).uniform(-NOISE, NOISE, (len(vertices), len(POINTS), 3))
    plain, polished = (ik.solve(goals, polish=steps).error.mean() * MILLIMETERS for steps in (0, 5))
    optimum = best(goals).mean()
    assert polished < plain
    assert polished < 1.02 * optimum


def test_the_file_gives_the_same_bytes(ik, tmp_path):
    path = tmp_path / "face.safetensors"
    ik.save(path)
    loaded = rc.ik.load(path)
    goals = RIG.rest_vertices[None, POINTS] + np.float32(2.0 / MILLIMETERS)
    assert (loaded.solve(goals).poses == ik.solve(goals).poses).all()
    loaded.save(tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == path.read_bytes()
    assert json.loads(json.dumps(loaded.metadata)) == ik.metadata


def test_load_says_which_function_opens_it(ik, tmp_path):
    path = tmp_path / "face.safetensors"
    ik.save(path)
    with pytest.raises(ValueError, match=r"rigcast\.ik\.load"):
        rc.load(path)


def test_a_model_is_no_learned_inverse_kinematics(tmp_path):
    path = tmp_path / "rig.safetensors"
    RIG.save(path)
    with pytest.raises(ValueError, match=r"of kind 'blendshape'; it must be .* rigcast\.load"):
        rc.ik.load(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="learned inverse kinematics"):
        rc.ik.load(tmp_path / "none.safetensors")


def test_the_same_seed_gives_the_same_file(tmp_path):
    files = []
    for name in "ab":
        files.append(tmp_path / name)
        rc.training.face_ik(RIG, POINTS, seed=5, steps=3, threads=1, settings=SETTINGS).save(files[-1])
    assert files[0].read_bytes() == files[1].read_bytes()


def test_depth_of_two_dimensional_points_changes_no_byte():
    ik = rc.training.face_ik(RIG, POINTS, steps=20, threads=1, dimensions=2, settings=SETTINGS)
    goals = RIG.evaluate(np.full((1, RIG.num_shapes), 0.3))[:, POINTS]
    deeper = np.add(goals, [0.0, 0.0, 0.1])
    for polish in (0, 2):
        plain, deep, flat = (ik.solve(points, polish=polish) for points in (goals, deeper, goals[..., :2]))
        assert (plain.poses == deep.poses).all()
        assert (plain.poses == flat.poses).all()


def test_labels_choose_the_regions():
    labels = (RIG.rest_vertices[POINTS, 1] > RIG.rest_vertices[POINTS, 1].mean()).astype(int)
    ik = rc.training.face_ik(RIG, POINTS, steps=1, threads=1, regions=labels, settings=SETTINGS)
    assert len(ik.regions) == 2
    assert all(len(set(labels[points])) == 1 for points, _ in ik.regions)


def test_a_killed_training_continues_to_the_same_file(tmp_path):
    def run(path, **more):
        return rc.training.face_ik(RIG, POINTS, steps=12, threads=1, settings=SETTINGS, **more).save(path)

    def interrupt(report):
        if report.stage == "training" and report.done > 0.5:
            raise KeyboardInterrupt

    run(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "half", checkpoint=tmp_path / "state", progress=interrupt)
    run(tmp_path / "half", checkpoint=tmp_path / "state")
    assert (tmp_path / "half").read_bytes() == (tmp_path / "whole").read_bytes()


WRONG = {
    "model is a str": lambda: rc.training.face_ik("face.safetensors", POINTS),
    "points is 99999": lambda: rc.training.face_ik(RIG, [99999]),
    "dimensions is 4": lambda: rc.training.face_ik(RIG, POINTS, dimensions=4),
    "hidden is 0": lambda: rc.training.face_ik(RIG, POINTS, settings=rc.training.FaceIkSettings(hidden=0)),
    "data is a list": lambda: rc.training.face_ik(RIG, POINTS, data=[1]),
    "device is 'cuda'": lambda: rc.training.face_ik(RIG, POINTS, device="cuda"),
    "settings is a BodySettings": lambda: rc.training.face_ik(RIG, POINTS, settings=rc.training.BodySettings()),
    "steps is 0": lambda: rc.training.face_ik(RIG, POINTS, steps=0),
    "regions is": lambda: rc.training.face_ik(RIG, POINTS, regions=[1, 2], settings=SETTINGS),
}


@pytest.mark.parametrize("words", WRONG)
def test_a_wrong_argument_is_named(words):
    with pytest.raises(ValueError, match=f"^face_ik: {words}.*; it must be "):
        WRONG[words]()


def test_points_of_another_number_are_named(ik):
    with pytest.raises(ValueError, match=r"^solve: targets is .*; it must be numbers \(T, 41, 3\)"):
        ik.solve(np.zeros((1, 5, 3)))


def test_points_that_are_not_finite_are_named(ik):
    with pytest.raises(ValueError, match=r"^solve: targets is not finite everywhere"):
        ik.solve(RIG.rest_vertices[POINTS] * np.nan)
