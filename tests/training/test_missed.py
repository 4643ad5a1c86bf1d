"""Channels that the influence probe has missed are found in the poses that are learned from, and no others."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.training._body.missed import missed_columns
from rigcast.training._body.preparation import prepare
from rigcast.training._body.settings import BodySettings
from tests.support.characters.cylinder import SEGMENT, CylinderRig
from tests.training.test_influence import IGNORE, joints_read

LEAST = 1e-3


class Conditional(CylinderRig):
    """The dial swells the tip as well, but only where the last joint is bent far."""

    def _shaped(self, local, flex):
        shaped = super()._shaped(local, flex)
        bent = np.clip(-local[:, 3, 1, 2] - 0.5, 0.0, None)  # sine of the last joint's first rotation, if alone
        tip = np.exp(-(((self.rest_vertices[:, 1] - 3.5 * SEGMENT) / 2.0) ** 2))
        shaped[:, :, 0] += 6.0 * (flex * bent)[:, None] * tip
        return shaped


@pytest.fixture(scope="module")
def conditional_data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("conditional") / "cylinder.rwdata"
    return rc.sampling.sample(Conditional(rings=20, sides=8), folder, count=900, seed=3, probe=1)


def test_a_dial_that_acts_where_no_pose_of_the_probe_is_becomes_an_input(conditional_data):
    ready = prepare(conditional_data, BodySettings(method="paper", tau=1.0), IGNORE)
    found = {
        conditional_data.joint_names[j]: joints_read(ready, conditional_data, i) for i, j in enumerate(ready.sets.joint)
    }
    assert found["joint3"] == {"joint3", "flex"}
    assert "flex" not in found["joint2"]


def random_set(rows=800, channels=6, seed=0):
    """Residuals of five vertices that the first two channels explain, and channels."""
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(rows, channels))
    known = np.array([True, True, False, False, False, False])
    return rng, 0.1 * drawn[:, :2] @ rng.normal(size=(2, 15)), drawn, known


@pytest.mark.parametrize("seed", range(8))
def test_noise_finds_nothing(seed):
    rng, residuals, channels, known = random_set(seed=seed)
    residuals = (residuals + 0.05 * rng.standard_t(4, residuals.shape)).reshape(len(residuals), 5, 3)
    assert not missed_columns(residuals, channels, known, 0.0, 15 * 8).any()


def test_a_channel_that_acts_on_both_sides_of_its_mean_is_found():
    rng, residuals, channels, known = random_set()
    residuals[:, 4] += 0.05 * np.square(channels[:, 3])
    residuals += 0.05 * rng.normal(size=residuals.shape)
    found = missed_columns(residuals.reshape(-1, 5, 3), channels, known, LEAST, 15 * 8)
    assert np.flatnonzero(found).tolist() == [3]


def test_what_stands_for_less_than_the_threshold_is_left_out():
    _, residuals, channels, known = random_set()
    residuals[:, 4] += 0.5 * LEAST * channels[:, 3]
    assert not missed_columns(residuals.reshape(-1, 5, 3), channels, known, LEAST, 15 * 8).any()


def test_a_channel_that_moves_with_a_known_one_is_not_found():
    rng, residuals, channels, known = random_set()
    channels[:, 4] = channels[:, 0] + 0.1 * rng.normal(size=len(channels))
    residuals[:, 3] += 0.2 * channels[:, 0] ** 2
    assert not missed_columns(residuals.reshape(-1, 5, 3), channels, known, LEAST, 15 * 8).any()


def test_few_rows_say_nothing():
    _, residuals, channels, known = random_set(rows=300)
    residuals[:, 4] += channels[:, 3]
    assert not missed_columns(residuals.reshape(-1, 5, 3), channels, known, LEAST, 15 * 8).any()
