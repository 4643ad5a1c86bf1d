"""A small face of dials as a rig file, with texture coordinates: what pages and examples learn as deformation maps."""

from __future__ import annotations

import numpy as np

from rigcast._formats.npz.rig import save_npz_rig
from rigcast._rigs.description import Facts, Joints, Morph, RigChannel, Skin
from rigcast._rigs.skinned import SkinnedRig
from rigcast._rigs.surface import Surface
from tests.support.characters.mapped_face import HEIGHT, SIDE, grid


def head_rig() -> SkinnedRig:
    """A square of 169 vertices on one joint, and four dials; ``frown`` sets in late."""
    v, u = np.meshgrid(np.linspace(0, 1, SIDE), np.linspace(0, 1, SIDE), indexing="ij")
    uvs = np.stack([u, v], axis=2).reshape(-1, 2)
    x, y = uvs.T
    rest = HEIGHT * np.stack([x, y, 0.2 * np.sin(3 * x) * y], axis=1)
    faces = grid(SIDE, SIDE).astype(np.int32)
    joints = Joints(["head"], np.array([-1], np.int32), np.eye(3, 4)[None])
    skin = Skin(np.zeros((len(rest), 1), np.int32), np.ones((len(rest), 1)))
    names = ("raise", "smile", "frown", "jaw")
    channels = tuple(RigChannel(name, "dial", -1, 0.0, 1.0) for name in names)
    up, across, forward = np.eye(3)[[1, 0, 2]]
    mouth = np.exp(-10 * ((x - 0.5) ** 2 + (y - 0.3) ** 2))[:, None]
    morphs = [
        Morph.dense("raise", 0.02 * np.maximum(y - 0.6, 0.0)[:, None] * up, drivers=((0, 1.0),)),
        Morph.dense("smile", 0.02 * (x - 0.5)[:, None] * mouth * across, drivers=((1, 1.0),)),
        Morph.dense("late", 0.01 * mouth * up, drivers=((2, 2.0),), constant=-1.0, clamp=(0.0, 1.0)),
        Morph.dense("jaw", 0.02 * np.exp(-6 * (y - 0.1) ** 2)[:, None] * (forward - up), drivers=((3, 1.0),)),
    ]
    upper = faces.min(axis=1) >= SIDE * (SIDE // 2)
    surface = Surface([], [], ["brow", "mouth"], np.where(upper, 0, 1), uvs.astype(np.float32), faces)
    facts = Facts("head", 1.0, "Y", "CC0-1.0", "an analytic test rig")
    return SkinnedRig(rest, faces, joints, skin=skin, channels=channels, morphs=morphs, facts=facts, surface=surface)


def head_file(path) -> None:
    """Write the face as ``head.npz``."""
    save_npz_rig(path, head_rig())
