"""The motion of a head: transforms ``[s R | t]`` of frames, taken apart and brought to other axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._rigs.motions.shot import TO_Y_UP
from rigcast._rigs.rotations import continuous_euler
from rigcast._validate import Arguments, bad_argument

Float64 = NDArray[np.float64]

ROTATION = 1e-4  # how far the columns of a rotation may be from orthonormal


def checked_transforms(function: str, transforms: ArrayLike, frames: int) -> Float64:
    """(T, 3, 4) of rotations, times a scale above 0, and translations.

    Raises
    ------
    ValueError
        If they are anything else.
    """
    array: Float64 = Arguments(function, T=frames).numbers("transforms", transforms, "T 3 4")
    rotation, _, scale = motion_parts(array)
    away = np.abs(rotation @ rotation.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
    wrong = np.flatnonzero(~((scale > 0) & (away < ROTATION)))
    if len(wrong):
        must = "rotations, times a scale above 0, next to translations"
        raise bad_argument(function, "transforms", f"not a rotation at frame {wrong[0]}", must)
    return array


def motion_parts(transforms: Float64) -> tuple[Float64, Float64, Float64]:
    """Rotations (T, 3, 3), translations (T, 3) and scales (T,); a mirrored frame has a negative scale."""
    linear = transforms[:, :, :3]
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.cbrt(np.linalg.det(linear))
        return linear / scale[:, None, None], transforms[:, :, 3], scale


def in_axes(transforms: Float64, turn: Float64) -> Float64:
    """The same motion where ``turn`` has been applied to all points."""
    return np.asarray(turn @ transforms @ np.block([[turn.T, np.zeros((3, 1))], [np.zeros((1, 3)), np.eye(1)]]))


def head_angles(transforms: ArrayLike, up_axis: str = "Y") -> Float64:
    """Yaw, pitch and roll of a head's motion.

    ``R = R_y(yaw) R_x(pitch) R_z(roll)`` in axes that the up axis is turned to: y up, z out of the face, x to the
    face's own left, those of Apple's ``ARFaceAnchor``. Positive turns are right-handed: the face turns to its own left,
    nods down, tilts to its own right.

    Parameters
    ----------
    transforms : array_like, shape (T, 3, 4)
        ``Solution.transforms``.
    up_axis : "X", "Y" or "Z"
        Of the rig.

    Returns
    -------
    (T, 3) float64
        Degrees, without jumps.

    Raises
    ------
    ValueError
        If the transforms are no rotations times scales, or there is no such axis.

    Examples
    --------
    >>> transforms = np.tile(np.eye(3, 4), (2, 1, 1))
    >>> rc.inverse.head_angles(transforms)
    array([[0., 0., 0.],
           [0., 0., 0.]])
    """
    if up_axis not in TO_Y_UP:
        raise bad_argument("head_angles", "up_axis", repr(up_axis), "one of X, Y, Z")
    motion = checked_transforms("head_angles", transforms, len(np.asarray(transforms)))
    rotation = motion_parts(in_axes(motion, TO_Y_UP[up_axis]))[0]
    return continuous_euler(rotation, "YXZ")
