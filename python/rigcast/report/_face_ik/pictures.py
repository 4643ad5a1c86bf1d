"""Pictures of configurations: the answer's mesh, with octahedra where control points shall be."""

from __future__ import annotations

from typing import Any

import numpy as np

import rigcast as rc
from rigcast.ik import FaceIk
from rigcast.plot._colors import nice_top
from rigcast.report._face_ik.measure import Measured
from rigcast.report._kit.jpeg import data_uri
from rigcast.report._kit.markers import MarkedMesh

MARKER = 0.008  # radius of a target, relative to the longest side of the mesh
WIDTH, COLUMNS = 210, 5
CROPPED = 0.15  # of the control points' extent: what stands around them in a picture


def configurations(ik: FaceIk, model: Any, measured: Measured) -> tuple[str, float]:
    """All configurations as one picture, and the end of its color scale in millimeters.

    The mesh is colored by the distance between model and rig, if the rig is known, the octahedra by the distance of
    each control point from where it shall be.
    """
    errors = measured.answers[0].judged
    apart = np.zeros(measured.vertices.shape[:2]) if measured.apart is None else measured.apart
    top = nice_top(float(max(np.percentile(errors, 95), np.percentile(apart, 99))))
    marked = MarkedMesh(model, model.rest_vertices[ik.vertices], MARKER)
    shown, values = [], []
    for t, configuration in enumerate(measured.configurations):
        shown.append(marked.vertices(measured.vertices[t], configuration.goals))
        values.append(marked.values(apart[t], errors[t]))
    titles = [f"{t + 1}: {error:.2f} mm" for t, error in enumerate(errors.mean(axis=1))]
    image = rc.plot.side_by_side(
        marked,
        np.stack(shown),
        titles=titles,
        columns=COLUMNS,
        values=values,
        top=top,
        unit="mm",
        focus=_around(ik, marked),
        turn=15.0,
        width=WIDTH,
    )
    return data_uri(np.asarray(image, np.uint8)[..., :3]), top


def _around(ik: FaceIk, marked: MarkedMesh) -> Any:
    """Which vertices of the marked mesh (V + A) lie around the control points."""
    points = marked.rest_vertices[ik.vertices]
    low, high = points.min(axis=0), points.max(axis=0)
    slack = CROPPED * (high - low).max()
    return ((marked.rest_vertices > low - slack) & (marked.rest_vertices < high + slack)).all(axis=1)
