"""Two-bone limbs of skeletons: arms and legs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._core import Skeleton
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, check_threads, shown


@one_line
@dataclass(frozen=True, repr=False)
class LimbPoses:
    """Poses of a limb and their distances from the targets, as :meth:`Limb.solve` returns them.

    Attributes
    ----------
    poses : (T, C) float32 array
    miss : (T,) float64 array
        Distance from the end to its target, in the rig's unit.
    flags : (T,) uint8 array
        Bits of :class:`LimbFlag`; ``NO_HINGE`` stands for a pole on the line from base to target.

    Examples
    --------
    >>> step = [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]]
    >>> arm = rc.Skeleton(["a", "b", "c"], [-1, 0, 1], [np.eye(3, 4), step, step])
    >>> limb = rc.ik.Limb(arm, ("a", "b", "c"), hinge=[0, 0, 1])
    >>> limb.solve(arm.rest.reshape(1, -1), [[3, 0, 0]])
    <LimbPoses: 1 frame, 0 reached>
    """

    poses: NDArray[np.float32]
    miss: NDArray[np.float64]
    flags: NDArray[np.uint8]

    def __repr__(self) -> str:
        frames = len(self.flags)
        reached = int(((self.flags & 3) == 0).sum())
        return f"<LimbPoses: {frames:,} frame{'s' * (frames != 1)}, {reached:,} reached>"


@one_line
@dataclass(frozen=True)
class LimbControls:
    """Positions and rotations of the controls that pose a limb, as :meth:`Limb.match_ik` returns them.

    Attributes
    ----------
    targets : (T, 3) float64 array
        Global positions of the end.
    orientations : (T, 3, 3) float64 array
        Global rotations of the end.
    poles : (T, 3) float64 array
        Global points towards which the elbow points.
    elbows : (T, 3) float64 array
        Global positions of the elbow. :meth:`Limb.match_fk` uses them where bones have the lengths that they had, since
        the end of a nearly straight limb determines its elbow to the root of rounding only.
    """

    targets: NDArray[np.float64]
    orientations: NDArray[np.float64]
    poles: NDArray[np.float64]
    elbows: NDArray[np.float64]


@one_line
class Limb:
    """A two-bone limb of a skeleton: an arm or a leg whose end goes where it is wanted.

    The bones are turned in global space, so rest directions, bone rolls and scales of parents do not matter. Only the
    rows of the three joints change; joints between them (twist bones) move with the bone above. Below parents of
    uniform scale the new rows are rotations of the old ones; below others they get the shear that keeps lengths.

    Parameters
    ----------
    skeleton : Skeleton
    joints : sequence of three str or int
        Upper (shoulder, hip), lower (elbow, knee) and end (wrist, ankle), each below the one before.
    hinge : array_like, shape (3,), optional
        Axis about which a straight limb bends, in global rest coordinates. Default: from the bend at rest; needed if
        the limb is straight at rest. ``(end - upper) x hinge`` points to the elbow.
    softness : float
        Share of the reach, from 0 to below 1, in which the end slows down before the limb is straight: the elbow does
        not snap. The end never moves faster than its target.
    stretch, squash : float
        The longest and shortest that bones become, relative to the pose, if a target is out of reach: 1 or more, and
        above 0 to 1.
    bend : pair of float
        Smallest and largest angle between the bones in degrees, 0 if the limb is straight. Within 0 to 180 the range
        is of the angle itself, on the side to which the pose bends. Any other range of at most 360 degrees within +-360
        is signed, positive about the hinge axis: (-10, 150) lets a knee overextend, (170, 190) lets bones pass each
        other. Of two sides in the range, the limb stays at the one of the pose.

    Raises
    ------
    ValueError
        If the joints are no chain, a bone has no length at rest, the limb is straight at rest without a hinge axis, or
        a number is out of its range.

    Examples
    --------
    >>> step = [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]]
    >>> skeleton = rc.Skeleton(["shoulder", "elbow", "wrist"], [-1, 0, 1], [np.eye(3, 4), step, step])
    >>> arm = rc.ik.Limb(skeleton, ("shoulder", "elbow", "wrist"), hinge=[0, 0, 1])
    >>> made = arm.solve(skeleton.rest.reshape(1, -1), [[1, 1, 0]])
    >>> skeleton.globals(made.poses)[0, 2, :, 3].round(3).tolist()
    [1.0, 1.0, 0.0]
    """

    def __init__(
        self,
        skeleton: Skeleton,
        joints: Sequence[str | int],
        *,
        hinge: ArrayLike | None = None,
        softness: float = 0.0,
        stretch: float = 1.0,
        squash: float = 1.0,
        bend: tuple[float, float] = (0.0, 180.0),
    ) -> None:
        check = Arguments("Limb")
        self._skeleton = checked_skeleton("Limb", skeleton)
        self._joints = joint_indices("Limb", "joints", self._skeleton, joints, ("upper", "lower", "end"))
        least, most = check.numbers("bend", bend, "2")
        axis = np.zeros(3) if hinge is None else check.numbers("hinge", hinge, "3")
        if hinge is not None and not axis.any():
            raise check.wrong("hinge", "zero", "an axis in global rest coordinates")
        self._settings: dict[str, Any] = {
            "hinge": None if hinge is None else axis,
            "softness": softness,
            "stretch": stretch,
            "squash": squash,
            "bend": (float(least), float(most)),
        }
        self._core = _core.Limb(
            self._skeleton,
            self._joints[0],
            self._joints[1],
            self._joints[2],
            axis,
            check.number("softness", softness),
            check.number("stretch", stretch),
            check.number("squash", squash),
            least,
            most,
        )

    @property
    def joints(self) -> tuple[str, str, str]:
        """Names of the three joints."""
        upper, lower, end = (self._skeleton.names[joint] for joint in self._joints)
        return upper, lower, end

    def __repr__(self) -> str:
        return f"<Limb: {', '.join(self.joints)}>"

    def solve(
        self,
        poses: ArrayLike,
        targets: ArrayLike,
        *,
        orientations: ArrayLike | str = "keep",
        poles: ArrayLike | None = None,
        poles_follow_end: bool = False,
        threads: int = 0,
    ) -> LimbPoses:
        """Bring the end to targets.

        Parameters
        ----------
        poses : array_like, shape (T, C) or (C,)
            What the limb starts from; other joints keep their rows.
        targets : array_like, shape (T, 3) or (3,)
            Global positions of the end.
        orientations : array_like, shape (T, 3, 3) or (3, 3), or str
            Global rotations of the end; ``"keep"`` keeps its rotation, ``"follow"`` turns it with the lower bone.
        poles : array_like, shape (T, 3) or (3,), optional
            Points towards which the elbow points. Default: the bend plane of the pose is carried along with the line
            from the upper joint to the end.
        poles_follow_end : bool
            Whether poles are in the coordinates of the end joint at its target, and move with it; otherwise global.
        threads : int
            Number of threads; 0 means all processors that this process may use.

        Returns
        -------
        LimbPoses

        Raises
        ------
        ValueError
            If a shape is wrong, a number is not finite, or a bone has no length in a pose.

        Examples
        --------
        >>> step = [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]]
        >>> skeleton = rc.Skeleton(["shoulder", "elbow", "wrist"], [-1, 0, 1], [np.eye(3, 4), step, step])
        >>> arm = rc.ik.Limb(skeleton, ("shoulder", "elbow", "wrist"), hinge=[0, 0, 1])
        >>> made = arm.solve(skeleton.rest.reshape(1, -1), [1, 1, 0], poles=[0, 5, 0])
        >>> skeleton.globals(made.poses)[0, 1, :, 3].round(3).tolist()
        [0.0, 1.0, 0.0]
        """
        check = Arguments("Limb.solve", C=self._width(poses))
        rows = np.atleast_2d(check.numbers("poses", poses, "T C", "C", dtype=np.float32))
        check.sizes["T"] = len(rows)
        points = np.atleast_2d(check.numbers("targets", targets, "T 3", "3"))
        if isinstance(orientations, str) and orientations not in ("keep", "follow"):
            raise check.wrong("orientations", shown(orientations), '"keep", "follow" or rotations (T, 3, 3)')
        turns = None
        if not isinstance(orientations, str):
            turns = check.numbers("orientations", orientations, "T 3 3", "3 3").reshape(-1, 3, 3)
        sides = None if poles is None else np.atleast_2d(check.numbers("poles", poles, "T 3", "3"))
        found = self._core.solve(
            rows,
            points,
            turns,
            isinstance(orientations, str) and orientations == "follow",
            sides,
            bool(poles_follow_end),
            None,
            check_threads("Limb.solve", threads),
        )
        return LimbPoses(*found)

    def match_ik(self, poses: ArrayLike, *, threads: int = 0) -> LimbControls:
        """The controls of a limb that is posed already, by forward kinematics or capture.

        Parameters
        ----------
        poses : array_like, shape (T, C) or (C,)
        threads : int
            Number of threads; 0 means all processors that this process may use.

        Returns
        -------
        LimbControls

        Raises
        ------
        ValueError
            If a shape is wrong, a number is not finite, or a bone has no length in a pose.

        Examples
        --------
        >>> step = [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]]
        >>> skeleton = rc.Skeleton(["shoulder", "elbow", "wrist"], [-1, 0, 1], [np.eye(3, 4), step, step])
        >>> arm = rc.ik.Limb(skeleton, ("shoulder", "elbow", "wrist"), hinge=[0, 0, 1])
        >>> arm.match_ik(skeleton.rest.reshape(1, -1)).targets.tolist()
        [[2.0, 0.0, 0.0]]
        """
        rows = self._rows("Limb.match_ik", poses)
        return LimbControls(*self._core.match_ik(rows, check_threads("Limb.match_ik", threads)))

    def match_fk(self, poses: ArrayLike, controls: LimbControls, *, threads: int = 0) -> NDArray[np.float32]:
        """The poses that controls give: the way back of :meth:`match_ik`.

        Parameters
        ----------
        poses : array_like, shape (T, C) or (C,)
            The rest of the character, for instance without the limb's own motion.
        controls : LimbControls
        threads : int
            Number of threads; 0 means all processors that this process may use.

        Returns
        -------
        (T, C) float32 array

        Raises
        ------
        ValueError
            As :meth:`solve`.

        Examples
        --------
        >>> step = [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]]
        >>> skeleton = rc.Skeleton(["shoulder", "elbow", "wrist"], [-1, 0, 1], [np.eye(3, 4), step, step])
        >>> arm = rc.ik.Limb(skeleton, ("shoulder", "elbow", "wrist"), hinge=[0, 0, 1])
        >>> rest = skeleton.rest.reshape(1, -1)
        >>> float(abs(arm.match_fk(rest, arm.match_ik(rest)) - rest).max()) < 1e-6
        True
        """
        workers = check_threads("Limb.match_fk", threads)
        check = Arguments("Limb.match_fk", C=self._width(poses))
        rows = np.atleast_2d(check.numbers("poses", poses, "T C", "C", dtype=np.float32))
        given = controls.targets, controls.orientations, False, controls.poles, False, controls.elbows
        made: NDArray[np.float32] = self._core.solve(rows, *given, workers)[0]
        return made

    def _width(self, poses: ArrayLike) -> int:
        """C of the poses, if they have enough columns; else what they must have."""
        width = 12 * self._skeleton.num_joints
        shape = np.shape(poses)
        return max(width, shape[-1]) if shape else width

    def _rows(self, function: str, poses: ArrayLike) -> NDArray[np.float32]:
        check = Arguments(function, C=self._width(poses))
        rows: NDArray[np.float32] = check.numbers("poses", poses, "T C", "C", dtype=np.float32)
        return np.atleast_2d(rows)

    def __reduce__(self) -> tuple[partial[Limb], tuple[Skeleton, tuple[int, ...]]]:
        """For pickle and copy: the arguments that it is made of."""
        return partial(Limb, **self._settings), (self._skeleton, tuple(int(joint) for joint in self._joints))


def checked_skeleton(function: str, skeleton: Skeleton | None) -> Skeleton:
    """The skeleton, if it is one."""
    if isinstance(skeleton, Skeleton):
        return skeleton
    got = "None: its model has no joints" if skeleton is None else f"a {type(skeleton).__name__}"
    raise bad_argument(function, "skeleton", got, "a rigcast.Skeleton")


def joint_indices(
    function: str, argument: str, skeleton: Skeleton, joints: Sequence[str | int], roles: Sequence[str]
) -> list[int]:
    """Joints, one per role, as indices."""
    names = list(skeleton.names)
    if isinstance(joints, str) or not isinstance(joints, Sequence) or len(joints) != len(roles):
        raise bad_argument(function, argument, shown(joints), f"{len(roles)} joints: {', '.join(roles)}")
    found = []
    for joint in joints:
        if isinstance(joint, str) and joint not in names:
            raise bad_argument(function, argument, f"naming {shown(joint)}", f"among {', '.join(names)}")
        found.append(
            names.index(joint)
            if isinstance(joint, str)
            else Arguments(function).whole(argument, joint, 0, len(names) - 1)
        )
    return found
