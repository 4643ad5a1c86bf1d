"""Feet that stand still while they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._core import Skeleton
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, shown
from rigcast.ik._limb import checked_skeleton, joint_indices

ROLES = ("hip", "knee", "ankle", "toe")
LOOSER = 1.5  # a contact goes on up to this multiple of height and speed
SHORTEST = 0.05  # seconds: shorter contacts are noise
MOST_STEP = 2.0  # of a toe, relative to the clip's
MOST_PASSES = 30  # far more than clips of minutes took


@one_line
@dataclass(frozen=True, repr=False)
class FootLock:
    """A clip whose feet do not slide.

    Attributes
    ----------
    poses : (T, C) float32 array
    contacts : (T, F) bool array
        Frames in which each of the F feet was held.
    slide_before, slide_after : (F,) float64 array
        Largest distance of each toe from its anchor in these frames, in the clip and in the result.
    lowered : (T,) float64 array
        How far the pelvis is lowered, in the rig's unit.

    Examples
    --------
    See :func:`foot_lock`.
    """

    poses: NDArray[np.float32]
    contacts: NDArray[np.bool_]
    slide_before: NDArray[np.float64]
    slide_after: NDArray[np.float64]
    lowered: NDArray[np.float64]

    def __repr__(self) -> str:
        before, after = (max(slide, default=0.0) for slide in (self.slide_before, self.slide_after))
        frames, feet = self.contacts.shape
        return f"<FootLock: {frames:,} frames, {feet} feet, slide {before:.3g} before and {after:.3g} after>"


def foot_lock(
    skeleton: Skeleton,
    poses: ArrayLike,
    feet: Sequence[Sequence[str | int]],
    *,
    fps: float,
    contacts: ArrayLike | None = None,
    hinge: ArrayLike | None = None,
    pelvis: str | int | None = None,
    height: float = 0.05,
    speed: float = 0.3,
    release: float = 0.15,
    blend: float = 0.2,
    up_axis: str = "Y",
    meters_per_unit: float = 1.0,
) -> FootLock:
    """Hold the feet of a clip where they stand.

    In a run of contacts, a toe stays at its anchor, its position in the first frame. The foot moves with it and keeps
    its orientation, and hip and knee follow (:class:`Limb`). Before a contact the foot moves smoothly so that its
    anchor comes near the mean of the toe's positions in it, and afterwards back to the clip, by at most the clip's own
    step per frame: no step of a toe exceeds twice the clip's. A leg becomes no longer than it ever is in the clip;
    where it does not reach, the pelvis is lowered (``lowered``). A contact ends early if the clip's toe is farther than
    ``release`` from its anchor, or if the pelvis would have to be lowered by more.

    Contacts are found where a toe is lower than ``height`` above the ground and slower than ``speed``; they go on up to
    1.5 times these bounds. The ground is the height that 2 percent of a toe's frames are below. Held feet make new
    contacts, so the search is repeated until nothing changes: applied to its own result, the function returns it.

    Parameters
    ----------
    skeleton : Skeleton
    poses : array_like, shape (T, C)
    feet : list of F sequences of four str or int
        The joints hip, knee, ankle and toe of each foot, each below the one before; the toe may be the ankle.
    fps : float
        Frames per second.
    contacts : array_like of bool, shape (T, F), optional
        Frames in which each foot stands. Default: found.
    hinge : array_like, shape (3,), optional
        Axis about which straight knees bend, in global rest coordinates. Default: as they bend in the clip.
    pelvis : str or int, optional
        The joint that is lowered. Default: the root above the first hip.
    height, speed : float
        Bounds of contacts in meters and in meters per second.
    release : float
        Meters: farther from its anchor, the foot is let go, and the pelvis is lowered by no more.
    blend : float
        Seconds in which a foot moves to its anchor and returns to the clip.
    up_axis : str
        ``"X"``, ``"Y"`` or ``"Z"``.
    meters_per_unit : float
        Length of the skeleton's unit in meters.

    Returns
    -------
    FootLock

    Raises
    ------
    ValueError
        If joints are no chain, a shape is wrong, a number is not finite or out of its range, or a knee is straight at
        rest and in the whole clip.

    Examples
    --------
    >>> down = [[1, 0, 0, 0], [0, 1, 0, -0.4], [0, 0, 1, 0]]
    >>> toe = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.1]]
    >>> skeleton = rc.Skeleton(["hip", "knee", "ankle", "toe"], [-1, 0, 1, 2], [np.eye(3, 4), down, down, toe])
    >>> poses = np.tile(skeleton.rest.reshape(-1), (10, 1))
    >>> poses[:, 3] = np.linspace(0, 0.01, 10)  # the hip drifts by a centimeter, and the foot with it
    >>> locked = rc.ik.foot_lock(skeleton, poses, [("hip", "knee", "ankle", "toe")], fps=30, hinge=[1, 0, 0])
    >>> int(locked.contacts.sum())
    10
    """
    check = Arguments("foot_lock", C=max(12 * checked_skeleton("foot_lock", skeleton).num_joints, np.shape(poses)[-1]))
    rows = check.numbers("poses", poses, "T C", dtype=np.float32)
    unit = check.unit("meters_per_unit", meters_per_unit)
    rate = check.number("fps", fps, above=0)
    if up_axis not in ("X", "Y", "Z"):
        raise check.wrong("up_axis", shown(up_axis), '"X", "Y" or "Z"')
    bounds = [check.number(name, x, above=0) / unit for name, x in [("height", height), ("speed", speed)]]
    rules = check.number("release", release, above=0) / unit, check.number("blend", blend, above=0), rate
    chains = [joint_indices("foot_lock", "feet", skeleton, joints, ROLES) for joints in _listed(feet)]
    axis = None if hinge is None else check.numbers("hinge", hinge, "3")
    clip = _Clip(skeleton, rows, chains, axis, _pelvis(skeleton, pelvis, chains[0][0]), "XYZ".index(up_axis), rules)
    if contacts is not None:
        return clip.result(*clip.lock(rows, _contacts(contacts, len(rows), len(chains))))
    made, kept, drift, lowered = clip.lock(rows, clip.contacts(rows, *bounds))
    for _ in range(MOST_PASSES):
        again = clip.lock(made, clip.contacts(made, *bounds))
        lowered = lowered + again[3]
        settled = np.array_equal(again[0], made)
        made, kept, drift = again[:3]
        if settled:
            break
    return clip.result(made, kept, drift, lowered)


class _Clip:
    """A clip with what all passes over it share."""

    def __init__(
        self,
        skeleton: Skeleton,
        poses: NDArray[np.float32],
        chains: list[list[int]],
        hinge: NDArray[np.float64] | None,
        pelvis: int,
        up: int,
        rules: tuple[float, float, float],
    ) -> None:
        self.skeleton, self.pelvis, self.up, self.rules = skeleton, pelvis, up, rules
        self.toe_joints = [chain[3] for chain in chains]
        self.legs = []
        for hip, knee, ankle, _ in chains:
            bend = _core.mean_hinge(skeleton, hip, knee, ankle, poses) if hinge is None else hinge
            self.legs.append(_core.Limb(skeleton, hip, knee, ankle, bend, 0.0, 1.0, 1.0, 0.0, 180.0))
        self.source = self.toes(poses)
        steps = np.linalg.norm(np.diff(self.source, axis=0, prepend=self.source[:1]), axis=2)
        self.longest_steps = MOST_STEP * steps

    def toes(self, poses: NDArray[np.float32]) -> NDArray[np.float64]:
        """(T, F, 3)."""
        return np.stack([_core.joint_positions(self.skeleton, joint, poses) for joint in self.toe_joints], axis=1)

    def contacts(self, poses: NDArray[np.float32], height: float, speed: float) -> NDArray[np.uint8]:
        """(T, F), found."""
        toes = np.moveaxis(self.toes(poses), 1, 0)
        rules = height, speed, LOOSER, SHORTEST, self.rules[2]
        return np.stack([_core.find_contacts(toe, self.up, *rules) for toe in toes], axis=1)

    def lock(self, poses: NDArray[np.float32], contacts: NDArray[np.uint8]) -> tuple[NDArray[Any], ...]:
        """Poses, kept contacts, drift and lowered."""
        given = self.longest_steps, self.pelvis, self.up
        made: tuple[NDArray[Any], ...] = _core.lock_feet(
            self.skeleton, self.legs, self.toe_joints, poses, contacts, *given, *self.rules
        )
        return made

    def result(
        self,
        poses: NDArray[np.float32],
        kept: NDArray[np.uint8],
        drift: NDArray[np.float64],
        lowered: NDArray[np.float64],
    ) -> FootLock:
        held = kept.astype(bool)
        feet = zip(np.moveaxis(self.source, 1, 0), held.T, strict=True)
        return FootLock(
            poses, held, np.array([largest_slide(*foot) for foot in feet]), drift.max(axis=0, initial=0.0), lowered
        )


def _pelvis(skeleton: Skeleton, pelvis: str | int | None, hip: int) -> int:
    """A joint's index; by default of the root above a hip."""
    if pelvis is not None:
        return joint_indices("foot_lock", "pelvis", skeleton, [pelvis], ("pelvis",))[0]
    while skeleton.parents[hip] >= 0:
        hip = skeleton.parents[hip]
    return hip


def _listed(feet: Sequence[Sequence[str | int]]) -> list[Sequence[str | int]]:
    if isinstance(feet, str) or not isinstance(feet, Sequence) or not feet:
        raise bad_argument(
            "foot_lock", "feet", shown(feet), "a list with the joints hip, knee, ankle, toe of each foot"
        )
    return list(feet)


def _contacts(contacts: ArrayLike, frames: int, feet: int) -> NDArray[np.uint8]:
    array = np.asarray(contacts)
    if array.dtype != bool or array.shape != (frames, feet):
        raise bad_argument("foot_lock", "contacts", f"{array.dtype} {array.shape}", f"bool ({frames}, {feet})")
    return array.astype(np.uint8)


def largest_slide(points: NDArray[np.float64], held: NDArray[np.bool_]) -> float:
    """The largest distance of a point from where it was in the first frame of each run."""
    worst, anchor = 0.0, None
    for point, on in zip(points, held, strict=True):
        anchor = (point if anchor is None else anchor) if on else None
        if anchor is not None:
            worst = max(worst, float(np.linalg.norm(point - anchor)))
    return worst
