"""Weights of a solved shot: how close, how few, how large, how smooth, how fast."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._shown import one_line
from rigcast._validate import Arguments
from rigcast.metrics._vertices import vertex_error

Float64 = NDArray[np.float64]


@one_line
@dataclass(frozen=True)
class WeightError:
    """Errors of weights on a shot: vertex distances, active weights, smoothness (Rackovic et al. 2022, sec. 5.2).

    Attributes
    ----------
    rmse : (T,) float64
        Root mean square distance of the vertices in each frame, in their unit.
    rmse_p95 : (T,) float64
        95th percentile of the distance over the vertices in each frame: what the paper calls RMSE, which a small group
        of vertices far off raises as a slight error everywhere does not.
    rmse_mean, rmse_p95_mean : float
        Means of both over the frames, as in the paper's tables 1 to 5.
    cardinality : (T,) int64
        Weights that are not 0. Solvers that stop inside the box leave tiny values: see the next two.
    cardinality_001, cardinality_01 : (T,) int64
        Weights above 1e-3 and above 0.01 in size.
    l1 : (T,) float64
        ``sum_k |w_k|``.
    smoothness : (K,) float64
        ``sum_t (w_{t-1} - 2 w_t + w_{t+1})^2`` of every weight over the inner frames; 0 for fewer than three.
    seconds : float
        A frame's time; NaN where none was given.
    """

    rmse: Float64
    rmse_p95: Float64
    rmse_mean: float
    rmse_p95_mean: float
    cardinality: NDArray[np.int64]
    cardinality_001: NDArray[np.int64]
    cardinality_01: NDArray[np.int64]
    l1: Float64
    smoothness: Float64
    seconds: float

    def __repr__(self) -> str:
        return (
            f"WeightError(rmse={self.rmse_mean:.4g}, p95={self.rmse_p95_mean:.4g}, "
            f"cardinality={self.cardinality.mean():.4g}/{self.cardinality_001.mean():.4g}/"
            f"{self.cardinality_01.mean():.4g}, l1={self.l1.mean():.4g}, "
            f"smoothness={self.smoothness.mean():.4g}, seconds={self.seconds:.3g})"
        )


def weight_error(
    weights: ArrayLike, truth: ArrayLike, approximation: ArrayLike, *, seconds: float = np.nan, threads: int = 0
) -> WeightError:
    """Measure how well weights reproduce a shot, how many are active, and how smooth they are.

    Parameters
    ----------
    weights : array_like, shape (T, K)
    truth, approximation : array_like, shape (T, V, 3)
        The target meshes, and the rig evaluated at the weights.
    seconds : float
        Time of the whole solve.
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Returns
    -------
    WeightError

    Raises
    ------
    ValueError
        If the shapes do not fit, there is no frame, or a value is not finite.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> weights = 0.5 * np.eye(rig.num_shapes)[:3]
    >>> vertices = rig.evaluate(weights)
    >>> rc.metrics.weight_error(weights, vertices, vertices).rmse
    array([0., 0., 0.])
    """
    check = Arguments("weight_error")
    check.threads(threads)
    w = check.numbers("weights", weights, "T+ K+")
    wanted = check.numbers("truth", truth, "T V 3", dtype=None)
    reached = check.numbers("approximation", approximation, "T V 3", dtype=None)
    frames = [vertex_error(a, b, threads=threads) for a, b in zip(wanted, reached, strict=True)]
    rmse, p95 = np.array([frame.rms for frame in frames]), np.array([frame.p95 for frame in frames])
    size = np.abs(w)
    return WeightError(
        rmse=rmse,
        rmse_p95=p95,
        rmse_mean=float(rmse.mean()),
        rmse_p95_mean=float(p95.mean()),
        cardinality=(size > 0).sum(axis=1),
        cardinality_001=(size > 1e-3).sum(axis=1),
        cardinality_01=(size > 0.01).sum(axis=1),
        l1=size.sum(axis=1),
        smoothness=np.square(np.diff(w, n=2, axis=0)).sum(axis=0),
        seconds=float(seconds) / len(w),
    )
