"""The targets of rotational regression: triangles relative to their bones, and rotations of joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._core import Skeleton
from rigcast._rigs.rotation_vectors import rotation_vectors
from rigcast._rigs.rotations import inverse_linear, nearest_rotation

Array = NDArray[np.float64]
_RIDGE = 1e-6  # of the mean square of the rotations: against joints that turn together; chosen, not tuned
_SYMMETRIC = np.triu_indices(3)
_AT_ONCE = 300_000  # triangles times frames


def joint_rotations(skeleton: Skeleton, poses: NDArray[np.float32]) -> Array:
    """Rotation vectors (T, J, 3) of the parent-relative rotations, relative to those at rest."""
    local = poses[:, : 12 * skeleton.num_joints].reshape(len(poses), -1, 3, 4)[..., :3].astype(np.float64)
    rest = nearest_rotation(skeleton.rest[..., :3].astype(np.float64))
    return rotation_vectors(np.swapaxes(rest, -1, -2) @ nearest_rotation(local))


def has_area(rest: NDArray[np.float32], triangles: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Mask of the triangles that are not flat (F,), by the rule of the engine."""
    corner = rest.astype(np.float64)[triangles]
    edges = np.roll(corner, -1, axis=1) - corner
    longest = np.square(edges).sum(axis=2).max(axis=1)
    return np.asarray(0.5 * np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1) > 1e-12 * longest)


def frames_of(corners: Array) -> Array:
    """Matrices (..., 3, 3) with two edges and the unit normal of triangles (..., 3, 3) as columns."""
    edges = corners[..., 1:, :] - corners[..., :1, :]
    normal = np.cross(edges[..., 0, :], edges[..., 1, :])
    length = np.linalg.norm(normal, axis=-1, keepdims=True)
    normal = normal / np.where(length > 0.0, length, 1.0)
    return np.stack([edges[..., 0, :], edges[..., 1, :], normal], axis=-1)


def inverses(matrices: Array) -> Array:
    """Inverses of matrices (..., 3, 3) by their cofactors: LAPACK takes many times as long for so small ones."""
    rows = matrices[..., 0, :], matrices[..., 1, :], matrices[..., 2, :]
    columns = [np.cross(rows[1], rows[2]), np.cross(rows[2], rows[0]), np.cross(rows[0], rows[1])]
    determinant = (rows[0] * columns[0]).sum(axis=-1)[..., None, None]
    return np.asarray(np.stack(columns, axis=-1) / determinant)


@dataclass(frozen=True)
class TriangleFit:
    """The regression of F triangles: ``y = bias + sum_i weight_i theta_joint_i``.

    Attributes
    ----------
    joint : (F, K) int32
    weight : (F, K, 9, 3)
    bias : (F, 9)
    rms : float
        Of the residual of the regression in the nine numbers.
    """

    joint: NDArray[np.int32]
    weight: Array
    bias: Array
    rms: float


