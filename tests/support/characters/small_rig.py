"""A small rig with every part of the description, and slow evaluation written straight from its formulas."""

from __future__ import annotations

import math

import numpy as np

from rigcast._rigs.skinned import SkinnedRig
from rigcast._rigs.surface import Surface
from rigcast.sources import Facts, Joints, Morph, RigChannel, Skin


def small_rig(seed: int = 0) -> SkinnedRig:
    """Four joints (two roots), thirty vertices, driven and dialled morphs, all orientations askew."""
    random = np.random.default_rng(seed)
    vertices = random.normal(size=(30, 3))
    faces = np.concatenate([np.arange(28).reshape(7, 4), [[28, 29, 0, -1]]])
    rest = np.concatenate([random.normal(size=(4, 3, 3)), random.normal(size=(4, 3, 1))], axis=2)
    joints = Joints(["hip", "knee", "ankle", "float"], np.array([-1, 0, 1, -1]), rest)
    weight = random.uniform(size=(30, 3)) * (random.uniform(size=(30, 3)) > 0.4) + [1e-3, 0, 0]
    skin = Skin(random.integers(0, 4, (30, 3)), weight / weight.sum(axis=1, keepdims=True))
    channels = [
        RigChannel("hip.tx", "translate_x", 0, -1, 1),
        RigChannel("hip.tz", "translate_z", 0, -1, 1),
        RigChannel("hip.ry", "rotate_y", 0, -180, 180),
        RigChannel("knee.rz", "rotate_z", 1, -20, 130),
        RigChannel("knee.rx", "rotate_x", 1, -20, 20),
        RigChannel("fat", "dial", -1, 0, 1),
        RigChannel("ankle.rx", "rotate_x", 2, -40, 40),
        RigChannel("ankle.ry", "rotate_y", 2, -40, 40),
        RigChannel("ankle.rz", "rotate_z", 2, -40, 40),
        RigChannel("thin", "dial", -1, -1, 1, 0.25),
    ]
    morphs = [
        Morph.dense("fat", random.normal(size=(30, 3)), drivers=((5, 1.0),), clamp=(0, 1)),
        Morph("bent", np.array([3, 7, 8]), random.normal(size=(3, 3)), ((3, 0.02), (6, -0.01)), -0.5, (0.0, 1.5)),
        Morph("both", [2, 9], [[1.0, 0.5, 0.0], [0.0, 2.0, 1.0]], constant=1.0, factors=((3, (0, 60, 100)), (9, None))),
        Morph("empty", np.empty(0, np.int32), np.empty((0, 3)), ((9, 1.0),)),
    ]
    facts = Facts("small", 0.01, "Z", "CC0-1.0", "made up")
    return SkinnedRig(
        vertices, faces, joints, skin=skin, channels=channels, morphs=morphs, facts=facts, surface=small_surface()
    )


def small_surface() -> Surface:
    """Of the small rig: two parts and loose vertices, a face without material, a seam, two tiles, a bare face."""
    corners = np.concatenate([np.arange(28).reshape(7, 4), [[28, 29, 30, -1]]])  # the last corner has two coordinates
    corners[5] = -1
    uvs = 0.9 * np.random.default_rng(3).uniform(size=(31, 2)) + [[0.05, 0.05]]
    uvs[:8, 0] += 1.0
    parts = np.repeat([0, 1, -1], [12, 14, 4])
    return Surface(["body", "eyes"], parts, ["skin", "iris"], [0, 0, 0, 1, 1, 1, -1, 0], uvs, corners)


def slow_sample(rig: SkinnedRig, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pose and vertices of one row of channels, in float64, one joint and one vertex at a time."""
    assert rig.joints is not None
    assert rig.skin is not None
    local = [_square(rest) for rest in rig.joints.rest]
    for channel, value in zip(rig.channels, row, strict=True):
        if channel.kind.startswith("translate"):
            local[channel.joint] = local[channel.joint] @ _shift(channel.kind[-1], value)
    for channel, value in zip(rig.channels, row, strict=True):
        if channel.kind.startswith("rotate"):
            local[channel.joint] = local[channel.joint] @ _turn(channel.kind[-1], value)
    posed, rest = [], []
    for joint, parent in enumerate(rig.joints.parents):
        posed.append(local[joint] if parent < 0 else posed[parent] @ local[joint])
        own = _square(rig.joints.rest[joint])
        rest.append(own if parent < 0 else rest[parent] @ own)
    shaped = rig.rest_vertices.astype(np.float64)
    for morph in rig.morphs:
        amount = morph.constant + sum(slope * row[channel] for channel, slope in morph.drivers)
        amount = min(max(amount, morph.clamp[0]), morph.clamp[1])
        for channel, tent in morph.factors:
            amount *= row[channel] if tent is None else _tent(row[channel], *tent)
        for vertex, delta in zip(morph.vertices, morph.deltas, strict=True):
            shaped[vertex] += amount * delta
    vertices = np.zeros_like(shaped)
    for vertex, point in enumerate(shaped):
        for joint, weight in zip(rig.skin.joint[vertex], rig.skin.weight[vertex], strict=True):
            vertices[vertex] += weight * (posed[joint] @ np.linalg.inv(rest[joint]) @ [*point, 1])[:3]
    dials = [value for channel, value in zip(rig.channels, row, strict=True) if channel.kind == "dial"]
    return np.concatenate([np.array(local)[:, :3].ravel(), dials]), vertices


def _tent(value: float, x1: float, x2: float, x3: float) -> float:
    return max(0.0, min((value - x1) / (x2 - x1), (x3 - value) / (x3 - x2)))


def _square(transform: np.ndarray) -> np.ndarray:
    return np.vstack([transform, [0, 0, 0, 1]])


def _shift(axis: str, value: float) -> np.ndarray:
    matrix = np.eye(4)
    matrix["xyz".index(axis), 3] = value
    return matrix


def _turn(axis: str, degrees: float) -> np.ndarray:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    rows = {
        "x": [[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]],
        "y": [[c, 0, s, 0], [0, 1, 0, 0], [-s, 0, c, 0], [0, 0, 0, 1]],
        "z": [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
    }
    return np.array(rows[axis])
