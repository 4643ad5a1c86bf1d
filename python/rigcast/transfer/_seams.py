"""Texture seams: which of a vertex' several texture coordinates its place on a map stands for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.segments import components
from rigcast._rigs.surface import Surface

Float64 = NDArray[np.float64]


def home_rows(surface: Surface, faces: NDArray[np.int32], tensors: dict[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """Rows (T,) of the texture coordinates that lie where the map has their vertex.

    A vertex on a seam has several texture coordinates, but one place on a map. Of its coordinates, the one counts whose
    faces have their other corners nearest to that place, on average. All count of a vertex on no map.
    """
    values, place = np.unique(surface.uvs, axis=0, return_inverse=True)
    face, corner = np.nonzero((surface.uv_faces >= 0) & (faces >= 0))
    vertex, row = faces[face, corner].astype(np.int64), surface.uv_faces[face, corner]
    key = vertex * len(values) + place.reshape(-1)[row]
    keys, group = np.unique(key, return_inverse=True)
    group = group.reshape(-1)
    total, count = np.zeros(len(keys)), np.zeros(len(keys))
    for uvs in _coarse_places(tensors, len(tensors["rest_vertices"])):
        for shift in range(1, 4):
            other = np.where(faces < 0, 0, faces)[face, (corner + shift) % 4]
            gap = np.linalg.norm(uvs[vertex] - uvs[other], axis=1)
            known = np.isfinite(gap) & (faces[face, (corner + shift) % 4] >= 0)
            total += np.bincount(group[known], gap[known], len(keys))
            count += np.bincount(group[known], minlength=len(keys))
    mean = np.where(count > 0, total / np.maximum(count, 1), np.inf)
    owner = keys // len(values)
    best = np.full(len(tensors["rest_vertices"]), np.inf)
    np.minimum.at(best, owner, mean)
    home = np.ones(len(surface.uvs), bool)
    home[row] = (mean <= best[owner])[group]
    return home


def _coarse_places(tensors: dict[str, NDArray[Any]], count: int) -> list[Float64]:
    """For each coarse segment the places of its vertices on the map (V, 2), NaN for the others."""
    found = []
    for number in np.flatnonzero(tensors["segments.level"] == 0):
        part = slice(*tensors["segments.offset"][number : number + 2])
        uvs = np.full((count, 2), np.nan)
        uvs[tensors["segments.vertex"][part]] = tensors["segments.uv"][part]
        found.append(uvs)
    return found


def islands(surface: Surface, faces: NDArray[np.int32], tensors: dict[str, NDArray[Any]]) -> NDArray[np.int64]:
    """Labels (V,) of vertices that hang together on the maps: by faces whose corners are all home, all on one map.

    Islands of the texture that only resting vertices connect have places of their own on a map.
    """
    home = home_rows(surface, faces, tensors)
    whole = np.where(faces < 0, True, (surface.uv_faces >= 0) & home[surface.uv_faces]).all(axis=1)
    label = np.full(len(tensors["rest_vertices"]), -1, np.int64)
    for uvs in _coarse_places(tensors, len(label)):
        on = np.isfinite(uvs[:, 0])
        found = components(faces[whole & np.where(faces < 0, True, on[faces]).all(axis=1)], len(label))
        label[on] = found[on]
    return label


def within_seams(weights: Float64, home: NDArray[np.bool_], label: NDArray[np.int64]) -> Float64:
    """Barycentric weights (V, 3) without corners that lie elsewhere on the map than the nearest corner.

    ``home`` (V, 3) and the labels of islands (V, 3) are those of the corners. If the nearest one is not home, it counts
    alone: mixing places on both sides of a seam would sample the map between them.
    """
    best = weights.argmax(axis=1)[:, None]
    nearest = np.arange(3) == best
    home = home & (label == np.take_along_axis(label, best, axis=1))
    kept = np.where((nearest & home).any(axis=1)[:, None], np.where(home, weights, 0.0), nearest.astype(np.float64))
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))
