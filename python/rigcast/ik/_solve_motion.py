"""Clips of joints and markers on a character's own skeleton, inside its joint limits, with feet that stand."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._shown import one_line
from rigcast._validate import Arguments, check_threads
from rigcast.ik._foot_lock import ROLES, FootLock, foot_lock, largest_slide
from rigcast.ik._joint_model import JointPoint, joint_model, joint_points, skeleton_of
from rigcast.ik._limb import joint_indices
from rigcast.ik._pose_solution import PoseSolution
from rigcast.ik._solver import Solver
from rigcast.ik._targets import Point
from rigcast.progress import ProgressOption

if TYPE_CHECKING:
    from rigcast._rigs.rig import Rig

FUNCTION = "solve_motion"
LOCK = set(inspect.signature(foot_lock).parameters) - {"skeleton", "poses", "feet", "fps"}
ANKLE_WEIGHT = 30.0  # compared with targets of weight 1: a foot turns about its toe by less than the ankle misses
Float64 = NDArray[np.float64]


@one_line
@dataclass(frozen=True, repr=False)
class MotionSolution:
    """A clip on a character's skeleton; see :func:`solve_motion`.

    Attributes
    ----------
    poses : (T, C) float32
    channels : (T, N) float64 or None
        None if the character has no channels.
    names : list of str
        Of the unknowns: the channels, if there are any.
    error : (T, M) float64
        Distance of each point from its position in the clip, in the rig's unit.
    converged : (T,) bool
    at_bound : (T, N) int8
        -1 for an unknown at its lowest value, 1 at its highest.
    contacts : (T, F) bool
        Frames in which each of the F feet stands.
    slide_before, slide_after : (F,) float64
        Largest distance of each toe from where its contact begins: of the clip inside the joint limits, and of the
        result.
    lowered : (T,) float64
        How far the body is lowered so that legs reach, in the rig's unit.

    Examples
    --------
    See :func:`solve_motion`.
    """

    poses: NDArray[np.float32]
    channels: Float64 | None
    names: list[str]
    error: Float64
    converged: NDArray[np.bool_]
    at_bound: NDArray[np.int8]
    contacts: NDArray[np.bool_]
    slide_before: Float64
    slide_after: Float64
    lowered: Float64

    def __repr__(self) -> str:
        frames, feet = self.contacts.shape
        slide = [max(values, default=0.0) for values in (self.slide_before, self.slide_after)]
        stands = f", {feet} feet, slide {slide[0]:.3g} before and {slide[1]:.3g} after" if feet else ""
        return f"<MotionSolution: {frames:,} frames, mean error {self.error.mean():.3g}{stands}>"


def solve_motion(
    model: _core.Deformer | Rig | _core.Skeleton,
    positions: ArrayLike,
    points: Sequence[JointPoint],
    *,
    fps: float,
    feet: Sequence[Sequence[str | int]] = (),
    lock: Mapping[str, object] | None = None,
    start: ArrayLike | None = None,
    bounds: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    preference: float = 0.1,
    carry: float = 0.95,
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    threads: int = 0,
    progress: ProgressOption = None,
) -> MotionSolution:
    """Move a character so that its joints, or markers fixed to them, follow a clip: inside its joint limits.

    Method: :func:`solve` finds each frame inside the bounds. :func:`foot_lock` says where feet stand and how they move
    between. A second solve takes the toes there as hard targets, ankles and everything else as near as the joint limits
    allow, and the body lowered where a leg is too short. Other than locking the feet of a finished clip, this keeps
    channels inside their ranges; other than clipping rotations, it spreads what a joint cannot do over its neighbors.

    Parameters
    ----------
    model : Deformer, Rig or Skeleton
        Whose channels are found. A skeleton, and a model without channels, turn their joints without limits and each
        frame by itself (``carry`` has no effect); their roots stay where the start has them.
    positions : (T, M, 3)
        In the rig's unit and axes: :func:`rigcast.sources.retarget` makes ``positions`` of a clip for the
        character's own proportions.
    points : list of M joints or pairs (joint, offset)
        What the positions are of: the origin of a joint (a name or an index), or a marker at an offset (3,) in the
        joint's coordinates.
    fps : float
        Frames per second.
    feet : list of F sequences of four str or int
        The joints hip, knee, ankle and toe of each foot, as in :func:`foot_lock`. Without feet, nothing is locked.
    lock : mapping, optional
        ``contacts``, ``hinge``, ``pelvis``, ``height``, ``speed``, ``release``, ``blend``, ``up_axis`` and
        ``meters_per_unit`` as in :func:`foot_lock`; the last two are by default those of the model.
    start : (T, N), (N,), (T, C) or (C,), optional
        Channels or poses to start from and to stay near where positions leave freedom, as the twist of a hand;
        channels are clipped to their bounds. With one row, each frame starts from the solution of the frame before.
        Default: the rest pose.
    bounds : (N, 2), optional
        Of the unknowns. Default: the ranges of the channels.
    weights : (M,), optional
        Of the points. Default: 1.
    preference, carry, tolerance, max_iterations
        As in :func:`solve`. A smaller preference comes nearer to the positions, and moves less smoothly.
    threads : int
        Number of threads; 0 means all processors that this process may use. The result does not depend on it.
    progress : True, callable or None
        See :func:`rigcast.progress.as_callback`.

    Returns
    -------
    MotionSolution

    Raises
    ------
    ValueError
        If something other than channels poses the rig, a joint is unknown, or an argument is not as it must be.

    Examples
    --------
    >>> arm = rc.sources.example_body()
    >>> bend = np.linspace(0, 1, 12)[:, None] * [0, 0, 200, 0, 40, 0]  # more than the elbow can
    >>> notes = rc.exports.write_bvh("bend.bvh", arm, bend, fps=24)
    >>> names = arm.skeleton.names
    >>> motion = rc.sources.load_bvh("bend.bvh").motion()
    >>> made = rc.sources.retarget(motion, arm, dict(zip(names, names)))
    >>> clip = rc.ik.solve_motion(arm, made.positions, names, fps=24, start=made.channels)
    >>> bool((clip.channels <= arm.channel_ranges[:, 1]).all())
    True
    """
    check = Arguments(FUNCTION)
    check_threads(FUNCTION, threads)
    skeleton = skeleton_of(FUNCTION, model)
    joints, offsets = joint_points(FUNCTION, skeleton, points)
    chains = [joint_indices(FUNCTION, "feet", skeleton, foot, ROLES) for foot in feet]
    ends = [chain[place] for place in (3, 2) for chain in chains]  # toes, then ankles
    proxy = joint_model(FUNCTION, model, joints + ends, np.concatenate([offsets, np.zeros((len(ends), 3))]))
    check.sizes["M"] = len(joints)
    wanted = check.numbers("positions", positions, "T+ M 3")
    shares = np.ones(len(joints)) if weights is None else check.numbers("weights", weights, "M")
    rate = check.number("fps", fps, above=0.0)
    solver = Solver(proxy, np.arange(len(joints)))
    limits = (
        solver.bounds if bounds is None else check.numbers("bounds", bounds, f"{len(solver.names)} 2", finite=False)
    )
    options: dict[str, Any] = {
        "preference": preference,
        "carry": carry if solver.engine.are_channels else 0.0,
        "tolerance": tolerance,
        "max_iterations": max_iterations,
        "threads": threads,
        "progress": progress,
    }
    rules: dict[str, Any] = {
        "up_axis": getattr(model, "up_axis", "Y"),
        "meters_per_unit": getattr(model, "meters_per_unit", 1.0),
    }
    rules |= lock or {}
    if unknown := set(rules) - LOCK:
        raise check.wrong("lock", f"with {', '.join(sorted(map(repr, unknown)))}", f"among {', '.join(sorted(LOCK))}")
    near = _near(check, solver, start, limits, len(wanted))
    first = _follow(solver, wanted, near, limits, options | {"weights": shares})
    if not chains:
        return _result(proxy, wanted, first, None, 0)
    locked = foot_lock(skeleton, first.poses, feet, fps=rate, **rules)
    targets = _standing(skeleton, locked, wanted, joints, shares, chains, "XYZ".index(rules["up_axis"]))
    near = first.channels if first.channels is not None else locked.poses
    second = _follow(solver, targets, near, limits, options)
    return _result(proxy, wanted, second, locked, len(chains))


def _near(
    check: Arguments, solver: Solver, start: ArrayLike | None, limits: Float64, frames: int
) -> NDArray[Any] | None:
    """Rows near which the solution stays, inside the limits: channels, or poses of a character without any."""
    if not solver.engine.are_channels:
        return None if start is None else np.atleast_2d(np.asarray(start))
    if start is None:
        return np.asarray(np.clip(solver.rest[1], *limits.T))
    check.sizes |= {"T": frames, "N": len(solver.names), "C": len(solver.model.control_names)}
    rows = np.atleast_2d(check.numbers("start", start, "T N", "N", "1 N", "T C", "C", "1 C"))
    if rows.shape[1] != len(solver.names):
        poses = rows.astype(np.float32)
        rows = solver.engine.from_poses(poses, poses)
    return np.asarray(np.clip(rows, *limits.T))


def _follow(
    solver: Solver, targets: Any, near: NDArray[Any] | None, limits: Float64, options: dict[str, Any]
) -> PoseSolution:
    """Frame after frame near rows of channels; without channels, each frame near its own pose, which has the root."""
    if near is None or not solver.engine.are_channels:
        return solver.solve(targets, near, limits, **options)
    return solver.solve(targets, near[:1], limits, preferred=near, **options)


def _standing(
    skeleton: _core.Skeleton,
    locked: FootLock,
    wanted: Float64,
    joints: list[int],
    weights: Float64,
    chains: list[list[int]],
    up: int,
) -> list[Point]:
    """Targets of the second solve: the clip's points, lowered, and the feet where they stand and move."""
    count, feet = len(joints), len(chains)
    globals_ = skeleton.globals(np.ascontiguousarray(locked.poses[:, : 12 * skeleton.num_joints]))[..., 3]
    replaced = _below(skeleton, {chain[2] for chain in chains})
    moved = wanted.copy()
    moved[..., up] -= locked.lowered[:, None]
    targets = [
        Point(i, moved[:, i], weight=0.0 if joint in replaced else float(weights[i])) for i, joint in enumerate(joints)
    ]
    for f, (_, _, ankle, toe) in enumerate(chains):
        targets.append(Point(count + f, globals_[:, toe], hard=True))
        if toe != ankle:
            targets.append(Point(count + feet + f, globals_[:, ankle], weight=ANKLE_WEIGHT))
    return targets


def _below(skeleton: _core.Skeleton, joints: set[int]) -> set[int]:
    """Joints and all that hang below them."""
    found = set(joints)
    for joint, parent in enumerate(skeleton.parents):
        if int(parent) in found:
            found.add(joint)
    return found


def _result(
    proxy: _core.Deformer, wanted: Float64, found: PoseSolution, locked: FootLock | None, feet: int
) -> MotionSolution:
    frames, count = wanted.shape[:2]
    places = proxy.evaluate(found.poses).astype(np.float64)
    contacts = np.zeros((frames, 0), bool) if locked is None else locked.contacts
    toes = np.moveaxis(places[:, count : count + feet], 1, 0)
    return MotionSolution(
        found.poses,
        found.channels,
        found.names,
        np.linalg.norm(places[:, :count] - wanted, axis=2),
        found.converged,
        found.at_bound,
        contacts,
        np.zeros(0) if locked is None else locked.slide_before,
        np.array([largest_slide(*foot) for foot in zip(toes, contacts.T, strict=True)]),
        np.zeros(frames) if locked is None else locked.lowered,
    )
