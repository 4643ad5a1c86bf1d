"""What data sets and models keep of a rig's channels, and which of them plain kinematics is found not to decide."""

import json
import shutil
import types

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from rigcast._rigs.rotations import euler_to_matrix, transform_of
from rigcast.sampling._store.manifest import manifest_hash
from rigcast.sources import (
    FollowerRotations,
    Joints,
    RigChannel,
    RotationChannels,
    ScaleChannels,
    Skin,
    SkinnedRig,
    TranslationChannels,
    load_bvh,
)
from tests.sampling.motions import ARM, write
from tests.support.characters.cylinder import CylinderRig

SETTINGS = {"count": 30, "seed": 3, "probe": 2}


class Stated(CylinderRig):
    """A cylinder that states what its channels turn."""

    def __init__(self, **settings):
        super().__init__(3, rings=6, sides=5, **settings)
        first = [2, 5]
        self.rotation_channels = [
            RotationChannels(0, "Y", (1,)),
            *(RotationChannels(j + 1, "ZYX", (c + 2, c + 1, c)) for j, c in enumerate(first)),
        ]
        self.translation_channels = [TranslationChannels(0, (0, -1, -1))]


class Followed(Stated):
    """The last joint copies the one before; nothing says so."""

    def _locals(self, rows):
        rows = rows.copy()
        rows[:, 5:8] = rows[:, 2:5]
        return super()._locals(rows)


class Explained(Followed):
    """The same, and the rig says why."""

    def __init__(self):
        super().__init__()
        self.posed_elsewhere = {"joint2": "constraint 'Copy'", "joint1": "a driver that is switched off"}


class Rounded(Stated):
    """The dial is a switch."""

    def __init__(self):
        super().__init__()
        self.whole_channels = ["flex"]

    def _locals(self, rows):
        local, flex = super()._locals(rows)
        return local, np.rint(flex)


def sampled(rig, path, **settings):
    return rc.sampling.sample(rig, path, **SETTINGS | settings)


def model_of(ds):
    return rc.baselines.linear_blend(ds, influences=2)


def reasons(ds):
    return {c.name: c.reason for c in model_of(ds).channels if c.reason}


def test_a_model_gives_the_poses_of_its_data(tmp_path, tolerance):
    ds = sampled(Stated(), tmp_path / "a")
    scale = tolerance["float32"] * np.abs(ds.poses).max()
    np.testing.assert_allclose(model_of(ds).poses_from_channels(ds.channels), ds.poses, atol=scale)


def test_a_model_gives_the_channels_of_its_data(tmp_path, tolerance):
    ds = sampled(Stated(), tmp_path / "a")
    found, residual = model_of(ds).channels_from_poses(ds.poses)
    np.testing.assert_allclose(found, ds.channels, atol=tolerance["printed"])  # degrees
    assert residual.max() < tolerance["float32"] * np.abs(ds.poses).max()


def test_a_swapped_order_is_found(tmp_path):
    rig = Stated()
    rig.rotation_channels[1] = RotationChannels(1, "XYZ", (2, 3, 4))
    found = reasons(sampled(rig, tmp_path / "a"))
    assert set(found) == {"joint1.rx", "joint1.ry", "joint1.rz"}
    assert found["joint1.rx"] == "joint 'joint1': its channels do not decide its pose"


def test_learned_models_keep_channels(tmp_path):
    pytest.importorskip("torch", reason="the training extra is not installed")
    from rigcast.training._export import common_metadata

    ds = sampled(Stated(), tmp_path / "a")
    assert common_metadata(ds, "body", {})["channels"] == ds.channel_entry


def test_a_rig_that_states_nothing_is_named(tmp_path):
    ds = sampled(CylinderRig(3, rings=6, sides=5), tmp_path / "a")
    model = model_of(ds)
    assert [c.kind for c in model.channels] == ["other"] * 8 + ["dial"]
    with pytest.raises(ValueError, match=r"channel 'root.tx' \(the rig does not state what it turns\)"):
        model.poses_from_channels(ds.channels)


