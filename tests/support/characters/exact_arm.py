"""An arm whose poses survive every matrix product, and where it stands in a scene of another unit and up axis."""

from __future__ import annotations

import numpy as np

import rigcast as rc
from rigcast._rigs.model_surface import with_surface
from rigcast._rigs.motions.shot import TO_Y_UP
from rigcast._rigs.surface import Surface

NAMES = ["root", "upper.L", "lower.L", "hand.L"]
QUARTER = [np.array(turn, float) for turn in (  # rotations that float32 holds exactly
    ((1, 0, 0), (0, 0, -1), (0, 1, 0)), ((0, 0, 1), (0, 1, 0), (-1, 0, 0)), ((0, -1, 0), (1, 0, 0), (0, 0, 1)),
    ((-1, 0, 0), (0, -1, 0), (0, 0, 1)),
)]  # fmt: skip


def arm(path, *, up="Z", unit=1.0, parts=False):
    """A model of four joints whose rest float32 holds exactly; saved, and read again."""
    rest = np.tile(np.eye(3, 4, dtype=np.float32), (4, 1, 1))
    rest[1:, 1, 3] = 0.5
    along = np.linspace(0.0, 2.0, 33)
    vertices = np.stack([0.125 * np.cos(9 * along), along, 0.125 * np.sin(9 * along)], axis=1).astype(np.float32)
    weights = np.maximum(1e-9, 1.0 - np.abs(along[:, None] / 0.5 - 0.5 - np.arange(4)))
    weights = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
    faces = np.stack([np.arange(31), np.arange(1, 32), np.arange(2, 33)], axis=1).astype(np.int32)
    skeleton = rc.Skeleton(NAMES, [-1, 0, 1, 2], rest)
    facts = {"up_axis": up, "meters_per_unit": unit}
    model = rc.LinearBlendSkinning(skeleton, vertices, faces, weights, metadata=facts)
    if parts:
        model = with_surface(model, Surface(["sleeve", "hand"], (np.arange(33) >= 20).astype(np.int32)))
    model.save(path)
    return rc.load(path)


def exact_pose(model, seed=0):
    """A pose (C,) of quarter turns and dyadic shifts, which survives every matrix product."""
    rng = np.random.default_rng(seed)
    pose = np.array(model.skeleton.rest, np.float32)
    for joint in range(len(pose)):
        pose[joint, :, :3] = QUARTER[rng.integers(len(QUARTER))]
        pose[joint, :, 3] = rng.integers(-4, 5, 3) / 8
    return pose.reshape(-1)


def worlds(model, pose):
    """World transforms (J, 4, 4) of a pose, one joint after the other."""
    parents = model.skeleton.parents
    result = np.tile(np.eye(4), (len(parents), 1, 1))
    result[:, :3] = np.reshape(pose, (-1, 3, 4))
    for joint, parent in enumerate(parents):
        if parent >= 0:
            result[joint] = result[parent] @ result[joint]
    return result


def in_scene(model, vertices, unit=1.0, up="Y"):
    """Points of a model in a scene of another unit and up axis."""
    return (vertices @ (model.meters_per_unit / unit * turn(model, up).T)).astype(np.float32)


def turn(model, up="Y"):
    return TO_Y_UP[up].T @ TO_Y_UP[model.up_axis]


def rest_of(model):
    """The pose (C,) at rest."""
    return np.array(model.skeleton.rest, np.float32).reshape(-1)
