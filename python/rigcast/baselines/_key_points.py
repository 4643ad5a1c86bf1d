"""Key point subspaces (Meyer and Anderson 2007): a whole mesh from a few of its points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._regression.components import principal_components
from rigcast._shown import one_line
from rigcast._validate import Arguments

_RIDGE = 1e-6  # of the mean squared entry of the basis, on coefficients that the points leave open; chosen, not tuned


@one_line
@dataclass(frozen=True)
class KeyPointSubspace:
    """A basis of shapes, and the key points whose positions determine the coefficients.

    Attributes
    ----------
    points : (P,) int32
        Vertices, in the order in which they were chosen.
    basis : (3 V, R) float32
        Orthonormal principal components.
    mean : (3 V,) float32
    solve : (R, 3 P) float64
        From the offsets of the key points to coefficients: least squares.
    """

    points: NDArray[np.int32]
    basis: NDArray[np.float32]
    mean: NDArray[np.float32]
    solve: NDArray[np.float64]

    def coefficients(self, key_points: ArrayLike, *, threads: int = 0) -> NDArray[np.float64]:
        """Coefficients of a basis that fit key points best.

        Parameters
        ----------
        key_points : array_like, shape (T, P, 3)
            Positions of the vertices ``points``.
        threads : int
            Number of threads; 0 means all processors that this process may use.

        Returns
        -------
        ndarray of float64, shape (T, R)

        Raises
        ------
        ValueError
            If the shape is wrong or a number not finite.
        """
        return self._coefficients("coefficients", key_points, threads)

    def reconstruct(self, key_points: ArrayLike, *, threads: int = 0) -> NDArray[np.float32]:
        """All vertices of key points whose positions the rig itself gives: the published use.

        Parameters
        ----------
        key_points : array_like, shape (T, P, 3)
            Positions of the vertices ``points``.
        threads : int
            Number of threads; 0 means all processors that this process may use.

        Returns
        -------
        ndarray of float32, shape (T, V, 3)

        Raises
        ------
        ValueError
            As :meth:`coefficients`.
        """
        found = self._coefficients("reconstruct", key_points, threads).astype(np.float32)
        moved = _core.matrix_product(found, np.ascontiguousarray(self.basis.T), threads=threads) + self.mean
        return np.asarray(moved.reshape(len(found), -1, 3))

    def _coefficients(self, function: str, key_points: ArrayLike, threads: int) -> NDArray[np.float64]:
        check = Arguments(function, P=len(self.points))
        threads = check.threads(threads)
        given = check.numbers("key_points", key_points, "T P 3")
        offsets = given.reshape(len(given), -1) - self.mean.reshape(-1, 3)[self.points].reshape(-1)
        return np.asarray(_core.matrix_product(offsets, np.ascontiguousarray(self.solve.T), threads=threads))


def key_point_subspace(
    vertices: ArrayLike, points: int = 274, vectors: int = 200, *, threads: int = 0
) -> KeyPointSubspace:
    """Principal components of shapes, and the key points that determine them best (KPSA; Meyer and Anderson 2007).

    ``v = U (U_P)^+ (v_P - m_P) + m``: the R coefficients of a shape are least squares on its key points P. Key points
    are chosen one by one where the coefficients determine a vertex least, given the points so far (the trace of its
    covariance). The paper takes them from rotated components instead.

    Parameters
    ----------
    vertices : (T, V, 3)
        Shapes to span.
    points : int
        P key points: at least R / 3, at most V.
    vectors : int
        R principal components, fewer than the shapes.
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Raises
    ------
    ValueError
        If there are too few shapes or points for the vectors, more points than vertices, or a shape is wrong.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).random((20, 3))
    >>> shapes = np.einsum("tk,kvc->tvc", x, np.random.default_rng(1).standard_normal((3, 50, 3)))
    >>> found = rc.baselines.key_point_subspace(shapes, points=4, vectors=3)
    >>> bool(np.allclose(found.reconstruct(shapes[:, found.points]), shapes, atol=1e-3))
    True
    """
    check = Arguments("key_point_subspace")
    threads = check.threads(threads)
    shapes = check.numbers("vertices", vertices, "T+ V+ 3", dtype=np.float32)
    vectors = check.whole("vectors", vectors, least=1, most=min(len(shapes) - 1, 3 * shapes.shape[1]))
    points = check.whole("points", points, least=-(-vectors // 3), most=shapes.shape[1])
    found = principal_components(shapes.reshape(len(shapes), -1), vectors, threads)
    scales = np.sqrt(np.square(found.coefficients).mean(axis=0))  # components count by how far they move the mesh
    scaled = (found.basis * scales).reshape(-1, 3, vectors).astype(np.float64)
    chosen, covariance = _choose(scaled, points)
    rows = scaled[chosen].reshape(-1, vectors)
    solve = scales[:, None] * (covariance @ rows.T) / _noise(scaled)
    return KeyPointSubspace(chosen.astype(np.int32), found.basis, found.mean, solve)


def _noise(scaled: NDArray[np.float64]) -> float:
    return _RIDGE * float(np.square(scaled).sum(axis=2).mean())


def _choose(scaled: NDArray[np.float64], count: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Key points, and the covariance (R, R) of normal coefficients given them, each seen with a little noise.

    ``scaled`` (V, 3, R) maps the coefficients to vertices. A vertex of covariance C_v adds C - C A^T (A C A^T + s I)^-1
    A C; the next point is the vertex of the largest trace of A C A^T.
    """
    num_vertices, _, num_vectors = scaled.shape
    covariance = np.eye(num_vectors)
    trace = np.square(scaled).sum(axis=(1, 2))
    noise = _noise(scaled)
    chosen: list[int] = []
    for _ in range(count):
        trace[chosen] = -np.inf
        best = int(np.argmax(trace))
        chosen.append(best)
        row = scaled[best]
        gain = covariance @ row.T
        inner = np.linalg.cholesky(row @ gain + noise * np.eye(3))
        update = np.linalg.solve(inner, gain.T)  # (3, R): the covariance loses update^T update
        covariance -= update.T @ update
        trace -= np.square(scaled.reshape(-1, num_vectors) @ update.T).reshape(num_vertices, 9).sum(axis=1)
    return np.array(chosen), covariance
