"""The loss of motion on the screen: against loops, finite differences, its limits, and in a training."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.characters.mapped_face import clip_data
from tests.support.trainings import train_with

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

FACES = np.array([[0, 1, 2, -1], [1, 3, 4, 2], [5, 6, 4, -1]])
REST = np.random.default_rng(0).normal(0, 1, (7, 3))
FRONTS = {"Y": [0, 0, 1], "Z": [0, -1, 0]}


def slow(rest, faces, error, front, exponent):
    """One pose, vertex by vertex."""
    weights = np.zeros(len(rest))
    for face in faces:
        corners = [corner for corner in face if corner >= 0]
        if len(corners) == 3:
            area = np.cross(rest[corners[1]] - rest[corners[0]], rest[corners[2]] - rest[corners[0]]) / 2
        else:
            area = np.cross(rest[corners[2]] - rest[corners[0]], rest[corners[3]] - rest[corners[1]]) / 2
        for corner in corners:
            weights[corner] += max(area @ front, 0.0) / len(corners)
    weights /= weights.sum()
    seen = [np.linalg.norm(e - front * (e @ front)) for e in error]
    return sum(w * s**exponent for w, s in zip(weights, seen, strict=True)) ** (1 / exponent), weights, seen


@pytest.mark.parametrize("axis", FRONTS)
@pytest.mark.parametrize("exponent", [1.0, 8.0])
def test_equal_to_loops(axis, exponent, tolerance):
    errors = np.random.default_rng(1).normal(0, 0.1, (3, 7, 3))
    loss = rc.training.MotionLoss(REST, FACES, up_axis=axis, exponent=exponent)
    found = float(loss(torch.tensor(REST + errors, dtype=torch.float32), torch.tensor(REST, dtype=torch.float32)))
    expected = np.mean([slow(REST, FACES, e, np.array(FRONTS[axis], float), exponent)[0] for e in errors])
    assert found == pytest.approx(expected, rel=tolerance["float32_sum"])


def test_it_lies_between_the_mean_and_the_largest_and_nears_the_latter(tolerance):
    error = np.random.default_rng(2).normal(0, 0.1, (7, 3))
    _, weights, seen = slow(REST, FACES, error, np.array([0.0, 0, 1]), 1.0)
    mean, most = weights @ seen, max(s for s, w in zip(seen, weights, strict=True) if w > 0)
    moved, truth = (torch.tensor(mesh, dtype=torch.float32) for mesh in (REST + error, REST))
    values = [float(rc.training.MotionLoss(REST, FACES, exponent=p)(moved, truth)) for p in (1.0, 4.0, 16.0, 64.0)]
    assert values[0] == pytest.approx(mean, rel=tolerance["float32_sum"])
    assert values == sorted(values)
    assert values[-1] < most
    assert values[-1] == pytest.approx(most, rel=0.05)  # (weight)^(1 / 64) is left


def test_the_gradient_is_that_of_finite_differences(tolerance):
    loss = rc.training.MotionLoss(REST, FACES)
    error = np.random.default_rng(3).normal(0, 0.1, (2, 7, 3))
    truth = torch.tensor(REST, dtype=torch.float64)
    given = torch.tensor(REST + error, dtype=torch.float64, requires_grad=True)
    loss(given, truth).backward()
    direction, step = np.random.default_rng(4).standard_normal(error.shape), 1e-5
    ends = [float(loss(torch.tensor(REST + error + sign * step * direction), truth)) for sign in (1, -1)]
    along = float((given.grad * torch.tensor(direction)).sum())
    assert along == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=tolerance["finite_difference"])


def test_no_error_has_a_finite_gradient():
    given = torch.tensor(REST, dtype=torch.float32, requires_grad=True)
    rc.training.MotionLoss(REST, FACES)(given, torch.tensor(REST, dtype=torch.float32)).backward()
    assert torch.isfinite(given.grad).all()


def test_another_density_changes_little():
    """A flat sheet whose right half has four times as many triangles."""

    def value(columns):
        x, y = (grid.ravel() for grid in np.meshgrid(columns, np.linspace(0, 1, 9), indexing="ij"))
        number = np.arange(len(x)).reshape(len(columns), 9)
        quads = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1).reshape(-1, 4)
        rest = np.stack([x, y, np.zeros_like(x)], axis=1)
        error = np.stack([np.sin(3 * x), y**2, x], axis=1)
        return float(rc.training.MotionLoss(rest, quads)(torch.tensor(rest + error), torch.tensor(rest)))

    even, dense = np.linspace(0, 1, 17), np.concatenate([np.linspace(0, 0.5, 9), np.linspace(0.5, 1, 33)[1:]])
    assert value(dense) == pytest.approx(value(even), rel=0.02)  # as of all measures


@pytest.mark.parametrize(
    ("given", "words"),
    [({"exponent": 0.5}, "exponent"), ({"up_axis": "W"}, "up_axis"), ({"faces": [[0, 1, 9]]}, "faces")],
)
def test_wrong_arguments_are_named(given, words):
    with pytest.raises(ValueError, match=words):
        rc.training.MotionLoss(**({"rest": REST, "faces": FACES} | given))


def test_a_training_uses_it_and_says_so(tmp_path):
    data = clip_data(tmp_path / "clips.rwdata", frames=20, count=3)
    quick = {"steps": 8, "hidden": 8, "threads": 1, "refinement": 0.0, "texels": 0.0, "base": False}
    plain, moved = (train_with("face_maps", data, motion_weight=weight, **quick) for weight in (0.0, 3.0))
    assert moved.metadata["training"]["motion_weight"] == 3.0
    assert not np.array_equal(plain.evaluate(data.poses[:4]), moved.evaluate(data.poses[:4]))
