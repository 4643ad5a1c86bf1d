"""Draws a head edited, smoothed and rebuilt from a few handles: ``python docs/figures/draw_handles.py``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

import rigcast as rc

FOLDER = Path(__file__).resolve().parent
COLORS, WIDTH = 255, 250
REACH = 3.5  # around the tip of the nose: handles there would hold it


def main() -> None:
    """Write handles.png."""
    head = rc.faces.example()
    rest, faces = head.rest_vertices, head.faces
    spread = rc.differential.choose_anchors(faces, len(rest), 100)
    tip = int(rest[:, 2].argmax())  # of the nose
    far = np.linalg.norm(rest[spread] - rest[tip], axis=1) > REACH
    anchors = np.array([tip, *spread[far]])
    tool = rc.differential.Reconstructor(faces, len(rest), anchors)

    pulled = np.zeros((1, len(anchors), 3), np.float32)
    pulled[0, 0] = [0.0, -0.5, 2.0]
    edited = rest + tool.solve(np.zeros_like(rest)[None], pulled)[0]

    smooth = tool.solve(0.2 * tool.encode(rest[None]), rest[None, anchors])[0]

    weights = np.array([name in ("jawOpen", "mouthSmileLeft", "browInnerUp") for name in head.shape_names], np.float32)
    expression = head.evaluate(weights)
    moved = (expression - rest)[anchors]
    rebuilt = rest + tool.solve(np.zeros_like(rest)[None], moved[None])[0]

    rebuilt_title = f"rebuilt from {len(anchors)} handles"
    left = 1e3 * head.meters_per_unit * np.linalg.norm(rebuilt - expression, axis=1)
    image = rc.plot.side_by_side(
        head,
        np.stack([edited, smooth, expression, rebuilt]),
        titles=["one handle pulled", "smoothed between handles", "an expression", rebuilt_title],
        values=[None, None, None, left],
        unit="mm",
        width=WIDTH,
    )
    picture = Image.fromarray(np.asarray(image)[..., :3]).quantize(COLORS, dither=Image.Dither.NONE)
    picture.save(FOLDER / "handles.png", optimize=True)


if __name__ == "__main__":
    main()
