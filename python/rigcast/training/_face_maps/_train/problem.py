"""The data of the networks of one level, as arrays: coarse segments, or refinements of a frozen coarse model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._hashing import padded_faces
from rigcast._pose_statistics.columns import spread_of
from rigcast.training._face_maps._layout.segments import MapSegment, RigidPart
from rigcast.training._face_maps._preparation import MapPreparation
from rigcast.training._face_maps._rows import Rows, vertex_blocks
from rigcast.training._face_maps._train.shapes import MapShape, Scaling
from rigcast.training._optimizers import Arrays

LOOKED_AT = 512  # rows that decide the scale of the outputs


@dataclass(frozen=True)
class Level:
    """The segments that are trained together, and the vertices that they move.

    Attributes
    ----------
    segments : list of MapSegment
    vertices : (M,) int64
        Those of the segments first, then neighbors that share a face with them and do not move here.
    corners : (F, 4) int64
        Faces with a vertex of a segment, as indices into ``vertices``; a triangle's fourth corner is its third. Faces
        of rigid parts are left out.
    place : (V,) int64
        Index into ``vertices`` of each vertex of the mesh, -1 for the others.
    """

    segments: list[MapSegment]
    vertices: NDArray[np.int64]
    corners: NDArray[np.int64]
    place: NDArray[np.int64]


def level_of(segments: Sequence[MapSegment], parts: Sequence[RigidPart], faces: Any, num_vertices: int) -> Level:
    """The level of some segments. Without the faces between segments, their borders could tear unseen."""
    corners = padded_faces(faces, "face_maps", num_vertices).astype(np.int64)
    corners[:, 3] = np.where(corners[:, 3] < 0, corners[:, 2], corners[:, 3])
    moved, rigid = np.zeros(num_vertices, bool), np.zeros(num_vertices, bool)
    for segment in segments:
        moved[segment.vertices] = True
    for part in parts:
        rigid[part.vertices] = True
    corners = corners[moved[corners].any(axis=1) & ~rigid[corners].any(axis=1)]
    around = np.setdiff1d(corners, np.flatnonzero(moved))
    vertices = np.concatenate([np.flatnonzero(moved), around])
    place = np.full(num_vertices, -1)
    place[vertices] = np.arange(len(vertices))
    return Level(list(segments), vertices, place[corners], place)


@dataclass(frozen=True)
class LevelProblem:
    """A level with its data, lengths in the unit of the loss.

    Attributes
    ----------
    level : Level
    scalings : list of Scaling
        ``scale`` in the unit of the loss.
    inputs : list of (T, n) float32 arrays
        Normalized.
    rest : (M, 3) float32
    truth : (T, M, 3) float32
        Offsets of the rig.
    base : (T, M, 3) float32 or None
        Offsets of the base and the frozen model that the networks add to; None: 0.
    bins : list of int64 arrays
        Rows to learn from, in bins.
    held_out : (N,) int64
        Rows.
    shapes : list of MapShape
        Of the networks; none before they are chosen.
    fitted : list of dict of arrays
        Layers that follow from the data, per network.
    up_axis : str
        Of the rig: says where its front is.
    """

    level: Level
    scalings: list[Scaling]
    inputs: list[NDArray[np.float32]]
    rest: NDArray[np.float32]
    truth: NDArray[np.float32]
    base: NDArray[np.float32] | None
    bins: list[Rows]
    held_out: Rows
    shapes: Sequence[MapShape] = ()
    fitted: Sequence[Arrays] = ()
    up_axis: str = "Y"


def offsets_of(ds: Any, rows: Rows, vertices: NDArray[np.int64], length: float) -> NDArray[np.float32]:
    """Offsets (t, M, 3) of some vertices in some rows, divided by ``length``."""
    rest = np.asarray(ds.rest_vertices)[vertices]
    result = np.empty((len(rows), len(vertices), 3), np.float32)
    begin = 0
    for block in vertex_blocks(ds, rows):
        result[begin : begin + len(block)] = (block[:, vertices] - rest) / np.float32(length)
        begin += len(block)
    return result


def make_problem(
    level: Level,
    ready: MapPreparation,
    rest: NDArray[np.float32],
    truth: NDArray[np.float32],
    base: NDArray[np.float32] | None,
) -> LevelProblem:
    """The problem of a level without networks: inputs and outputs normalized by the rows to learn from.

    Parameters
    ----------
    rest : (V, 3) float32
        Of the whole mesh, rig unit.
    truth, base : (T, M, 3) float32
        Unit of the loss.
    """
    scalings, inputs = [], []
    some = ready.training[:: max(1, len(ready.training) // LOOKED_AT)]
    for segment in level.segments:
        members = level.place[segment.vertices]
        left = truth[some][:, members] - (0.0 if base is None else base[some][:, members])
        data = ready.poses[:, segment.columns].astype(np.float64)
        scalings.append(scaling_of(data[ready.training], left))
        inputs.append(((data - scalings[-1].mean) / scalings[-1].deviation).astype(np.float32))
    at_rest = (rest[level.vertices] / np.float32(ready.length)).astype(np.float32)
    return LevelProblem(level, scalings, inputs, at_rest, truth, base, ready.bins, ready.held_out)


def scaling_of(columns: NDArray[np.float64], offsets: NDArray[np.float32]) -> Scaling:
    """Each column by its spread, offsets by their root mean square."""
    scale = float(np.sqrt(np.square(offsets, dtype=np.float64).mean())) or 1.0
    return Scaling(columns.mean(axis=0), spread_of(columns), scale)
