"""A small blendshape rig that can be looked at: a curved sheet with bumps, a correction and an in-between."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import rigcast as rc

SIDE = 14
NAMES = ["browUp", "mouthSmileLeft", "mouthSmileRight", "jawOpen", "nothing", "cheekPuff"]
CENTERS = [(0.0, 0.7), (-0.4, -0.4), (0.4, -0.4), (0.0, -0.7), None, (0.0, 0.0)]


def sheet_rig(**options) -> rc.BlendshapeRig:
    """196 vertices in centimeters, y up, facing z; ``nothing`` moves nothing; the combinations say constructed."""
    u, v = (axis.ravel() for axis in np.meshgrid(np.linspace(-1, 1, SIDE), np.linspace(-1, 1, SIDE)))
    neutral = np.stack([7 * u, 9 * v, 4 - 3 * (u**2 + v**2)], axis=1)

    def bump(place, height):
        if place is None:
            return np.zeros_like(neutral)
        near = np.exp(-6 * ((u - place[0]) ** 2 + (v - place[1]) ** 2))
        near[near < 1e-2] = 0
        return near[:, None] * np.array(height)

    heights = [(0.1, 0.6, 0.4), (-0.7, 0.4, 0.2), (0.7, 0.4, 0.2), (0, -1.8, -0.3), (0, 0, 0), (0.2, 0, 1.1)]
    deltas = np.stack([bump(place, height) for place, height in zip(CENTERS, heights, strict=True)])
    combinations = [
        ((1, 3), bump((-0.3, -0.6), (-0.2, 0.1, 0.3))),
        ((2, 3), bump((0.3, -0.6), (0.2, 0.1, 0.3))),
        ((rc.Tent(3, 0.0, 0.5, 1.0),), bump((0.0, -0.6), (0.0, 0.0, 0.25))),
    ]
    corner = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    faces = np.stack([corner[:-1, :-1], corner[:-1, 1:], corner[1:, 1:], corner[1:, :-1]], axis=2).reshape(-1, 4)
    made = ["mouthSmileLeft * jawOpen", "mouthSmileRight * jawOpen", "jawOpen@0.5"]
    about = {"name": "sheet", "meters_per_unit": 0.01, "licence": "CC0 1.0", "constructed": made}
    return rc.BlendshapeRig(neutral, deltas, combinations, names=NAMES, faces=faces, metadata=about, **options)


def sheet_curves(frames: int, seed: int = 0) -> np.ndarray:
    """Smooth weights (frames, 6), many of them 0."""
    rng = np.random.default_rng(seed)
    phase = np.linspace(0, 2 * np.pi * max(frames / 40, 0.5), frames)[:, None] + rng.uniform(0, 6.28, len(NAMES))
    return np.clip(1.4 * np.sin(phase) - 0.4, 0, 1).astype(np.float32)


def sheet_files(folder: Path, frames: int = 40) -> np.ndarray:
    """Write ``face.safetensors`` and a shot ``take.npy`` of it; returns the weights that made the shot."""
    rig, weights = sheet_rig(), sheet_curves(frames)
    rig.save(folder / "face.safetensors")
    np.save(folder / "take.npy", rig.evaluate(weights))
    return weights
