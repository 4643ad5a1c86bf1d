"""What retargeting says of its result, what it refuses, and rest poses and roots that need more than one pass."""

import numpy as np
import pytest

from rigcast._rigs.rotations import compose, euler_to_matrix, globals_of, invert, nearest_rotation, transform_of
from rigcast.sources import Motion, joint_map, retarget
from tests.support.characters.dancer import LEGS, NAMES, PARENTS, REST, body, dance, model_without_legs

DEGREES = 1e-3  # float32 poses
SAME = {name: name for name in NAMES}


def lying(motion):
    """The same places, of joints whose x axis lies along their bone: at rest all bones lie in a line."""
    world, rest = motion.globals(), motion.rest_globals
    axes = np.tile(np.eye(3), (len(NAMES), 1, 1))
    for joint in range(len(NAMES)):
        below = np.flatnonzero(joint == PARENTS)
        if len(below):
            along = rest[below[0], :, 3] - rest[joint, :, 3]
            across = np.cross(along, [0.0, 0.0, 1.0])
            axes[joint] = nearest_rotation(np.stack([along / np.linalg.norm(along), across, [0, 0, 1]], axis=1))
    posed = transform_of(world[..., :3] @ axes, world[..., 3])
    below = PARENTS >= 0
    local = posed.copy()
    local[:, below] = compose(invert(posed[:, PARENTS[below]]), posed[:, below])
    zero = local[0].copy()
    zero[:, :, :3] = np.eye(3)
    return Motion(NAMES, PARENTS, zero, local, 0.04)


def test_deforming_joints_miss_nothing_of_a_motion_that_fits():
    followed = retarget(dance(), body(), SAME).followed
    assert followed.joint_names == NAMES
    assert len(followed.frames) == 40
    assert followed.degrees.max() < DEGREES
    assert np.nanmax(followed.millimeters) < 1e-2


def test_the_miss_is_what_the_joints_do_not_turn():
    motion = dance(still=[name for name in NAMES if name != "Head"])
    made = retarget(motion, body(limit=10.0), SAME)
    head = made.followed.joint_names.index("Head")
    angle = np.degrees(np.arccos((np.trace(motion.local[:, NAMES.index("Head"), :, :3], axis1=1, axis2=2) - 1) / 2))
    assert made.followed.degrees[:, head].max() > 5
    assert (made.followed.degrees[:, head] <= angle + DEGREES).all()
    assert np.delete(made.followed.degrees, head, axis=1).max() < DEGREES
    assert made.report()["joints"]["Head"]["degrees_max"] == made.followed.degrees[:, head].max()


STRANGE = [f"bone{index}" for index in range(len(NAMES))]
FROZEN = {
    "a rig": (lambda _: body(without=LEGS), dance(), "left leg, right leg would stand still on the rig .LeftUpLeg, "),
    "a model": (model_without_legs, dance(), "left leg, right leg would stand still"),
    "one arm": (lambda _: body(without=["LeftArm", "LeftForeArm", "LeftHand"]), dance(), "left arm would"),
    "no known names": (
        lambda _: body(without=LEGS, names=STRANGE),
        dance(names=STRANGE),
        "bone10 to bone12, bone4 to bone6|bone7 to bone9, bone13 to bone15",
    ),
    "nothing at all": (lambda _: body(without=[n for n in NAMES if n != "Head"]), dance(still=["Head"]), "all|leg"),
}


@pytest.mark.parametrize("case", FROZEN)
def test_limbs_that_stand_still_are_refused_unless_that_is_asked_for(case, tmp_path):
    make, motion, words = FROZEN[case]
    rig = make(tmp_path)
    pairs = dict(zip(motion.joint_names, rig.skeleton.names, strict=True))
    with pytest.raises(ValueError, match=f"retarget: motion is one of which .*(?:{words}).*allow_frozen"):
        retarget(motion, rig, pairs)
    assert len(retarget(motion, rig, pairs, allow_frozen=True).channels) == len(motion)


@pytest.mark.parametrize("still", [LEGS, NAMES])
def test_limbs_that_the_motion_does_not_move_may_stand_still(still):
    assert len(retarget(dance(still=still), body(without=LEGS), SAME).channels) == 40


@pytest.mark.parametrize("turns", [1, -3])
def test_a_root_turns_round_without_a_jump_whatever_its_range(turns):
    motion = dance(frames=100, still=["Hips"])
    heading = np.linspace(0, 360 * turns, 100)
    motion.local[:, 0, :, :3] = euler_to_matrix(heading[:, None], "Y")
    made = retarget(motion, body(limit=120.0), SAME)
    column = [channel.name for channel in body().channels].index("Hips.y")
    np.testing.assert_allclose(made.channels[:, column], heading, atol=DEGREES)
    assert made.beyond == pytest.approx({"Hips.y": 360 * abs(turns) - 120}, abs=DEGREES)
    assert any(
        "the root is not clipped and leaves its ranges, in degrees or the rig's unit: Hips.y" in line
        for line in made.lines()
    )
    assert made.excess[:, column].max() == 0


