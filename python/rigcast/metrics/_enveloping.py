"""Enveloping error: what is left of the deformation beyond rigid motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rigcast import _core
from rigcast._core import Skeleton
from rigcast._validate import Arguments
from rigcast.metrics._vertices import vertex_error


def enveloping_error(
    truth: ArrayLike,
    approximation: ArrayLike,
    poses: ArrayLike,
    skeleton: Skeleton,
    rest_vertices: ArrayLike,
    *,
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
