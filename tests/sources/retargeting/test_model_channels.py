"""The channels of files come back from the models made of them."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.sources import load, save_npz_rig
from tests.support.characters.small_rig import small_rig
from tests.support.glb import character


def npz(folder):
    save_npz_rig(folder / "a.npz", small_rig())
    return load(folder / "a.npz")


def glb(folder):
    return load(character().write(folder / "a.glb"), ranges=60.0)  # beyond 90, angles of a rotation are not unique


@pytest.fixture(params=[npz, glb])
def learned(request, tmp_path):
    """A data set of a file, and a model fitted to it."""
    ds = rc.sampling.sample(request.param(tmp_path), tmp_path / "a.rwdata", count=40, probe=1)
    return ds, rc.baselines.linear_blend(ds, influences=2)


def test_channels_give_the_poses_of_the_data(learned, tolerance):
    ds, model = learned
    poses = model.poses_from_channels(ds.channels)
    np.testing.assert_allclose(poses, ds.poses, atol=tolerance["float32"] * np.abs(ds.poses).max())


def test_poses_give_the_channels_of_the_data(learned, tolerance):
    ds, model = learned
    found, residual = model.channels_from_poses(ds.poses)
    np.testing.assert_allclose(found, ds.channels, atol=tolerance["finite_difference"])  # degrees
    assert residual.max() < 2 * tolerance["float32"] * np.abs(ds.poses).max()


def test_the_model_knows_the_files_channels(learned):
    ds, model = learned
    assert [channel.name for channel in model.channels] == ds.channel_names
    np.testing.assert_array_equal([(channel.low, channel.high) for channel in model.channels], ds.channel_ranges)
    assert all(channel.follows_kinematics for channel in model.channels)
