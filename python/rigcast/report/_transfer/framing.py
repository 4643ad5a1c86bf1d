"""The framing of a transfer's pictures: a whole head, the moving part of a body, and new crossings of faces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._pages import words
from rigcast._pages.gallery import Picture, Row
from rigcast.plot._framing import moving_vertices
from rigcast.plot._studio import View, view_of
from rigcast.report._transfer.measured import MeasuredTransfer
from rigcast.transfer import new_crossings

MARGIN = 1.3  # of what moves, around it
WHOLE = 2.0  # of what moves: a mesh no larger is a head, shown with its ears and crown
AROUND = 1.5  # of what the landmarks span
SHOWN = 3  # expressions
PART = 0.12  # of the face's size: a crowd of crossings, and the least half height of a picture
FACING = 8.0  # degrees around the character

Draw = Callable[[NDArray[np.float32], View, NDArray[np.int64]], str]


def reached(rig: Any, shapes: NDArray[np.float32]) -> NDArray[np.float32]:
    """(R, 3) where expressions (N, V, 3) leave the box around the neutral's moving part: an open jaw's chin."""
    moved = [shape[(shape != rig.rest_vertices).any(axis=1)] for shape in shapes]
    points = np.concatenate(moved)
    rest = rig.rest_vertices[moving_vertices(rig)]
    outside = ((points < rest.min(axis=0)) | (points > rest.max(axis=0))).any(axis=1)
    return np.asarray(points[outside], np.float32)


def framed(
    rig: Any, moving: NDArray[np.bool_], turn: float, aspect: float, also: NDArray[np.float32] | None = None
) -> View:
    """A view of all of a head, ears and crown too; of a larger mesh, of what moves.

    Parameters
    ----------
    rig : BlendshapeRig
    moving : (V,) bool
        The vertices that move.
    turn : float
        Degrees around the character.
    aspect : float
        Width of the picture over its height.
    also : array_like, shape (R, 3), optional
        Points that are to be seen too: where expressions reach.
    """
    more = np.zeros((0, 3), np.float32) if also is None else also
    near = view_of(np.concatenate([rig.rest_vertices[moving], more]), rig.up_axis, turn=turn, aspect=aspect)
    whole = view_of(np.concatenate([rig.rest_vertices, more]), rig.up_axis, turn=turn, aspect=aspect)
    if whole.extent <= WHOLE * near.extent:
        return whole
    return View(near.toward, near.up, near.center, MARGIN * near.extent)


def fit_view(rig: Any, marks: NDArray[np.int64], whole: View, turn: float, aspect: float) -> View:
    """A view of what the landmarks span and some more, no wider than ``whole``."""
    if len(marks) < 2:
        return whole
    near = view_of(rig.rest_vertices[marks], rig.up_axis, turn=turn, aspect=aspect)
    if AROUND * near.extent >= whole.extent:
        return whole
    return View(near.toward, near.up, near.center, AROUND * near.extent)


def crossing_rows(measured: MeasuredTransfer, draw: Draw) -> list[Row]:
    """The expressions with most new crossings; the faces that cross are drawn through what hides them."""
    counts = measured.quality.new_crossings
    order = np.argsort(-counts, kind="stable")[:SHOWN]
    return [_row(measured, int(n), draw) for n in order if counts[n] > 0]


def _row(measured: MeasuredTransfer, n: int, draw: Draw) -> Row:
    faces, target = np.asarray(measured.target.faces), measured.shapes[n]
    pairs = new_crossings(measured.source_shapes[n], measured.neutral, target, faces=faces, near=measured.contacts)
    corners = faces[np.unique(pairs)]
    marked = np.unique(corners[corners >= 0])
    around = _largest_crowd(measured.neutral, marked)
    edges = np.concatenate([_edges(face[face >= 0]) for face in corners])
    pictures = [
        Picture([draw(vertices, _view(vertices, around, measured.target.up_axis), edges)], title)
        for title, vertices in (("source", measured.source_shapes[n]), ("target", target))
    ]
    places = ", ".join(map(str, marked[:5].tolist())) + (", ..." if len(marked) > 5 else "")
    depth = words.length(measured.millimeters * float(measured.quality.deepest[n]))
    text = f"{words.plural(len(pairs), 'new crossing')}, {depth} deep at most, between faces at the vertices {places}"
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
    view = view_of(vertices[around], up_axis, turn=FACING)
    return View(view.toward, view.up, view.center, max(2.0 * view.extent, PART * float(np.ptp(vertices, axis=0).max())))
