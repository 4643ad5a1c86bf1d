"""The joints of the demo character that move, their axes, and their ranges.

Every moving bone has Y along the bone and Z in the anatomical direction that makes a positive ``rotation_x`` its main
movement (flexion, elevation, opening); ``rotation_z`` is the sideways movement (abduction of the left side is positive,
the right side is its mirror image) and ``rotation_y`` the twist. The order is YZX: twist first, then sideways, then
flexion. Angles are degrees from the bind pose, which stands in an A with elbows bent by 47 degrees. Ranges follow the
usual clinical ranges of motion, shared out among the bones of a chain and kept inside what skinning can show.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.mpfb.skeleton import Bone

FRONT = np.array([0.0, -1.0, 0.0])
BACK = -FRONT
UP = np.array([0.0, 0.0, 1.0])
ORDER = "YZX"

Range: TypeAlias = tuple[float, float]
FIXED: Range = (0.0, 0.0)


@dataclass(frozen=True)
class Joint:
    """Range of motion of one bone about its x, y and z axes, degrees."""

    x: Range
    y: Range = FIXED
    z: Range = FIXED

    def mirrored(self) -> Joint:
        """The same joint of the other side: bends alike, twists and moves sideways the other way."""
        return Joint(self.x, (-self.y[1] + 0.0, -self.y[0] + 0.0), (-self.z[1] + 0.0, -self.z[0] + 0.0))


CENTER = {
    "spine04": Joint(x=(-12, 25), y=(-12, 12), z=(-14, 14)),
    "spine03": Joint(x=(-10, 20), y=(-12, 12), z=(-12, 12)),
    "spine02": Joint(x=(-8, 15), y=(-14, 14), z=(-10, 10)),
    "neck01": Joint(x=(-20, 25), y=(-30, 30), z=(-18, 18)),
    "head": Joint(x=(-20, 20), y=(-30, 30), z=(-12, 12)),
    "jaw": Joint(x=(0, 15)),
}
LEFT = {
    "clavicle": Joint(x=(-12, 20), z=(-8, 25)),
    "upperarm01": Joint(x=(-40, 100), y=(-30, 30), z=(-35, 85)),
    "upperarm02": Joint(x=FIXED, y=(-40, 40)),
    "lowerarm01": Joint(x=(-42, 95)),
    "lowerarm02": Joint(x=FIXED, y=(-60, 60)),
    "wrist": Joint(x=(-55, 60), z=(-20, 25)),
    "upperleg01": Joint(x=(-25, 95), y=(-35, 30), z=(-20, 40)),
    "lowerleg01": Joint(x=(-4, 135)),
    "foot": Joint(x=(-40, 22), y=(-25, 15)),
    "toe1-1": Joint(x=(-25, 50)),
}
# Bones that copy the flexion of another one, through drivers.
FOLLOWERS = {f"toe{toe}-1.{side}": f"toe1-1.{side}" for side in "LR" for toe in (2, 3, 4, 5)}


def joints() -> dict[str, Joint]:
    """All moving bones by name."""
    left = {f"{name}.L": joint for name, joint in LEFT.items()}
    right = {f"{name}.R": joint.mirrored() for name, joint in LEFT.items()}
    return {**CENTER, **left, **right}


def z_axes(bones: list[Bone]) -> dict[str, NDArray[np.float64]]:
    """The anatomical direction that the Z axis of each moving bone is turned to."""
    known = {bone.name: bone for bone in bones}
    axes = dict.fromkeys(("spine04", "spine03", "spine02", "neck01", "head"), FRONT)
    axes["jaw"] = BACK
    for side in "LR":
        for name in ("clavicle", "upperarm01", "upperarm02", "upperleg01"):
            axes[f"{name}.{side}"] = FRONT
        for name in ("lowerarm01", "lowerarm02"):
            axes[f"{name}.{side}"] = _elbow_forward(known, side)
        axes[f"lowerleg01.{side}"] = BACK
        axes[f"wrist.{side}"] = _palm(known, side)
        for name in ("foot", "toe1-1", "toe2-1", "toe3-1", "toe4-1", "toe5-1"):
            axes[f"{name}.{side}"] = UP
    return axes


def unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """The vector at length 1."""
    return np.asarray(vector / np.linalg.norm(vector), np.float64)


def _elbow_forward(bones: dict[str, Bone], side: str) -> NDArray[np.float64]:
    """Direction in which the forearm moves when the elbow bends further, from the bend of the bind pose."""
    shoulder, elbow, hand = (bones[f"{n}.{side}"].head for n in ("upperarm01", "lowerarm01", "wrist"))
    hinge = np.cross(elbow - shoulder, hand - elbow)
    return unit(np.cross(hinge, hand - elbow))


def _palm(bones: dict[str, Bone], side: str) -> NDArray[np.float64]:
    """Direction the palm faces: normal of the knuckles' plane, on the side the fingers bend to."""
    wrist, index, little = (bones[f"{n}.{side}"].head for n in ("wrist", "finger2-1", "finger5-1"))
    normal = unit(np.cross(index - wrist, little - wrist))
    finger = bones[f"finger3-1.{side}"], bones[f"finger3-3.{side}"]
    bend = unit(finger[1].tail - finger[1].head) - unit(finger[0].tail - finger[0].head)
    return np.asarray(normal * np.sign(normal @ bend), np.float64)
