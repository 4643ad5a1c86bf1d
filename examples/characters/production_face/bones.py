"""The bones of the face, what turns them, and the weights of the mesh.

All bones have the world's axes at rest: a positive rotation_x opens the jaw, closes an upper lid, lowers an eye.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from examples.characters.production_face.controls import BONE
from examples.characters.production_face.expressions import value
from examples.characters.production_face.regions import HINGE, JAW_ANGLE, MOUTH, Regions, smoothstep
from examples.characters.production_face.skinning import blended, bone_transforms, weight_of_angle

Array = NDArray[np.float64]
SIDES = ("Left", "Right")
TONGUE = (-0.074, -0.092, -0.107, -0.118)  # y of the tongue's joints
TONGUE_OUT = (-0.34, 0.06, 0.16, 0.30)  # radians: over the teeth and down
LIP_ROLL, LIP_OUT = 0.6, 0.75  # radians of a lip rolled in, and out
GAZE = {"Up": 0.44, "Down": 0.52, "In": 0.56, "Out": 0.56}  # radians
LID_FOLLOWS = {"Down": 0.50, "Up": 0.22}  # of a lid's whole way, at the ends of the gaze


@dataclass
class Bones:
    """Bones in order, parents first.

    Attributes
    ----------
    names, parents : lists of str ("" for the root)
    heads : (J, 3) array, meters
    drivers : dict of (bone, "rotation" or "location", axis) to expression, radians and meters
    weights : (V, J) array; rows add up to 1
    lids : dict of side to the angle in radians by which the upper and lower lid close
    """

    names: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    heads: list[Array] = field(default_factory=list)
    drivers: dict[tuple[str, str, int], str] = field(default_factory=dict)
    weights: Array = field(default_factory=lambda: np.zeros((0, 0)))
    lids: dict[str, tuple[float, float]] = field(default_factory=dict)

    def add(self, name: str, parent: str, head: Array, **drivers: str) -> None:
        """A bone; drivers are ``rotation_x="..."`` or ``location_y="..."``."""
        self.names.append(name)
        self.parents.append(parent)
        self.heads.append(np.asarray(head, np.float64))
        for channel, expression in drivers.items():
            kind, axis = channel.split("_")
            self.drivers[name, kind, "xyz".index(axis)] = expression

    def transforms(self, dials: Mapping[str, float]) -> tuple[Array, Array]:
        """Rotations (V, 3, 3) and translations (V, 3) of all vertices at values of the dials."""
        turned: dict[int, Array] = {}
        moved: dict[int, Array] = {}
        for (bone, kind, axis), expression in self.drivers.items():
            vectors = turned if kind == "rotation" else moved
            vectors.setdefault(self.names.index(bone), np.zeros(3))[axis] = value(expression, dials)
        index = [self.names.index(parent) if parent else -1 for parent in self.parents]
        return blended(self.weights, *bone_transforms(np.array(self.heads), index, turned, moved))


def make_bones(regions: Regions) -> Bones:
    """All bones with drivers and weights."""
    bones = Bones()
    bones.add("head", "", np.array([0.0, -0.02, 1.50]))
    bones.add(BONE, "head", np.array([0.0, -0.30, 1.585]))
    bones.add(
        "jaw",
        "head",
        HINGE,
        rotation_x=f"{JAW_ANGLE:.6f}*{{jawOpen}}",
        rotation_y="0.05*({jawRight}-{jawLeft})*{jawOpen}",
        rotation_z="0.07*({jawLeft}-{jawRight})",
        location_x="0.003*({jawLeft}-{jawRight})",
        location_y="0.005*{jawBack}-0.0075*{jawForward}-0.004*smoothstep(0.2,0.7,{jawOpen})*(1-smoothstep(0.7,1,{jawOpen}))",
        location_z="0.0012*{jawClenchLeft}*{jawClenchRight}",
    )
    _add_tongue(bones)
    for side in SIDES:
        _add_lips(bones, side)
        _add_eye(bones, side, regions)
    bones.weights = _weights(bones, regions)
    return bones


def _add_tongue(bones: Bones) -> None:
    parent = "jaw"
    for number, y in enumerate(TONGUE):
        share = number / (len(TONGUE) - 1)
        drivers = {
            "rotation_x": f"{0.34 - 0.18 * share:.3f}*{{tongueDown}}-{0.36 - 0.1 * share:.3f}*{{tongueUp}}"
            f"+{0.75 * share**2:.3f}*({{tongueCurlDown}}-{{tongueCurlUp}})"
            f"+{0.5 * (0.4 - share):.3f}*{{tongueArch}}+{TONGUE_OUT[number]:g}*{{tongueOut}}",
            "rotation_y": "0.3*({tongueTwistRight}-{tongueTwistLeft})",
            "rotation_z": f"{0.12 + 0.2 * share:.3f}*({{tongueLeft}}-{{tongueRight}})",
            "location_y": f"-{0.0075 + 0.0045 * share:.4f}*{{tongueOut}}*(1+0.2*{{jawOpen}})",
        }
        bones.add(f"tongue.{number + 1}", parent, np.array([0.0, y, 1.5495]), **drivers)
        parent = f"tongue.{number + 1}"


def _add_lips(bones: Bones, side: str) -> None:
    x = 0.009 if side == "Left" else -0.009
    for part, parent, z, sign in (("Upper", "head", 0.0045, 1), ("Lower", "jaw", -0.0045, -1)):
        inward = f"min({{mouthRoll{part}{side}}}+{{mouthRoll{part}}}+0.8*{{lipBite{part}}},1)"
        bones.add(
            f"lip.{part}.{side}",
            parent,
            MOUTH + np.array([x, 0.0055, z]),
            rotation_x=f"{sign * LIP_ROLL:g}*{inward}-{sign * LIP_OUT:g}*{{lipOut{part}{side}}}*(1-0.5*{inward})",
        )


def _add_eye(bones: Bones, side: str, regions: Regions) -> None:
    center, angle = regions.head.eyes[side], regions.lid_angle(side)
    upper, lower = float(np.percentile(angle[angle > 0.03], 97)), float(-np.percentile(angle[angle < -0.01], 3))
    bones.lids[side] = (upper, lower)
    outward = 1 if side == "Left" else -1
    bones.add(
        f"eye.{side}",
        "head",
        center,
        rotation_x=f"{GAZE['Down']:g}*{{eyeLookDown{side}}}-{GAZE['Up']:g}*{{eyeLookUp{side}}}",
        rotation_z=f"{outward * GAZE['Out']:g}*{{eyeLookOut{side}}}-{outward * GAZE['In']:g}*{{eyeLookIn{side}}}",
    )
    bones.add(f"lid.Upper.{side}", "head", center, rotation_x=f"{upper:.5f}*({upper_lid(side)})")
    bones.add(f"lid.Lower.{side}", "head", center, rotation_x=f"{-lower:.5f}*({lower_lid(side)})")


def upper_lid(side: str) -> str:
    """The closure of the upper lid: 0 at rest, 1 on the lower lid, negative wide open."""
    return (
        f"min({{eyeBlink{side}}}+0.7*{{upperLidDown{side}}}+0.08*{{eyeSquint{side}}}"
        f"+{{lidFollow{side}}}*({LID_FOLLOWS['Down']:g}*{{eyeLookDown{side}}}-{LID_FOLLOWS['Up']:g}*{{eyeLookUp{side}}}"
        f"*(1-{{eyeBlink{side}}})),1)-0.2*{{eyeWide{side}}}*(1-{{eyeBlink{side}}})"
    )


def lower_lid(side: str) -> str:
    """The rise of the lower lid: 0 at rest, 1 where a blink puts it."""
    return (
        f"{{eyeBlink{side}}}+(1-{{eyeBlink{side}}})*(0.8*{{lowerLidUp{side}}}-0.9*{{lowerLidDown{side}}}"
        f"-{{lidFollow{side}}}*(0.6*{{eyeLookDown{side}}}-0.4*{{eyeLookUp{side}}}))"
    )


def _weights(bones: Bones, regions: Regions) -> Array:
    """Weights (V, J): the jaw's and the lids' from how the assets' own shapes turn the skin about their hinges."""
    weights = np.zeros((len(regions.points), len(bones.names)))
    column = {name: k for k, name in enumerate(bones.names)}
    jaw = weight_of_angle(regions.jaw_angle, JAW_ANGLE)
    for side in SIDES:
        half = regions.side(side, 0.006)
        upper, lower = 0.85 * regions.upper_lip * half, 0.85 * regions.lower_lip * half
        weights[:, column[f"lip.Upper.{side}"]] = upper * (1 - jaw)
        weights[:, column[f"lip.Lower.{side}"]] = lower * jaw
        angle = regions.lid_angle(side)
        most_up, most_down = bones.lids[side]
        weights[:, column[f"lid.Upper.{side}"]] = weight_of_angle(angle, most_up)
        weights[:, column[f"lid.Lower.{side}"]] = weight_of_angle(-angle, most_down)
        weights[regions.head.part(f"eye{side}"), column[f"eye.{side}"]] = 1.0
    lips = sum(weights[:, column[f"lip.Lower.{side}"]] for side in SIDES)
    weights[:, column["jaw"]] = jaw - lips
    for part in ("teethLower", "gumLower"):
        weights[regions.head.part(part), column["jaw"]] = 1.0
    _tongue_weights(weights, column, regions)
    weights[weights < 1e-3] = 0.0
    weights[:, column["head"]] = np.maximum(1.0 - weights.sum(axis=1), 0.0)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _tongue_weights(weights: Array, column: dict[str, int], regions: Regions) -> None:
    tongue = regions.head.part("tongue")
    y = regions.points[tongue, 1]
    joints = [*TONGUE, -0.129]
    above = np.ones(len(tongue))  # the share that belongs to this joint or later ones
    for number in range(len(TONGUE)):
        name = "jaw" if number == 0 else f"tongue.{number}"
        middle, half = joints[number], 0.008
        later = smoothstep(-half, half, middle - y) if number else smoothstep(-0.008, 0.008, middle + 0.004 - y)
        weights[tongue, column[name]] = above * (1 - later)
        above = above * later
    weights[tongue, column[f"tongue.{len(TONGUE)}"]] = above
