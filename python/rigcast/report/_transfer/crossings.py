"""Pictures of where faces of the target cross anew: the expressions that have most of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rigcast.plot._studio import View, view_of
from rigcast.report._kit import words
from rigcast.report._kit.gallery import Picture, Row
from rigcast.report._transfer.measured import MeasuredTransfer
from rigcast.transfer import new_crossings

SHOWN = 3  # expressions
PART = 0.12  # of the face's size: a crowd of crossings, and the least half height of a picture
FACING = 8.0  # degrees around the character

Draw = Callable[[NDArray[np.float32], View, NDArray[np.int64]], str]


def crossing_rows(measured: MeasuredTransfer, draw: Draw) -> list[Row]:
    """The expressions with most new crossings; the faces that cross are drawn through what hides them."""
    counts = measured.quality.new_crossings
    order = np.argsort(-counts, kind="stable")[:SHOWN]
    return [_row(measured, int(n), draw) for n in order if counts[n] > 0]


def _row(measured: MeasuredTransfer, n: int, draw: Draw) -> Row:
    faces, target = np.asarray(measured.target.faces), measured.shapes[n]
    pairs = new_crossings(measured.source_shapes[n], measured.neutral, target, faces, measured.contacts)
    corners = faces[np.unique(pairs)]
    marked = np.unique(corners[corners >= 0])
    around = _largest_crowd(measured.neutral, marked)
    edges = np.concatenate([_edges(face[face >= 0]) for face in corners])
    pictures = [
        Picture([draw(vertices, _view(vertices, around, measured.target.up_axis), edges)], title)
        for title, vertices in (("source", measured.source_shapes[n]), ("target", target))
    ]
    places = ", ".join(map(str, marked[:5].tolist())) + (", ..." if len(marked) > 5 else "")
    text = f"{words.plural(len(pairs), 'new crossing')} between faces at the vertices {places}"
    return Row(measured.names[n], text, pictures)


def _edges(face: NDArray[np.int32]) -> NDArray[np.int64]:
    """(C, 2) edges of a face of C corners."""
    return np.stack([face, np.roll(face, -1)], axis=1, dtype=np.int64)


def _largest_crowd(neutral: NDArray[np.float32], marked: NDArray[np.int32]) -> NDArray[np.int32]:
    """Those of the marked vertices around the one with most others near it."""
    apart = np.linalg.norm(neutral[marked][:, None] - neutral[marked], axis=2)
    near = apart < PART * np.ptp(neutral, axis=0).max()
    crowd: NDArray[np.int32] = marked[near[near.sum(axis=1).argmax()]]
    return crowd


def _view(vertices: NDArray[np.float32], around: NDArray[np.int32], up_axis: str) -> View:
    """From the front, at least so much of the face that one sees where it is."""
    view = view_of(vertices[around], up_axis, FACING)
    return View(view.toward, view.up, view.center, max(2.0 * view.extent, PART * float(np.ptp(vertices, axis=0).max())))
