"""World rotations that a target's joints must reach, and the path of its root."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rigcast._rigs.motions.motion import Motion
from rigcast._rigs.rotations import Float64, nearest_rotation, rotation_between
from rigcast.sources._joint_maps import joint_roles
from rigcast.sources._retargeting.target import Target, ancestors_of

EXPLAINS = (
    0.25  # of the residual of a turn by quarters, the most that may remain: else two bodies of other shapes differ
)
SAME = 2.0  # degrees: figures that rest turned by less against each other stand in the same axes
FLOATS = 0.25  # of a leg: a clip whose lowest joint stays so far from height 0 has another floor


def scene_turn(
    source: Float64,
    target: Float64,
    up: Float64,
    sides: Sequence[tuple[int, int]] = (),
    upright: Float64 | None = None,
) -> Float64:
    """The turn between two scenes' axes that fits rest positions (n, 3) best.

    It brings one of the source's six axes upright, or ``upright`` if that is known, and turns by any angle about the
    vertical ``up``: that between the lines from right to left of both figures where ``sides`` names such pairs of
    positions, since depths of two bodies differ, else that of the best fit, if it explains most of the residual of the
    nearest axes. Axes of a scene are kept where no other turn fits better, and an angle within ``SAME`` degrees of
    theirs is none.
    """
    covariance = (target - target.mean(axis=0)).T @ (source - source.mean(axis=0))
    margin = 1e-9 * float(np.abs(covariance).sum())
    best, score = np.eye(3), -np.inf
    for axis in (up, *np.eye(3), *-np.eye(3)) if upright is None else (upright,):  # the same axis first
        stood = rotation_between(axis, up)
        angle = _angle_about(stood @ covariance.T, up)
        for turned in (_about(up, angle) @ stood, *_axes_near(_about(up, angle) @ stood)):
            fit = float((turned * covariance).sum())
            if fit > score + margin:
                best, score = turned, fit
    across = [sum((p[left] - p[right] for left, right in sides), np.zeros(3)) for p in (source @ best.T, target)]
    a, b = (line - (line @ up) * up for line in across)
    if np.linalg.norm(a) > 0 and np.linalg.norm(b) > 0:
        best = _about(up, float(np.arctan2(np.cross(a, b) @ up, a @ b))) @ best
        score = np.inf
    limit = float(np.linalg.norm(source - source.mean(axis=0)) * np.linalg.norm(target - target.mean(axis=0)))
    for turned in _axes_near(best):
        left = limit - float((turned * covariance).sum())
        if degrees(turned.T @ best) < SAME or limit - score > EXPLAINS * left:
            return turned
    return best


def tilt_left(source: Float64, target: Float64, turn: Float64) -> float:
    """Degrees by which a trunk at rest (n, 3) leans against the rig's after the turn between their scenes.

    0 if a turn of the whole trunk does not explain most of what is left: then the two have other shapes.
    """
    a, b = source - source.mean(axis=0), target - target.mean(axis=0)
    limit = float(np.linalg.norm(a) * np.linalg.norm(b))
    whole = nearest_rotation(b.T @ a)
    left, best = (limit - float(np.trace(by @ a.T @ b)) for by in (turn, whole))
    return degrees(turn.T @ whole) if best < EXPLAINS * left else 0.0


def _angle_about(moved: Float64, up: Float64) -> float:
    """The angle about ``up`` by which the source of ``moved = sum source target^T`` fits the target best."""
    across = np.array([moved[1, 2] - moved[2, 1], moved[2, 0] - moved[0, 2], moved[0, 1] - moved[1, 0]])
    return float(np.arctan2(across @ up, np.trace(moved) - up @ moved @ up))


def _about(axis: Float64, angle: float) -> Float64:
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * skew + (1.0 - np.cos(angle)) * skew @ skew)


def _axes_near(turn: Float64) -> list[Float64]:
    """The exchange of axes nearest to a turn, if there is one."""
    near = np.zeros((3, 3))
    places = np.abs(turn).argmax(axis=1)
    near[np.arange(3), places] = np.sign(turn[np.arange(3), places])
    return [near] if len(set(places.tolist())) == 3 and np.linalg.det(near) > 0 else []


def degrees(rotation: Float64) -> float:
    """The angle of a rotation (3, 3)."""
    return float(np.degrees(np.arccos(np.clip((np.trace(rotation) - 1.0) / 2.0, -1.0, 1.0))))


def rest_offsets(
    motion: Motion, rest: Float64, target: Target, pairs: dict[int, int], limbs: set[str], turn: Float64
) -> dict[int, Float64]:
    """``O`` of every mapped source joint."""
    above = ancestors_of(motion.parents, pairs)
    offsets: dict[int, Float64] = {}
    for joint, goal in pairs.items():
        offsets[joint] = offsets[above[joint]] if above[joint] >= 0 else np.eye(3)
        below = [child for child, parent in above.items() if parent == joint]
        if motion.joint_names[joint] in limbs and len(below) >= 1:
            towards = np.mean([rest[child, :, 3] for child in below], axis=0) - rest[joint, :, 3]
            mine = np.mean([target.world[pairs[child], :, 3] for child in below], axis=0) - target.world[goal, :, 3]
            if np.linalg.norm(towards) > 0 and np.linalg.norm(mine) > 0:
                offsets[joint] = rotation_between(mine, turn @ towards)
    return offsets


def turns_of(
    world: Float64, rest: Float64, pairs: dict[int, int], offsets: dict[int, Float64], turn: Float64
) -> dict[int, Float64]:
    """The turn (T, 3, 3) away from rest that every mapped target joint must make in the world."""
    result = {}
    for source, goal in pairs.items():
        delta = nearest_rotation(world[:, source, :, :3]) @ nearest_rotation(rest[source, :, :3]).T
        result[goal] = turn @ delta @ turn.T @ offsets[source]
    return result


def goals_of(turns: dict[int, Float64], target: Target) -> Float64:
    """World rotations (T, B, 3, 3) of all target joints; those without a partner follow their parent."""
    frames = len(next(iter(turns.values())))
    goals = np.empty((frames, len(target.names), 3, 3))
    for joint, parent in enumerate(target.parents):
        if joint in turns:
            goals[:, joint] = turns[joint] @ target.rotation[joint]
        elif parent >= 0:
            goals[:, joint] = goals[:, parent] @ target.rotation[parent].T @ target.rotation[joint]
        else:
            goals[:, joint] = target.rotation[joint]
    return goals


def local_rotations(goals: Float64, target: Target) -> Float64:
    """Rotations after each joint's rest: ``rest_local^-1 parent_goal^-1 goal``."""
    local = np.empty_like(goals)
    for joint, parent in enumerate(target.parents):
        at_rest = target.rotation[joint]
        if parent >= 0:
            at_rest = goals[:, parent] @ target.rotation[parent].T @ at_rest
        local[:, joint] = np.swapaxes(at_rest, -1, -2) @ goals[:, joint]
    return local


