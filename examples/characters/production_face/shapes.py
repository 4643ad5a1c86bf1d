"""The dials' own shapes: those of the assets, split into sides and quarters, as shapes that act before skinning.

What the assets sculpted is the final position. A shape is what skinning, with the bones that the same dial turns,
takes there: a bone turns the lip or the lid along an arc, and the shape is what the arc misses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from examples.characters.production_face.bones import SIDES, Bones
from examples.characters.production_face.regions import Regions

Array = NDArray[np.float64]
BOTH = {"browInnerUp", "cheekPuff", "mouthPucker"}  # dials of both sides beside one dial per side
SMALLEST = 1e-5  # meters; smaller displacements are left out


@dataclass
class Shape:
    """A shape key: displacements before skinning, the expression of its value, and whether we constructed it."""

    name: str
    delta: Array
    expression: str
    constructed: bool = True


class Shapes:
    """The dials' own shapes of one head, by dial, and the words that combinations are made of."""

    def __init__(self, regions: Regions, bones: Bones) -> None:
        self.regions, self.bones = regions, bones
        self.rest = regions.points
        self.own: dict[str, Shape] = {}
        self._add_sculpted()

    def word(self, dial: str) -> str:
        """A dial's effect as an expression: one of a side adds to the one of both sides, up to 1."""
        for both in BOTH:
            if dial in (both + "Left", both + "Right"):
                return f"min({{{dial}}}+{{{both}}},1)"
        for quarter in ("Funnel", "RollUpper", "RollLower", "lipsToward"):
            if quarter in dial and dial.endswith(SIDES):
                both = {"Funnel": "mouthFunnel", "lipsToward": "mouthClose"}.get(quarter, f"mouth{quarter}")
                return f"min({{{dial}}}+{{{both}}},1)"
        return f"{{{dial}}}"

    def before_skinning(self, wanted: Array, dials: Mapping[str, float]) -> Array:
        """Displacements (V, 3) that skinning at values of the dials takes to ``wanted`` (V, 3)."""
        matrix, shift = self.bones.transforms(dials)
        return np.asarray(np.einsum("vji,vj->vi", matrix, wanted - shift) - self.rest)

    def add(self, dial: str, target: Array, expression: str = "", **others: float) -> None:
        """The shape that brings a dial at 1 to a displacement of the assets."""
        dials = {"lidFollowLeft": 1.0, "lidFollowRight": 1.0, dial: 1.0, **others}
        delta = self.before_skinning(self.rest + target, dials) * self.regions.skin[:, None]
        delta[np.linalg.norm(delta, axis=1) < SMALLEST] = 0.0
        self.own[dial] = Shape(dial, delta, expression or self.word(dial), constructed=False)

    def _add_sculpted(self) -> None:
        for name, delta in self.regions.head.shapes.items():
            if name in BOTH:
                for side in SIDES:
                    self.add(name + side, delta * self.regions.side(side)[:, None])
            elif name == "mouthFunnel":
                self._add_quarters(name, delta)
            elif name in ("mouthRollUpper", "mouthRollLower"):
                for side in SIDES:
                    self.add(name + side, delta * self.regions.side(side)[:, None])
                self.own[name] = self.together(f"{name}Left", f"{name}Right", delta)
            elif name.startswith("eyeLook"):
                self._add_gaze(name, delta)
            elif name not in ("mouthClose", "tongueOut"):
                self.add(name, delta)

    def together(self, first: str, second: str, target: Array) -> Shape:
        """The residual of both halves of a shape at 1: the bones they share turn further than their sum."""
        dials = {first: 1.0, second: 1.0}
        wanted = self.before_skinning(self.rest + target, dials) * self.regions.skin[:, None]
        delta = wanted - self.own[first].delta - self.own[second].delta
        return Shape(f"{first}*{second}", delta, f"{self.word(first)}*{self.word(second)}")

    def _add_quarters(self, name: str, delta: Array) -> None:
        for side in SIDES:
            half = self.regions.side(side)
            self.add(f"{name}Upper{side}", delta * (half * self.regions.upper)[:, None])
            self.add(f"{name}Lower{side}", delta * (half * (1 - self.regions.upper))[:, None])

    def _add_gaze(self, name: str, delta: Array) -> None:
        """Lids follow the eye as far as their dial says, and not while they are shut."""
        side = next(side for side in SIDES if name.endswith(side))
        self.add(name, delta, f"{{{name}}}*{{lidFollow{side}}}*(1-{{eyeBlink{side}}})")
