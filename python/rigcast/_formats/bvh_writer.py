"""A skeleton's motion as a Biovision hierarchy file (``.bvh``).

At rest all rotations are zero and offsets are in world axes. With ``G`` the world transform of a joint, ``W`` that at
rest and ``p`` its parent, a joint turns by ``H_p^-1 H`` with ``H = G W^-1``, the rotation away from rest in world axes.
Joints that move against their parent have position channels, as roots do.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_write
from rigcast._rigs.motions.motion import Motion
from rigcast._rigs.rotations import AXES, continuous_euler, inverse_linear, nearest_rotation

Float64 = NDArray[np.float64]
ORDER = "ZXY"  # of most motion capture
DECIMALS = 7  # of degrees, and of places in the decade of the skeleton's size if that is below 1
STILL = 1e-5  # of the skeleton's size: joints that move less against their parent have no position channels
SCALED = 1e-3  # of a joint's axes, from which a note says so
END = 0.5  # an end site lies so many offsets beyond the last joint of a chain
ROOT_END = 0.1  # of the skeleton's size, for a joint without offset


def write_bvh_motion(path: Path, motion: Motion, turn: Float64) -> list[str]:
    """Write ``motion`` turned by a rotation (3, 3), in its unit; gives what the format cannot hold."""
    rest, world = motion.rest_globals, motion.globals()
    away = nearest_rotation(world[..., :3] @ inverse_linear(rest[..., :3]))
    skeleton = _Skeleton(motion, turn, rest, world, away)
    lines = ["HIERARCHY", *skeleton.hierarchy()]
    values = np.concatenate([skeleton.columns(joint) for joint in skeleton.written], axis=1)
    lines += ["MOTION", f"Frames: {len(motion)}", f"Frame Time: {motion.frame_time:.9g}"]
    lines += [_numbers(row) for row in values + 0.0]  # no -0
    atomic_write(path, ("\n".join(lines) + "\n").encode())
    return skeleton.notes(world, rest, away)


class _Skeleton:
    """The joints as the file has them; ``written`` are they in its order."""

    def __init__(self, motion: Motion, turn: Float64, rest: Float64, world: Float64, away: Float64) -> None:
        self.given, self.parents = motion.joint_names, motion.parents
        self.names = _names(motion.joint_names)
        self.below: dict[int, list[int]] = {joint: [] for joint in range(-1, len(self.names))}
        for joint, parent in enumerate(self.parents):
            self.below[int(parent)].append(joint)
        self.size = float(np.linalg.norm(np.ptp(rest[:, :, 3], axis=0))) or 1.0
        self.offsets = np.empty((len(self.names), 3))
        self.positions = np.empty((len(world), len(self.names), 3))
        self.angles = np.empty((len(world), len(self.names), 3))
        for joint, parent in enumerate(self.parents):
            above = away[:, parent] if parent >= 0 else np.eye(3)
            origin = (rest[parent, :, 3], world[:, parent, :, 3]) if parent >= 0 else (0.0, 0.0)
            self.offsets[joint] = turn @ (rest[joint, :, 3] - origin[0])
            moved = np.swapaxes(above, -1, -2) @ (world[:, joint, :, 3] - origin[1])[..., None]
            self.positions[:, joint] = moved[..., 0] @ turn.T
            local = turn @ np.swapaxes(above, -1, -2) @ away[:, joint] @ turn.T
            self.angles[:, joint] = continuous_euler(local, ORDER)
        shift = np.abs(self.positions - self.offsets).max(axis=(0, 2))
        self.has_position = (shift > STILL * self.size) | (np.asarray(self.parents) < 0)
        self.written: list[int] = []

    def hierarchy(self) -> list[str]:
        """The blocks of all joints, parents before children; their columns stand in this order."""
        lines: list[str] = []
        waiting, depth = [(root, 0) for root in reversed(self.below[-1])], 0
        while waiting:
            joint, level = waiting.pop()
            lines += ["\t" * open_block + "}" for open_block in range(depth - 1, level - 1, -1)]
            lines += ["\t" * level + line for line in self._block(joint)]
            waiting += [(child, level + 1) for child in reversed(self.below[joint])]
            depth = level + 1
            self.written.append(joint)
        return lines + ["\t" * open_block + "}" for open_block in range(depth - 1, -1, -1)]

    def _block(self, joint: int) -> list[str]:
        """The opening of a joint's block, up to its children."""
        places = [f"{axis}position" for axis in AXES] if self.has_position[joint] else []
        channels = [*places, *(f"{axis}rotation" for axis in ORDER)]
        lines = [f"{'JOINT' if self.parents[joint] >= 0 else 'ROOT'} {self.names[joint]}", "{"]
        lines += [f"\tOFFSET {_numbers(self.offsets[joint])}", f"\tCHANNELS {len(channels)} {' '.join(channels)}"]
        if not self.below[joint]:
            lines += ["\tEnd Site", "\t{", f"\t\tOFFSET {_numbers(self._end(joint))}", "\t}"]
        return lines

    def columns(self, joint: int) -> Float64:
        """(T, 3 or 6) of a joint's channels."""
        decade = min(1.0, 10.0 ** np.floor(np.log10(self.size)))  # of skeletons in large units, as kilometers
        places = self.positions[:, joint, : 3 * int(self.has_position[joint])]
        rounded = np.round(places / decade, DECIMALS) * decade, np.round(self.angles[:, joint], DECIMALS)
        return np.concatenate(rounded, axis=1)

    def notes(self, world: Float64, rest: Float64, away: Float64) -> list[str]:
        """List what the file does not hold."""
        turned = away @ rest[..., :3]
        scaled = np.abs(world[..., :3] - turned).max(axis=(0, 2, 3)) > SCALED
        found = [self.given[joint] for joint in np.flatnonzero(scaled)]
        renamed = [old for old, new in zip(self.given, self.names, strict=True) if old != new]
        notes = [f"BVH has no scale: that of {_listed(found)} is left out"] if found else []
        return notes + ([f"{_listed(renamed)} had to be named otherwise"] if renamed else [])

    def _end(self, joint: int) -> Float64:
        offset = self.offsets[joint] if self.parents[joint] >= 0 else np.zeros(3)
        return (
            END * offset if np.linalg.norm(offset) > STILL * self.size else np.array([0.0, ROOT_END * self.size, 0.0])
        )


def _names(names: list[str]) -> list[str]:
    """Different names without braces, breaks and blanks at the ends, which would end a line of the file."""
    found: list[str] = []
    for name in names:
        plain = " ".join(name.replace("{", "(").replace("}", ")").split()) or "joint"
        number = 2
        unique = plain
        while unique in found:
            unique, number = f"{plain} ({number})", number + 1
        found.append(unique)
    return found


def _listed(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} others" if len(names) > 5 else "")


def _numbers(values: Float64) -> str:
    return " ".join(f"{value:.9g}" for value in values)
