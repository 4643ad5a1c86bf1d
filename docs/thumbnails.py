"""Draws the small pictures of the README on the built-in rigs: ``python docs/thumbnails.py``."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

import rigcast as rc

FOLDER = Path(__file__).parent / "thumbnails"
WIDTH = 190  # pixels of one panel
TOP = 10.0  # millimeters at the end of the color scale


def learn() -> rc.plot.Image:
    """The arm at full bend: the rig, and how far fitted skinning and a learned model are off."""
    arm = rc.sources.example_body()
    with tempfile.TemporaryDirectory() as folder:
        data = rc.sampling.sample(arm, Path(folder) / "arm.rwdata", count=600, seed=0)
        models = [rc.baselines.linear_blend(data, influences=4), rc.training.body(data, seed=0, steps=1500)]
    poses, vertices = arm.sample([[10.0, 20.0, 110.0, 0.0, 0.0, 1.0]])
    off = [1000.0 * np.linalg.norm(model.evaluate(poses)[0] - vertices[0], axis=1) for model in models]
    print(f"learn: skinning at most {off[0].max():.1f} mm off, the learned model {off[1].max():.1f} mm")
    return rc.plot.side_by_side(
        arm,
        np.repeat(vertices, 3, axis=0),
        titles=["rig", "skinning", "learned"],
        values=[None, *off],
        top=TOP,
        unit="mm",
        turn=70.0,
        width=WIDTH,
    )


def solve() -> rc.plot.Image:
    """A noisy scan, and the face with the weights found in it."""
    face = rc.faces.example()
    wanted = {"jawOpen": 0.5, "mouthSmileLeft": 0.9, "mouthSmileRight": 0.6, "browInnerUp": 0.8}
    truth = face.evaluate([wanted.get(name, 0.0) for name in face.shape_names])
    scan = truth + np.random.default_rng(0).normal(0.0, 0.08, truth.shape)
    found = rc.inverse.solve(face, scan[None])
    states = [scan, face.evaluate(found.weights[0])]
    return rc.plot.side_by_side(face, states, titles=["scan", "solved"], width=WIDTH)


def transfer() -> rc.plot.Image:
    """One expression on the rig's own face, and on a face of other proportions."""
    face = rc.faces.example()
    x, y, z = face.rest_vertices.T
    neutral = np.stack([0.8 * x, 1.15 * y + 0.015 * x**2, 1.1 * z], axis=1)
    other = rc.transfer.transfer_rig(face, neutral)
    wanted = {"jawOpen": 0.8, "mouthPucker": 0.6, "browInnerUp": 1.0}
    weights = [wanted.get(name, 0.0) for name in face.shape_names]
    states = [face.evaluate(weights), other.evaluate(weights)]
    return rc.plot.side_by_side(face, states, titles=["rig", "other face"], width=WIDTH)


def main() -> None:
    """Write all of them, as PNG files of at most 128 colors."""
    FOLDER.mkdir(exist_ok=True)
    for draw in (learn, solve, transfer):
        path = FOLDER / f"{draw.__name__}.png"
        Image.fromarray(draw().pixels).quantize(128).save(path, optimize=True)
        print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
