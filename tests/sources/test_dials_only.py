"""A rig seen through its dials: no joints in its poses, everything else as it is."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import rigcast as rc
from rigcast.sources import RigChannel
from tests.support.characters.lid import lid_rig

ROWS = np.array([[0.0, 0.0], [1.0, 0.25], [0.5, 1.0]])


class Hosted:
    """A rig that a host evaluates: it has actions, a worker of its own, and something to close."""

    def __init__(self, rig, number=0):
        self.rig, self.number, self.closed = rig, number, False
        self.actions = {"wink": len(ROWS)}

    def __getattr__(self, name):
        if name == "rig":
            raise AttributeError(name)
        return getattr(self.rig, name)

    def sample(self, channels):
        return self.rig.sample(channels)

    def played(self, name):
        return self.rig.sample(ROWS)

    def for_worker(self):
        return Hosted(self.rig, self.number + 1)

    def close(self):
        self.closed = True


@pytest.fixture
def rig():
    return lid_rig()


@pytest.fixture
def lid(rig):
    return rc.sources.dials_only(rig)


def test_poses_are_the_dials(lid):
    np.testing.assert_array_equal(lid.sample(ROWS)[0], ROWS.astype(np.float32))


def test_poses_are_contiguous(lid):
    assert lid.sample(ROWS)[0].flags.c_contiguous


def test_vertices_are_the_rigs(rig, lid):
    assert lid.sample(ROWS)[1].tobytes() == rig.sample(ROWS)[1].tobytes()


def test_there_is_no_skeleton(rig, lid):
    assert rig.skeleton is not None
    assert lid.skeleton is None


@pytest.mark.parametrize("name", ["rotation_channels", "translation_channels", "follower_rotations"])
def test_channels_of_joints_are_gone(lid, name):
    assert not hasattr(lid, name)


@pytest.mark.parametrize("name", ["channel_names", "dial_names", "meters_per_unit", "up_axis", "licence", "surface"])
def test_facts_are_the_rigs(rig, lid, name):
    assert getattr(lid, name) == getattr(rig, name)


def test_parts_reach_the_data_set(lid, tmp_path):
    data = rc.sampling.sample(lid, tmp_path / "lid.rwdata", 4, probe=0)
    assert data.surface.parts == ["skin"]


def test_a_data_set_has_no_joints(lid, tmp_path):
    data = rc.sampling.sample(lid, tmp_path / "lid.rwdata", 4)
    assert (data.skeleton, data.pose_names) == (None, ["blink", "squint"])


def test_two_workers_sample_the_bytes_of_one(lid, tmp_path):
    one, two = (
        rc.sampling.sample(lid, tmp_path / f"{n}.rwdata", 6, shard_rows=2, workers=n, probe=0).hash for n in (1, 2)
    )
    assert one == two


def test_an_action_is_played_without_joints(rig):
    poses, vertices = rc.sources.dials_only(Hosted(rig)).played("wink")
    np.testing.assert_array_equal(poses, ROWS.astype(np.float32))
    assert vertices.tobytes() == rig.sample(ROWS)[1].tobytes()


def test_actions_become_a_data_set(rig, tmp_path):
    data = rc.sampling.sample_actions(rc.sources.dials_only(Hosted(rig)), tmp_path / "wink.rwdata")
    np.testing.assert_array_equal(data.poses, ROWS.astype(np.float32))


def test_a_worker_gets_a_rig_of_its_own(rig):
    worker = rc.sources.dials_only(Hosted(rig)).for_worker()
    assert worker.rig.number == 1
    assert worker.skeleton is None


def test_a_rig_without_workers_is_shared(rig, lid):
    assert lid.for_worker().rig is rig


def test_closing_closes_the_rig(rig):
    host = Hosted(rig)
    with rc.sources.dials_only(host):
        assert not host.closed
    assert host.closed


def test_a_rig_that_holds_nothing_open_can_be_closed(lid):
    lid.close()


def test_it_comes_back_from_a_pickle(lid):
    again = pickle.loads(pickle.dumps(lid))
    assert again.sample(ROWS)[1].tobytes() == lid.sample(ROWS)[1].tobytes()


def test_it_is_read_only(lid):
    with pytest.raises(AttributeError, match="a rig of dials is read-only; set name of the rig itself"):
        lid.name = "other"


def test_an_unknown_attribute_is_named(lid):
    with pytest.raises(AttributeError, match="wings"):
        _ = lid.wings


@pytest.fixture
def turned():
    """A lid whose bone an artist turns, too: by 10 degrees at rest."""
    return lid_rig((RigChannel("lid.rx", "rotate_x", 1, -30.0, 30.0, 10.0),))


def test_channels_of_joints_are_held_at_rest_and_named(turned):
    held = rc.sources.dials_only(turned)
    assert (held.held, held.channel_names) == (["lid.rx"], ["blink", "squint"])
    assert held.differences == ["dials only: 1 channel that is no dial is held at rest: lid.rx"]
    rows = np.concatenate([ROWS, np.full((3, 1), 10.0)], axis=1)
    assert held.sample(ROWS)[1].tobytes() == turned.sample(rows)[1].tobytes()


def test_an_action_leaves_out_what_is_held(turned):
    keys = np.concatenate([ROWS, np.float64([[0], [20], [30]])], axis=1)
    host = Hosted(turned)
    host.action = lambda name: rc.sources.Action(name, keys, 24.0)
    held = rc.sources.dials_only(host)
    action = held.action("wink")
    assert (action.channels.tolist(), action.missed) == (ROWS.tolist(), ["lid.rx"])
    poses, vertices = held.played("wink")
    assert poses.tolist() == ROWS.tolist()
    assert vertices.tobytes() == held.sample(ROWS)[1].tobytes()


def test_a_rig_without_dials_is_refused():
    arm = rc.sources.example_body()
    bare = rc.sources.SkinnedRig(arm.rest_vertices, arm.faces, arm.joints, skin=arm.skin, channels=arm.channels[:2])
    with pytest.raises(ValueError, match="rig is a rig of 2 channels, none of which is a numeric control; it must be"):
        rc.sources.dials_only(bare)


@pytest.mark.parametrize("features", ["linear", "quadratic"])
def test_a_loaded_regression_needs_the_dials_alone(lid, tmp_path, features):
    data = rc.sampling.sample(lid, tmp_path / "lid.rwdata", 40, probe=0)
    rc.baselines.pca_regression(data, 2, features=features).save(tmp_path / "lid.safetensors")
    model = rc.load(tmp_path / "lid.safetensors")  # evaluated by the C++ engine
    assert (model.skeleton, list(model.control_names)) == (None, ["blink", "squint"])
    assert model.evaluate(ROWS.astype(np.float32)).shape == (3, 25, 3)


def test_a_regression_on_linear_dials_is_exact(lid, tmp_path, tolerance):
    """Up to half, squint does nothing: what is left is linear in blink."""
    rows = np.random.default_rng(0).uniform(0, [1.0, 0.5], (20, 2))
    data = rc.sampling.sample(lid, tmp_path / "lid.rwdata", sampler=rc.sampling.Animation(rows), probe=0)
    model = rc.baselines.pca_regression(data, 1)
    found = model.evaluate(data.poses)
    np.testing.assert_allclose(found, data.vertices, atol=tolerance["float32_scaled"])