@pytest.mark.parametrize("tilt", [0, 35])
def test_bones_in_a_line_at_rest_fold_no_body(tilt):
    """A frame that stands as the rig does is the rest pose."""
    motion = dance(bend=20.0 + tilt)
    rest = globals_of(PARENTS, lying(motion).rest)[..., 3]
    assert np.ptp(rest[:, 1]) < 0.3 * np.ptp(REST[:, 1])
    made = retarget(lying(motion), body(), SAME)
    assert made.rest_frame >= 0
    assert any("stands for its rest pose" in line for line in made.lines())
    assert np.nanmean(made.followed.millimeters) < 60
    plain = retarget(motion, body(), SAME)
    assert plain.rest_frame == -1


@pytest.mark.parametrize("bent", [25, 50])
def test_a_rest_pose_that_was_misread_shows_in_millimeters(bent):
    """At rest the source bows, in all frames it stands: then the rig leans back, and all its turns are right."""
    motion = dance()
    motion.rest[NAMES.index("Spine"), :, :3] = euler_to_matrix(np.array([bent]), "X")
    made = retarget(motion, body(), SAME)
    assert made.rest_frame == -1
    assert made.followed.degrees.max() < DEGREES
    head = made.followed.millimeters[:, made.followed.joint_names.index("Head")]
    assert head.mean() > 1000 * 2 * np.sin(np.radians(bent / 2)) * 0.3


NEW = {
    "rokoko": "Hips Spine1 Spine2 Neck Head LeftArm LeftForeArm LeftHand LeftThigh LeftShin LeftFoot RightArm "
    "RightForeArm RightHand RightThigh RightShin RightFoot",
    "smpl": "Pelvis Spine1 Spine2 Neck Head L_Shoulder L_Elbow L_Wrist L_Hip L_Knee L_Ankle R_Shoulder R_Elbow R_Wrist "
    "R_Hip R_Knee R_Ankle",
    "metarig": "spine spine.001 spine.003 spine.004 spine.006 upper_arm.L forearm.L hand.L thigh.L shin.L foot.L "
    "upper_arm.R forearm.R hand.R thigh.R shin.R foot.R",
    "mixamo": "mixamorig:Hips mixamorig:Spine mixamorig:Spine2 mixamorig:Neck mixamorig:Head mixamorig:LeftArm "
    "mixamorig:LeftForeArm mixamorig:LeftHand mixamorig:LeftUpLeg mixamorig:LeftLeg mixamorig:LeftFoot "
    "mixamorig:RightArm mixamorig:RightForeArm mixamorig:RightHand mixamorig:RightUpLeg mixamorig:RightLeg "
    "mixamorig:RightFoot",
}
RIGIFY = (
    "torso hips chest neck head shoulder.{} upper_arm_fk.{} forearm_fk.{} hand_fk.{} thigh_fk.{} shin_fk.{} foot_fk.{}"
)
BESIDE = ["root", "DEF-thigh.L", "ORG-thigh.L", "thigh_ik.L", "thigh_parent.L", "MCH-upper_arm_parent.R", "hand_ik.R"]


@pytest.mark.parametrize("source", NEW)
def test_controls_of_a_rigify_character_are_matched(source):
    controls = [*(part.format(side) for part in RIGIFY.split() for side in ("L", "R")), *BESIDE]
    found = joint_map(NEW[source].split(), controls)
    limbs = {f"{part}_fk.{side}" for part in ["upper_arm", "forearm", "hand", "thigh", "shin", "foot"] for side in "LR"}
    assert limbs <= set(found.values())
    assert {"torso", "neck", "head"} <= set(found.values())
    assert next(iter(found.values())) == "torso"


def test_joints_of_a_map_that_no_mapped_bone_joins_are_measured_each_for_itself():
    """Two legs without the hips above them."""
    pairs = {name: name for name in LEGS}
    made = retarget(dance(frames=9), body(), pairs, allow_frozen=True)
    assert made.followed.degrees.max() < DEGREES
    assert np.nanmax(made.followed.millimeters) < 1.0


WORDS = ("UpperArm_{}", "ForeArm_{}", "Hand_{}", "Thigh_{}", "Shin_{}", "Foot_{}")  # of no known habit


@pytest.mark.parametrize("helper", ["__{}", "{}_", "_{}"])
def test_helpers_beside_joints_that_words_tell_are_not_taken_either(helper):
    joints = ["Pelvis", "Spine", "Head", *(name.format(side) for name in WORDS for side in ("Left", "Right"))]
    names = [*(helper.format(name) for name in joints), *joints]
    assert set(joint_map(names, NAMES)) <= set(joints)
    assert len(joint_map(names, NAMES)) > 12


@pytest.mark.parametrize("helper", ["__{}", "{}_", "_{}"])
def test_helpers_beside_a_joint_are_not_taken_for_it(helper):
    """Whether they come before it or after."""
    helpers = [helper.format(name) for name in LEGS]
    for names in ([*helpers, *NAMES], [*NAMES, *helpers]):
        assert set(joint_map(names, NAMES)) == set(NAMES)
