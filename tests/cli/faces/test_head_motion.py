"""Head motion is told apart from what else a fit leaves."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.cli._described.head_motion import head_motion_warnings
from tests.cli.sheet import sheet_curves, sheet_rig


def turned(shot, angle, shift):
    """Every frame turned about y, more and more, and shifted."""
    angles = np.linspace(0, angle, len(shot))
    turn = np.zeros((len(shot), 3, 3))
    turn[:, 1, 1] = 1
    turn[:, 0, 0] = turn[:, 2, 2] = np.cos(angles)
    turn[:, 0, 2], turn[:, 2, 0] = np.sin(angles), -np.sin(angles)
    return shot @ turn.transpose(0, 2, 1) + shift


@pytest.mark.parametrize(("angle", "shift"), [(0.1, 0.0), (0.0, 0.3), (0.4, 2.0)])
def test_a_moving_head_is_noticed(angle, shift):
    rig, weights = sheet_rig(), sheet_curves(50)
    (text,) = head_motion_warnings(rig, turned(rig.evaluate(weights), angle, shift), weights)
    assert "--rigid" in text
    few = np.arange(0, 196, 9)
    assert head_motion_warnings(rig, turned(rig.evaluate(weights), angle, shift)[:, few], weights, few)


@pytest.mark.parametrize("seed", range(3))
def test_a_still_head_is_not(seed):
    rig, weights = sheet_rig(), sheet_curves(50, seed)
    shot = rig.evaluate(weights)
    noise = np.random.default_rng(seed).normal(0, 0.3, shot.shape)
    for other in (shot, shot + noise, rig.evaluate(np.roll(weights, 1, axis=1))):
        assert not head_motion_warnings(rig, other, weights)


def test_too_few_points_tell_nothing():
    rig, weights = sheet_rig(), sheet_curves(5)
    shot = turned(rig.evaluate(weights), 0.4, 1.0)
    assert not head_motion_warnings(rig, shot[:, :3], weights, np.arange(3))
