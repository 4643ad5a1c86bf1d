"""Draws the moving picture of the front page: ``python docs/figures/draw_in_motion.py`` (two minutes).

The built-in arm bends: the rig, skinning that was fitted to it, and a learned model, with their errors in color.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

import rigcast as rc

PATH = Path(__file__).resolve().parent / "in_motion.webp"
BENT = (10.0, 20.0, 110.0, 0.0, 0.0, 1.0)  # channels of the arm
FRAMES, FPS = 40, 20
WIDTH = 190  # pixels of one panel
TOP = 10.0  # millimeters at the end of the color scale


def main() -> None:
    """Learn the arm, bend it, and write the frames as one WebP that repeats."""
    arm = rc.sources.example_body()
    with tempfile.TemporaryDirectory() as folder:
        data = rc.sampling.sample(arm, Path(folder) / "arm.rwdata", count=600, seed=0)
        models = [rc.baselines.linear_blend(data, influences=4), rc.training.body(data, seed=0, steps=1500, threads=1)]
    swing = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(FRAMES) / FRAMES)
    poses, vertices = arm.sample(swing[:, None] * BENT)
    found = [model.evaluate(poses) for model in models]
    off = [1e3 * np.linalg.norm(each - vertices, axis=2) for each in found]
    print(f"skinning at most {off[0].max():.1f} mm off, the learned model {off[1].max():.1f} mm")
    focus = np.arange(vertices.shape[1])
    frames = [
        rc.plot.side_by_side(
            arm,
            np.stack([vertices[t], found[0][t], found[1][t]]),
            titles=["the rig", "linear skinning", "rigcast"],
            values=[None, off[0][t], off[1][t]],
            top=TOP,
            unit="mm off",
            focus=focus,
            turn=70.0,
            width=WIDTH,
        ).pixels[..., :3]
        for t in range(FRAMES)
    ]
    first, *others = [Image.fromarray(frame) for frame in aligned(frames)]
    first.save(PATH, save_all=True, append_images=others, duration=1000 // FPS, loop=0, quality=60, method=6)
    print(PATH, PATH.stat().st_size, "bytes")


def aligned(frames: list[np.ndarray]) -> list[np.ndarray]:
    """Frames of one size, each in the middle of white."""
    height, width = (max(frame.shape[axis] for frame in frames) for axis in (0, 1))
    sheets = []
    for frame in frames:
        sheet = np.full((height, width, 3), 255, np.uint8)
        sheet[(height - len(frame)) // 2 :][: len(frame), : frame.shape[1]] = frame
        sheets.append(sheet)
    return sheets


if __name__ == "__main__":
    main()
