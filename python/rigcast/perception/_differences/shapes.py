"""Differences of two shapes of one mesh, weighted by area: unchanged if the mesh is subdivided."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._shown import one_line
from rigcast._validate import Arguments
from rigcast.metrics import triangle_distortion
from rigcast.perception._differences.surface import (
    checked_triangles,
    grid_points,
    per_vertex,
    triangle_areas,
    weighted_mean,
)

Float64 = NDArray[np.float64]
SPACING = 1.0 / 100.0  # of the diagonal: how far apart the points of a surface are that stand for it


@one_line
@dataclass(frozen=True)
class ShapeDifference:
    """Differences of two shapes; lengths are in the vertices' unit.

    Attributes
    ----------
    rms, mean, max : float
        Of the vertices' distances; rms and mean are weighted by area.
    thesis_sum, thesis_mean : float
        ``sum_n sqrt(v_n . v_n / 3)`` over the vertices, and over their number (Carrigan 2020, equation 5.1, there
        "RMS"). Both depend on where the mesh is dense; the sum on its number of vertices, too.
    hausdorff : float
        Farthest that a point of one surface is from the other, whichever way is farther; points are at most a
        hundredth of the mesh's size apart. Equation 5.2 takes vertices for the surfaces, which depends on their
        density: :func:`rigcast.metrics.hausdorff`.
    distortion : float
        Mean over the area of the triangles' distortion (equation 5.3 less 2).
    """

    rms: float
    mean: float
    max: float
    thesis_sum: float
    thesis_mean: float
    hausdorff: float
    distortion: float


def shape_difference(a: ArrayLike, b: ArrayLike, faces: ArrayLike, *, threads: int = 0) -> ShapeDifference:
    """Measure how different two shapes of one mesh are.

    Parameters
    ----------
    a, b : (V, 3) array
        For example a neutral and an expression; areas are those of ``a``.
    faces : (F, 3) or (F, 4) integers
        -1 pads triangles.
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Returns
    -------
    ShapeDifference

    Raises
    ------
    ValueError
        If shapes differ, a vertex is not finite, there is no face, or a corner is no vertex.

    Examples
    --------
    >>> face = rc.faces.example()
    >>> open_jaw = face.evaluate(np.eye(face.num_shapes)[face.shape_names.index("jawOpen")])
    >>> found = rc.perception.shape_difference(face.rest_vertices, open_jaw, face.faces)
    >>> found.mean < found.rms < found.max
    True
    """
    check = Arguments("shape_difference")
    check.threads(threads)
    first, second = check.numbers("a", a, "V+ 3"), check.numbers("b", b, "V 3")
    corners = checked_triangles("shape_difference", faces, len(first))
    if not len(corners):
        raise check.wrong("faces", "without a face", "a mesh")
    figures = by_vertices(first, second, corners)
    return ShapeDifference(
        **figures, hausdorff=max(_farthest(first, second, corners, threads), _farthest(second, first, corners, threads))
    )


def by_vertices(first: Float64, second: Float64, corners: NDArray[np.int32]) -> dict[str, float]:
    """The figures of a ShapeDifference but for its Hausdorff distance, which takes most of the time."""
    areas = triangle_areas(first, corners)
    weights = per_vertex(areas, corners, len(first))
    lengths = np.linalg.norm(second - first, axis=1)
    thesis = lengths / np.sqrt(3.0)
    return {
        "rms": float(np.sqrt(weighted_mean(np.square(lengths), weights))),
        "mean": weighted_mean(lengths, weights),
        "max": float(lengths.max()),
        "thesis_sum": float(thesis.sum()),
        "thesis_mean": float(thesis.mean()),
        "distortion": weighted_mean(triangle_distortion(first, second, corners), areas),
    }


def _farthest(vertices: Float64, others: Float64, corners: NDArray[np.int32], threads: int) -> float:
    """The largest distance of a point of one surface from the other."""
    step = SPACING * float(np.linalg.norm(np.ptp(vertices[np.unique(corners)], axis=0)))
    found = _core.closest_points(others, corners, grid_points(vertices, corners, step), threads=threads)
    return float(np.asarray(found[2]).max())
