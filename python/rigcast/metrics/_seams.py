"""The seams between the pieces of an approximation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._hashing import padded_faces
from rigcast._shown import one_line
from rigcast._validate import Arguments


@one_line
@dataclass(frozen=True)
class EdgeError:
    """Mean errors over a group of edges; NaN over none.

    Attributes
    ----------
    normal : float
        Error of the angle between the two faces at an edge, in degrees.
    length : float
        Error of the edge's length, in the vertices' unit.
    count : int
        Edges that the angle is averaged over.
    """

    normal: float
    length: float
    count: int


@one_line
@dataclass(frozen=True)
class SeamError:
    """Errors on the edges where vertex sets meet, and on the others.

    Only edges with exactly two faces count.

    Attributes
    ----------
    across : EdgeError
        The edges at which sets meet: for the angle those whose two faces have vertices with different labels (a step
        between two sets bends the surface at both ends of the faces that bridge it), for the length those whose own
        ends have different labels.
    inside : EdgeError
        All others.
    beside : EdgeError
        Those inside that share a vertex with an edge across: they lie in the same region of the body, so that a
        visible seam is an error across that exceeds this one.
    """

    across: EdgeError
    inside: EdgeError
    beside: EdgeError

    @property
    def ratio(self) -> float:
        """Angle error across over angle error inside: about 1 where no seam shows."""
        return self.across.normal / self.inside.normal if self.inside.normal else np.nan


def seam_error(
    truth: ArrayLike, approximation: ArrayLike, faces: ArrayLike, *, labels: ArrayLike, threads: int = 0
) -> SeamError:
    """Measure the errors along the seams between vertex sets.

    The angle at an edge with unit direction e is the signed angle between its two faces' normals n and m, seen along
    the edge: ``atan2((n x m) . e, n . m - (n . e)(m . e))``. Its error is the absolute difference between truth and
    approximation, averaged over the frames in which both faces have an area.

    Parameters
    ----------
    truth, approximation : array_like, shape (V, 3) or (T, V, 3)
        Vertices, float32.
    faces : array_like, shape (F, 3) or (F, 4)
        Vertex indices; -1 in the last column pads triangles.
    labels : array_like of int, shape (V,)
        The piece that each vertex belongs to.
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Returns
    -------
    SeamError

    Raises
    ------
    ValueError
        If the shapes differ, a value is not finite, or a corner is no vertex.
    """
    check = Arguments("seam_error")
    edges, sides, angles, lengths = _core.hinge_errors(truth, approximation, faces, check.threads(threads))
    num_vertices = check.sizes["V"] = np.shape(truth)[-2]
    piece = check.integers("labels", labels, "V", low=-(2**63))
    corners = padded_faces(faces, "seam_error")
    bridging = (piece[corners] != piece[corners[:, :1]])[:, :3].any(axis=1)
    bridging |= (piece[corners[:, 3]] != piece[corners[:, 0]]) & (corners[:, 3] >= 0)
    bent = _groups(edges, bridging[sides].any(axis=1), num_vertices)
    stretched = _groups(edges, piece[edges[:, 0]] != piece[edges[:, 1]], num_vertices)
    across, inside, beside = (
        EdgeError(_mean(angles[bends]), _mean(lengths[stretches]), int(bends.sum()))
        for bends, stretches in zip(bent, stretched, strict=True)
    )
    return SeamError(across, inside, beside)


def _groups(edges: NDArray[np.int32], across: NDArray[np.bool_], num_vertices: int) -> list[NDArray[np.bool_]]:
    """Masks of the edges across a seam, inside a set, and inside next to a seam."""
    at_seam = np.zeros(num_vertices, bool)
    at_seam[edges[across]] = True
    return [across, ~across, ~across & at_seam[edges].any(axis=1)]


def _mean(values: NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else np.nan
