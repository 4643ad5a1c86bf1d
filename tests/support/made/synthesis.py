"""Clips made of formulas, and rigs whose effects are known, for tests of synthesis."""

from __future__ import annotations

import numpy as np

import rigcast as rc
from rigcast.sources import Facts, Joints, RigChannel, Skin, SkinnedRig


def face(num_shapes: int = 6, num_vertices: int = 40) -> rc.BlendshapeRig:
    """A linear face in centimeters: shape k moves its vertices ten times as far as shape k - 1; the last moves none."""
    random = np.random.default_rng(0)
    deltas = random.normal(size=(num_shapes, num_vertices, 3)) * 10.0 ** np.linspace(0, -2, num_shapes)[:, None, None]
    deltas[-1] = 0.0
    faces = [[i, i + 1, i + 2] for i in range(num_vertices - 2)]
    return rc.BlendshapeRig(
        random.normal(size=(num_vertices, 3)),
        deltas,
        names=[f"shape{k}" for k in range(num_shapes)],
        faces=faces,
        metadata={"meters_per_unit": 0.01},
    )


def wave(frames: int, speeds: list[float], offset: float = 0.5, size: float = 0.4, phase: float = 0.0) -> np.ndarray:
    """Weights (T, K) that swing at speeds (radians per frame): a closed curve in as many dimensions."""
    t = np.arange(frames)[:, None]
    return offset + size * np.sin(phase + t * np.array(speeds) + np.arange(len(speeds)))


def arm() -> SkinnedRig:
    """Two joints with three Euler angles each, and a dial that nothing reads."""
    heights = np.linspace(0.0, 2.0, 9)
    ring = np.array([[x, 0.0, z] for x in (-0.1, 0.1) for z in (-0.1, 0.1)])
    vertices = np.concatenate([ring + np.array([0.0, h, 0.0]) for h in heights])
    weight = np.clip(np.repeat(heights, 4) - 0.5, 0.0, 1.0)
    joints = Joints(["upper", "lower"], np.array([-1, 0]), np.array([np.eye(3, 4), np.eye(3, 4)]))
    joints.rest[1, 1, 3] = 1.0
    skin = Skin(np.tile(np.array([0, 1], np.int32), (36, 1)), np.stack([1.0 - weight, weight], axis=1))
    channels = [
        RigChannel(f"{name}.r{axis}", f"rotate_{axis}", joint, -180.0, 180.0)
        for joint, name in enumerate(joints.names)
        for axis in "zyx"
    ]
    faces = [[i, i + 1, i + 4] for i in range(32)]
    return SkinnedRig(
        vertices,
        faces,
        joints,
        skin=skin,
        channels=[*channels, RigChannel("idle", "dial", -1, 0.0, 1.0)],
        morphs=(),
        facts=Facts(),
    )
