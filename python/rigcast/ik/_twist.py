"""The twist of a wrist, spread over the helper bones of a forearm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._core import Skeleton
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, shown
from rigcast.ik._limb import checked_skeleton, joint_indices


@one_line
@dataclass(frozen=True)
class Twist:
    """Poses with the twist of a joint spread over others, as :func:`spread_twist` returns them.

    Attributes
    ----------
    poses : (T, C) float32 array
    degrees : (T,) float64 array
        The twist of the joint, continuous over the frames: it may exceed 180.
    """

    poses: NDArray[np.float32]
    degrees: NDArray[np.float64]


def spread_twist(
    skeleton: Skeleton, poses: ArrayLike, joint: str | int, *, helpers: Mapping[str | int, float]
) -> Twist:
    """Turn helper bones by shares of a joint's twist about its bone.

    The twist is the part of the joint's rotation away from rest about the line from its parent to it. It is followed
    from frame to frame, so helpers do not flip where it passes 180 degrees. A helper's row becomes its rest transform,
    turned by its share.

    Parameters
    ----------
    skeleton : Skeleton
    poses : array_like, shape (T, C) or (C,)
        Consecutive frames of one clip.
    joint : str or int
        The wrist, for instance.
    helpers : dict
        Helper joints, with the same parent as ``joint``, and their shares: ``{"forearm_twist": 0.5}``.

    Returns
    -------
    Twist

    Raises
    ------
    ValueError
        If a joint is unknown, lies at its parent or has another parent, a shape is wrong, or a number is not finite.

    Examples
    --------
    >>> half, whole = ([[1, 0, 0, x], [0, 1, 0, 0], [0, 0, 1, 0]] for x in (0.5, 1))
    >>> skeleton = rc.Skeleton(["forearm", "helper", "wrist"], [-1, 0, 0], [np.eye(3, 4), half, whole])
    >>> poses = np.tile(skeleton.rest.reshape(-1), (3, 1))
    >>> poses[:, [28, 29, 30, 32, 33, 34]] = [[0, 1, 0, 0, 0, 1], [0, 0, -1, 0, 1, 0], [0, -1, 0, 0, 0, -1]]
    >>> rc.ik.spread_twist(skeleton, poses, "wrist", helpers={"helper": 0.5}).degrees.round(3).tolist()
    [0.0, 90.0, 180.0]
    """
    wrist = joint_indices("spread_twist", "joint", checked_skeleton("spread_twist", skeleton), [joint], ("joint",))[0]
    if not isinstance(helpers, Mapping) or not helpers:
        raise bad_argument("spread_twist", "helpers", shown(helpers), "a dict of joints and shares")
    chosen = joint_indices("spread_twist", "helpers", skeleton, list(helpers), [str(name) for name in helpers])
    shape = np.shape(poses)
    width = 12 * skeleton.num_joints
    check = Arguments("spread_twist", C=max(width, shape[-1]) if shape else width)
    rows = np.atleast_2d(check.numbers("poses", poses, "T C", "C", dtype=np.float32))
    shares = [check.number("helpers", share) for share in helpers.values()]
    return Twist(*_core.spread_twist(skeleton, wrist, chosen, shares, rows))
