"""Lips that stay together while the jaw opens, and part from the middle to the corners: a zipper of twelve pieces.

Each piece brings a third of a quarter of the lips to where the assets' mouthClose has it over an open jaw. It acts by
the jaw's opening times its seal: the dials ``lipsToward`` close piece by piece from the corners inward, and the dials
``lipsSticky`` let each piece go at an opening of its own.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from rigcast._demo.production_face.bones import SIDES
from rigcast._demo.production_face.expressions import late, tent
from rigcast._demo.production_face.regions import smoothstep
from rigcast._demo.production_face.shapes import Shape, Shapes

Array = NDArray[np.float64]
# Thirds from the corner inward: seal by lipsToward from and to, opening of the jaw at which a sticky lip parts.
THIRDS = {"Corner": (0.05, 0.40, 0.70), "Between": (0.22, 0.62, 0.45), "Middle": (0.45, 0.90, 0.22)}
PARTING = 0.10  # of the jaw's way, during which a piece lets go


def seal_shapes(shapes: Shapes) -> list[Shape]:
    """The pieces, and their in-betweens at a half-open jaw, where the jaw's arc leaves the straight way."""
    regions = shapes.regions
    closing = _closing(shapes, 1.0)
    bend = _closing(shapes, 0.5) - 0.5 * closing
    x = np.abs(regions.points[:, 0])
    inner, middle = 1 - smoothstep(0.007, 0.0185, x), 1 - smoothstep(0.004, 0.0140, x)
    share = {"Corner": 1 - inner, "Between": inner - middle, "Middle": middle}
    result = []
    for part, side in product(("Upper", "Lower"), SIDES):
        quarter = regions.side(side, 0.003) * (regions.upper if part == "Upper" else 1 - regions.upper)
        toward = shapes.word(f"lipsToward{part}{side}")
        for third, (start, end, parting) in THIRDS.items():
            sticky = f"{{lipsSticky{side}}}*(1-smoothstep({parting:g},{parting + PARTING:g},{{jawOpen}}))"
            delta = closing * (quarter * share[third])[:, None]
            expression = f"{{jawOpen}}*max({late(toward, start, end)},{sticky})"
            result.append(Shape(f"seal.{part}{side}{third}", delta, expression))
        sticky = f"{{lipsSticky{side}}}*(1-smoothstep(0.4,0.5,{{jawOpen}}))"
        half = f"{tent('{jawOpen}', 0, 0.5, 1)}*max({late(toward, 0.3, 0.8)},{sticky})"
        result.append(Shape(f"seal.{part}{side}.inbetween", bend * quarter[:, None], half))
    return result


def _closing(shapes: Shapes, opening: float) -> Array:
    """Displacements (V, 3) before skinning that close the lips over a jaw as far open."""
    head = shapes.regions.head
    wanted = shapes.rest + opening * (head.shapes["jawOpen"] + head.shapes["mouthClose"])
    delta = shapes.before_skinning(wanted, {"jawOpen": opening}) - opening * shapes.own["jawOpen"].delta
    return np.asarray(delta * shapes.regions.skin[:, None])
