"""Pictures of a differential model: anchors on the mesh, its error gain, its components."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from rigcast import _core
from rigcast.report._differential.measure import Measured
from rigcast.report._kit.jpeg import data_uri
from rigcast.report._kit.markers import MarkedMesh

MARKER = 0.006  # radius of an anchor, relative to the longest side of the mesh
WIDTH, LARGE = 240, 460  # pixels of a picture among several, of one alone


def anchors(model: _core.DifferentialModel, measured: Measured) -> str:
    """All anchors on the mesh at rest, from both sides."""
    return _both(_marked(model, measured), None)


def gain(model: _core.DifferentialModel, measured: Measured) -> str:
    """How far noise in the delta coordinates moves each vertex, with the anchors."""
    marked = _marked(model, measured)
    return _both(marked, marked.values(measured.gain, np.zeros(len(measured.anchors))))


def components(model: _core.DifferentialModel, measured: Measured) -> str:
    """The leading components: the mesh moved by two standard deviations, colored by the distance of one."""
    moved = measured.components
    unit = 1e3 * model.meters_per_unit
    image = rc.plot.side_by_side(
        model,
        model.rest_vertices + 2.0 * moved,
        titles=[f"component {k + 1}" for k in range(len(moved))],
        columns=3,
        values=list(unit * np.linalg.norm(moved, axis=2)),
        unit="mm",
        width=WIDTH,
    )
    return data_uri(np.asarray(image, np.uint8)[..., :3])


def _marked(model: _core.DifferentialModel, measured: Measured) -> MarkedMesh:
    return MarkedMesh(model, model.rest_vertices[measured.anchors], MARKER)


def _both(marked: MarkedMesh, values: NDArray[Any] | None) -> str:
    """From the front and from behind."""
    shown = marked.on_marker.astype(np.float64) if values is None else values
    top = 1.0 if values is None else None
    images = [
        np.asarray(rc.plot.mesh(marked, values=shown, top=top, turn=turn, width=LARGE))[..., :3]
        for turn in (25.0, 205.0)
    ]
    if values is None:  # no scale: colors only tell anchors from the mesh
        images = [image[:, :LARGE] for image in images]
    height = max(image.shape[0] for image in images)
    padded = [np.pad(image, ((0, height - len(image)), (0, 0), (0, 0)), constant_values=255) for image in images]
    return data_uri(np.concatenate(padded, axis=1))
