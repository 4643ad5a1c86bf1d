"""Vertex distances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._validate import Arguments, bad_argument


@dataclass(frozen=True)
class VertexError:
    """Distances between truth and approximation over T frames and V vertices, in the vertices' unit.

    Attributes
    ----------
    mean, rms, p95, max : float
        Over all frames and vertices; p95 is the 95th percentile.
    per_vertex : (V,) float64
        Mean over the frames.
    per_frame : (T,) float64
        Mean over the vertices.

    Examples
    --------
    >>> error = rc.metrics.vertex_error(np.zeros((1, 4, 3)), np.full((1, 4, 3), 0.5))
    >>> round(float(error.mean), 3), round(float(error.max), 3), error.per_vertex.shape
    (0.866, 0.866, (4,))
    """

    mean: float
    rms: float
    p95: float
    max: float
    per_vertex: NDArray[np.float64]
    per_frame: NDArray[np.float64]

    def __repr__(self) -> str:
        return f"VertexError(mean={self.mean:.4g}, rms={self.rms:.4g}, p95={self.p95:.4g}, max={self.max:.4g})"


def vertex_error(truth: ArrayLike, approximation: ArrayLike, *, threads: int = 0) -> VertexError:
    """Distances of an approximation's vertices from the truth's.

    Parameters
    ----------
    truth, approximation : array_like, shape (V, 3) or (T, V, 3)
        Vertices of one mesh, float32.
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Returns
    -------
    VertexError

    Raises
    ------
    ValueError
        If the shapes differ, there is no vertex or no frame, or a value is not finite.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> moved = rig.rest_vertices + np.float32([0, 0, 0.5])
    >>> round(float(rc.metrics.vertex_error(rig.rest_vertices[None], moved[None]).max), 3)
    0.5
    """
    distances = _core.vertex_distances(truth, approximation, Arguments("vertex_error").threads(threads))
    if distances.size == 0:
        raise bad_argument("vertex_error", "truth", "empty", "at least one vertex in one frame")
    return VertexError(
        mean=float(distances.mean(dtype=np.float64)),
        rms=float(np.sqrt(np.square(distances, dtype=np.float64).mean())),
        p95=float(np.percentile(distances, 95)),
        max=float(distances.max()),
        per_vertex=distances.mean(axis=0, dtype=np.float64),
        per_frame=distances.mean(axis=1, dtype=np.float64),
    )