def test_channels_that_move_other_joints_are_found_by_the_probe(tmp_path):
    found = reasons(sampled(Followed(), tmp_path / "a"))
    assert found == {
        **{f"joint1.r{a}": "it also moves joint 'joint2': its channels do not decide its pose" for a in "xyz"},
        **{f"joint2.r{a}": "joint 'joint2': its channels do not decide its pose" for a in "xyz"},
    }


def test_the_reason_is_the_rigs_own(tmp_path):
    ds = sampled(Explained(), tmp_path / "a")
    assert reasons(ds)["joint1.rx"] == "it also moves joint 'joint2': constraint 'Copy'"
    with pytest.raises(ValueError, match=r"channel 'joint2.rx' \(joint 'joint2': constraint 'Copy'\)"):
        model_of(sampled(Explained(), tmp_path / "b", probe=0)).poses_from_channels(ds.channels)


def test_a_constraint_without_effect_blames_nothing(tmp_path):
    rig = Stated()
    rig.posed_elsewhere = {"joint1": "a constraint of influence 0"}
    assert sampled(rig, tmp_path / "a").manifest["deviations"] == {"channels": {}, "joints": {}}


def test_whole_dials_are_rounded(tmp_path):
    ds = sampled(Rounded(), tmp_path / "a")
    np.testing.assert_array_equal(model_of(ds).poses_from_channels(ds.channels)[:, -1], ds.poses[:, -1])


def test_a_joint_that_copies_angles_follows_if_the_rig_says_so(tmp_path, tolerance):
    rig = Followed()
    rig.follower_rotations = [FollowerRotations(2, "ZYX", (4, 3, 2), (1.0, 1.0, 1.0))]
    rig.rotation_channels.pop()
    ds = sampled(rig, tmp_path / "a")
    scale = tolerance["float32"] * np.abs(ds.poses).max()
    assert set(reasons(ds)) == {"joint2.rx", "joint2.ry", "joint2.rz"}  # which turn nothing, and the rig states nothing
    plain = _core.Channels(json.dumps(ds.channel_entry), ds.skeleton, ds.dial_names)
    np.testing.assert_allclose(plain.poses(ds.channels, ignore_undecided=True), ds.poses, atol=scale)


def test_a_dial_whose_control_is_another_number_is_found(tmp_path):
    rig = Rounded()
    rig.whole_channels = []
    found = reasons(sampled(rig, tmp_path / "a"))
    assert found == {"flex": "its control is not its value"}


def scaled_rig():
    """Two joints, the second with an awkward rest and every kind of channel."""
    rest = np.stack([np.eye(3, 4), transform_of(euler_to_matrix(np.array([30.0, 20.0, 10.0]), "XYZ"), np.ones(3))])
    channels = [RigChannel("turn", "rotate_y", 1, -50, 50), RigChannel("shift", "translate_z", 1, -1, 1)]
    rig = SkinnedRig(
        np.eye(3), [[0, 1, 2]], Joints(["a", "b"], [-1, 0], rest), skin=Skin([[0], [1], [1]], np.ones((3, 1)))
    )
    plain = SkinnedRig(rig.rest_vertices, rig.faces, rig.joints, skin=rig.skin, channels=channels)

    def sample(rows):
        poses, _ = plain.sample(rows[:, :2])
        poses = poses.reshape(-1, 2, 3, 4)
        poses[:, 1, :, 0] *= rows[:, 2:]
        poses = poses.reshape(len(rows), 24)
        return poses, plain.deform(poses, np.empty((len(rows), 0)))

    same = ("skeleton", "rest_vertices", "faces", "rotation_channels", "translation_channels", "dial_names")
    return types.SimpleNamespace(
        **{name: getattr(plain, name) for name in same},
        channel_names=[*plain.channel_names, "wide"],
        channel_ranges=np.vstack([plain.channel_ranges, [0.5, 2.0]]),
        channel_rest=np.array([0.0, 0.0, 1.0]),
        scale_channels=[ScaleChannels(1, (2, -1, -1))],
        sample=sample,
    )


