"""Motion of mirrored skeletons: negative scales are taken away, mirror images are said."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from rigcast.errors import MirroredWarning
from rigcast.sources import Joints, Motion, RigChannel, Skin, SkinnedRig, retarget
from tests.sources.strangers.test_rest_poses import MINE, NAMES, PARENTS, PLACES, a_pose, motion_of, rig_of

MIRROR = np.diag([-1.0, 1.0, 1.0])
MIRRORED = PLACES * [-1, 1, 1]


def channels_of(motion):
    made = retarget(motion, rig_of(PLACES), dict(zip(motion.joint_names, NAMES, strict=True)))
    return made.channels, made.lines()


def scaled_root(motion, axis):
    """The same motion below a mirror, as an exporter writes it for a program of the other hand."""
    mirror = np.eye(3)
    mirror[axis, axis] = -1.0
    rest, local = motion.rest.copy(), motion.local.copy()
    rest[0], local[:, 0] = mirror @ rest[0], mirror @ local[:, 0]
    return replace(motion, rest=rest, local=local)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_mirror_above_the_skeleton_is_taken_away(axis):
    motion = motion_of(NAMES, PLACES)
    expected, _ = channels_of(motion)
    got, lines = channels_of(scaled_root(motion, axis))
    np.testing.assert_allclose(got, expected, atol=1e-3)  # degrees, of the engine's float32
    assert any("mirrored by a negative scale" in line for line in lines)


def test_joints_with_axes_of_the_other_hand_turn_as_they_are_seen():
    """The left arm as a copy of the right one below a negative scale: nothing that is seen changes."""
    motion = motion_of(NAMES, PLACES)
    expected, _ = channels_of(motion)
    odd = [NAMES.index(name) for name in ("LeftArm", "LeftForeArm", "LeftHand")]
    rest, local = motion.rest.copy(), motion.local.copy()
    for joint in odd:
        above = MIRROR if PARENTS[joint] in odd else np.eye(3)
        for rows in (rest, local):
            rows[..., joint, :, :] = above @ rows[..., joint, :, :]
            rows[..., joint, :, :3] = rows[..., joint, :, :3] @ MIRROR
    got, lines = channels_of(replace(motion, rest=rest, local=local))
    np.testing.assert_allclose(got, expected, atol=1e-3)  # degrees, of the engine's float32
    assert lines == []


@pytest.mark.parametrize("mirrored", [False, True])
def test_feet_tell_a_mirror_image_whatever_the_pose(mirrored):
    """Toes point forward; arms hang, so that no reflection fits the places."""
    names = [*NAMES, "LeftToeBase", "RightToeBase"]
    parents = np.array([*PARENTS, 11, 14], np.int32)

    def figure(places):
        toes = places[[11, 14]] + [0, -0.03, 0.15]
        placed = np.concatenate([places, toes])
        shift = placed - np.where(parents[:, None] >= 0, placed[np.maximum(parents, 0)], 0.0)
        return np.concatenate([np.tile(np.eye(3), (17, 1, 1)), shift[:, :, None]], axis=2)

    rest = figure(a_pose(PLACES, 80.0))
    rest[:, 0, 3] *= -1.0 if mirrored else 1.0
    skeleton = Joints(names, parents, figure(PLACES))
    points = (skeleton.rest_globals[:, None, :, 3] + 0.02 * np.eye(3)).reshape(-1, 3)
    channels = [RigChannel(f"{n}.{a}", f"rotate_{a}", j, -180, 180) for j, n in enumerate(names) for a in "xyz"]
    skin = Skin(np.arange(17).repeat(3)[:, None], np.ones((51, 1)))
    rig = SkinnedRig(points, np.arange(51).reshape(-1, 3), skeleton, skin=skin, channels=channels)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = retarget(Motion(names, parents, rest, np.tile(rest, (2, 1, 1, 1)), 0.04), rig, rest_frame=-1)
    assert [warning.category for warning in told] == [MirroredWarning] * mirrored
    assert bool(made.mirror) is mirrored


@pytest.mark.parametrize("names", [NAMES, MINE], ids=["known", "unknown"])
def test_a_mirror_image_is_said(names):
    with pytest.warns(MirroredWarning, match="looks like a mirror image"):
        channels_of(motion_of(names, MIRRORED))


@pytest.mark.parametrize("places", [PLACES, a_pose(PLACES)], ids=["T", "A"])
@pytest.mark.parametrize("names", [NAMES, MINE], ids=["known", "unknown"])
def test_other_poses_are_no_mirror_images(names, places):
    with warnings.catch_warnings():
        warnings.simplefilter("error", MirroredWarning)
        channels_of(motion_of(names, places))
