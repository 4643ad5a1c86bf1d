"""What a picture of a transfer shows: a head whole with its widest expressions, of a body what moves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.plot._framing import moving_vertices
from rigcast.plot._studio import View, view_of

MARGIN = 1.3  # of what moves, around it
WHOLE = 2.0  # of what moves: a mesh no larger is a head, shown with its ears and crown
AROUND = 1.5  # of what the landmarks span


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
    near = view_of(np.concatenate([rig.rest_vertices[moving], more]), rig.up_axis, turn, aspect=aspect)
    whole = view_of(np.concatenate([rig.rest_vertices, more]), rig.up_axis, turn, aspect=aspect)
    if whole.extent <= WHOLE * near.extent:
        return whole
    return View(near.toward, near.up, near.center, MARGIN * near.extent)


def fit_view(rig: Any, marks: NDArray[np.int64], whole: View, turn: float, aspect: float) -> View:
    """A view of what the landmarks span and some more, no wider than ``whole``."""
    if len(marks) < 2:
        return whole
    near = view_of(rig.rest_vertices[marks], rig.up_axis, turn, aspect=aspect)
    if AROUND * near.extent >= whole.extent:
        return whole
    return View(near.toward, near.up, near.center, AROUND * near.extent)
