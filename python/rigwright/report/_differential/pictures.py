"""Pictures of a differential model: anchors on the mesh, its error gain, its components."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigwright as rw
from rigwright import _core
from rigwright.report._differential.measure import Measured
from rigwright.report._kit.jpeg import data_uri

MARKER = 0.006  # radius of an anchor, relative to the longest side of the mesh
WIDTH, LARGE = 240, 460  # pixels of a picture among several, of one alone
_CORNERS = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], np.float32)
_SIDES = np.array([[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]], np.int32)


class Marked:
    """A mesh with an octahedron at each anchor, as pictures are drawn of it."""

    def __init__(self, model: _core.DifferentialModel, anchors: NDArray[np.int32]) -> None:
        rest, faces = model.rest_vertices, np.asarray(model.faces)
        radius = MARKER * float(np.ptp(rest, axis=0).max())
        corners = (rest[anchors][:, None] + radius * _CORNERS).reshape(-1, 3)
        sides = (len(rest) + 6 * np.arange(len(anchors))[:, None, None] + _SIDES).reshape(-1, 3)
        padded = np.concatenate([sides, np.full((len(sides), 1), -1)], axis=1)
        four = faces if faces.shape[1] == 4 else np.concatenate([faces, np.full((len(faces), 1), -1)], axis=1)
        self.faces = np.concatenate([four, padded]).astype(np.int32)
        self.rest_vertices = np.concatenate([rest, corners]).astype(np.float32)
        self.up_axis = model.up_axis
        self.on_anchor = np.arange(len(self.rest_vertices)) >= len(rest)


def anchors(model: _core.DifferentialModel, measured: Measured) -> str:
    """All anchors on the mesh at rest, from both sides."""
    return _both(Marked(model, measured.anchors), None)


def gain(model: _core.DifferentialModel, measured: Measured) -> str:
    """How far noise in the delta coordinates moves each vertex, with the anchors."""
    marked = Marked(model, measured.anchors)
    values = np.zeros(len(marked.rest_vertices))
    values[: len(measured.gain)] = measured.gain
    return _both(marked, values)


def components(model: _core.DifferentialModel, measured: Measured) -> str:
    """The leading components: the mesh moved by two standard deviations, colored by the distance of one."""
    moved = measured.components
    unit = 1e3 * model.meters_per_unit
    image = rw.plot.side_by_side(
        model,
        model.rest_vertices + 2.0 * moved,
        titles=[f"component {k + 1}" for k in range(len(moved))],
        columns=3,
        values=list(unit * np.linalg.norm(moved, axis=2)),
        unit="mm",
        width=WIDTH,
    )
    return data_uri(np.asarray(image, np.uint8)[..., :3])


def _both(marked: Marked, values: NDArray[Any] | None) -> str:
    """From the front and from behind."""
    shown = marked.on_anchor.astype(np.float64) if values is None else values
    top = 1.0 if values is None else None
    images = [
        np.asarray(rw.plot.mesh(marked, values=shown, top=top, turn=turn, width=LARGE))[..., :3]
        for turn in (25.0, 205.0)
    ]
    if values is None:  # no scale: colors only tell anchors from the mesh
        images = [image[:, :LARGE] for image in images]
    height = max(image.shape[0] for image in images)
    padded = [np.pad(image, ((0, height - len(image)), (0, 0), (0, 0)), constant_values=255) for image in images]
    return data_uri(np.concatenate(padded, axis=1))
