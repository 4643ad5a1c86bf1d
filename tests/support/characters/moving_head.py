"""A face of 468 vertices that all move in some shape, and shots of it whose head turns."""

from __future__ import annotations

import numpy as np

import rigcast as rc

ACROSS, DOWN = 18, 26
SHAPES = 20
_CORNER = np.arange(ACROSS * DOWN).reshape(DOWN, ACROSS)
FACES = np.stack([_CORNER[:-1, :-1], _CORNER[:-1, 1:], _CORNER[1:, 1:], _CORNER[1:, :-1]], axis=2).reshape(-1, 4)


def moving_face(seed: int = 0, **options) -> rc.BlendshapeRig:
    """A dome in centimeters, 15 wide and 20 high; a jaw, other shapes about as broad, one pair with a corrective."""
    rng = np.random.default_rng(seed)
    u, v = (axis.ravel() for axis in np.meshgrid(np.linspace(-1, 1, ACROSS), np.linspace(-1, 1, DOWN)))
    neutral = np.stack([7.5 * u, 10 * v, 6 - 5 * (u**2 + v**2)], axis=1)
    centers, widths = rng.uniform(-0.8, 0.8, (SHAPES, 2)), rng.uniform(4, 16, SHAPES)
    near = [np.exp(-k * ((u - x) ** 2 + (v - y) ** 2)) for (x, y), k in zip(centers, widths, strict=True)]
    deltas = np.stack(near)[:, :, None] * rng.normal(0, 0.5, (SHAPES, 1, 3))
    hinge = np.maximum(-0.1 - v, 0.0)
    deltas[0] = np.stack([0 * u, -1.5 * hinge, -0.8 * hinge], axis=1) + 0.02 * deltas[1]
    pair = (near[2] * near[3])[:, None] * [0.1, 0.4, 0.2]
    about = {"name": "moving face", "meters_per_unit": 0.01}
    return rc.BlendshapeRig(neutral, deltas, [((2, 3), pair)], metadata=about, **options)


def head_turns(frames: int, degrees: float = 14.0) -> np.ndarray:
    """(T, 3, 4): turns about all axes and shifts of some centimeters, smooth in time."""
    t = np.linspace(0, 2.5, frames)
    result = np.empty((frames, 3, 4))
    angles = np.radians(degrees) * np.stack([np.sin(2.5 * t), np.sin(3.8 * t + 1), np.sin(1.9 * t + 2)], axis=1)
    for frame, (x, y, z) in enumerate(angles):
        result[frame, :, :3] = turn(1, y) @ turn(0, x) @ turn(2, z)
    result[:, :, 3] = 3 * np.sin(t[:, None] * [1.0, 1.5, 0.7])
    return result


def moved(shot: np.ndarray, transforms: np.ndarray) -> np.ndarray:
    """Every frame put where its transform takes it."""
    return np.stack([frame @ m[:, :3].T + m[:, 3] for frame, m in zip(shot, transforms, strict=True)])


def face_curves(frames: int, seed: int = 0) -> np.ndarray:
    """Weights (T, 20), smooth, half of them 0 at a time."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 2.5, frames)[:, None]
    waves = np.sin(2 * np.pi * rng.uniform(0.3, 1.2, SHAPES) * t + rng.uniform(0, 6.28, SHAPES))
    return np.clip(1.2 * waves - 0.2, 0, 1)


def turn(axis: int, angle: float) -> np.ndarray:
    """A rotation about a coordinate axis, radians."""
    a, b = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(3)
    matrix[a, a] = matrix[b, b] = np.cos(angle)
    matrix[b, a], matrix[a, b] = np.sin(angle), -np.sin(angle)
    return matrix
