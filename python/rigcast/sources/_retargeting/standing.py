"""Rest poses: whether one is a figure, and the turn that makes it stand as the rig rests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rigcast._rigs.motions.motion import Motion
from rigcast._rigs.rotations import Float64
from rigcast._validate import bad_argument
from rigcast.sources._joint_maps import joint_roles
from rigcast.sources._retargeting.goals import scene_turn
from rigcast.sources._retargeting.target import Target

FEWEST, MOST_FRAMES = 6, 60  # joints that tell a figure, frames that are looked at
UNLIKE = 0.75  # of people's rest poses, one is 0.9 like another and more, bones in a line 0.6 and less
ALONG = 0.5  # cosine between legs and trunk: -1 of a person, 0 of a quadruped, 1 of bones in a line
UNEVEN = 0.1  # of a figure's size: how far, as a root mean square, its left may be from the mirror image of its right


@dataclass(frozen=True)
class Stance:
    """Joints of known roles, by which figures of any kind can be compared. All numbers are places among mapped joints.

    Attributes
    ----------
    sides : list of pairs
        Left and right joints of one role.
    legs : list of pairs
        Upper legs and feet; empty if not both legs are known.
    arms : list of int
        Upper arms, or the upper joints of front legs; empty if not both are known.
    """

    sides: list[tuple[int, int]]
    legs: list[tuple[int, int]]
    arms: list[int]

    def down(self, places: Float64) -> Float64:
        """The mean direction (3,) in which the legs point, of places (n, 3)."""
        legs = np.array([places[foot] - places[hip] for hip, foot in self.legs])
        total = (legs / np.maximum(np.linalg.norm(legs, axis=1, keepdims=True), 1e-30)).sum(axis=0)
        return np.asarray(total / max(float(np.linalg.norm(total)), 1e-30))

    def is_figure(self, places: Float64) -> bool:
        """True if places (n, 3) are of a figure: legs do not point where the trunk does, and sides are mirror images.

        False as well if legs or arms are unknown.
        """
        if not self.legs or not self.arms:
            return False
        trunk = places[self.arms].mean(axis=0) - places[[hip for hip, _ in self.legs]].mean(axis=0)
        left, right = (places[list(side)] for side in zip(*self.sides, strict=True))
        across = (left - right).sum(axis=0)
        size = float(np.sqrt(np.square(places - places.mean(axis=0)).sum(axis=1).mean()))
        if not (np.linalg.norm(trunk) > 0.0 and np.linalg.norm(across) > 0.0):
            return False
        normal = across / np.linalg.norm(across)
        heights = (right - (left + right).mean(axis=0) / 2.0) @ normal
        apart = left - (right - 2.0 * heights[:, None] * normal)
        uneven = float(np.sqrt(np.square(apart).sum(axis=1).mean())) / size
        return bool(self.down(places) @ trunk < ALONG * np.linalg.norm(trunk) and uneven < UNEVEN)


def stance_of(motion: Motion, target: Target, pairs: dict[int, int]) -> Stance:
    """The roles of mapped joints, by the names of the motion, else by those of the rig."""
    sources, goals = [motion.joint_names[joint] for joint in pairs], [target.names[goal] for goal in pairs.values()]
    names = sources if any(role.endswith(".L") for role in joint_roles(sources)) else goals
    places = {role: names.index(name) for role, name in joint_roles(names).items()}

    def both(part: str) -> list[int]:
        found = [places[f"{part}.{side}"] for side in "LR" if f"{part}.{side}" in places]
        return found if len(found) == 2 else []

    sides = [(places[role], places[f"{role[:-2]}.R"]) for role in places
             if role.endswith(".L") and f"{role[:-2]}.R" in places]  # fmt: skip
    feet = both("foot") or both("lower_leg")
    return Stance(sides, list(zip(both("upper_leg"), feet, strict=False)), both("upper_arm"))


def rest_of(
    motion: Motion, world: Float64, target: Target, pairs: dict[int, int], stance: Stance, frame: int | None
) -> tuple[Float64, int]:
    """World transforms (S, 3, 4) of the source at rest, and the frame that stands for it, -1 for its own rest pose.

    Some captures turn every joint's x axis along its bone, so that at rest all bones lie in a line. If the places at
    rest are unlike the target's, the frame that is most like them is taken. Without one, the rest pose is if it is a
    figure of another kind, as a person's beside a wolf's.

    Parameters
    ----------
    frame : int, optional
        Stated: a frame, or -1 for the motion's own rest pose.

    Raises
    ------
    ValueError
        If the rest pose is no figure, and no frame stands like the target at rest.
    """
    goal = target.world[list(pairs.values()), :, 3]
    rest = motion.rest_globals
    if frame is not None:
        if not -1 <= frame < len(world):
            raise bad_argument("retarget", "rest_frame", repr(frame), f"a frame below {len(world)}, or -1")
        return (world[frame], frame) if frame >= 0 else (rest, -1)
    own = likeness_of(rest[list(pairs), :, 3], goal, target.up)
    if len(pairs) < FEWEST or own >= UNLIKE:
        return rest, -1
    frames = np.unique(np.linspace(0, len(world) - 1, MOST_FRAMES).round().astype(np.intp))[: len(world)]
    likenesses = {int(frame): likeness_of(world[frame, list(pairs), :3, 3], goal, target.up) for frame in frames}
    best = max(likenesses, key=lambda frame: likenesses[frame], default=-1)
    if best >= 0 and likenesses[best] >= max(UNLIKE, own):
        return world[best], best
    if stance.is_figure(rest[list(pairs), :, 3]):
        return rest, -1
    got = f"one whose rest pose is unlike the rig's ({own:.0%}), as are all of its frames"
    expected = "one with a frame that stands as the rig rests (--rest-frame N; -1 for the motion's own rest pose)"
    raise bad_argument("retarget", "motion", got, expected)


def likeness_of(source: Float64, target: Float64, up: Float64) -> float:
    """1 for places (n, 3) of the same shape, whatever their size and axes, 0 for places that have nothing in common."""
    a, b = source - source.mean(axis=0), target - target.mean(axis=0)
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(np.trace(scene_turn(source, target, up) @ a.T @ b)) / size if size > 0 else 0.0


def turn_at_rest(source: Float64, target: Float64, up: Float64, stance: Stance) -> tuple[Float64, bool]:
    """The turn between two scenes by rest positions (n, 3), and whether these are alike.

    Figures of different kinds, as a person and a wolf, fit best with the person on all fours, or upside down. They are
    not turned so: where the legs of both point is down.
    """
    turn = scene_turn(source, target, up, stance.sides)
    if likeness_of(source, target, up) >= UNLIKE or not (stance.is_figure(source) and stance.is_figure(target)):
        return turn, True
    down = stance.down(source)
    axis = int(np.abs(down).argmax())
    return scene_turn(source, target, up, stance.sides, upright=-np.sign(down[axis]) * np.eye(3)[axis]), False
