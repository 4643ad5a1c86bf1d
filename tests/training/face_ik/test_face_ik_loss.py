"""What learned inverse kinematics minimizes: control points with and without noise, and the parameters of the row."""

from __future__ import annotations

import importlib
from dataclasses import asdict

import numpy as np
import pytest

import rigcast as rc
from rigcast.training._budget import Budget

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pipeline = importlib.import_module("rigcast.training._face_ik._pipeline")  # imports PyTorch

RIG = rc.faces.example()
POINTS = np.arange(0, len(RIG.rest_vertices), len(RIG.rest_vertices) // 40)
SETTINGS = rc.training.FaceIkSettings(hidden=8, rows=200, batch=64, bins=1)
ROWS = np.arange(50)


@pytest.fixture(params=["average", "joint"])
def descent(request):
    settings = rc.training.FaceIkSettings(**{**asdict(SETTINGS), "agreement": request.param})
    return pipeline._prepare(RIG.restricted(POINTS), None, None, settings, 3, Budget("face_ik", steps=1, threads=1))


@pytest.fixture
def none(descent) -> np.ndarray:
    return np.zeros((len(ROWS), len(POINTS), 3), np.float32)


def answering(descent, values: np.ndarray) -> None:
    """Make every network answer with parameters (T, N)."""
    wanted = torch.tensor(values.astype(np.float32))
    rest, scale = descent._rest_values, descent._scale
    descent._parameters = lambda goals: wanted
    descent._proposals = lambda goals: [((wanted - rest) / scale)[:, region.parameters] for region in descent.regions]


def test_half_of_the_rows_have_no_noise(descent):
    noise = np.abs(descent._noise_of(2000, [0]))
    quiet = (noise == 0.0).all(axis=(1, 2))
    assert 0.45 < quiet.mean() < 0.55
    assert 0.9 * descent.noise < noise.max() <= descent.noise
    largest = noise[~quiet].max(axis=(1, 2)) / descent.noise
    assert 0.15 < np.percentile(largest, 25) < 0.35  # of any size


@pytest.mark.parametrize("descent", ["average"], indirect=True)  # regions see their points with the others at rest
def test_the_parameters_of_the_row_cost_nothing(descent, none):
    answering(descent, descent.rows.values[ROWS])
    loss, _ = descent._loss_of(ROWS, none)
    assert float(loss) < 1e-4


def test_other_parameters_cost_their_distance_from_those_of_the_row(descent, none, tolerance):
    known = descent.rows.values[ROWS]
    answering(descent, np.repeat(descent.solver.rest[1], len(ROWS), axis=0))
    without = rc.training.FaceIkSettings(**{**asdict(descent.settings), "regularization": 0.0})
    loss = float(descent._loss_of(ROWS, none)[0])
    descent.settings = without
    points = float(descent._loss_of(ROWS, none)[0])
    share = np.abs(known - descent.solver.rest[1]) / descent.output_scale
    counted = [share[:, region.parameters].sum(axis=1).mean() for region in descent.regions]
    total = share.sum(axis=1).mean() if descent.settings.agreement == "average" else sum(counted)
    assert loss - points == pytest.approx(SETTINGS.regularization * total / known.shape[1], rel=tolerance["printed"])
