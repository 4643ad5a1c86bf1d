"""The loss of motion on the screen in the training of differential models: against the engine, and what it buys."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from rigcast.training._budget import Budget
from rigcast.training._differential._export import learned_tensors
from rigcast.training._differential._pipeline import _prepare
from rigcast.training._differential._trainer import SeenMotion
from rigcast.training._export import common_metadata, common_tensors
from tests.training.differential_training import learn

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
SMALL = {"hidden": 12, "layers": 2, "anchor_hidden": 6, "anchor_layers": 2}
CASES = [("displacement", "each"), ("delta", "each"), ("displacement", "one")]


@pytest.fixture(params=["face", "cylinder"])
def data(request, face_data, cylinder_data):
    """Without joints, and skinned."""
    return {"face": face_data, "cylinder": cylinder_data}[request.param]


def constant(ds, problem, values):
    """The model whose networks say so much, scaled, in every pose."""
    weights = problem.nothing(0)
    for group in problem.groups:
        weights[f"{group.name}_bias{group.layers + 1}"][:] = values[group.name][:, None]
    tensors = common_tensors(ds, np.asarray(ds.poses)) | learned_tensors(problem, weights)
    return _core.model_from_tensors(
        tensors, json.dumps(common_metadata(ds, "differential", {}) | {"laplacian": "D - A"})
    )


@pytest.mark.parametrize(("loss", "networks"), CASES)
def test_equal_to_the_loss_of_the_engines_vertices(data, loss, networks, tolerance):
    """Networks that are off by constants, so much that rounding of the vertices is little beside it."""
    settings = rc.training.DifferentialSettings(loss=loss, anchor_networks=networks, **SMALL)
    problem = _prepare(data, None, None, settings, Budget("differential", steps=1, threads=1)).problem
    rng = np.random.default_rng(0)
    off = {
        g.name: rng.normal(0.0, 100.0, (len(g.columns), g.targets.shape[2])).astype(np.float32) for g in problem.groups
    }
    rows = np.arange(0, problem.training.sum(), 31)
    poses = np.asarray(data.poses)[problem.training][rows]
    none = {name: np.zeros_like(value) for name, value in off.items()}
    found, right = (constant(data, problem, values).evaluate(poses) for values in (off, none))
    seen = rc.training.MotionLoss(data.rest_vertices, data.faces, up_axis=data.up_axis)
    expected = float(seen(torch.from_numpy(found), torch.from_numpy(right)))
    motion = SeenMotion(data, problem, "cpu", 1)
    given = {name: torch.from_numpy(value)[:, None].repeat(1, len(rows), 1) for name, value in off.items()}
    assert float(motion(given, torch.from_numpy(rows))) == pytest.approx(
        expected**2, rel=tolerance["float32_character"]
    )


def test_it_lowers_what_is_seen(face_data):
    """Of the rows that were learned, with the same steps."""
    learned, _ = face_data.split(0.1, 0)
    _, poses, truth = face_data.take(learned)
    loss = rc.training.MotionLoss(face_data.rest_vertices, face_data.faces, up_axis=face_data.up_axis)
    seen = {}
    for weight in (0.0, 1.0):
        model = learn(face_data, motion_weight=weight, steps=300, hidden=32, base=False, components=60)
        seen[weight] = float(loss(torch.from_numpy(model.evaluate(poses)), torch.from_numpy(truth)))
        assert model.metadata["training"]["motion_weight"] == weight
    assert seen[1.0] < 0.8 * seen[0.0]


def test_a_weight_below_zero_is_refused():
    with pytest.raises(ValueError, match="motion_weight"):
        rc.training.DifferentialSettings(motion_weight=-1.0)
