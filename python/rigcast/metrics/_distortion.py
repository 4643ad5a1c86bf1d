"""The difference in stretch between two meshes of one topology."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._hashing import padded_faces
from rigcast._validate import Arguments


def triangles(faces: ArrayLike) -> NDArray[np.int32]:
    """(N, 3): the faces, quads cut from their first corner to their third; a quad's halves follow one another."""
    return _halves(padded_faces(faces, "triangles"))


def _halves(padded: NDArray[np.int32]) -> NDArray[np.int32]:
    halves = np.stack([padded[:, [0, 1, 2]], padded[:, [0, 2, 3]]], axis=1)
    keep = np.stack([np.ones(len(padded), bool), padded[:, 3] >= 0], axis=1)
    return np.asarray(halves[keep])


def triangle_distortion(a: ArrayLike, b: ArrayLike, faces: ArrayLike) -> NDArray[np.float64]:
    """Distortion of every triangle between two meshes (Carrigan 2020, equation 3.6, less 2).

    ``max(|vu|_a / |vu|_b, |vu|_b / |vu|_a) + max(|vw|_a / |vw|_b, |vw|_b / |vw|_a) - 2`` for the triangle (u, v, w):
    0 where both edges at v keep their lengths, else positive.

    Parameters
    ----------
    a, b : array_like, shape (V, 3)
        Vertices.
    faces : array_like of int, shape (F, 3) or (F, 4)
        -1 pads triangles; quads are cut into two, from their first corner to their third.

    Returns
    -------
    (N,) float64
        In the order of the faces, the halves of a quad one after the other. An edge without length in either mesh has
        no ratio, and counts 0.

    Raises
    ------
    ValueError
        If shapes differ, a vertex is not finite, or a corner is no vertex.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> float(rc.metrics.triangle_distortion(rig.rest_vertices, rig.rest_vertices, rig.faces).max())
    0.0
    """
    check = Arguments("triangle_distortion")
    first, second = check.numbers("a", a, "V 3"), check.numbers("b", b, "V 3")
    u, v, w = _halves(padded_faces(faces, "triangle_distortion", len(first))).T
    return _stretch(first, second, u, v) + _stretch(first, second, w, v)


def _stretch(a: NDArray[Any], b: NDArray[Any], tip: NDArray[Any], base: NDArray[Any]) -> NDArray[np.float64]:
    """The amount by which the ratio of an edge's two lengths, the longer over the shorter, exceeds 1."""
    lengths = np.stack([np.linalg.norm(points[tip] - points[base], axis=1) for points in (a, b)])
    shorter, longer = lengths.min(axis=0), lengths.max(axis=0)
    ratio = np.divide(longer, shorter, out=np.ones_like(longer), where=shorter > 0.0)
    return np.asarray(ratio - 1.0)
