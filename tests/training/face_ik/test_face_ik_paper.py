"""``method="paper"``: the loss of Bailey 2020, equations 4.6 to 4.10, beside slow NumPy."""

from __future__ import annotations

import importlib
from types import SimpleNamespace

import numpy as np
import pytest

import rigcast as rc
from rigcast.training._budget import Budget

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pipeline = importlib.import_module("rigcast.training._face_ik._pipeline")  # imports PyTorch
rows_module = importlib.import_module("rigcast.training._face_ik._rows")

RIG = rc.faces.example()
POINTS = np.arange(0, len(RIG.rest_vertices), len(RIG.rest_vertices) // 40)
MILLIMETERS = 1000.0 * RIG.meters_per_unit
SETTINGS = rc.training.FaceIkSettings(method="paper", hidden=8, rows=200)
ROWS = np.arange(30)
PRINTED = {"noise": 4.5e-3, "batch": 8, "hidden": 256, "optimizer": "adam", "learning_rate": 1e-3, "rows": 50_000}


class Samples:
    """Poses and vertices of a rig that is not the model."""

    def __init__(self, scale: float = 1.25, vertices: int | None = None) -> None:
        self.poses = np.random.default_rng(0).random((64, RIG.num_shapes)).astype(np.float32)
        self.rest_vertices = RIG.rest_vertices[:vertices]
        self._vertices = (RIG.rest_vertices + scale * (RIG.evaluate(self.poses) - RIG.rest_vertices))[:, :vertices]

    def __len__(self) -> int:
        return len(self.poses)

    def take(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.poses[rows], self.poses[rows], self._vertices[rows]


def prepared(data: Samples | None = None, settings: rc.training.FaceIkSettings = SETTINGS, dimensions: int = 3):
    known = None if data is None else rows_module.KnownRows(data, POINTS.astype(np.int32), len(RIG.rest_vertices))
    budget = Budget("face_ik", steps=1, threads=1)
    found = pipeline._prepare(RIG.restricted(POINTS), known, None, settings, dimensions, budget)
    state = found.start()
    rng = np.random.default_rng(2)
    for name, value in state.parameters.items():  # biases are 0 at first, and answers near rest
        state.parameters[name] = value + 0.3 * rng.standard_normal(value.shape).astype(np.float32)
    found._restore(state)
    return found, state.parameters


def answers(descent, weights: dict[str, np.ndarray], goals: np.ndarray) -> np.ndarray:
    """f(c): three dense layers per region, leaky ReLU after two of them, averages of parameters that regions share."""
    names = len(RIG.shape_names)
    total, count = np.zeros((len(goals), names)), np.zeros(names)
    rest = RIG.rest_vertices[POINTS].astype(float)[:, : goals.shape[2]]
    for number, region in enumerate(descent.regions):
        x = ((goals - rest) / descent.input_scale)[:, region.points].reshape(len(goals), -1)
        for layer in (1, 2, 3):
            x = x @ weights[f"{number:03d}.weight{layer}"][0].astype(float) + weights[f"{number:03d}.bias{layer}"][0, 0]
            x = np.where(x < 0, 0.2 * x, x) if layer < 3 else x
        total[:, region.parameters] += x
        count[region.parameters] += 1
    return total / np.maximum(count, 1) * descent.output_scale


def loss_of_paper(descent, parameters: np.ndarray, goals: np.ndarray) -> float:
    """(4.8): the mean over rows of (4.9) + lambda (4.10), one row and one point at a time."""
    spread = descent.rows.high - descent.rows.low
    weight = SETTINGS.regularization / len(spread)
    losses = []
    for p, target in zip(parameters, goals, strict=True):
        reached = posed(p)[:, : goals.shape[2]]
        point = sum(np.abs(MILLIMETERS * (reached[i] - target[i])).sum() for i in range(len(POINTS))) / len(POINTS)
        losses.append(point + weight * np.abs(p / spread).sum())  # p0 is 0
    return float(np.mean(losses))


def posed(p: np.ndarray) -> np.ndarray:
    """The rig's control points."""
    return np.asarray(RIG.evaluate(p[None])[0, POINTS], float)


@pytest.mark.parametrize("dimensions", [3, 2])
def test_the_loss_is_that_of_the_paper(dimensions, tolerance):
    descent, weights = prepared(dimensions=dimensions)
    noise = descent._noise_of(len(ROWS), [5])
    goals = descent.rows.points[ROWS].astype(float)[..., :dimensions] + noise
    parameters = answers(descent, weights, goals)
    assert (parameters < 0).any()  # nothing clamps them
    expected = loss_of_paper(descent, parameters, goals)
    assert descent._loss_of(ROWS, noise)[0].item() == pytest.approx(expected, rel=tolerance["float32_character"])


def test_a_step_descends_that_loss():
    descent, weights = prepared()
    noise = descent._noise_of(len(ROWS), [5])
    goals = descent.rows.points[ROWS].astype(float) + noise
    descent._loss_of(ROWS, noise)[0].backward()
    name, place = "000.weight2", (0, 1, 2)
    slope = float(descent._weights[name].grad[place])
    moved = {}
    for side in (-1.0, 1.0):
        changed = {key: value.astype(float) for key, value in weights.items()}
        changed[name][place] += 1e-3 * side
        moved[side] = loss_of_paper(descent, answers(descent, changed, goals), goals)
    assert slope == pytest.approx((moved[1.0] - moved[-1.0]) / 2e-3, rel=2e-2, abs=1e-4)  # kinks of the L1 loss


def test_all_rows_have_all_of_the_noise():
    descent, _ = prepared()
    noise = descent._noise_of(2000, [0])
    assert np.abs(noise).max() <= descent.noise
    assert descent.noise * MILLIMETERS == pytest.approx(4.5)
    sizes = np.abs(noise).max(axis=(1, 2)) / descent.noise
    assert sizes.min() > 0.9
    assert noise.std() == pytest.approx(descent.noise / np.sqrt(3.0), rel=0.02)  # of 240,000 uniform numbers


def test_rows_are_pulled_to_rest_whatever_they_are_of():
    descent, _ = prepared()
    assert (descent._pulled_to(ROWS).numpy() == descent.solver.rest[1].astype(np.float32)).all()


def test_what_is_printed_is_the_default():
    paper = rc.training.FaceIkSettings(method="paper")
    assert {name: getattr(paper, name) for name in PRINTED} == PRINTED
    assert (paper.schedule, paper.noisy_rows, paper.pull, paper.agreement) == ("thirds", "all", "rest", "average")


def test_control_points_are_those_of_the_rig_and_not_of_the_model():
    data = Samples()
    ours = rc.training.FaceIkSettings(method="paper", hidden=8, control_points="model")
    of_rig, of_model = (prepared(data, settings)[0].rows.points for settings in (SETTINGS, ours))
    assert (of_rig == data._vertices[:, POINTS]).all()
    rest = RIG.rest_vertices[POINTS]
    np.testing.assert_allclose(of_rig - rest, 1.25 * (of_model - rest), rtol=0, atol=1e-5)  # float32, of a unit of cm


def trained(path, **more):
    return rc.training.face_ik(RIG, POINTS, SETTINGS, data=Samples(), steps=12, threads=1, **more).save(path)


def test_the_same_seed_gives_the_same_file(tmp_path):
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        trained(tmp_path / name, seed=seed)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()


def test_a_killed_training_continues_to_the_same_file(tmp_path):
    def interrupt(report):
        if report.stage == "training" and report.done > 0.5:
            raise KeyboardInterrupt

    trained(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "half", checkpoint=tmp_path / "state", progress=interrupt)
    trained(tmp_path / "half", checkpoint=tmp_path / "state")
    assert (tmp_path / "half").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_model_says_how_it_was_trained(tmp_path):
    trained(tmp_path / "model")
    known = rc.ik.load(tmp_path / "model").metadata["training"]
    assert (known["method"], known["pull"], known["noisy_rows"], known["outside"]) == ("paper", "rest", "all", 0.0)


def test_data_of_another_mesh_is_refused():
    with pytest.raises(ValueError, match=r"^face_ik: data is of 10 vertices; it must be of the model's \d+ vertices"):
        rc.training.face_ik(RIG, POINTS, SETTINGS, data=Samples(vertices=10), steps=1)


def test_poses_alone_are_refused():
    poses = SimpleNamespace(poses=Samples().poses)
    with pytest.raises(ValueError, match=r"^face_ik: data is poses without vertices; it must be "):
        rc.training.face_ik(RIG, POINTS, SETTINGS, data=poses, steps=1)


@pytest.mark.parametrize("name", ["method", "pull", "noisy_rows", "control_points"])
def test_a_setting_that_is_none_of_its_choices_is_named(name):
    with pytest.raises(ValueError, match=f"^face_ik: {name} is 'none'; it must be "):
        rc.training.FaceIkSettings(**{name: "none"})
