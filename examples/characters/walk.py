"""The demo character's walk: the CC0 walk cycle of the assets, solved for the character's channels.

The cycle was keyed on MPFB's inverse-kinematics helpers, which are no part of the character: targets for ankles and
hands in space, poles for knees and elbows, and rotations of root, spine, neck, head and toes. Rotations are converted
to the character's own axes. The limbs are found by least squares within the joint limits, all frames at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from examples.characters.assets import WALKER, asset_folder, load_body, load_walk
from examples.characters.kinematics import (
    channel_rotation,
    euler_xyz,
    euler_yzx,
    pchip,
    rotation_vector,
    solve_bounded,
)
from rigcast._formats.mpfb.skeleton import Bone, bone_matrix
from rigcast._validate import bad_argument

if TYPE_CHECKING:
    from rigcast.sources import Rig

Array = NDArray[np.float64]
ACTION = "walk"  # in the character's .blend
FRAMES = 40  # of the loop, as it was keyed
FPS = 24.0
SPINE = ("spine04", "spine03", "spine02", "neck01", "head")
ORIENTATION = 0.05  # meters of position error that weigh like one radian of orientation error
POLE = 0.05  # weight of a pole's distance beside that of a target
BENT = 30.0  # degrees of flexion to start from: a stretched limb does not know which way to bend
BREATHS = 1  # constructed: the assets' cycle does not breathe


@dataclass(frozen=True)
class Walk:
    """One loop of the walk.

    Attributes
    ----------
    channels : (T, N) float64 array, within the rig's ranges
    ankle_error, wrist_error : (T, 2) float64 arrays
        Distance in meters that is left to the targets, left and right.
    clipped : float
        Largest amount, in degrees, that a directly converted rotation was cut to stay within its range.
    """

    channels: Array
    ankle_error: Array
    wrist_error: Array
    clipped: float


def walk_channels(rig: Rig, frames: int = FRAMES) -> NDArray[np.float64]:
    """Make one loop of the demo character's walk; the frame after the last is the first again.

    Parameters
    ----------
    rig : Rig
        The character of :func:`~examples.characters.build_character`.
    frames : int
        Frames of the loop; it was keyed as 40.

    Returns
    -------
    (T, N) float64 array
        Channels, inside the rig's ranges.

    Raises
    ------
    ValueError
        If the rig is another one, or ``frames`` is below 2.
    rigcast._extras.MissingExtra
        If the assets are not installed.
    """
    return walk(rig, frames).channels


def walk(rig: Rig, frames: int = FRAMES) -> Walk:
    """Solve the walk cycle for the demo character.

    Parameters
    ----------
    rig : Rig
        The character of :func:`~examples.characters.build_character`.
    frames : int
        Frames of the loop; it was keyed as 40.

    Raises
    ------
    ValueError
        If the rig is another one, or ``frames`` is below 2.
    """
    if frames < 2:
        raise bad_argument("walk", "frames", frames, "at least 2")
    if rig.skeleton is None or "upperleg01.L.rotation_x" not in rig.channel_names:
        raise bad_argument("walk", "rig", "a rig without the demo character's joints", "the demo character")
    folder = asset_folder()
    return _Solver(rig, load_body(folder, WALKER).bones, load_walk(folder), frames).solve()


class _Solver:
    def __init__(self, rig: Rig, bones: list[Bone], cycle: dict[str, Any], frames: int) -> None:
        self.rig = rig
        self.frames = frames + 1  # with the end, which must meet the start
        self.bones = {bone.name: bone for bone in bones}
        self.keys = cycle["animation_data"]
        self.last = max(int(frame) for frame in self.keys["root"])
        self.times = np.linspace(0.0, self.last, self.frames)
        skeleton = rig.skeleton
        assert skeleton is not None
        self.joint = {name: index for index, name in enumerate(skeleton.names)}
        self.rest = np.asarray(skeleton.rest, np.float64)
        self.parents = np.asarray(skeleton.parents)
        self.rest_globals = np.asarray(skeleton.rest_globals, np.float64)
        self.column = {name: index for index, name in enumerate(rig.channel_names)}
        self.channels = np.tile(
            np.clip(np.zeros(len(self.column)), *np.asarray(rig.channel_ranges).T), (self.frames, 1)
        )
        self.clipped = 0.0

    def solve(self) -> Walk:
        for name in (*SPINE, "clavicle.L", "clavicle.R", "toe1-1.L", "toe1-1.R"):
            self._convert(name)
        if "shape.constructed.breath" in self.column:
            phase = 2 * np.pi * BREATHS * self.times / self.last
            self.channels[:, self.column["shape.constructed.breath"]] = 0.5 - 0.5 * np.cos(phase)
        ankles = [self._leg(side) for side in "LR"]
        wrists = [self._arm(side) for side in "LR"]
        return Walk(self.channels[:-1], np.stack(ankles, axis=1)[:-1], np.stack(wrists, axis=1)[:-1], self.clipped)

    # The cycle's own curves and frames.

    def _curve(self, bone: str, attribute: str) -> Array:
        """Values (T, 3) of a keyed attribute at the loop's frames; a missing last key is the first again."""
        keys = {int(k): v[attribute]["values"] for k, v in self.keys[bone].items() if attribute in v}
        keys.setdefault(self.last, keys[0])
        values = np.array([keys[time] for time in sorted(keys)], np.float64)
        return pchip(np.array(sorted(keys), np.float64), values, self.times)

    def _helper(self, name: str, rest: Array) -> Array:
        """Transforms (T, 4, 4), in the walker's space, of a keyed bone with this rest matrix (4, 4)."""
        local = np.tile(np.eye(4), (self.frames, 1, 1))
        local[:, :3, :3] = euler_xyz(self._curve(name, "rotation_euler"))
        local[:, :3, 3] = self._curve(name, "location")
        return np.asarray(rest @ local)

    def _rest_of(self, name: str) -> Array:
        """The walker's rest matrix (4, 4) of a bone, with MPFB's roll."""
        bone = self.bones[name]
        return bone_matrix(bone.head, bone.tail, bone.roll)

    def _unmoved(self) -> Array:
        """(T, 4, 4): undoes the motion of the root, which rests in our character."""
        rest = self._rest_of("root")
        return np.asarray(rest @ np.linalg.inv(self._helper("root", rest)))

    def _closed(self, transforms: Array) -> Array:
        """The same with the last place moved onto the first, and the others by their share.

        The walker travels along bone axes, which the walker's exact shape would make parallel to the ground; ours is
        close to it, and the helpers would drift off by a few centimeters a loop.
        """
        result = np.array(transforms)
        drift = transforms[-1, :3, 3] - transforms[0, :3, 3]
        result[:, :3, 3] -= drift * (self.times / self.last)[:, None]
        return result

    def _carried_over(self, transforms: Array, first: str, last: str) -> Array:
        """The walker's places as ours: about the first joint, scaled by the limb's length (first to last joint)."""
        theirs = self.bones[first].head, self.bones[last].head
        ours = self.rest_globals[[self.joint[first], self.joint[last]], :, 3]
        scale = np.linalg.norm(ours[1] - ours[0]) / np.linalg.norm(theirs[1] - theirs[0])
        result = np.array(transforms)
        result[:, :3, 3] = ours[0] + scale * (transforms[:, :3, 3] - theirs[0])
        return result

    # Rotations that are taken over as they are.

    def _convert(self, name: str) -> None:
        """Turn a keyed rotation about MPFB's axes into our channels; what leaves the range is cut and remembered."""
        if name not in self.keys:
            return
        theirs, ours = self._rest_of(name)[:3, :3], self.rest_globals[self.joint[name], :, :3]
        change = ours.T @ theirs
        angles = np.degrees(euler_yzx(change @ euler_xyz(self._curve(name, "rotation_euler")) @ change.T))
        for axis, letter in enumerate("xyz"):
            column = self.column.get(f"{name}.rotation_{letter}")
            if column is not None:
                low, high = self.rig.channel_ranges[column]
                cut = np.clip(angles[:, axis], low, high)
                self.clipped = max(self.clipped, float(np.abs(cut - angles[:, axis]).max()))
                self.channels[:, column] = cut

    # Limbs.

    def _leg(self, side: str) -> Array:
        moving = self._targets(side, "upperleg02", "knee", "foot", "foot")
        helpers = [self._closed(self._unmoved() @ item) for item in moving]
        return self._reach(["upperleg01", "lowerleg01", "foot"], side, *helpers)

    def _arm(self, side: str) -> Array:
        """The helpers of an arm follow the root, which rests."""
        helpers = self._targets(side, "upperarm02", "elbow", "wrist", "hand")
        return self._reach(["upperarm01", "upperarm02", "lowerarm01", "lowerarm02", "wrist"], side, *helpers)

    def _targets(self, side: str, upper: str, pole: str, end: str, target: str) -> tuple[Array, Array]:
        """The walker's target and pole of a limb, (T, 4, 4) each; a pole's bone goes on from the upper limb's."""
        long = "left" if side == "L" else "right"
        bone = self.bones[f"{upper}.{side}"]
        rest = bone_matrix(bone.tail, 2 * bone.tail - bone.head, 0.0)
        return (
            self._helper(f"{long}_{target}_ik", self._rest_of(f"{end}.{side}")),
            self._helper(f"{long}_{pole}_ik", rest),
        )

    def _reach(self, bones: list[str], side: str, target: Array, pole: Array) -> Array:
        """Find a limb's channels; gives the distance (T,) left between its end and the target."""
        joints = [f"{name}.{side}" for name in bones]
        first, end = joints[0], joints[-1]
        middle = next(name for name in joints if name.startswith("lower"))
        columns = [c for name, c in self.column.items() if name.rsplit(".", 1)[0] in joints]
        theirs, ours = self._rest_of(end)[:3, :3], self.rest_globals[self.joint[end], :, :3]
        wanted = target[:, :3, :3] @ theirs.T @ ours
        target, pole = self._carried_over(target, first, end), self._carried_over(pole, first, end)
        place = self._chain(end)
        bend = self._chain(middle)
        ranges = np.asarray(self.rig.channel_ranges, np.float64)[columns]
        scale = np.ptp(ranges, axis=1)

        def residual(values: Array) -> Array:
            self.channels[:, columns] = values
            hand, hinge = place(), bend()
            turn = rotation_vector(np.swapaxes(wanted, 1, 2) @ hand[:, :3, :3])
            distance = hand[:, :3, 3] - target[:, :3, 3]
            away = hinge[:, :3, 3] - pole[:, :3, 3]
            lazy = 0.003 * values / scale
            return np.concatenate([distance, ORIENTATION * turn, POLE * away, lazy], axis=1)

        start = np.where([".rotation_x" in self.rig.channel_names[c] for c in columns], BENT, 0.0)
        start = np.tile(start, (self.frames, 1))
        self.channels[:, columns] = solve_bounded(residual, start, ranges)
        return np.asarray(np.linalg.norm(place()[:, :3, 3] - target[:, :3, 3], axis=1))

    def _chain(self, name: str) -> Callable[[], Array]:
        """World transforms (T, 4, 4) of a joint for the channels as they are."""
        path = [self.joint[name]]
        while self.parents[path[0]] >= 0:
            path.insert(0, int(self.parents[path[0]]))
        names = {index: joint for joint, index in self.joint.items()}

        def transforms() -> Array:
            world = np.tile(np.eye(4), (self.frames, 1, 1))
            for index in path:
                local = np.eye(4)
                local[:3] = self.rest[index]
                world = world @ local
                world[:, :3, :3] = world[:, :3, :3] @ channel_rotation(self.channels, self.column, names[index])
            return world

        return transforms
