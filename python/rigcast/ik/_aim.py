"""Eyes, heads and torsos: joints that look at a point, and a body that moves while its hands and feet stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._core import Skeleton
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, shown
from rigcast.ik._limb import Limb, checked_skeleton, joint_indices


@one_line
@dataclass(frozen=True)
class Look:
    """Poses with joints turned towards targets, as :func:`look_at` returns them.

    Attributes
    ----------
    poses : (T, C) float32 array
    miss : (T, n) float64 array
        Angle in degrees that is left between each joint and its target.
    """

    poses: NDArray[np.float32]
    miss: NDArray[np.float64]


def look_at(
    skeleton: Skeleton,
    poses: ArrayLike,
    joints: Sequence[str | int],
    *,
    targets: ArrayLike,
    axis: ArrayLike = (0.0, 0.0, 1.0),
    share: ArrayLike = 1.0,
    limit: ArrayLike = 180.0,
) -> Look:
    """Turn joints towards points: eyes, a head, or a neck, a head and both eyes.

    Joints turn one after another by the smallest rotation, each by its share of the angle that is left to it. Two eyes
    with a share of 1 look at one point, each from its own place. Other rows keep their bytes; children follow.

    Parameters
    ----------
    skeleton : Skeleton
    poses : array_like, shape (T, C) or (C,)
    joints : sequence of n str or int
        In the skeleton's order.
    targets : array_like, shape (T, 3) or (3,)
        Global points.
    axis : array_like, shape (3,) or (n, 3)
        Where each joint looks at rest, in global coordinates.
    share : array_like, shape (n,), or float
        Part of the angle to the target that a joint turns by, from 0 to 1.
    limit : array_like, shape (n,), or float
        Largest angle in degrees from where a joint looks at rest, as its parent carries it.

    Returns
    -------
    Look

    Raises
    ------
    ValueError
        If a joint is unknown or out of order, a shape is wrong, or a number is not finite or out of its range.

    Examples
    --------
    >>> up = [[1, 0, 0, 0], [0, 1, 0, 0.2], [0, 0, 1, 0]]
    >>> skeleton = rc.Skeleton(["neck", "head"], [-1, 0], [np.eye(3, 4), up])
    >>> made = rc.ik.look_at(skeleton, skeleton.rest.reshape(-1), ["neck", "head"], targets=[1, 0.2, 0], share=[0.3, 1])
    >>> made.miss.round(3).tolist()  # the head looks there; the neck turned by three tenths of its angle
    [[63.0, 0.0]]
    """
    names = checked_skeleton("look_at", skeleton).names
    if isinstance(joints, str) or not isinstance(joints, Sequence) or not joints:
        raise bad_argument("look_at", "joints", shown(joints), f"a list of joints among {', '.join(names)}")
    chosen = joint_indices("look_at", "joints", skeleton, joints, [str(joint) for joint in joints])
    check = Arguments("look_at", n=len(chosen), C=_width(skeleton, poses))
    rows = np.atleast_2d(check.numbers("poses", poses, "T C", "C", dtype=np.float32))
    check.sizes["T"] = len(rows)
    points = np.atleast_2d(check.numbers("targets", targets, "T 3", "3"))
    axes = np.broadcast_to(check.numbers("axis", axis, "n 3", "3"), (len(chosen), 3))
    shares, limits = (
        np.broadcast_to(check.numbers(name, value, "n", ""), len(chosen))
        for name, value in [("share", share), ("limit", limit)]
    )
    return Look(*_core.look_at(skeleton, chosen, axes, shares, limits, rows, points))


def move_torso(
    skeleton: Skeleton,
    poses: ArrayLike,
    joint: str | int,
    *,
    pinned: Sequence[Limb] = (),
    translation: ArrayLike = (0.0, 0.0, 0.0),
    rotation: ArrayLike | None = None,
) -> NDArray[np.float32]:
    """Move a body while hands and feet stay where they are.

    The joint (pelvis, chest) turns about itself and moves in global space, and what hangs on it follows. Then each
    pinned limb brings its end back to its place, with its orientation; out of its reach, the limb is straight.

    Parameters
    ----------
    skeleton : Skeleton
    poses : array_like, shape (T, C) or (C,)
    joint : str or int
    pinned : sequence of Limb
        Of the same skeleton.
    translation : array_like, shape (T, 3) or (3,)
        Global.
    rotation : array_like, shape (T, 3, 3) or (3, 3), optional
        Global rotation about the joint.

    Returns
    -------
    (T, C) float32 array

    Raises
    ------
    ValueError
        If the joint is unknown, a shape is wrong, or a number is not finite.

    Examples
    --------
    >>> down = [[1, 0, 0, 0], [0, 1, 0, -0.4], [0, 0, 1, 0]]
    >>> skeleton = rc.Skeleton(["hip", "knee", "ankle"], [-1, 0, 1], [np.eye(3, 4), down, down])
    >>> leg = rc.ik.Limb(skeleton, ["hip", "knee", "ankle"], hinge=[1, 0, 0])
    >>> made = rc.ik.move_torso(skeleton, skeleton.rest.reshape(-1), "hip", pinned=[leg], translation=[0, -0.1, 0])
    >>> (100 * skeleton.globals(made)[0, :, 1, 3]).round().astype(int).tolist()
    [-10, -45, -80]
    """
    moved = joint_indices("move_torso", "joint", checked_skeleton("move_torso", skeleton), [joint], ("joint",))[0]
    check = Arguments("move_torso", C=_width(skeleton, poses))
    rows = np.atleast_2d(check.numbers("poses", poses, "T C", "C", dtype=np.float32))
    check.sizes["T"] = len(rows)
    shifts = np.atleast_2d(check.numbers("translation", translation, "T 3", "3"))
    turns = np.eye(3) if rotation is None else check.numbers("rotation", rotation, "T 3 3", "3 3")
    made: NDArray[np.float32] = _core.move_joint(skeleton, moved, rows, turns.reshape(-1, 3, 3), shifts)
    for limb in pinned:
        if not isinstance(limb, Limb):
            raise bad_argument("move_torso", "pinned", f"a list that holds {shown(limb)}", "a list of rc.ik.Limb")
        place = limb.match_ik(rows)
        made = limb.solve(made, place.targets, orientations=place.orientations).poses
    return made


def _width(skeleton: Skeleton, poses: ArrayLike) -> int:
    """C of the poses, if they have enough columns; else what they must have."""
    shape = np.shape(poses)
    return max(12 * skeleton.num_joints, shape[-1]) if shape else 12 * skeleton.num_joints
