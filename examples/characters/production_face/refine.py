"""Finer faces where a face needs them: one step of Catmull-Clark subdivision on some of a mesh's faces.

Catmull & Clark 1978. New positions are fixed linear combinations of the old ones, so that the same operator refines
the rest positions and every displacement. At the border of the refined region, edges are halved and vertices stay;
faces beyond it that touch a halved edge become triangles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Faces = NDArray[np.int32]
Corner = tuple[int, tuple[int, ...]]  # a new vertex, and the corners of old faces whose mean is its UV


class Refinement:
    """One step of subdivision of the selected faces of a quad mesh.

    Parameters
    ----------
    faces : (F, 4) int32 array, quads
    selected : (F,) bool array
    num_vertices : int

    Attributes
    ----------
    faces : (F', 4) int32 array; triangles end in -1
    num_vertices : int
    """

    def __init__(self, faces: Faces, selected: NDArray[np.bool_], num_vertices: int) -> None:
        self._old, self._selected, self._count = faces, selected, num_vertices
        sides = np.stack([faces, np.roll(faces, -1, axis=1)], axis=2)
        self._edges, self._side = np.unique(np.sort(sides.reshape(-1, 2), axis=1), axis=0, return_inverse=True)
        self._side = self._side.reshape(len(faces), 4)
        split = np.zeros(len(self._edges), bool)
        split[self._side[selected]] = True
        self._split = np.flatnonzero(split)
        self._new = np.full(len(self._edges), -1)
        self._new[self._split] = num_vertices + np.arange(len(self._split))
        self._middle = np.full(len(faces), -1)
        self._middle[selected] = num_vertices + len(self._split) + np.arange(selected.sum())
        self.num_vertices = num_vertices + len(self._split) + int(selected.sum())
        rows = [row for face in range(len(faces)) for row in self._pieces(face)]
        self.faces = np.array([[corner for corner, _ in row] + [-1] * (4 - len(row)) for row in rows], np.int32)
        self._uv_terms = [[terms for _, terms in row] for row in rows]

    def _pieces(self, face: int) -> list[list[Corner]]:
        """New faces in place of one: lists of (vertex, corners of the old face whose mean is its UV)."""
        corners: list[Corner] = [(int(v), (4 * face + k,)) for k, v in enumerate(self._old[face])]
        halves: list[Corner] = [
            (int(self._new[edge]), (4 * face + k, 4 * face + (k + 1) % 4)) for k, edge in enumerate(self._side[face])
        ]
        if self._selected[face]:
            center = (int(self._middle[face]), tuple(4 * face + k for k in range(4)))
            return [[corners[k], halves[k], center, halves[k - 1]] for k in range(4)]
        around = [point for pair in zip(corners, halves, strict=True) for point in pair if point[0] >= 0]
        if len(around) == 4:
            return [around]
        first = next(k for k, (vertex, _) in enumerate(around) if vertex >= self._count)
        fan = around[first:] + around[:first]
        return [[fan[0], fan[k], fan[k + 1]] for k in range(1, len(fan) - 1)]

    def values(self, old: Array) -> Array:
        """Values (V', ...) at the new vertices from values (V, ...) at the old ones."""
        shape = old.shape[1:]
        x = old.reshape(len(old), -1)
        corners = self._old[self._selected]
        middle = x[corners].mean(axis=1)
        number = np.zeros(len(self._edges))
        sums = np.zeros((len(self._edges), x.shape[1]))
        for side in self._side[self._selected].T:
            np.add.at(sums, side, middle)
            np.add.at(number, side, 1.0)
        half = 0.5 * x[self._edges].sum(axis=1)
        inner = number == 2
        smooth = np.where(inner[:, None], 0.5 * half + 0.25 * sums, half)
        new = np.concatenate([self._moved(x, middle, half), smooth[self._split], middle])
        return np.asarray(new.reshape(-1, *shape))

    def _moved(self, x: Array, middle: Array, half: Array) -> Array:
        """Old vertices: smoothed where all their faces are refined and no open edge meets them."""
        faces_at = np.bincount(self._old.reshape(-1), minlength=len(x))
        chosen = self._old[self._selected]
        chosen_at = np.bincount(chosen.reshape(-1), minlength=len(x))
        edges_at = np.bincount(self._edges.reshape(-1), minlength=len(x))
        inside = (chosen_at == faces_at) & (edges_at == faces_at) & (faces_at > 0)
        q, r = np.zeros_like(x), np.zeros_like(x)
        for column in chosen.T:
            np.add.at(q, column, middle)
        for column in self._edges.T:
            np.add.at(r, column, half)
        n = np.maximum(faces_at, 1)[:, None]
        return np.where(inside[:, None], (q / n + 2 * r / n + (n - 3) * x) / n, x)

    def uvs(self, old: Array) -> Array:
        """UVs (F', 4, 2) of the new faces from those (F, 4, 2) of the old; linear in each face."""
        flat = old.reshape(-1, 2)
        result = np.zeros((len(self.faces), 4, 2))
        for row, terms in zip(result, self._uv_terms, strict=True):
            for corner, sources in enumerate(terms):
                row[corner] = flat[list(sources)].mean(axis=0)
        return result
