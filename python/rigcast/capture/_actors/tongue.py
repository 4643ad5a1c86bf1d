"""A tongue that comes out, for a face whose mouth has one but no shape that moves it. Constructed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig

Float64 = NDArray[np.float64]

UP = 0.3  # least upward part of the normals on top of a tongue
WIDE, TOP, FRONT = 1.5, -3.1, 9.3  # centimeters: half its width, its height below, its tip before the origin
ROOT = 4.0  # where it begins to move
REACH = np.array([0.0, 0.45, 4.2])  # centimeters that its tip moves
ROUNDS = 6  # of averaging over the faces, which ends the motion smoothly


def with_tongue(face: BlendshapeRig, segment: tuple[int, int]) -> BlendshapeRig:
    """The ICT face with a shape ``tongueOut``: the top of its tongue, and what lies beside it, drawn out of the mouth.

    Parameters
    ----------
    face : BlendshapeRig
    segment : (int, int)
        Vertices of gums and tongue, which are one surface.
    """
    rest = face.rest_vertices.astype(np.float64)
    inside = face.faces[(face.faces[:, 0] >= segment[0]) & (face.faces[:, 0] < segment[1])]
    normals = _normals(rest, inside)
    top = (np.abs(rest[:, 0]) < WIDE) & (normals[:, 1] > UP) & (rest[:, 1] < TOP) & (rest[:, 2] < FRONT)
    share = np.where(top, np.clip((rest[:, 2] - ROOT) / (FRONT - ROOT), 0.0, 1.0) ** 1.5, 0.0)
    for _ in range(ROUNDS):
        share = np.maximum(share * top, 0.95 * _averaged(share, inside))
    delta = (share[:, None] * REACH).astype(np.float32)
    deltas = np.concatenate([[face.column(k) for k in range(face.num_shapes)], delta[None]])
    combined = [(drivers, face.column(face.num_shapes + c)) for c, drivers in enumerate(face.combinations)]
    return BlendshapeRig(
        face.rest_vertices,
        deltas,
        combined,
        names=[*face.shape_names, "tongueOut"],
        faces=face.faces,
        metadata=face.metadata,
    )


def _normals(rest: Float64, faces: NDArray[np.int32]) -> Float64:
    sums = np.zeros_like(rest)
    crosses = np.cross(rest[faces[:, 2]] - rest[faces[:, 0]], rest[faces[:, 3]] - rest[faces[:, 1]])
    for corner in range(4):
        np.add.at(sums, faces[:, corner], crosses)
    return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12))


def _averaged(share: Float64, faces: NDArray[np.int32]) -> Float64:
    """Means of each vertex over the faces around it."""
    total, count = np.zeros_like(share), np.zeros_like(share)
    means = share[faces].mean(axis=1)
    for corner in range(4):
        np.add.at(total, faces[:, corner], means)
        np.add.at(count, faces[:, corner], 1.0)
    return np.asarray(total / np.maximum(count, 1.0))
