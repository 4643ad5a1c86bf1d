"""Draws the pictures of deformation maps: ``python docs/figures/draw_maps.py MODEL CLIPS TRAINING``.

MODEL is a learned production face, CLIPS a data set of clips held out of its training, TRAINING the one it was trained
on; the notebook ``notebooks/05_face_rig_as_a_file.py`` makes them.
"""

from __future__ import annotations

import argparse
import io
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

import rigcast as rc

FOLDER = Path(__file__).resolve().parent
FRAMES = 24  # that floors are computed on
FEWEST = 24  # vertices of a segment that is drawn
DPI, COLORS = 96, 255


def layout(training: rc.Dataset, clips: rc.Dataset) -> Figure:
    """The largest segment before and after mending, before it is cut into regions, with floors and what is refined."""
    found = rc.training.face_layout(training)
    segment = max(found.coarse, key=lambda own: len(own.vertices))
    rows = np.linspace(0, len(clips) - 1, FRAMES).astype(int)
    offsets = 1e3 * clips.meters_per_unit * (clips.take(rows)[2] - clips.rest_vertices)[:, segment.vertices]
    floor = np.zeros(len(clips.rest_vertices))
    floor[segment.vertices] = rc.metrics.map_floor(segment.uvs, offsets, segment.resolution).mean(axis=0)
    figure = Figure(figsize=(9.0, 4.3), layout="constrained", facecolor="white")
    rc.plot.map_layout(found, segment.name, faces=clips.faces, error=floor, axes=list(figure.subplots(1, 2)))
    return figure


def maps(model: rc.Deformer, clips: rc.Dataset) -> Figure:
    """The maps at the frame with the largest motion."""
    segments = rc.training.model_layout(model).segments
    shown = [number for number, own in enumerate(segments) if len(own.vertices) >= FEWEST][:8]
    vertices = clips.take(np.arange(len(clips)))[2]
    frame = int(np.square(vertices - clips.rest_vertices).sum(axis=(1, 2)).argmax())
    figure = Figure(figsize=(9.0, 2.4 * -(-len(shown) // 4)), layout="constrained", facecolor="white")
    axes = figure.subplots(-(-len(shown) // 4), 4).ravel()
    rc.plot.deformation_maps(model, clips.poses[frame], shown, axes=list(axes))
    for axis in axes[len(shown) :]:
        axis.set_axis_off()
    return figure


def main() -> None:
    """Draw both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("clips", type=Path)
    parser.add_argument("training", type=Path, help="the data set that the model was trained on")
    given = parser.parse_args()
    model, clips = rc.load(given.model), rc.Dataset(given.clips)
    for name, drawn in {"map_layout": layout(rc.Dataset(given.training), clips), "maps": maps(model, clips)}.items():
        buffer = io.BytesIO()
        drawn.savefig(buffer, dpi=DPI)
        picture = Image.open(buffer).convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
        picture.save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
