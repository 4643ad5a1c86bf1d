"""Handles of arms, legs and the torso: two bones in closed form, then the nearest pose that the channels allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core, ik
from rigcast.viewer._figures._figure import Figure, State
from rigcast.viewer._figures._posing import Row, poses_of_each
from rigcast.viewer._handles import Handle, Vector
from rigcast.viewer._handles._finding import LimbJoints, find_limbs

POLE_DISTANCE = 0.5  # of the limb's length, from its elbow
STANDING = 0.2  # of the character's height: limbs that end below stay where they are while the torso moves
# Of targets where channels limit the pose, relative to 1 for the end of the limb.
ELBOW_WEIGHT, PULLED_ELBOW_WEIGHT, ORIENTATION_WEIGHT = 3e-3, 0.1, 3e-3
MISS = 1e-4  # of the character's size: a pose of channels that is nearer counts as equal
MOST_ITERATIONS = 12
Joints = tuple[int, int, int]


class LimbHandles:
    """An end and a pole for each limb of a figure, and one for its torso where something can move it."""

    def __init__(self, figure: Figure, skeleton: _core.Skeleton, limbs: Sequence[LimbJoints]) -> None:
        self._figure, self._skeleton, self._found = figure, skeleton, list(limbs)
        self._limbs = [ik.Limb(skeleton, limb.joints, hinge=limb.hinge) for limb in self._found]
        rest = np.asarray(skeleton.rest_globals, np.float64)[:, :, 3]
        self._size = float(np.linalg.norm(np.ptp(figure.rest_vertices, axis=0))) or 1.0
        self._standing = _standing(rest, [limb.joints for limb in limbs], figure)
        self._torso = _torso_joint(figure, skeleton, [limb.joints[0] for limb in limbs])
        self._channels: ChannelFit | None = None

    def handles(self, state: State) -> list[Handle]:
        pose = self._figure.pose(state)
        places = np.asarray(self._skeleton.globals(pose[None])[0], np.float64)[:, :, 3]
        found = []
        for limb, solver in zip(self._found, self._limbs, strict=True):
            upper, elbow, end = places[list(limb.joints)]
            controls = solver.match_ik(pose[None], threads=1)
            aside = controls.poles[0] - 0.5 * (upper + end)
            length = np.linalg.norm(elbow - upper) + np.linalg.norm(end - elbow)
            pole = elbow + POLE_DISTANCE * length * aside / (np.linalg.norm(aside) or 1.0)
            found.append(Handle(limb.name, "end", end, limb.side))
            found.append(Handle(f"{limb.name}, pole", "pole", pole, limb.side, elbow))
        if self._torso is not None:
            hips = [places[self._found[k].joints[0]] for k in self._standing]
            found.append(Handle("torso", "torso", np.mean(hips, axis=0) if hips else places[self._torso]))
        return found

    def moved(self, number: int, begin: State, target: Vector, firm: bool) -> State:
        pose = self._figure.pose(begin)
        if number == 2 * len(self._limbs):
            return self._with_torso(begin, pose, target, firm)
        index, is_pole = divmod(number, 2)
        limb = self._limbs[index]
        if is_pole:
            end = limb.match_ik(pose[None], threads=1).targets[0]
            made = limb.solve(pose, end, poles=target, threads=1).poses[0]
        else:
            made = limb.solve(pose, target, threads=1).poses[0]
        return self._allowed(begin, made, [index], np.zeros(3), bool(is_pole))

    def _with_torso(self, begin: State, pose: Row, target: Vector, firm: bool) -> State:
        at = self.handles(begin)[-1].at
        pinned = list(range(len(self._limbs))) if firm else self._standing
        limbs = [self._limbs[k] for k in pinned]
        assert self._torso is not None
        made = ik.move_torso(self._skeleton, pose, self._torso, pinned=limbs, translation=target - at)[0]
        return self._allowed(begin, made, pinned, target - at, False)

    def _allowed(self, begin: State, pose: Row, moved: Sequence[int], shift: Vector, elbow_pulled: bool) -> State:
        """The state of a pose, inside the ranges of the channels where the figure has any."""
        if self._channels is None:
            self._channels = ChannelFit(self._figure.drag_model()[0], self._skeleton)
        offset = self._figure.offset(begin)
        if self._figure.moves_whole:
            offset = offset + shift
        in_place = self._figure.without_offset(pose, offset)
        joints = [self._found[k].joints for k in moved]
        weight = PULLED_ELBOW_WEIGHT if elbow_pulled else ELBOW_WEIGHT
        before = self._figure.without_offset(self._figure.pose(begin), self._figure.offset(begin))
        in_place, channels = self._channels.nearest(in_place, before, joints, weight, MISS * self._size)
        return self._figure.state_of(begin, in_place, channels, offset)


def _moved_joints(model: _core.Deformer) -> list[set[str]]:
    """The joints that each channel of a model turns: its own, or all that a control reaches."""
    channels = model.channels
    found = [{channel.joint} if channel.joint else set[str]() for channel in channels]
    controls = [channel for channel in channels if channel.kind in ("control", "dial")]
    if not controls or not all(channel.follows_kinematics for channel in channels):
        return found
    poses = poses_of_each(model, controls)[:, : 12 * len(model.joint_names)]
    moved = (poses[1:] != poses[:1]).reshape(len(controls), -1, 12).any(axis=2)
    for channel, row in zip(controls, moved, strict=True):
        found[channel.index] = {model.joint_names[joint] for joint in np.flatnonzero(row)}
    return found


class ChannelFit:
    """Poses of joints by the channels of a model, inside their ranges."""

    def __init__(self, model: _core.Deformer, skeleton: _core.Skeleton) -> None:
        self._model, self._skeleton = model, skeleton
        origins = np.ascontiguousarray(skeleton.rest_globals[:, :, 3])
        weights = np.arange(len(origins), dtype=np.int32)[:, None], np.ones((len(origins), 1), np.float32)
        entry = model.metadata.get("channels")
        joints = _core.LinearBlendSkinning(  # vertex j is the origin of joint j
            skeleton,
            origins,
            np.zeros((0, 3), np.int32),
            weights,
            dials=model.control_names[12 * skeleton.num_joints :],
            metadata={} if entry is None else {"channels": entry},
        )
        self._solver = ik.Solver(joints)
        self._moved = _moved_joints(model)

    def nearest(
        self, pose: Row, before: Row, limbs: Sequence[Joints], elbow_weight: float, tolerance: float
    ) -> tuple[Row, NDArray[np.float64] | None]:
        """The pose of channels in which limbs end where they end in ``pose``, and these channels (1, N).

        Parameters
        ----------
        pose, before : (C,) float32 array
            What is wanted, and a pose from which all other channels are taken.
        limbs : sequence of (upper, lower, end)
        elbow_weight : float
        tolerance : float
            A miss of the ends that needs no solve.

        Returns
        -------
        (C,) float32 array, (1, N) float64 array or None
            Without channels that decide the pose: the pose as it is, and None.
        """
        if not self._solver.engine.are_channels:
            return pose, None
        low, high = self._solver.bounds.T
        start = np.clip(self._model.channels_from_poses(pose[None])[0], low, high).astype(np.float64)
        made = self._solver.engine.poses(start, np.zeros((1, len(pose)), np.float32))
        wanted = np.asarray(self._skeleton.globals(pose[None])[0], np.float64)
        places = self._skeleton.globals(made)[0, :, :, 3]
        ends = [joints[2] for joints in limbs]
        if not limbs or np.linalg.norm(places[ends] - wanted[ends, :, 3], axis=1).max() <= tolerance:
            return made[0], start
        return self._solved(start, before, wanted, limbs, elbow_weight)

    def _solved(
        self, start: NDArray[np.float64], before: Row, wanted: Vector, limbs: Sequence[Joints], elbow_weight: float
    ) -> tuple[Row, NDArray[np.float64]]:
        targets: list[Any] = []
        for _, lower, end in limbs:
            targets.append(ik.Point(lower, wanted[lower, :, 3], weight=elbow_weight))
            targets.append(ik.Point(end, wanted[end, :, 3]))
            targets.append(ik.Orientation(end, _rotation(wanted[end, :, :3]), weight=ORIENTATION_WEIGHT))
        names = {name for joints in limbs for name in self._names_between(joints)}
        free = np.array([not names.isdisjoint(joints) for joints in self._moved])
        low, high = self._solver.bounds.T
        old = np.clip(self._model.channels_from_poses(before[None])[0], low, high)[0].astype(np.float64)
        found = []
        for first in (start[0], np.where(free, old, start[0])):  # the angles of a clamped pose may lead astray
            bounds = np.where(free[:, None], self._solver.bounds, first[:, None])
            found.append(
                self._solver.solve(targets, first, bounds, max_iterations=MOST_ITERATIONS, preference=1e-4, threads=1)
            )
        best = min(found, key=lambda solution: float(solution.objective[0]))
        return best.poses[0], best.unknowns

    def _names_between(self, joints: Joints) -> list[str]:
        """Names from the upper joint down to the end."""
        upper, _, joint = joints
        found = [joint]
        while joint != upper:
            joint = int(self._skeleton.parents[joint])
            found.append(joint)
        return [self._skeleton.names[j] for j in found]


def limb_handles(figure: Figure) -> LimbHandles | None:
    """The handles of a figure with limbs; None if it has none."""
    skeleton = figure.skeleton
    limbs = [] if skeleton is None else find_limbs(skeleton, figure.up_axis)
    return LimbHandles(figure, skeleton, limbs) if skeleton is not None and limbs else None


def _rotation(matrix: Vector) -> Vector:
    left, _, right = np.linalg.svd(matrix)
    return np.asarray(left @ right)


def _standing(rest: Vector, limbs: Sequence[Joints], figure: Figure) -> list[int]:
    """Numbers of the limbs that end near the ground."""
    up = 2 if figure.up_axis == "Z" else 1
    low, high = figure.rest_vertices[:, up].min(), figure.rest_vertices[:, up].max()
    return [k for k, joints in enumerate(limbs) if rest[joints[2], up] < low + STANDING * (high - low)]


def _torso_joint(figure: Figure, skeleton: _core.Skeleton, uppers: Sequence[int]) -> int | None:
    """The joint by which the whole body is moved: one above all limbs that something translates."""
    common = set.intersection(*({upper, *_above(skeleton, upper)} for upper in uppers))
    if figure.moves_whole:
        return min(common, default=None)
    return next((joint for joint in sorted(common) if skeleton.names[joint] in figure.translated_joints), None)


def _above(skeleton: _core.Skeleton, joint: int) -> list[int]:
    found = []
    while (joint := int(skeleton.parents[joint])) >= 0:
        found.append(joint)
    return found
