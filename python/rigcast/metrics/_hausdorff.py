"""The Hausdorff distance between vertices."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._validate import Arguments

Float64 = NDArray[np.float64]


def hausdorff(a: ArrayLike, b: ArrayLike, *, threads: int = 0) -> float:
    """Two-sided Hausdorff distance between two sets of vertices (Carrigan 2020, equation 5.2).

    ``max(max_i min_j |a_i - b_j|, max_j min_i |a_i - b_j|)``: the farthest that any vertex of one mesh is from the
    nearest vertex of the other. Vertices stand for the surfaces, as in the thesis; the neighbors are exact.

    Parameters
    ----------
    a, b : array_like, shape (V, 3), (W, 3)
        Vertices, not necessarily of one topology. They are compared as float32.
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Returns
    -------
    float
        In the vertices' unit.

    Raises
    ------
    ValueError
        If one of them is empty, is not (V, 3) numbers or holds a value that is not finite.

    Examples
    --------
    >>> float(rc.metrics.hausdorff([[0.0, 0.0, 0.0]], [[3.0, 4.0, 0.0]]))
    5.0
    """
    check = Arguments("hausdorff")
    check.threads(threads)
    first = check.numbers("a", a, "V+ 3", dtype=np.float32)
    second = check.numbers("b", b, "W+ 3", dtype=np.float32)
    return max(_farthest(first, second, threads), _farthest(second, first, threads))


def _farthest(points: NDArray[np.float32], others: NDArray[np.float32], threads: int) -> float:
    """How far a point is at most from the nearest of the others."""
    nearest, _ = _core.PointTree(others).nearest(points, 1, threads)
    return float(np.linalg.norm(points.astype(np.float64) - others[nearest[:, 0]], axis=1).max())
