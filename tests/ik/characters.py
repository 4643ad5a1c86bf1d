"""Characters with joint limits and clips of them, for tests of motion."""

from __future__ import annotations

import numpy as np

import rigcast as rc
from rigcast.sources import Facts, Joints, RigChannel, Skin, SkinnedRig
from tests.ik.walk import FEET, legs_skeleton

LIMITS = {"hip": (-80.0, 60.0), "knee": (-2.0, 110.0), "ankle": (-45.0, 45.0), "toe": (-5.0, 5.0)}


def legs(**limits: tuple[float, float]) -> SkinnedRig:
    """The legs of the walk as a rig: a pelvis that moves, and joints that turn about x inside limits."""
    skeleton = legs_skeleton()
    joints = Joints(list(skeleton.names), np.asarray(skeleton.parents), np.asarray(skeleton.rest, np.float64))
    channels = [RigChannel(f"pelvis.t{axis}", f"translate_{axis}", 0, -9.0, 9.0) for axis in "xyz"]
    for foot in FEET:
        for name in foot:
            low, high = {**LIMITS, **limits}[name[:-2]]
            channels.append(RigChannel(f"{name}.rx", "rotate_x", skeleton.names.index(name), low, high))
            if name.startswith("hip"):
                channels.append(RigChannel(f"{name}.rz", "rotate_z", skeleton.names.index(name), -20.0, 20.0))
    count = len(joints.names)
    skin = Skin(np.arange(count, dtype=np.int32)[:, None], np.ones((count, 1)))
    faces = [[i, i + 1, i + 2] for i in range(count - 2)]
    return SkinnedRig(joints.rest_globals[:, :, 3], faces, joints, skin=skin, channels=channels, facts=Facts("legs"))


def places(rig: SkinnedRig, channels: np.ndarray) -> np.ndarray:
    """Global positions (T, J, 3) of joints, by the rig itself."""
    return rig.skeleton.globals(rig.sample(np.asarray(channels, np.float32))[0])[..., 3].astype(np.float64)


def on_model(rig: SkinnedRig) -> rc.Deformer:
    """The same channels as a model that was saved without its rig."""
    from rigcast.ik._joint_model import joint_model

    count = len(rig.skeleton.names)
    return joint_model("test", rig, list(range(count)), np.zeros((count, 3)))
