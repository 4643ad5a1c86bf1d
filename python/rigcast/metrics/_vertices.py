"""Errors of vertices: their distances, the Hausdorff distance, and what they are beyond rigid motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._core import Skeleton
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument

Float64 = NDArray[np.float64]


@one_line
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
    """The largest distance of a point from the nearest of the others."""
    nearest, _ = _core.PointTree(others).nearest(points, 1, threads)
    return float(np.linalg.norm(points.astype(np.float64) - others[nearest[:, 0]], axis=1).max())


def enveloping_error(
    truth: ArrayLike,
    approximation: ArrayLike,
    *,
    poses: ArrayLike,
    skeleton: Skeleton,
    rest_vertices: ArrayLike,
    joints: ArrayLike | None = None,
    threads: int = 0,
) -> float:
    r"""Error of an approximation relative to rigid motion by the best joint, in percent.

    ``EE = 100 sqrt(sum |v_tk - v'_tk|^2 / sum |v_tk - c_t(v_k^0)|^2)`` with ``c_t(v_k^0) = G_j (G_j^0)^-1 v_k^0``, j
    the joint that explains vertex k best in least squares over these frames (Wang et al. 2007; Bailey et al. 2018,
    equations 9 and 10). 0 is perfect, 100 no better than rigid pieces.

    Parameters
    ----------
    truth, approximation : array_like, shape (T, V, 3)
        Vertices v and v', float32.
    poses : array_like, shape (T, C)
        Pose rows: 12 numbers per joint first.
    skeleton : Skeleton
        J joints and their rest transforms.
    rest_vertices : array_like, shape (V, 3)
        The mesh at the skeleton's rest.
    joints : array_like of int, shape (V,), optional
        The joint of each vertex, where it is known; otherwise the best one is found.
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Returns
    -------
    float
        0 if the approximation is exact; infinite if it is not while the truth moves rigidly.

    Raises
    ------
    ValueError
        If shapes do not fit or a value is not finite.
    """
    check = Arguments("enveloping_error")
    check.threads(threads)
    exact = check.numbers("truth", truth, "T V 3", dtype=np.float32)
    guess = check.numbers("approximation", approximation, "T V 3", dtype=np.float32)
    rest = check.numbers("rest_vertices", rest_vertices, "V 3", dtype=np.float32)
    rows = check.numbers("poses", poses, "T C", dtype=np.float32)
    if rows.shape[1] < 12 * skeleton.num_joints:
        raise check.wrong("poses", f"{rows.shape[1]} wide", f"at least {12 * skeleton.num_joints} wide")
    rigid = _core.rigid_errors(skeleton, rest, rows, exact, threads)
    if joints is None:
        best = rigid.min(axis=1)
    else:
        chosen = check.integers("joints", joints, "V", below=rigid.shape[1])
        best = rigid[np.arange(len(rigid)), chosen]
    left = vertex_error(exact, guess, threads=threads).rms ** 2 * exact.shape[0] * exact.shape[1]
    if left == 0.0:
        return 0.0
    with np.errstate(divide="ignore"):
        return float(100.0 * np.sqrt(left / best.sum()))
