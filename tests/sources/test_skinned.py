import pickle

import numpy as np
import pytest

from rigcast import LinearBlendSkinning
from rigcast._rigs.description import MOST_INFLUENCES
from rigcast.sampling import sample
from rigcast.sources import (
    Facts,
    Joints,
    Morph,
    Rig,
    RigChannel,
    RotationChannels,
    Skin,
    SkinnedRig,
    TranslationChannels,
    load,
    save_npz_rig,
)
from tests.support.characters.small_rig import slow_sample, small_rig
from tests.support.glb import character


def random_channels(rig, count, seed=1):
    return np.random.default_rng(seed).uniform(*rig.channel_ranges.T, size=(count, len(rig.channel_names)))


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_the_formulas(seed, tolerance):
    rig = small_rig(seed)
    channels = random_channels(rig, 6, seed)
    poses, vertices = rig.sample(channels)
    for row, pose, points in zip(channels, poses, vertices, strict=True):
        expected_pose, expected = slow_sample(rig, row)
        np.testing.assert_allclose(pose, expected_pose, atol=tolerance["float32"] * np.abs(expected_pose).max())
        np.testing.assert_allclose(points, expected, atol=tolerance["float32_sum"] * np.abs(expected).max())


def test_is_a_rig_with_shapes_and_types():
    rig = small_rig()
    poses, vertices = rig.sample(random_channels(rig, 3))
    assert isinstance(rig, Rig)
    assert poses.shape == (3, 12 * 4 + 2)
    assert vertices.shape == (3, 30, 3)
    assert poses.dtype == vertices.dtype == np.float32
    assert rig.dial_names == ["fat", "thin"]
    assert rig.faces.dtype == np.int32
    assert rig.faces.shape == (8, 4)
    assert rig.sample(np.empty((0, 10)))[1].shape == (0, 30, 3)


def test_channels_at_rest_give_the_rest_pose(tolerance):
    rig = small_rig()
    poses, vertices = rig.sample(rig.channel_rest[None])
    np.testing.assert_allclose(poses[0, :48], np.asarray(rig.skeleton.rest).ravel(), atol=tolerance["float32"] * 4)
    np.testing.assert_allclose(vertices[0], rig.rest_vertices, atol=tolerance["float32_sum"] * 4)


def test_engine_skeleton_gives_the_same_world_transforms(tolerance):
    rig = small_rig()
    channels = random_channels(rig, 2)
    from rigcast._rigs.rotations import globals_of

    expected = globals_of(rig.joints.parents, rig.local_transforms(channels))
    got = rig.skeleton.globals(rig.sample(channels)[0])
    np.testing.assert_allclose(got, expected, atol=tolerance["float32_sum"] * np.abs(expected).max())


def test_batches_larger_than_a_chunk_agree_with_single_rows(monkeypatch):
    rig = small_rig()
    channels = random_channels(rig, 7)
    whole = rig.sample(channels)[1]
    monkeypatch.setattr("rigcast._rigs.skinned.CHUNK_VERTICES", 61)
    np.testing.assert_array_equal(rig.sample(channels)[1], whole)


def test_rotation_and_translation_channels_are_listed_by_joint():
    rig = small_rig()
    assert rig.rotation_channels == [
        RotationChannels(0, "Y", (2,)),
        RotationChannels(1, "ZX", (3, 4)),
        RotationChannels(2, "XYZ", (6, 7, 8)),
    ]
    assert rig.translation_channels == [TranslationChannels(0, (0, -1, 1))]


def test_travels_to_another_process():
    rig = small_rig()
    channels = random_channels(rig, 2)
    assert rig.skeleton is not None
    again = pickle.loads(pickle.dumps(rig))
    np.testing.assert_array_equal(again.sample(channels)[1], rig.sample(channels)[1])
    assert list(again.skeleton.names) == rig.joints.names


