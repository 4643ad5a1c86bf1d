"""Motion of another skeleton on generated Rigify characters: controls, switches, and what the deforming bones do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rigcast._formats.blender import BlenderRig, write_limits
from rigcast.sources import Motion, motion_ranges, retarget
from tests.sources.blender.rigify_file import rigify_file
from tests.support.characters.dancer import dance

DEGREES = 0.5  # what Blender's float32 bone matrices and the last round of refining leave
LIMBS = ("thigh_parent.{}.IK_FK", "upper_arm_parent.{}.IK_FK")
FOLLOWS = ("torso.head_follow", "torso.neck_follow", *(f"{limb[:-5]}FK_limb_follow" for limb in LIMBS))
FK = {limb.format(side): 1.0 for limb in LIMBS for side in "LR"}


@pytest.fixture(scope="module")
def human() -> Path:
    return rigify_file("basic_human")


def walk(frames: int = 12) -> Motion:
    """A dance that travels by two meters."""
    motion = dance(frames=frames, bend=40.0)
    motion.local[:, 0, :, 3] += np.linspace(0, 2, frames)[:, None] * [0, 0, 1]
    return motion


def test_deforming_bones_turn_as_the_motion_does(human: Path) -> None:
    """The switches are set in all frames, and the hips go the motion's way: forward by about two meters."""
    with BlenderRig.open(human, ranges=170.0) as rig:
        made = retarget(walk(), rig, root_translation=None)
        switches = made.channels[:, [rig.channel_names.index(name) for name in FK]]
        hips = rig.bone_transforms(made.channels, ["DEF-thigh.L", "DEF-thigh.R"])[..., 3].mean(axis=1)
        poses, _ = rig.sample(made.channels)
    assert made.followed.degrees.max() < DEGREES
    assert made.switches == FK
    assert (switches == 1.0).all()
    assert made.joint_map["LeftUpLeg"] == "thigh_fk.L"
    assert made.controls["DEF-shin.R"] == "shin_fk.R"
    assert made.rootless == ""
    assert np.ptp(hips[:, 1]) > 1.5
    assert np.ptp(hips[:, 2]) < 0.5
    shin = 12 * rig.skeleton.names.index("DEF-shin.L")
    assert np.ptp(poses[:, shin : shin + 12], axis=0).max() > 0.1


def test_controls_may_follow_others_and_a_limit_that_is_stated_stays(human: Path) -> None:
    names = [name.format(side) for name in FOLLOWS for side in "LR"]
    limits = dict.fromkeys(names, (1.0, 1.0)) | {"torso.location_z": (-0.01, 0.01)}
    with BlenderRig.open(human, ranges=170.0, limits=limits) as rig:
        made = retarget(walk(), rig, root_translation=None)
        height = made.channels[:, rig.channel_names.index("torso.location_z")]
    assert made.followed.degrees.max() < DEGREES
    assert np.abs(height).max() <= 0.01
    assert "torso.location_z" not in made.beyond


def test_the_limits_of_a_motion_hold_all_that_it_does_not_move(human: Path, tmp_path: Path) -> None:
    """As a file and as an argument; another motion that walks farther is not clipped at the root."""
    with BlenderRig.open(human, ranges=170.0) as rig:
        made = retarget(walk(), rig, root_translation=None)
        limits = motion_ranges(rig, [made])
    file = tmp_path / "walk.limits.json"
    with BlenderRig.open(human, limits=limits, hold="*") as rig:
        names, found = rig.channel_names, retarget(walk(), rig, root_translation=None)
        write_limits(file, rig, dict.fromkeys(limits, "motion walk.bvh"))
    assert {"torso.location_y", "thigh_fk.L.rotation_x", "neck.rotation_x"} <= set(names)
    assert not [name for name in names if "_ik" in name or "tweak" in name]
    assert (found.followed.degrees.max() < DEGREES, found.excess.max()) == (True, 0.0)
    farther = walk()
    farther.local[:, 0, :, 3] *= [1, 1, 3]
    with BlenderRig.open(human, limits=file) as rig:
        assert rig.channel_names == names
        assert {name: rig.held[name] for name in FK} == FK
        again = retarget(farther, rig, root_translation=None)
    assert again.excess.max() == 0.0
    assert again.beyond["torso.location_y"] > 1.0


REFUSED = {
    "the switch is held": ({"thigh_parent.L.IK_FK": (0.0, 0.0)}, 170.0, "left leg .*thigh_fk.L.* reaches no deforming"),
    "only arms have ranges": (
        {f"{name}.rotation_{axis}": (-170.0, 170.0) for name in ("upper_arm_fk.L", "forearm_fk.L") for axis in "xyz"},
        None,
        "left leg, .*right leg.*thigh_fk.L.* have no channels",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_limbs_that_do_not_follow_are_named(human: Path, case: str) -> None:
    limits, ranges, words = REFUSED[case]
    with BlenderRig.open(human, ranges=ranges, limits=limits) as rig, pytest.raises(ValueError, match=words):
        retarget(walk(), rig)


BESIDE = {name: f"ORG-{bone}.L" for name, bone in (("Hips", "thigh"), ("LeftLeg", "shin"), ("LeftFoot", "foot"))}
UNFOLLOWED = {
    "legs without ranges": (REFUSED["only arms have ranges"][0], None, "left leg"),
    "bones that are no controls": ({}, BESIDE, "left leg .*ORG-shin.L"),
}


@pytest.mark.parametrize("case", UNFOLLOWED)
def test_what_no_bone_follows_is_refused_before_the_frames_are_evaluated(
    human: Path, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits, pairs, words = UNFOLLOWED[case]
    evaluated, evaluate = [], BlenderRig.bone_transforms
    monkeypatch.setattr(
        BlenderRig,
        "bone_transforms",
        lambda rig, rows, names: evaluated.append(len(rows)) or evaluate(rig, rows, names),
    )
    motion = walk(400)
    with BlenderRig.open(human, limits=limits) as rig:
        with pytest.raises(ValueError, match=words):
            retarget(motion, rig, pairs)
        assert sum(evaluated) < len(motion)
        assert len(retarget(motion, rig, pairs, allow_frozen=True).channels) == len(motion)
    assert sum(evaluated) > len(motion)


@pytest.mark.long
@pytest.mark.parametrize("name", ["human", "wolf", "horse", "basic_quadruped"])
def test_animals_follow_by_the_same_roles(name: str) -> None:
    with BlenderRig.open(rigify_file(name), ranges=170.0) as rig:
        made = retarget(walk(), rig, root_translation=None)
    assert made.followed.degrees.max() < DEGREES
    assert len(made.switches) == 4
