"""Face normals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._shown import one_line
from rigcast._validate import Arguments


@one_line
@dataclass(frozen=True)
class NormalAngle:
    """Angles between face normals over T frames and F faces, in degrees.

    Attributes
    ----------
    mean, p95, max : float
        Over all frames and faces that have an area in both animations; NaN if none has.
    per_face : (F,) float64
        Mean over the frames in which the face has an area; NaN if there is none.
    excluded : int
        Pairs of frame and face left out because the face has no area there.
    """

    mean: float
    p95: float
    max: float
    per_face: NDArray[np.float64]
    excluded: int

    def __repr__(self) -> str:
        excluded = f", excluded={self.excluded}" if self.excluded else ""
        return f"NormalAngle(mean={self.mean:.4g}, p95={self.p95:.4g}, max={self.max:.4g}{excluded})"


def normal_angle(truth: ArrayLike, approximation: ArrayLike, faces: ArrayLike, *, threads: int = 0) -> NormalAngle:
    """Angles of an approximation's face normals from the truth's.

    The normal of a triangle is the cross product of two sides, of a quad the cross product of its diagonals.

    Parameters
    ----------
    truth, approximation : array_like, shape (V, 3) or (T, V, 3)
        Vertices of one mesh, float32.
    faces : array_like, shape (F, 3) or (F, 4)
        Vertex indices; -1 in the last column pads triangles.
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Returns
    -------
    NormalAngle

    Raises
    ------
    ValueError
        If the shapes differ, a value is not finite, or a corner is no vertex.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> smile = rig.evaluate(np.eye(rig.num_shapes)[4:5])
    >>> bool(rc.metrics.normal_angle(rig.rest_vertices[None], smile, rig.faces).max > 1.0)
    True
    """
    angles = _core.face_normal_angles(truth, approximation, faces, Arguments("normal_angle").threads(threads))
    valid = ~np.isnan(angles)
    known = angles[valid]
    count = valid.sum(axis=0)
    sums = np.where(valid, angles, 0.0).sum(axis=0, dtype=np.float64)
    return NormalAngle(
        mean=float(known.mean(dtype=np.float64)) if known.size else np.nan,
        p95=float(np.percentile(known, 95)) if known.size else np.nan,
        max=float(known.max()) if known.size else np.nan,
        per_face=np.divide(sums, count, out=np.full(len(count), np.nan), where=count > 0),
        excluded=int(angles.size - known.size),
    )
