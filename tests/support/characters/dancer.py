"""A small body of joints that dances: a rig that plain kinematics decides, and motion of its own skeleton."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from rigcast import LinearBlendSkinning
from rigcast._rigs.rotations import euler_to_matrix, transform_of
from rigcast.sampling import sample
from rigcast.sources import Joints, Motion, RigChannel, Skin, SkinnedRig

SIDES = (("Left", 1), ("Right", -1))
PLACES = {
    "Hips": (None, (0, 1, 0)),
    "Spine": ("Hips", (0, 1.2, 0)),
    "Neck": ("Spine", (0, 1.5, 0)),
    "Head": ("Neck", (0, 1.6, 0)),
}
for side, sign in SIDES:
    PLACES |= {
        f"{side}Arm": ("Spine", (0.2 * sign, 1.45, 0)),
        f"{side}ForeArm": (f"{side}Arm", (0.5 * sign, 1.45, 0)),
        f"{side}Hand": (f"{side}ForeArm", (0.75 * sign, 1.45, 0)),
        f"{side}UpLeg": ("Hips", (0.1 * sign, 0.95, 0)),
        f"{side}Leg": (f"{side}UpLeg", (0.1 * sign, 0.5, 0)),
        f"{side}Foot": (f"{side}Leg", (0.1 * sign, 0.05, 0)),
    }  # fmt: skip
NAMES = list(PLACES)
PARENTS = np.array([-1 if parent is None else NAMES.index(parent) for parent, _ in PLACES.values()], np.int32)
REST = np.array([place for _, place in PLACES.values()], float)
LOCAL = transform_of(np.eye(3), np.where((PARENTS < 0)[:, None], REST, REST - REST[PARENTS]))
LEGS = [name for name in NAMES if "Leg" in name or "Foot" in name]


def body(limit: float = 180.0, without: Collection[str] = (), names: Sequence[str] = NAMES) -> SkinnedRig:
    """Turns of all joints but those ``without``, either way by ``limit`` degrees; shifts of the first one."""
    channels = [
        RigChannel(f"{name}.{axis}", f"rotate_{axis}", joint, -limit, limit)
        for joint, name in enumerate(names)
        for axis in "xyz"
        if NAMES[joint] not in without
    ]
    channels += [RigChannel(f"{names[0]}.t{axis}", f"translate_{axis}", 0, -9, 9) for axis in "xyz"]
    skin = Skin(np.arange(len(names))[:, None], np.ones((len(names), 1)))
    return SkinnedRig(REST, [[0, 1, 2]], Joints(list(names), PARENTS, LOCAL), skin=skin, channels=channels)


def dance(frames: int = 40, bend: float = 50.0, still: Collection[str] = (), names: Sequence[str] = NAMES) -> Motion:
    """All joints swing, each in its own way; the first frame is at rest."""
    random = np.random.default_rng(4)
    angles = random.uniform(-bend, bend, (len(NAMES), 3)) * np.array([name not in still for name in NAMES])[:, None]
    swing = np.sin(np.linspace(0, 6, frames)[:, None] * random.uniform(0.5, 1.5, len(NAMES)))
    local = np.tile(LOCAL, (frames, 1, 1, 1))
    local[..., :3] = euler_to_matrix(swing[..., None] * angles, "XYZ")
    return Motion(list(names), PARENTS, LOCAL.copy(), local, 0.04)


def model_without_legs(folder: Path) -> LinearBlendSkinning:
    """Linear skinning with the channels of a body whose legs have none."""
    rig = body(without=LEGS)
    data = sample(rig, folder / "data.rwdata", 10, seed=0, probe=0)
    entry = {"channels": data.channel_entry}
    return LinearBlendSkinning(rig.skeleton, REST, [[0, 1, 2]], np.eye(len(NAMES)), metadata=entry)