def test_works_without_joints_and_with_a_joint_named_twice_in_a_row():
    morph = Morph("up", np.array([1]), np.array([[0, 2.0, 0]]), ((0, 0.5),))
    plain = SkinnedRig(np.eye(3), [[0, 1, 2]], channels=[RigChannel("up", "dial", -1, 0, 1)], morphs=[morph])
    poses, vertices = plain.sample([[1.0]])
    assert plain.skeleton is None
    np.testing.assert_array_equal(poses, [[1.0]])
    np.testing.assert_array_equal(vertices[0], np.eye(3) + np.diag([0, 1, 0]))
    joints = Joints(["a"], np.array([-1]), np.eye(3, 4)[None])
    twice = SkinnedRig(np.eye(3), [[0, 1, 2]], joints, skin=Skin(np.zeros((3, 2), int), np.full((3, 2), 0.5)))
    np.testing.assert_array_equal(twice.sample(np.empty((1, 0)))[1][0], np.eye(3))


def change(**changes):
    base = small_rig()
    parts = {
        "vertices": base.rest_vertices,
        "faces": base.faces,
        "joints": base.joints,
        "skin": base.skin,
        "channels": base.channels,
        "morphs": base.morphs,
    }
    return SkinnedRig(**{**parts, **changes})


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: change(vertices=np.full((30, 3), np.nan)), "vertices is not finite"),
        (lambda: change(vertices=np.empty((0, 3))), "vertices"),
        (lambda: change(faces=[[0, 1, 30]]), r"faces is 30 in face 0"),
        (lambda: change(faces=[[0, 1, -1, -1]]), "faces is -1 in face 0"),
        (lambda: change(faces=[[0.0, 1.0, 2.0]]), "faces is float64"),
        (lambda: change(skin=None), "skin"),
        (lambda: change(joints=None), "skin"),
        (lambda: change(vertices=np.zeros((31, 3))), "skin is for 30 vertices"),
        (lambda: change(channels=[RigChannel("a", "rotate_x", 4, 0, 1)]), "channel a is on joint 4"),
        (lambda: change(channels=[RigChannel("a", "dial", -1, 0, 1)] * 2), "'a' twice"),
        (lambda: change(morphs=[Morph("m", np.array([30]), np.zeros((1, 3)))]), "morph m: vertices"),
        (lambda: change(morphs=[Morph("m", np.array([1]), np.zeros((1, 3)), ((10, 1.0),))]), "morph m: drivers"),
        (lambda: Morph("m", np.array([2, 1]), np.zeros((2, 3))), "not ascending"),
        (lambda: Morph("m", np.array([1]), np.full((1, 3), np.inf)), "deltas is not finite"),
        (lambda: Morph("m", np.array([1]), np.zeros((1, 3)), ((0, np.nan),)), "drivers is not finite"),
        (lambda: Morph("m", np.array([1]), np.zeros((1, 3)), clamp=(1, 0)), "clamp"),
        (lambda: RigChannel("a", "shear", 0, 0, 1), "kind is 'shear'"),
        (lambda: RigChannel("a", "dial", 0, 0, 1), "joint is 0 for a dial"),
        (lambda: RigChannel("a", "rotate_x", 0, 1, 0), "low <= rest <= high"),
        (lambda: RigChannel("a", "rotate_x", 0, 0, np.inf), "finite"),
        (lambda: Joints(["a", "b"], np.array([1, 0]), np.tile(np.eye(3, 4), (2, 1, 1))), "parents before children"),
        (lambda: Joints(["a"], np.array([-2]), np.eye(3, 4)[None]), "parents is -2 at 0"),
        (lambda: Joints(["a"], np.array([-1]), np.zeros((1, 3, 4))), "singular at joint a"),
        (lambda: Joints(["a", "a"], np.array([-1, 0]), np.tile(np.eye(3, 4), (2, 1, 1))), "'a' twice"),
        (lambda: Joints([], np.empty(0, int), np.empty((0, 3, 4))), "empty"),
        (lambda: Skin(np.zeros((1, 2), int), np.array([[0.5, 0.4]])), "sum 0.9"),
        (lambda: Skin(np.zeros((1, 2), int), np.array([[1.5, -0.5]])), "not negative"),
        (lambda: Skin(np.full((1, 1), -1), np.ones((1, 1))), r"joint is -1 at \(0, 0\)"),
        (lambda: Facts(meters_per_unit=0.0), "meters_per_unit is 0.0"),
        (lambda: Facts(up_axis="y"), "up_axis is 'y'"),
        (lambda: small_rig().sample(np.zeros((2, 9))), r"channels is float64 \(2, 9\)"),
        (lambda: small_rig().sample(np.full((2, 10), np.nan)), "not finite"),
    ],
)
def test_wrong_parts_are_refused_in_words(build, words):
    with pytest.raises(ValueError, match=words):
        build()


