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
FRAMES, FPS = 32, 16
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
    states = np.stack([vertices, *found], axis=1).reshape(-1, *vertices.shape[1:])
    values = [each for t in range(FRAMES) for each in (None, off[0][t], off[1][t])]
    frames = frames_of(drawn(arm, states, values), drawn(arm, states[:3], values[:3]))
    first, *others = [Image.fromarray(frame) for frame in frames]
    first.save(PATH, save_all=True, append_images=others, duration=1000 // FPS, loop=0, quality=60, method=4)
    print(PATH, PATH.stat().st_size, "bytes")


def drawn(arm: rc.sources.Rig, states: np.ndarray, values: list[np.ndarray | None]) -> np.ndarray:
    """Rows of three panels in one view, with one color scale at their right."""
    titles = ["the rig", "linear skinning", "rigcast"] * (len(states) // 3)
    look = {"top": TOP, "unit": "mm off", "turn": 70.0, "width": WIDTH, "columns": 3}
    return rc.plot.side_by_side(arm, states, titles=titles, values=values, **look).pixels[..., :3]


def frames_of(sheet: np.ndarray, single: np.ndarray) -> list[np.ndarray]:
    """Rows of a sheet in one view, each with the scale of a single row (that of a sheet is as tall as the sheet)."""
    left, height = 3 * WIDTH + 4, len(sheet) // FRAMES
    scale = single[:, left:]
    used = np.flatnonzero((scale < 250).any(axis=(1, 2)))
    scale = scale[used[0] : used[-1] + 1]
    top = (height - len(scale)) // 2
    frames = []
    for t in range(FRAMES):
        frame = np.full((height, left + scale.shape[1], 3), 255, np.uint8)
        frame[:, :left] = sheet[t * height :][:height, :left]
        frame[top : top + len(scale), left:] = scale
        frames.append(frame)
    return frames


if __name__ == "__main__":
    main()
