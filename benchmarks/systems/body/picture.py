"""Draws the README's picture from the demo's folder.

    python -m benchmarks.systems.body.picture  # after ``./run demo``

One held-out pose, the one on which linear skinning is worst: Blender's result, the learned model's, and the distance of
both approximations to Blender on one scale.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import rigcast as rc
from rigcast.plot._colors import heat
from rigcast.plot._studio import Studio, view_of

ROOT = Path(__file__).resolve().parents[3]
SIZE = (380, 520)
TOP = 10.0  # millimeters at the end of the scale


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--demo", type=Path, default=ROOT / "demo")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "demo.png")
    arguments = parser.parse_args()
    model = rc.load(arguments.demo / "model.safetensors")
    linear = rc.load(arguments.demo / "skinning-4.safetensors")
    data = rc.Dataset(next(iter(sorted(arguments.demo.glob("held-out-*.rwdata")))))
    _, poses, vertices = data.take(np.arange(min(len(data), 200)))
    millimeters = 1000.0 * model.meters_per_unit
    distances = [millimeters * np.linalg.norm(m.evaluate(poses) - vertices, axis=2) for m in (model, linear)]
    pose = int(distances[1].mean(axis=1).argmax())
    panels = [
        ("Blender", vertices[pose], None),
        (f"rigcast, {distances[0][pose].mean():.2f} mm off on average", model.evaluate(poses[pose]), None),
        (f"rigcast: at most {distances[0][pose].max():.1f} mm", vertices[pose], distances[0][pose]),
        (f"linear skinning: at most {distances[1][pose].max():.1f} mm", vertices[pose], distances[1][pose]),
    ]
    view = view_of(vertices[pose], model.up_axis, aspect=SIZE[0] / SIZE[1])
    canvas = Image.new("RGB", (len(panels) * SIZE[0], SIZE[1] + 46), "white")
    draw, font = ImageDraw.Draw(canvas), ImageFont.load_default(17)
    with Studio(model.faces, len(model.rest_vertices), width=SIZE[0], height=SIZE[1]) as studio:
        for index, (caption, shape, error) in enumerate(panels):
            pixels = studio.picture(shape, view, None if error is None else heat(error / TOP))
            canvas.paste(Image.fromarray(pixels), (index * SIZE[0], 0))
            draw.text(((index + 0.5) * SIZE[0], SIZE[1] + 4), caption, fill="#333333", font=font, anchor="mt")
    note = f"distance to Blender: grey 0 mm, darkest {TOP:g} mm or more"
    draw.text((canvas.width - 8, SIZE[1] + 26), note, fill="#777777", font=ImageFont.load_default(14), anchor="rt")
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    canvas.quantize(192, dither=Image.Dither.NONE).save(arguments.out, optimize=True)


if __name__ == "__main__":
    main()