def test_joints_and_morphs_that_no_channel_moves_rest():
    rig = small_rig()
    assert rig.resting == {"float": "no channels"}
    fewer = SkinnedRig(
        rig.rest_vertices, rig.faces, rig.joints, skin=rig.skin, channels=rig.channels[:4], morphs=rig.morphs[:0]
    )
    assert set(fewer.resting) == {"ankle", "float"}
    driven_by_nothing = Morph("lost", np.array([1]), np.ones((1, 3)), ((0, 0.0),))
    assert (
        "lost"
        in SkinnedRig(rig.rest_vertices, rig.faces, channels=rig.channels[5:6], morphs=[driven_by_nothing]).resting
    )


def test_a_single_root_is_not_said_to_rest():
    rest = np.tile(np.eye(3, 4), (2, 1, 1))
    joints = Joints(["root", "tip"], np.array([-1, 0]), rest)
    skin = Skin(np.array([[0], [1], [1]]), np.ones((3, 1)))
    rig = SkinnedRig(np.eye(3), [[0, 1, 2]], joints, skin=skin, channels=[RigChannel("tip.rx", "rotate_x", 1, -30, 30)])
    assert rig.resting == {}


def reopened(folder):
    save_npz_rig(folder / "small.npz", small_rig())
    return load(folder / "small.npz")


OPENED = {
    "built": lambda folder: small_rig(),
    "npz": reopened,
    "glb": lambda folder: load(character(bind_is_default=False).write(folder / "hero.glb")),
}


@pytest.mark.parametrize("source", OPENED)
def test_own_weights_move_the_mesh_as_the_rig_does(source, tmp_path, tolerance):
    """But for morphs."""
    rig = OPENED[source](tmp_path)
    rig = SkinnedRig(rig.rest_vertices, rig.faces, rig.joints, skin=rig.skin, channels=rig.channels, facts=rig.facts)
    poses, vertices = rig.sample(random_channels(rig, 6))
    assert ((rig.own_skin.weight > 0).any(axis=0)).all()
    weights = rig.own_skin.joint, np.asarray(rig.own_skin.weight, np.float32)
    skinning = LinearBlendSkinning(rig.skeleton, rig.rest_vertices, rig.faces, weights, dials=rig.dial_names)
    found = skinning.evaluate(poses)
    np.testing.assert_allclose(found, vertices, atol=tolerance["float32_sum"] * np.abs(vertices).max())


def test_data_sets_keep_the_largest_weights_of_a_wide_table(tmp_path, tolerance):
    random = np.random.default_rng(0)
    names, count = [f"j{index}" for index in range(MOST_INFLUENCES + 6)], 4
    joints = Joints(names, np.arange(-1, len(names) - 1), np.tile(np.eye(3, 4), (len(names), 1, 1)))
    weight = random.dirichlet(np.ones(len(names)), count)
    skin = Skin(np.tile(np.arange(len(names)), (count, 1)), weight)
    channels = [RigChannel("j1.rx", "rotate_x", 1, -9.0, 9.0)]
    rig = SkinnedRig(np.eye(4, 3), [[0, 1, 2], [1, 2, 3]], joints, skin=skin, channels=channels)
    joint, kept = sample(rig, tmp_path / "wide.rwdata", 4, probe=0).skin
    assert kept.shape == (count, MOST_INFLUENCES)
    expected = -np.sort(-weight, axis=1)[:, :MOST_INFLUENCES]
    np.testing.assert_allclose(kept, expected / expected.sum(axis=1, keepdims=True), atol=tolerance["float32"])
    np.testing.assert_array_equal(joint, np.argsort(-weight, axis=1, kind="stable")[:, :MOST_INFLUENCES])


def test_without_joints_there_are_no_own_weights():
    rig = small_rig()
    dials = [channel for channel in rig.channels if channel.kind == "dial"]
    assert SkinnedRig(rig.rest_vertices, rig.faces, channels=dials).own_skin is None
