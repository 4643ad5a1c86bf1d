"""Pictures of where faces of the target cross anew: the expressions that have most of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigwright._core import vertex_normals
from rigwright.plot._colors import heat
from rigwright.plot._studio import View, close_view
from rigwright.report._kit import words
from rigwright.report._kit.gallery import Picture, Row
from rigwright.report._transfer.measured import MeasuredTransfer
from rigwright.transfer import new_crossings

SHOWN = 3  # expressions
PART = 0.06  # of the face that a picture shows: half of its height

Draw = Callable[[NDArray[np.float32], View, NDArray[np.uint8]], str]


def crossing_rows(measured: MeasuredTransfer, draw: Draw) -> list[Row]:
    """The expressions with most new crossings, the faces that cross in color, near the place with most of them."""
    counts = measured.quality.new_crossings
    order = np.argsort(-counts, kind="stable")[:SHOWN]
    return [_row(measured, int(n), draw) for n in order if counts[n] > 0]


def _row(measured: MeasuredTransfer, n: int, draw: Draw) -> Row:
    faces, target = np.asarray(measured.target.faces), measured.shapes[n]
    pairs = new_crossings(measured.source_shapes[n], measured.neutral, target, faces, measured.contacts)
    corners = faces[np.unique(pairs)]
    marked = np.unique(corners[corners >= 0])
    colors = heat(np.isin(np.arange(len(target)), marked).astype(np.float64))
    middle = _densest(measured.neutral[marked])
    pictures = [
        Picture([draw(vertices, _view(measured, vertices, int(marked[middle])), colors)], title)
        for title, vertices in (("source", measured.source_shapes[n]), ("target", target))
    ]
    places = ", ".join(map(str, marked[:5].tolist())) + (", ..." if len(marked) > 5 else "")
    text = f"{words.plural(len(pairs), 'new crossing')} between faces at the vertices {places}"
    return Row(measured.names[n], text, pictures)


def _densest(points: NDArray[Any]) -> int:
    """The point with the nearest neighbors in the mean: the middle of the largest crowd."""
    return int(np.array([np.exp(-np.square(points - p).sum(axis=1) / points.var()).sum() for p in points]).argmax())


def _view(measured: MeasuredTransfer, vertices: NDArray[np.float32], vertex: int) -> View:
    normal = vertex_normals(np.asarray(vertices, np.float32), measured.target.faces)[vertex]
    return close_view(vertices, vertex, normal, measured.target.up_axis, PART)
