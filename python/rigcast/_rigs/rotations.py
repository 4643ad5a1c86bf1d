"""Rotations in NumPy: Euler angles in any order, quaternions, and 3x4 rigid transforms, over leading batch axes.

Column vectors throughout. An *order* such as ``"ZYX"`` lists the factors of the product from left to right:
``R = R_Z(a_0) R_Y(a_1) R_X(a_2)``, so the last letter turns first. BVH lists its rotation channels the same way;
Blender's Euler mode ``XYZ`` is the order ``"ZYX"`` here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._validate import bad_argument

Array = NDArray[np.floating[Any]]
Float64 = NDArray[np.float64]

AXES = "XYZ"
# Below this cosine of the middle angle the outer two axes coincide: only their sum is defined, the first takes it.
GIMBAL_COSINE = 1e-7


def axis_rotation(axis: str, degrees: Array) -> Float64:
    """Rotation matrices about one coordinate axis.

    Parameters
    ----------
    axis : {"X", "Y", "Z"}
    degrees : (...,) array

    Returns
    -------
    (..., 3, 3) float64 array
    """
    first = AXES.index(axis)
    second, third = (first + 1) % 3, (first + 2) % 3
    angle = np.radians(np.asarray(degrees, np.float64))
    cosine, sine = np.cos(angle), np.sin(angle)
    matrix = np.zeros((*angle.shape, 3, 3))
    matrix[..., first, first] = 1.0
    matrix[..., second, second] = matrix[..., third, third] = cosine
    matrix[..., second, third], matrix[..., third, second] = -sine, sine
    return matrix


def euler_to_matrix(degrees: Array, order: str) -> Float64:
    """Product of axis rotations, leftmost letter first.

    Parameters
    ----------
    degrees : (..., n) array, one angle a letter
    order : str of n letters out of X, Y, Z

    Returns
    -------
    (..., 3, 3) float64 array
    """
    angles = np.asarray(degrees, np.float64)
    if set(order) - set(AXES) or angles.ndim == 0 or angles.shape[-1] != len(order):
        expected = f"an array (..., {len(order)}) for an order of the letters X, Y, Z"
        raise bad_argument("euler_to_matrix", "degrees", f"{angles.shape} with order {order!r}", expected)
    matrix = np.broadcast_to(np.eye(3), (*angles.shape[:-1], 3, 3))
    for position, axis in enumerate(order):
        matrix = matrix @ axis_rotation(axis, angles[..., position])
    return np.array(matrix)


def matrix_to_euler(rotation: Array, order: str) -> Float64:
    """Angles of a rotation for an order of three different axes, the middle angle within +-90 degrees.

    The other solution of the same rotation is ``(a + 180, 180 - b, c + 180)``.

    Parameters
    ----------
    rotation : (..., 3, 3) array
    order : a permutation of "XYZ"

    Returns
    -------
    (..., 3) float64 array, degrees
    """
    if sorted(order) != sorted(AXES):
        raise bad_argument("matrix_to_euler", "order", repr(order), "a permutation of XYZ")
    i, j, k = (AXES.index(axis) for axis in order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    matrix = np.asarray(rotation, np.float64)
    cosine = np.hypot(matrix[..., i, i], matrix[..., i, j])
    middle = np.arctan2(sign * matrix[..., i, k], cosine)
    regular = cosine > GIMBAL_COSINE
    first = np.where(
        regular,
        np.arctan2(-sign * matrix[..., j, k], matrix[..., k, k]),
        np.arctan2(sign * matrix[..., k, j], matrix[..., j, j]),
    )
    last = np.where(regular, np.arctan2(-sign * matrix[..., i, j], matrix[..., i, i]), 0.0)
    return np.asarray(np.degrees(np.stack([first, middle, last], axis=-1)))


def continuous_euler(rotation: Array, order: str) -> Float64:
    """Angles of rotations over time without jumps: of all solutions the one nearest to the frame before.

    Parameters
    ----------
    rotation : (T, ..., 3, 3) array
    order : a permutation of "XYZ"

    Returns
    -------
    (T, ..., 3) float64 array, degrees, the first frame as near to zero as can be
    """
    first = matrix_to_euler(rotation, order)
    second = first * [1, -1, 1] + 180.0
    previous = np.zeros(first.shape[1:])
    for frame in range(len(first)):
        near = [angles - 360.0 * np.round((angles - previous) / 360.0) for angles in (first[frame], second[frame])]
        away = [np.abs(angles - previous).sum(axis=-1, keepdims=True) for angles in near]
        first[frame] = previous = np.where(away[1] < away[0], near[1], near[0])
    return first


def quaternion_to_matrix(quaternion: Array) -> Float64:
    """Rotation matrices of quaternions (x, y, z, w), normalized first.

    Parameters
    ----------
    quaternion : (..., 4) array, none of length zero

    Returns
    -------
    (..., 3, 3) float64 array
    """
    q = np.asarray(quaternion, np.float64)
    x, y, z, w = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.asarray(np.stack([np.stack(row, axis=-1) for row in rows], axis=-2))


def matrix_to_quaternion(rotation: Array) -> Float64:
    """Unit quaternions (x, y, z, w) of rotations over time, each in the hemisphere of the one before it.

    The largest of the four squares decides which one is a root (Shepperd 1978), so that nothing cancels.

    Parameters
    ----------
    rotation : (T, ..., 3, 3) array

    Returns
    -------
    (T, ..., 4) float64 array
    """
    matrix = np.asarray(rotation, np.float64)
    trace = np.trace(matrix, axis1=-2, axis2=-1)[..., None]
    square = np.concatenate([2.0 * np.diagonal(matrix, axis1=-2, axis2=-1) - trace, trace], axis=-1) + 1.0
    skew = np.stack(
        [matrix[..., (i + 2) % 3, (i + 1) % 3] - matrix[..., (i + 1) % 3, (i + 2) % 3] for i in range(3)], -1
    )
    rows = np.empty((*square.shape[:-1], 4, 4))  # the quaternion from each of the four roots, times a number
    rows[..., :3, :3] = matrix + matrix.swapaxes(-1, -2)
    rows[..., range(4), range(4)] = square
    rows[..., :3, 3] = rows[..., 3, :3] = skew
    largest = square.argmax(axis=-1)[..., None, None]
    result = np.take_along_axis(rows, largest, axis=-2)[..., 0, :]
    result /= np.linalg.norm(result, axis=-1, keepdims=True)
    flips = np.where((result[1:] * result[:-1]).sum(axis=-1) < 0, -1.0, 1.0)
    result[1:] *= np.cumprod(flips, axis=0)[..., None]
    return np.asarray(result)


def nearest_rotation(matrix: Array) -> Float64:
    """The rotation nearest in the Frobenius norm: the polar factor, with a determinant of +1.

    Parameters
    ----------
    matrix : (..., 3, 3) array

    Returns
    -------
    (..., 3, 3) float64 array
    """
    left, _, right = np.linalg.svd(np.asarray(matrix, np.float64))
    left[..., :, 2] *= np.linalg.det(left @ right)[..., None]
    return np.asarray(left @ right)


def rotation_between(source: Array, target: Array) -> Float64:
    """The smallest rotation that turns one direction into another (about their common normal).

    Parameters
    ----------
    source, target : (3,) arrays, not zero

    Returns
    -------
    (3, 3) float64 array
    """
    a, b = (np.asarray(v, np.float64) / np.linalg.norm(v) for v in (source, target))
    if a @ b >= 0.0:
        return _within_quarter_turn(a, b)
    # further: to the opposite direction, and half a turn about the normal, which is made square to b once more, since
    # near half a turn rounding tilts it
    normal = np.cross(a, b)
    if np.linalg.norm(normal) < 1e-12:  # any axis across
        normal = np.cross(b, np.eye(3)[np.argmin(np.abs(b))])
    normal /= np.linalg.norm(normal)
    normal -= (normal @ b) * b
    half_turn = 2.0 * np.outer(normal, normal) / (normal @ normal) - np.eye(3)
    return np.asarray(half_turn @ _within_quarter_turn(a, -b))


def _within_quarter_turn(a: Float64, b: Float64) -> Float64:
    """Rotation between unit vectors less than a quarter turn apart (Rodrigues)."""
    x, y, z = np.cross(a, b)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + skew + skew @ skew / (1.0 + a @ b))


def compose(first: Array, second: Array) -> Float64:
    """Product of 3x4 transforms: ``second`` acts first.

    Parameters
    ----------
    first, second : (..., 3, 4) arrays

    Returns
    -------
    (..., 3, 4) float64 array
    """
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    linear = a[..., :3] @ b[..., :3]
    offset = a[..., :3] @ b[..., 3:] + a[..., 3:]
    return np.concatenate([linear, offset], axis=-1)


def inverse_linear(linear: Array) -> Float64:
    """Inverses of 3x3 matrices, by cross products of their columns.

    ``numpy.linalg.inv`` wakes the threads of its library for every matrix of a stack, and on a machine with other work
    each waits for them: 2,000 matrices took seven seconds instead of a thousandth of one.

    Parameters
    ----------
    linear : (..., 3, 3) array

    Returns
    -------
    (..., 3, 3) float64 array

    Raises
    ------
    numpy.linalg.LinAlgError
        For a matrix whose determinant is 0 or no number.
    """
    a = np.asarray(linear, np.float64)
    size = np.abs(a).max(axis=(-2, -1), keepdims=True, initial=0.0)
    if not ((size > 0.0) & np.isfinite(size)).all():
        raise np.linalg.LinAlgError("Singular matrix")
    first, second, third = np.moveaxis(a / size, -1, 0)
    rows = np.stack([np.cross(second, third), np.cross(third, first), np.cross(first, second)], axis=-2)
    determinant = np.einsum("...i,...i->...", rows[..., 0, :], first)[..., None, None]
    if not (determinant != 0.0).all():
        raise np.linalg.LinAlgError("Singular matrix")
    return np.asarray(rows / (determinant * size))


def invert(transform: Array) -> Float64:
    """Inverse of 3x4 transforms; raises ``numpy.linalg.LinAlgError`` for a singular one."""
    a = np.asarray(transform, np.float64)
    linear = inverse_linear(a[..., :3])
    return np.concatenate([linear, -linear @ a[..., 3:]], axis=-1)


def transform_of(rotation: Array, translation: Array) -> Float64:
    """The 3x4 transform of a linear part (..., 3, 3) and a translation (..., 3)."""
    linear, offset = np.asarray(rotation, np.float64), np.asarray(translation, np.float64)
    shape = np.broadcast_shapes(linear.shape[:-2], offset.shape[:-1])
    return np.concatenate(
        [np.broadcast_to(linear, (*shape, 3, 3)), np.broadcast_to(offset, (*shape, 3))[..., None]], axis=-1
    )


def globals_of(parents: NDArray[np.integer[Any]], local: Array) -> Float64:
    """Forward kinematics: ``global_j = global_parent(j) local_j``.

    Parameters
    ----------
    parents : (J,) array, -1 for a root, parents before children
    local : (..., J, 3, 4) array

    Returns
    -------
    (..., J, 3, 4) float64 array
    """
    result = np.array(local, np.float64)
    for joint, parent in enumerate(parents):
        if parent >= 0:
            result[..., joint, :, :] = compose(result[..., parent, :, :], result[..., joint, :, :])
    return result
