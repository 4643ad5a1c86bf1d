"""Scales, end to end: a joint's scale is sampled, learned and evaluated; a scaled root scales the character."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.characters.cylinder import CylinderRig
from tests.support.trainings import train_with
from tests.training.test_body import rigid


class Stretched(CylinderRig):
    """A channel scales the third joint, and with it all that hangs on it."""

    def __init__(self) -> None:
        super().__init__(rings=20, sides=8, extra_control=False)
        self.channel_names.append("joint2.scale")
        self.channel_ranges = np.vstack([self.channel_ranges, [0.7, 1.4]])
        self.channel_rest = np.append(self.channel_rest, 1.0)

    def _locals(self, rows):
        local, flex = super()._locals(rows[:, :-1])
        local[:, 2, :, :3] *= rows[:, -1, None, None]
        return local, flex


@pytest.fixture(scope="module")
def stretched(tmp_path_factory):
    """Poses to learn from, others, and a model."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    folder = tmp_path_factory.mktemp("stretched")
    data = rc.sampling.sample(Stretched(), folder / "a.rwdata", count=600, seed=3, probe=3)
    unseen = rc.sampling.sample(Stretched(), folder / "b.rwdata", count=80, seed=99, probe=0)
    settings = {"steps": 600, "hidden": 16, "batch": 64, "border": 1.0, "tau": 1.0, "threads": 1}
    return data, unseen, train_with("body", data, seed=0, **settings)


def test_sampled_scales_are_learned(stretched):
    data, unseen, model = stretched
    assert np.ptp(np.linalg.det(data.poses[:, 24:36].reshape(-1, 3, 4)[:, :, :3])) > 1.0
    error = np.linalg.norm(model.evaluate(unseen.poses) - unseen.vertices, axis=2)
    without = np.linalg.norm(rigid(data, unseen.poses) - unseen.vertices, axis=2)
    assert error.mean() < 0.4 * without.mean()


def test_the_networks_know_the_scale(stretched):
    _, unseen, model = stretched
    assert unseen.channel_names[-1] == "joint2.scale"
    scale = unseen.channels[:, -1]
    far = np.abs(scale - 1.0) > 0.15
    error = np.linalg.norm(model.evaluate(unseen.poses) - unseen.vertices, axis=2).mean(axis=1)
    assert error[far].mean() < 2.0 * error[~far].mean()


@pytest.mark.parametrize("factor", [0.25, 1.75])
def test_a_uniformly_scaled_root_scales_the_result(stretched, factor, tolerance):
    _, unseen, model = stretched
    poses = unseen.poses[:4].copy()
    root = poses[:, :12].reshape(-1, 3, 4)
    root[:, :, :3] *= np.float32(factor)
    origin = root[:, None, :, 3]
    expected = factor * (model.evaluate(unseen.poses[:4]) - origin) + origin
    np.testing.assert_allclose(model.evaluate(poses), expected, atol=tolerance["float32_character"])
    np.testing.assert_array_equal(model.confidence(poses), model.confidence(unseen.poses[:4]))
