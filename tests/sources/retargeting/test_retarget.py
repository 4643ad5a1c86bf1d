import numpy as np
import pytest

from rigcast._rigs.rotations import compose, euler_to_matrix, globals_of, invert, transform_of
from rigcast.sources import Joints, Motion, RigChannel, Skin, SkinnedRig, joint_map, load_bvh, retarget
from rigcast.sources._joint_maps import HABITS, joint_roles, limb_joints

# Target: pelvis, spine, head; upper arm, lower arm, hand; upper leg, lower leg, foot. Upright along +y, arm along +x.
NAMES = ["waist", "chest", "head", "lShldr", "lForeArm", "lHand", "lThigh", "lShin", "lFoot"]
PARENTS = np.array([-1, 0, 1, 1, 3, 4, 0, 6, 7], np.int32)
PLACES = np.array(
    [[0, 4, 0], [0, 5, 0], [0, 7, 0], [1, 6, 0], [2, 6, 0], [3, 6, 0], [0.5, 4, 0], [0.5, 2, 0], [0.5, 0, 0]], float
)
ORDERS = ["XYZ", "ZYX", "YXZ", "ZXY", "XZY", "YZX", "XYZ", "ZYX", "XYZ"]


def character(orders=ORDERS, limit=170.0, askew=True, up="Y", translation=True):
    """A rig whose joint axes are turned at random at rest."""
    random = np.random.default_rng(3)
    turns = euler_to_matrix(random.uniform(-180, 180, (len(NAMES), 3)) * askew, "XYZ")
    scene = {"Y": np.eye(3), "Z": np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])}[up]
    world = transform_of(scene @ turns, PLACES @ scene.T)
    local = np.where((PARENTS < 0)[:, None, None], world, compose(invert(world[PARENTS]), world))
    channels = [
        RigChannel(f"{name}.{place}{axis}", f"rotate_{axis.lower()}", joint, -limit, limit)
        for joint, name in enumerate(NAMES)
        for place, axis in enumerate(orders[joint])
    ]
    if translation:
        channels += [RigChannel(f"waist.t{axis}", f"translate_{axis}", 0, -9, 9) for axis in "xyz"]
    skin = Skin(np.arange(len(NAMES))[:, None], np.ones((len(NAMES), 1)))
    return SkinnedRig(PLACES @ scene.T, [[0, 1, 2]], Joints(NAMES, PARENTS, local), skin=skin, channels=channels)


def source_of(rig, channels):
    """The rig's own motion, as if read from a file."""
    return Motion(NAMES, PARENTS, rig.joints.rest, rig.local_transforms(channels), 0.04)


def random_channels(rig, count=20, bend=80.0):
    values = np.random.default_rng(5).uniform(-bend, bend, (count, len(rig.channel_names)))
    values[:, -3:] = np.random.default_rng(6).uniform(-2, 2, (count, 3))
    return values


def world_of(rig, channels):
    return globals_of(rig.joints.parents, rig.local_transforms(channels))


# A rig's skeleton is float32, so goals come back to that precision: places of size 10, and degrees.
PLACE, DEGREES = 2e-5, 2e-4
SAME = {name: name for name in NAMES}


def test_a_rigs_own_motion_comes_back():
    rig = character()
    channels = random_channels(rig)
    result = retarget(source_of(rig, channels), rig, SAME)
    np.testing.assert_allclose(world_of(rig, result.channels)[..., :3], world_of(rig, channels)[..., :3], atol=PLACE)
    assert result.excess.max() == 0
    assert result.miss.max() < DEGREES
    assert result.still == []
    assert result.joint_names == NAMES


def test_other_axes_orders_and_scene_axes_do_not_matter():
    source, target = character(), character(ORDERS[::-1], askew=False, up="Z")
    channels = random_channels(source)
    result = retarget(source_of(source, channels), target, SAME)
    before, after = world_of(source, channels)[..., 3], world_of(target, result.channels)[..., 3]
    before, after = before - before[:, :1], after - after[:, :1]
    np.testing.assert_allclose(after, np.stack([before[..., 0], -before[..., 2], before[..., 1]], axis=-1), atol=PLACE)


