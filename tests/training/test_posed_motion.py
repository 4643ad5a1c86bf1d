"""The loss of motion on the screen in the training of bodies: against the engine's vertices, and what it buys."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.training._body.learned_body import Networks, model_of
from rigcast.training._body.outline import parted
from rigcast.training._body.preparation import prepare
from rigcast.training._body.trainer import PosedMotion
from rigcast.training._budget import Budget

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
SMALL = {"hidden": 8, "max_components": 6}


@pytest.fixture(scope="module", params=["rigid", "skinning"])
def networks(request, cylinder_data):
    settings = rc.training.BodySettings(linear=request.param, **SMALL)
    budget = Budget("body", steps=1, threads=1)
    return Networks(cylinder_data, prepare(cylinder_data, settings, budget), settings, budget)


def constant(networks, value):
    """The model whose networks say ``value`` (S, r) in every pose."""
    widths = [m.whiten.shape[1] for m in networks.maps], [len(m.scale) for m in networks.maps]
    count, n, r, hidden = len(networks.active), max(widths[0]), max(widths[1]), SMALL["hidden"]
    shapes = {"weight1": (n, hidden), "bias1": (1, hidden), "weight2": (hidden, hidden), "bias2": (1, hidden)}
    weights = {name: np.zeros((count, *shape), np.float32) for name, shape in shapes.items()}
    weights |= {"weight3": np.zeros((count, hidden, r), np.float32), "bias3": value[:, None].astype(np.float32)}
    return model_of(networks.ds, networks.ready, networks.learned(weights))


def motion_of(networks):
    ready, active, maps = networks.ready, networks.active, networks.maps
    training = np.isin(np.arange(len(ready.poses)), ready.training)
    return PosedMotion(networks.ds, ready, active, maps, training, "cpu"), training


def test_equal_to_the_loss_of_the_engines_vertices(networks, tolerance):
    """Networks that are off by constants, in posed characters."""
    motion, training = motion_of(networks)
    widths = [len(m.scale) for m in networks.maps]
    error = np.zeros((len(widths), max(widths)))
    for s, width in enumerate(widths):
        error[s, :width] = np.random.default_rng(s).normal(0.0, 0.3, width)
    rows = np.arange(0, training.sum(), 97)
    poses = networks.ready.poses[training][rows]
    off, right = (constant(networks, value).evaluate(poses) for value in (error, 0.0 * error))
    loss = rc.training.MotionLoss(networks.ds.rest_vertices, networks.ds.faces, up_axis=networks.ds.up_axis)
    expected = float(loss(torch.from_numpy(off), torch.from_numpy(right)))
    given = torch.from_numpy(np.repeat(error[:, None], len(rows), axis=1).astype(np.float32))
    found = float(motion(given, torch.from_numpy(rows)))
    assert found == pytest.approx(expected**2, rel=tolerance["float32_character"])
    motion.begin(lambda rows: given[:, rows], len(rows))
    assert 0.0 < float(motion(given, torch.from_numpy(rows))) < 2.0  # measured by what is left without networks


def test_what_is_left_without_networks_is_one(networks, tolerance):
    motion, training = motion_of(networks)
    widths = max(len(m.scale) for m in networks.maps)
    targets = np.zeros((len(networks.active), int(training.sum()), widths), np.float32)
    for s, (own, scaling) in enumerate(zip(networks.targets, networks.maps, strict=True)):
        targets[s, :, : len(scaling.scale)] = own[training] / scaling.scale
    motion.begin(lambda rows: torch.from_numpy(targets)[:, rows], targets.shape[1])
    whole = motion(torch.from_numpy(targets), torch.arange(targets.shape[1]))
    assert float(whole) == pytest.approx(1.0, rel=tolerance["float32_character"])


def test_it_lowers_what_is_seen_and_is_noted(cylinder_data, train):
    """Of the rows that were learned, with the same steps; the mean distance may grow."""
    learned, _ = parted(cylinder_data, rc.training.BodySettings(), 0)
    _, poses, truth = cylinder_data.take(learned)
    loss = rc.training.MotionLoss(cylinder_data.rest_vertices, cylinder_data.faces, up_axis=cylinder_data.up_axis)
    seen = {}
    for weight in (0.0, 1.0):
        model = train(cylinder_data, motion_weight=weight, steps=300, max_components=40)
        seen[weight] = float(loss(torch.from_numpy(model.evaluate(poses)), torch.from_numpy(truth)))
        assert model.metadata["training"]["motion_weight"] == weight
        assert ("motion" in model.metadata["training"]["loss"]) == (weight > 0.0)
    assert seen[1.0] < 0.8 * seen[0.0]


def test_a_weight_below_zero_is_refused():
    with pytest.raises(ValueError, match="motion_weight"):
        rc.training.BodySettings(motion_weight=-1.0)
