"""A small face whose joints are no inputs: two dials, of which one opens a lid, and a bone that rests."""

from __future__ import annotations

import numpy as np

from rigcast._formats.npz.rig import save_npz_rig
from rigcast._rigs.description import Facts, Joints, Morph, RigChannel, Skin
from rigcast._rigs.skinned import SkinnedRig
from rigcast._rigs.surface import Surface

SIDE = 5


def lid_rig(extra: tuple[RigChannel, ...] = ()) -> SkinnedRig:
    """25 vertices, 2 joints, the dials ``blink`` and ``squint``; squinting sets in late, so it is not linear."""
    across, up = np.meshgrid(np.linspace(0, 1, SIDE), np.linspace(0, 1, SIDE))
    rest = np.stack([across.ravel(), up.ravel(), np.zeros(SIDE * SIDE)], axis=1)
    corner = np.array([row * SIDE + column for row in range(SIDE - 1) for column in range(SIDE - 1)])
    faces = np.stack([corner, corner + 1, corner + SIDE + 1, corner + SIDE], axis=1)
    joints = Joints(["head", "lid"], np.array([-1, 0], np.int32), np.tile(np.eye(3, 4), (2, 1, 1)))
    skin = Skin(np.zeros((len(rest), 1), np.int32), np.ones((len(rest), 1)))
    channels = (RigChannel("blink", "dial", -1, 0.0, 1.0), RigChannel("squint", "dial", -1, 0.0, 1.0), *extra)
    morphs = [
        Morph.dense("blink", rest * [0.0, -0.2, 0.1], drivers=((0, 1.0),)),
        Morph.dense("late", rest * [0.0, 0.1, 0.3], drivers=((1, 2.0),), constant=-1.0, clamp=(0.0, 1.0)),
    ]
    surface = Surface(parts=["skin"], vertex_parts=np.zeros(len(rest), np.int32))
    facts = Facts("lid", 0.01, "Y", "CC0-1.0", "an analytic test rig")
    return SkinnedRig(rest, faces, joints, skin=skin, channels=channels, morphs=morphs, facts=facts, surface=surface)


def lid_file(path) -> None:
    save_npz_rig(path, lid_rig())