def test_limbs_that_point_elsewhere_at_rest_are_aligned():
    """A source at rest with its arm hanging: the target's arm must hang when the source does not move."""
    target = character()
    places = PLACES.copy()
    places[4:6] = [[1, 5, 0], [1, 4, 0]]
    rest = transform_of(np.eye(3), np.where((PARENTS < 0)[:, None], places, places - places[PARENTS]))
    still = Motion(NAMES, PARENTS, rest, rest[None], 0.04)
    aligned = world_of(target, retarget(still, target, SAME).channels)[0, :, :, 3]
    np.testing.assert_allclose(aligned[3:6], [[1, 6, 0], [1, 5, 0], [1, 4, 0]], atol=PLACE)
    np.testing.assert_allclose(aligned[6:], PLACES[6:], atol=PLACE)
    plain = world_of(target, retarget(still, target, SAME, align=[]).channels)[0, :, :, 3]
    np.testing.assert_allclose(plain, PLACES, atol=PLACE)
    hand = (
        world_of(target, retarget(still, target, SAME).channels)[0, 5, :, :3] @ target.joints.rest_globals[5, :, :3].T
    )
    np.testing.assert_allclose(hand @ [1, 0, 0], [0, -1, 0], atol=PLACE)  # the hand keeps in line with the arm


def test_channels_stay_inside_their_ranges_and_the_report_tells():
    rig = character(limit=30.0)
    wide = character()
    result = retarget(source_of(wide, random_channels(wide, bend=60.0)), rig, SAME)
    low, high = rig.channel_ranges[3:].T
    assert (result.channels[:, 3:] >= low).all()
    assert (result.channels[:, 3:] <= high).all()
    assert result.excess.max() > 5
    rotations = len(NAMES) * 3
    assert (result.miss.max(axis=0)[1:] > 0).all()
    assert result.excess[:, rotations:].max() == 0
    assert "channels were clipped" in result.summary()


def test_positions_are_those_of_the_joints_if_nothing_is_clipped():
    """Of a rig with tight limits as of one without, with the root's way, and in another order of the axes."""
    wide = character()
    motion = source_of(wide, random_channels(wide, bend=60.0))
    free, tight = (retarget(motion, rig, SAME, root_translation=True) for rig in (wide, character(limit=20.0)))
    assert tight.excess.max() > 5
    truth = world_of(wide, free.channels)[..., 3]
    np.testing.assert_allclose(free.positions, truth, atol=PLACE)
    np.testing.assert_allclose(tight.positions, truth, atol=PLACE)
    assert np.abs(retarget(motion, wide, SAME).positions[:, 0] - PLACES[0]).max() < PLACE  # the root stays


def test_a_clipped_joint_leaves_its_children_alone():
    rig, wide = character(limit=20.0), character()
    channels = np.zeros((1, len(wide.channel_names)))
    channels[0, 9] = 60.0  # the upper arm's first angle
    channels[0, 12] = 15.0  # the lower arm's
    result = retarget(source_of(wide, channels), rig, SAME)
    assert result.channels[0, 9] == 20.0
    np.testing.assert_allclose(result.channels[0, 12:15], [15, 0, 0], atol=DEGREES)


def test_a_root_without_channels_keeps_its_rotation_to_itself():
    wide = character()
    orders = ["", *ORDERS[1:]]
    rig = character(orders, translation=False)
    channels = random_channels(wide, 5, bend=40.0)
    result = retarget(source_of(wide, channels), rig, SAME)
    np.testing.assert_allclose(result.channels, channels[:, 3:-3], atol=DEGREES)
    assert result.still == ["waist"]


@pytest.mark.parametrize("order", ["X", "Y", "ZX", "YZ"])
def test_hinges_take_what_they_can(order):
    orders = [*ORDERS[:4], order, *ORDERS[5:]]
    rig, wide = character(orders), character([*ORDERS[:4], order + "".join(set("XYZ") - set(order)), *ORDERS[5:]])
    own = np.zeros((4, len(rig.channel_names)))
    own[:, 12 : 12 + len(order)] = np.array([[-50, 20], [0, 30], [70, -20], [10, 10]])[:, : len(order)]
    padded = np.insert(own, [12 + len(order)] * (3 - len(order)), 0.0, axis=1)
    result = retarget(source_of(wide, padded), rig, SAME)
    np.testing.assert_allclose(result.channels, own, atol=DEGREES)
    padded[:, 14] = 10.0  # an axis that the hinge lacks
    result = retarget(source_of(wide, padded), rig, SAME)
    forearm = result.miss[:, 4]
    assert (forearm > 0.1).all()
    assert (forearm < 10 + DEGREES).all()