def positions_of(goals: Float64, target: Target) -> Float64:
    """World positions (T, B, 3) of bones that turn as the goals say; roots rest."""
    places = np.empty((len(goals), len(target.names), 3))
    for joint, parent in enumerate(target.parents):
        places[:, joint] = target.world[joint, :, 3]
        if parent >= 0:
            bone = target.rotation[parent].T @ (target.world[joint, :, 3] - target.world[parent, :, 3])
            places[:, joint] = places[:, parent] + goals[:, parent] @ bone
    return places


class RootPath:
    """The way of a root: the middle of the two hips goes the source's way, scaled by the ratio of leg lengths.

    A rig's root control may lie at the waist, so the root itself does not. Without hips by name it does. The floor is
    at height 0, or at the lowest place that a mapped joint reaches if that is far from it.

    Attributes
    ----------
    legs : (float, float)
        Heights of the source's and the target's hips above their lowest mapped joint, at rest.
    """

    def __init__(
        self, motion: Motion, world: Float64, rest: Float64, target: Target, pairs: dict[int, int], turn: Float64
    ) -> None:
        root = next(iter(pairs))
        hips = _hips(motion, pairs) or [root]
        self._up = target.up
        rest, world = rest[..., 3] @ turn.T, world[..., 3] @ turn.T
        own = target.world[..., 3]
        own_hips = own[[pairs[hip] for hip in hips]].mean(axis=0)
        heights, own_heights = rest[list(pairs)] @ target.up, own[list(pairs.values())] @ target.up
        self.legs = (
            float(rest[hips].mean(axis=0) @ target.up - heights.min()),
            float(own_hips @ target.up - own_heights.min()),
        )
        self._path = world[:, hips].mean(axis=1)
        self._lowest = float((world[:, list(pairs)] @ target.up).min()) if len(world) else 0.0
        self._lever = own_hips - own[pairs[root]]

    def shift(self, turns: Float64) -> Float64:
        """The shift (T, 3) of the root in the world if it turns (T, 3, 3) away from rest so."""
        leg, own_leg = self.legs
        shift = self._path - self._path[0]
        floor = self._lowest if abs(self._lowest) > FLOATS * leg else 0.0
        shift += (self._path @ self._up - floor - leg - shift @ self._up)[:, None] * self._up
        return np.asarray(shift * own_leg / leg - (turns @ self._lever - self._lever))


def _hips(motion: Motion, pairs: dict[int, int]) -> list[int]:
    """The two mapped upper legs; none if not both are known by their names."""
    roles = joint_roles(motion.joint_names)
    found = [motion.joint_names.index(roles[role]) for role in ("upper_leg.L", "upper_leg.R") if role in roles]
    return found if len(found) == 2 and all(joint in pairs for joint in found) else []
