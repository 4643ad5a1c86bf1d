"""Meshes with more vertices on the same surface."""

from __future__ import annotations

import numpy as np


def triangulated(faces):
    """(N, 3) triangles of faces whose triangles are padded with -1."""
    faces = np.asarray(faces)
    if faces.shape[1] == 3:
        return faces
    quads = faces[:, 3] >= 0
    return np.concatenate([faces[:, :3], faces[quads][:, [0, 2, 3]]])


def subdivided(meshes, triangles, chosen=None):
    """Meshes (..., V, 3) of one topology with a vertex on the middle of every edge, and the triangles cut in four.

    ``chosen`` (N,) cuts some triangles alone; their neighbors keep their edges.
    """
    meshes, triangles = np.asarray(meshes, np.float64), np.asarray(triangles)
    cut = np.ones(len(triangles), bool) if chosen is None else np.asarray(chosen, bool)
    some = triangles[cut]
    edges = np.sort(some[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    ends, place = np.unique(edges, axis=0, return_inverse=True)
    middle = meshes.shape[-2] + place.reshape(-1, 3)
    (a, b, c), (ab, bc, ca) = some.T, middle.T
    parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (bc, ca, ab)]
    small = np.concatenate([np.stack(part, axis=1) for part in parts])
    added = 0.5 * (meshes[..., ends[:, 0], :] + meshes[..., ends[:, 1], :])
    return np.concatenate([meshes, added], axis=-2), np.concatenate([triangles[~cut], small])