def test_scales_come_after_rotations(tmp_path, tolerance):
    ds = sampled(scaled_rig(), tmp_path / "a")
    assert ds.manifest["deviations"]["channels"] == {}
    model = model_of(ds)
    np.testing.assert_allclose(model.poses_from_channels(ds.channels), ds.poses, atol=2 * tolerance["float32"])
    np.testing.assert_allclose(model.channels_from_poses(ds.poses)[0], ds.channels, atol=tolerance["float32_character"])


def bvh_rig(path):
    """The joints of a motion file with their channels, and a point on each."""
    bvh = load_bvh(path)
    motion = bvh.motion()
    joints = Joints(motion.joint_names, motion.parents, motion.rest)
    places = joints.rest_globals[:, :, 3] + np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    skin = Skin(np.arange(3)[:, None], np.ones((3, 1)))
    return bvh, SkinnedRig(places, [[0, 1, 2]], joints, skin=skin, channels=bvh.channels)


def test_a_motion_file_comes_back_from_a_model(tmp_path, tolerance):
    bvh, rig = bvh_rig(write(tmp_path, ARM))
    ds = rc.sampling.sample(rig, tmp_path / "a", sampler=rc.sampling.Animation(bvh.channel_values))
    model = model_of(ds)
    poses = model.poses_from_channels(bvh.channel_values)
    expected = bvh.motion().local.reshape(len(poses), -1)
    np.testing.assert_allclose(poses, expected, atol=tolerance["float32"] * np.abs(expected).max())
    np.testing.assert_allclose(
        model.channels_from_poses(poses)[0], bvh.channel_values, atol=tolerance["printed"]
    )  # degrees


@pytest.mark.parametrize(
    ("attribute", "value", "words"),
    [
        ("rotation_channels", [RotationChannels(9, "X", (0,))], "axis 'X' of joint 9 on channel 0"),
        ("rotation_channels", [RotationChannels(0, "X", (99,))], "axis 'X' of joint 0 on channel 99"),
        ("rotation_channels", [RotationChannels(0, "XX", (1, 1))], "axis 'X' of joint 0 on channel 1"),
        ("rotation_channels", [RotationChannels(0, "Q", (1,))], "axis 'Q'"),
        ("posed_elsewhere", {"nobody": "x"}, "posed_elsewhere is a mapping that names 'nobody'"),
        ("posed_elsewhere", {"root": ""}, "posed_elsewhere is a mapping without a reason"),
    ],
)
def test_wrong_statements(attribute, value, words):
    rig = CylinderRig(3)
    setattr(rig, attribute, value)
    with pytest.raises(ValueError, match=words):
        rc.sampling.check_rig(rig)


@pytest.fixture(scope="module")
def stated(tmp_path_factory):
    return sampled(Stated(), tmp_path_factory.mktemp("stated") / "a")


@pytest.fixture
def folder(stated, tmp_path):
    return shutil.copytree(stated.path, tmp_path / "a")


def test_any_number_of_workers_finds_the_same(tmp_path, stated):
    assert sampled(Stated(), tmp_path / "a", workers=2).hash == stated.hash


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kinematics": {"channels": [], "followers": [], "joints": {}}}, "manifest.json: kinematics is "),
        ({"kinematics": 3}, "manifest.json: kinematics is 3"),
        ({"deviations": {"channels": {"nobody": "x"}, "joints": {}}}, "manifest.json: deviations is "),
        ({"deviations": {"channels": {}, "joints": {"root": 3}}}, "manifest.json: deviations is "),
    ],
)
def test_wrong_manifest_fields(folder, change, words):
    manifest = json.loads((folder / "manifest.json").read_bytes()) | change
    (folder / "manifest.json").write_text(json.dumps(manifest | {"hash": manifest_hash(manifest)}))
    with pytest.raises(ValueError, match=words):
        rc.Dataset(folder)