def test_the_root_moves_by_the_ratio_of_leg_lengths():
    rig = character()
    rest = rig.joints.rest.copy()
    rest[0, :, 3] *= 2.5
    rest[1:, :, 3] *= 2.5
    channels = np.zeros((3, len(rig.channel_names)))
    local = np.tile(rest, (3, 1, 1, 1))
    local[:, 0, :, 3] += np.array([[7, 0, 3], [9, -1, 3], [12, 0.5, 8]])
    motion = Motion(NAMES, PARENTS, rest, local, 0.04)
    result = retarget(motion, rig, SAME, root_translation=True)
    root = world_of(rig, result.channels)[:, 0, :, 3]
    np.testing.assert_allclose(root - PLACES[0], np.array([[0, 0, 0], [2, -1, 0], [5, 0.5, 5]]) / 2.5, atol=PLACE)
    assert retarget(motion, rig, SAME).channels == pytest.approx(channels, abs=DEGREES)
    with pytest.raises(ValueError, match="translation_channels of waist"):
        retarget(motion, character(translation=False), SAME, root_translation=True)


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ({"tail": "head"}, "from tail; it must be among waist"),
        ({"head": "tail"}, "to tail; it must be among waist"),
        ({"head": "head", "chest": "head"}, "one target twice"),
        ({}, "empty"),
    ],
)
def test_wrong_maps_are_refused_in_words(mapping, words):
    rig = character()
    with pytest.raises(ValueError, match=words):
        retarget(source_of(rig, random_channels(rig, 1)), rig, mapping)


def test_other_wrong_arguments_are_refused_in_words():
    rig = character()
    motion = source_of(rig, random_channels(rig, 1))
    with pytest.raises(ValueError, match="align is naming wing"):
        retarget(motion, rig, SAME, align=["wing"])
    with pytest.raises(ValueError, match="whose channels turn no joints"):
        retarget(motion, SkinnedRig(np.eye(3), [[0, 1, 2]]), SAME)


@pytest.mark.parametrize("habit", HABITS)
def test_joints_are_known_by_their_names(habit):
    names = [f"rig:{name}" for name in HABITS[habit].values()] + ["rig:Extra"]
    roles = joint_roles(names)
    assert roles == {role: f"rig:{name}" for role, name in HABITS[habit].items()}
    assert len(limb_joints(names)) == 8


def test_joint_maps_join_habits_and_refuse_strangers():
    found = joint_map(HABITS["cmu"].values(), HABITS["poser"].values())
    assert found["Hips"] == "waist"
    assert found["LowerBack"] == "abdomen"
    assert found["RightForeArm"] == "rForeArm"
    assert len(found) == 21
    with pytest.raises(ValueError, match="else a map written by hand"):
        joint_map(["a", "b"], HABITS["poser"].values())


def test_creatures_are_mapped_by_equal_names():
    assert joint_map(["hip", "fin", "tail"], ["tail", "fin", "beak"]) == {"fin": "fin", "tail": "tail"}


def test_real_motion_keeps_limb_directions_of_another_character(data_path):
    """Limb directions in the world agree within the few degrees that limits and missing axes cost."""
    motion = load_bvh(data_path("body_motion_bvh", "01_01.bvh.gz")).motion()[::100]
    source = motion.globals()
    rig = character(limit=180.0)
    names = {"Hips": "waist", "Spine1": "chest", "LeftArm": "lShldr", "LeftForeArm": "lForeArm", "LeftHand": "lHand"}
    names |= {"LeftUpLeg": "lThigh", "LeftLeg": "lShin", "LeftFoot": "lFoot"}
    result = retarget(motion, rig, names)
    world = world_of(rig, result.channels)
    for upper, lower in [("LeftArm", "LeftForeArm"), ("LeftForeArm", "LeftHand"), ("LeftUpLeg", "LeftLeg")]:
        a, b = motion.joint_names.index(upper), motion.joint_names.index(lower)
        c, d = NAMES.index(names[upper]), NAMES.index(names[lower])
        wanted, got = source[:, b, :, 3] - source[:, a, :, 3], world[:, d, :, 3] - world[:, c, :, 3]
        cosine = (wanted * got).sum(1) / np.linalg.norm(wanted, axis=1) / np.linalg.norm(got, axis=1)
        assert np.degrees(np.arccos(np.clip(cosine, -1, 1))).max() < DEGREES


def test_a_joint_may_turn_twice_about_one_axis():
    rig = character(["XYX", *ORDERS[1:]], translation=False)
    assert rig.rotation_channels[0].order == "XYX"
    channels = random_channels(rig)
    result = retarget(source_of(rig, channels), rig, SAME)
    np.testing.assert_allclose(world_of(rig, result.channels)[..., :3], world_of(rig, channels)[..., :3], atol=PLACE)


def test_a_joint_that_turns_about_one_axis_twice_in_a_row_is_refused():
    rig = character(["XXY", *ORDERS[1:]], translation=False)
    with pytest.raises(ValueError, match="order is 'XXY'; it must be one to three of X, Y, Z, neighbors different"):
        retarget(source_of(character(), random_channels(character(), 1)), rig, SAME)