def fit_triangles(
    rest: NDArray[np.float32],
    vertices: NDArray[np.float32],
    triangles: NDArray[np.int32],
    bone: NDArray[np.intp],
    unposed: Array,
    theta: Array,
    joints: NDArray[np.intp],
    influences: int,
) -> TriangleFit:
    """Regress the rotation vectors and stretches of triangles, relative to their bones, from rotations of joints.

    Each triangle takes the joints of most use, one after another (orthogonal matching pursuit), at most ``influences``.

    Parameters
    ----------
    rest : (V, 3)
    vertices : (T, V, 3)
    triangles : (F, 3)
        With area at rest.
    bone : (F,)
    unposed : (T, J, 3, 3)
        Inverses of the linear parts of the skinning transforms of the bones.
    theta : (T, J, 3)
    joints : (N,)
        Candidates.
    influences : int
        From 0 to N.
    """
    inputs = theta[:, joints].reshape(len(theta), -1)
    mean = inputs.mean(axis=0)
    centered = inputs - mean
    gram = centered.T @ centered / len(theta)
    parts: list[tuple[NDArray[np.intp], Array, Array]] = []
    squares = 0.0
    step = max(_AT_ONCE // len(theta), 1)
    for begin in range(0, len(triangles), step):
        part = slice(begin, begin + step)
        numbers = _numbers(rest, vertices, triangles[part], bone[part], unposed)
        average = numbers.mean(axis=0)
        numbers -= average
        across = np.tensordot(centered, numbers, axes=(0, 0)).transpose(1, 0, 2) / len(theta)  # (f, 3 N, 9)
        chosen, weight = _pursuit(gram, across, influences)
        rows = _rows(chosen)
        squares += float(np.square(numbers).mean(axis=0).sum())
        squares -= float(np.einsum("frn,frn->", 2.0 * np.take_along_axis(across, rows[..., None], 1), weight))
        squares += float(np.einsum("frn,frs,fsn->", weight, gram[rows[:, :, None], rows[:, None]], weight))
        parts.append((chosen, weight, average - np.einsum("frn,fr->fn", weight, mean[rows])))
    chosen, weight, bias = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    weight = weight.reshape(len(triangles), influences, 3, 9).swapaxes(2, 3)
    rms = float(np.sqrt(max(squares, 0.0) / (9 * len(triangles))))
    return TriangleFit(joints[chosen].astype(np.int32), weight, bias, rms)


def _numbers(
    rest: NDArray[np.float32],
    vertices: NDArray[np.float32],
    triangles: NDArray[np.int32],
    bone: NDArray[np.intp],
    unposed: Array,
) -> Array:
    """Rotation vector and stretch (T, f, 9) of each triangle's deformation gradient relative to its bone."""
    gradient = frames_of(vertices[:, triangles].astype(np.float64)) @ inverses(
        frames_of(rest.astype(np.float64)[triangles])
    )
    local = np.asarray(unposed[:, bone] @ gradient, np.float64)
    rotation = nearest_rotation(local)
    stretch = np.swapaxes(rotation, -1, -2) @ local
    stretch = 0.5 * (stretch + np.swapaxes(stretch, -1, -2))
    return np.concatenate([rotation_vectors(rotation), stretch[..., _SYMMETRIC[0], _SYMMETRIC[1]]], axis=-1)


def _rows(chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """Rows (f, 3 K) of the three numbers of chosen joints (f, K)."""
    return (3 * chosen[:, :, None] + np.arange(3)).reshape(len(chosen), -1)


def _pursuit(gram: Array, across: Array, influences: int) -> tuple[NDArray[np.intp], Array]:
    """Joints (f, K) and weights (f, 3 K, 9) for the products (f, 3 N, 9) of inputs and numbers."""
    count, candidates = len(across), len(gram) // 3
    ridge = _RIDGE * max(float(np.trace(gram)) / max(len(gram), 1), 1e-300)
    blocks = gram.reshape(candidates, 3, candidates, 3)[np.arange(candidates), :, np.arange(candidates)]
    inverse = inverse_linear(blocks + ridge * np.eye(3))
    chosen, weight = np.zeros((count, 0), np.intp), np.zeros((count, 0, 9))
    for k in range(influences):
        left = across - np.einsum("frs,fsn->frn", gram[:, _rows(chosen)].swapaxes(0, 1), weight)
        left = left.reshape(count, candidates, 3, 9)
        gain = np.einsum("fjan,jab,fjbn->fj", left, inverse, left, optimize=True)
        np.put_along_axis(gain, chosen, -np.inf, axis=1)
        chosen = np.append(chosen, gain.argmax(axis=1)[:, None], axis=1)
        rows = _rows(chosen)
        used, place = np.unique(chosen, axis=0, return_inverse=True)
        systems = gram[_rows(used)[:, :, None], _rows(used)[:, None]] + ridge * np.eye(3 * (k + 1))
        weight = np.linalg.inv(systems)[place.reshape(-1)] @ np.take_along_axis(across, rows[..., None], 1)
    return chosen, weight
