"""A small blendshape rig with every kind of factor, for readers and writers."""

from __future__ import annotations

import numpy as np

import rigcast as rc

NAMES = ["jawOpen", "eyeBlink_L", "eyeBlink_R", "browInnerUp_L", "browInnerUp_R", "my shape"]


def small_face(seed: int = 0, combinations: bool = True, **metadata: object) -> rc.BlendshapeRig:
    """A 6 x 5 grid of 30 vertices, one triangle among the quads; K 6, N 9; each shape moves a few vertices."""
    random = np.random.default_rng(seed)
    x, y = np.meshgrid(np.arange(6.0), np.arange(5.0), indexing="ij")
    neutral = np.stack([x, y, 0.1 * random.normal(size=x.shape)], axis=2).reshape(-1, 3)
    a = (np.arange(5)[:, None] * 5 + np.arange(4)).reshape(-1)
    faces = np.stack([a, a + 5, a + 6, a + 1], axis=1).astype(np.int32)
    faces[0, 3] = -1

    def offset() -> np.ndarray:
        moved = random.uniform(size=30) < 0.3
        moved[random.integers(30)] = True
        return random.normal(size=(30, 3)) * moved[:, None]

    mixed = [((0, 1), offset()), ((rc.Tent(0, 0.25, 0.5, 1.0), 2), offset()), ((rc.Tent(3, 0.0, 0.5, 1.0),), offset())]
    return rc.BlendshapeRig(
        neutral,
        np.stack([offset() for _ in NAMES]),
        mixed if combinations else [],
        names=NAMES,
        bounds=[(0, 1)] * 5 + [(-1, 2)],
        faces=faces,
        metadata={"name": "small face", "licence": "CC0", **metadata},
    )


def random_curves(seed: int, frames: int, shapes: int = len(NAMES)) -> np.ndarray:
    """Weights (T, K), float32, in [0, 1]; one frame of zeros."""
    curves = np.random.default_rng(seed).uniform(size=(frames, shapes)).astype(np.float32)
    curves[frames // 2] = 0
    return curves
