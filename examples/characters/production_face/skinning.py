"""Skinning with preserved volume as Blender does it, to make shapes that act before it.

Dual quaternion skinning: Kavan et al. 2007, "Skinning with dual quaternions", eq. 5: the normalized weighted sum of
the bones' unit dual quaternions. All bones have the world's axes at rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def bone_transforms(
    heads: Array, parents: Sequence[int], rotations: Mapping[int, Array], moves: Mapping[int, Array]
) -> tuple[Array, Array]:
    """Rotations (J, 3, 3) and translations (J, 3) that take rest positions to posed ones.

    Parameters
    ----------
    heads : (J, 3), at rest
    parents : J integers, parents first, -1 for none
    rotations, moves : by bone, XYZ Euler angles in radians and translations; left out: zero
    """
    turns, shifts = np.empty((len(heads), 3, 3)), np.empty((len(heads), 3))
    for bone, parent in enumerate(parents):
        turn = euler(rotations.get(bone, np.zeros(3)))
        shift = heads[bone] - turn @ heads[bone] + moves.get(bone, np.zeros(3))
        if parent < 0:
            turns[bone], shifts[bone] = turn, shift
        else:
            turns[bone], shifts[bone] = turns[parent] @ turn, turns[parent] @ shift + shifts[parent]
    return turns, shifts


def blended(weights: Array, turns: Array, shifts: Array) -> tuple[Array, Array]:
    """Rigid transform of each vertex: rotations (V, 3, 3) and translations (V, 3) from weights (V, J)."""
    real = np.array([quaternion(turn) for turn in turns])
    real *= np.where(real[:, :1] < 0, -1.0, 1.0)
    dual = 0.5 * _product(np.concatenate([np.zeros((len(shifts), 1)), shifts], axis=1), real)
    r, d = weights @ real, weights @ dual
    length = np.linalg.norm(r, axis=1, keepdims=True)
    r, d = r / length, d / length
    conjugate = r * np.array([1.0, -1.0, -1.0, -1.0])
    return _matrices(r), 2.0 * _product(d, conjugate)[:, 1:]


def unposed(weights: Array, turns: Array, shifts: Array, wanted: Array) -> Array:
    """Positions (V, 3) that skinning takes to ``wanted`` (V, 3)."""
    matrix, shift = blended(weights, turns, shifts)
    return np.asarray(np.einsum("vji,vj->vi", matrix, wanted - shift))


def posed(weights: Array, turns: Array, shifts: Array, points: Array) -> Array:
    """Skinned positions (V, 3)."""
    matrix, shift = blended(weights, turns, shifts)
    return np.asarray(np.einsum("vij,vj->vi", matrix, points) + shift)


def weight_of_angle(angle: Array, largest: float) -> Array:
    """Weight of a bone turned by ``largest`` that turns a vertex by ``angle``, the rest belonging to a still bone."""
    own = np.clip(angle, 0.0, largest)
    part = np.sin(0.5 * own)
    return np.asarray(part / (part + np.sin(0.5 * (largest - own))))


def euler(angles: Array) -> Array:
    """Rotation matrix of XYZ Euler angles in radians: x first."""
    (a, b, c), (i, j, k) = np.cos(angles), np.sin(angles)
    x = np.array([[1, 0, 0], [0, a, -i], [0, i, a]])
    y = np.array([[b, 0, j], [0, 1, 0], [-j, 0, b]])
    z = np.array([[c, -k, 0], [k, c, 0], [0, 0, 1]])
    return np.asarray(z @ y @ x)


def quaternion(matrix: Array) -> Array:
    """(w, x, y, z) of a rotation by less than 180 degrees."""
    w = 0.5 * np.sqrt(max(1.0 + np.trace(matrix), 1e-12))
    axis = [matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]]
    return np.array([w, *(np.array(axis) / (4 * w))])


def _product(p: Array, q: Array) -> Array:
    """Hamilton product of quaternions (N, 4)."""
    w = p[:, :1] * q[:, :1] - (p[:, 1:] * q[:, 1:]).sum(axis=1, keepdims=True)
    return np.concatenate([w, p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:])], axis=1)


def _matrices(q: Array) -> Array:
    w, x, y, z = q.T
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)]
    rows += [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)]
    rows += [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
    return np.asarray(np.stack(rows, axis=1).reshape(-1, 3, 3))
