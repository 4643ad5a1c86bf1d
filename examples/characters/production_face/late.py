"""Constructed shapes that set in late: wrinkles and folds that are flat until a threshold, and the seal of the lips.

The lips stay together while the jaw opens, and part from the middle to the corners: a zipper of twelve pieces. Each
piece brings a third of a quarter of the lips to where the assets' mouthClose has it over an open jaw. It acts by the
jaw's opening times its seal: the dials ``lipsToward`` close piece by piece from the corners inward, and the dials
``lipsSticky`` let each piece go at an opening of its own.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from examples.characters.production_face.bones import SIDES
from examples.characters.production_face.expressions import late, tent
from examples.characters.production_face.regions import smoothstep
from examples.characters.production_face.sculpted import Sculptor, furrow
from examples.characters.production_face.shapes import Shape, Shapes

Array = NDArray[np.float64]
# Thirds from the corner inward: seal by lipsToward from and to, opening of the jaw at which a sticky lip parts.
THIRDS = {"Corner": (0.05, 0.40, 0.70), "Between": (0.22, 0.62, 0.45), "Middle": (0.45, 0.90, 0.22)}
PARTING = 0.10  # of the jaw's way, during which a piece lets go


def late_shapes(shapes: Shapes, sculptor: Sculptor) -> list[Shape]:
    """Wrinkles of forehead, eyes, nose, lips and chin; folds and flesh of cheeks, jaw and neck."""
    result = []
    for side in SIDES:
        result += _brow(shapes, sculptor, side)
        result += _cheek(shapes, sculptor, side)
        result += _mouth(shapes, sculptor, side)
    return result + _middle(shapes, sculptor)


def _brow(shapes: Shapes, sculptor: Sculptor, side: str) -> list[Shape]:
    regions = sculptor.regions
    x, z = 1e3 * np.abs(regions.points[:, 0]), 1e3 * regions.points[:, 2]
    half = regions.side(side, 0.004)
    inner, outer = shapes.word(f"browInnerUp{side}"), shapes.word(f"browOuterUp{side}")
    forehead = half * regions.skin * smoothstep(1645, 1652, z) * (1 - smoothstep(1680, 1692, z))
    forehead = forehead * (regions.points[:, 1] < -0.105)
    lines = np.sin(2 * np.pi * (z - 0.10 * x) / 10.5)
    temple = regions.bump(side, 0.058, -0.118, 1.622, 0.013, 0.02, 0.013)
    angle = np.arctan2(z - 1620, x - 44)
    crow = f"0.7*{{cheekSquint{side}}}+0.5*{{mouthSmile{side}}}+0.4*{{eyeSquint{side}}}"
    return [
        Shape(
            f"wrinkle.foreheadInner{side}",
            sculptor.along_normals(1.5 * lines * forehead * (1 - smoothstep(20, 36, x))),
            late(inner, 0.5, 0.95),
        ),
        Shape(
            f"wrinkle.foreheadOuter{side}",
            sculptor.along_normals(1.4 * lines * forehead * smoothstep(20, 36, x)),
            late(outer, 0.5, 0.95),
        ),
        Shape(f"wrinkle.crowsFeet{side}", sculptor.along_normals(0.8 * np.sin(11 * angle) * temple), late(crow, 0.55)),
        Shape(
            f"fold.brow{side}",
            sculptor.bumps(
                [(24, 1631, (13, 14, 6), (-1, -2.5, -2.0, 2.0)), (10, 1640, (5, 12, 9), (-1.5, 0, 0, 2.5))], side
            ),
            late(f"{{browDown{side}}}+0.4*{{browSqueeze{side}}}", 0.35, 0.85),
        ),
    ]


def _cheek(shapes: Shapes, sculptor: Sculptor, side: str) -> list[Shape]:
    smile = f"{{mouthSmile{side}}}"
    apple = [(40, 1586, (14, 22, 12), (1, -1.5, 3.0, 5.5)), (36, 1557, (11, 20, 10), (1, 2, 0, -2.0))]
    hollow = [(47, 1556, (12, 24, 18), (0, 0, 0, -4.5))]
    return [
        Shape(f"fold.nasolabial{side}", furrow(sculptor, side, 3.0, 3.0), late(smile, 0.35, 0.85)),
        Shape(
            f"flesh.cheek{side}", sculptor.bumps(apple, side), late(f"{smile}+0.3*{{cheekSquint{side}}}", 0.35, 0.75)
        ),
        Shape(
            f"fold.dimple{side}",
            sculptor.bumps([(34, 1554, (5, 14, 7), (0, 0, 0, -4.0))], side),
            late(f"0.8*{{mouthDimple{side}}}+0.5*{smile}", 0.35, 0.8),
        ),
        Shape(f"flesh.hollow{side}", sculptor.bumps(hollow, side), late("{jawOpen}", 0.3, 0.8)),
        Shape(
            f"fold.eyeBag{side}",
            sculptor.bumps([(30, 1604, (12, 14, 4), (0, 0, 1, 2.2)), (30, 1597, (13, 14, 3), (0, 0, 0, -1.2))], side),
            late(f"{{eyeSquint{side}}}+0.5*{{cheekSquint{side}}}+0.4*{smile}", 0.25, 0.7),
        ),
        *_broad_smile(sculptor, side),
    ]


def _broad_smile(sculptor: Sculptor, side: str) -> list[Shape]:
    """Movements that a broad smile pulls along: wings of the nose, lips, chin and ear."""
    smile = f"{{mouthSmile{side}}}"
    half = sculptor.regions.side(side)
    lips = half * (sculptor.regions.upper_lip + sculptor.regions.lower_lip)
    nose = [(13, 1580, (8, 14, 8), (2.0, 0.8, 1.2, 0.0)), (0, 1590, (8, 14, 8), (0, 0.3, -1.0, 0))]
    chin = [(8, 1522, (15, 22, 13), (1.2, 1.8, 2.2, -0.8)), (30, 1525, (14, 24, 14), (2.0, 1.2, 2.6, 0))]
    ear = [(70, 1600, (10, 22, 22), (1.0, 2.0, 1.5, 0)), (56, 1575, (12, 22, 18), (1.0, 1.5, 1.0, 1.0))]
    return [
        Shape(f"flesh.noseOfSmile{side}", sculptor.bumps(nose, side), late(smile, 0.4, 0.8)),
        Shape(f"flesh.lipsOfSmile{side}", sculptor.along_normals(-1.8 * lips), late(smile, 0.3, 0.7)),
        Shape(f"flesh.chinOfSmile{side}", sculptor.bumps(chin, side), late(smile, 0.4, 0.75)),
        Shape(f"flesh.earOfSmile{side}", sculptor.bumps(ear, side), late(smile, 0.5, 0.9)),
    ]


def _mouth(shapes: Shapes, sculptor: Sculptor, side: str) -> list[Shape]:
    regions = sculptor.regions
    x, z = 1e3 * regions.points[:, 0], 1e3 * regions.points[:, 2]
    half = regions.side(side, 0.004)
    nose = regions.bump(side, 0.009, -0.155, 1.606, 0.005, 0.014, 0.010)
    lips = half * regions.near(0, -0.15, 1.549, 0.017, 0.03, 0.013) * (regions.points[:, 1] < -0.138)
    pucker = shapes.word(f"mouthPucker{side}")
    stretch = f"{{mouthStretch{side}}}+0.5*{{neckCords{side}}}+0.3*{{mouthFrown{side}}}"
    cords = [(16, 1480, (3.5, 30, 22), (0, 0, 0, 4.5)), (30, 1492, (3.5, 30, 20), (0, 0, 0, 4.0))]
    frown = [(24, 1540, (5, 14, 8), (0, 0, 0, -2.5)), (29, 1534, (6, 14, 9), (0, 0, -1, 3.0))]
    sneer = [(17, 1583, (5, 14, 5), (1, 0, 1.5, -1.5)), (22, 1590, (7, 16, 9), (0, -1, 3, 2.5))]
    return [
        Shape(
            f"wrinkle.nose{side}",
            sculptor.along_normals(1.0 * np.sin(2 * np.pi * (z - 0.5 * np.abs(x)) / 5.5) * nose),
            late(f"{{noseSneer{side}}}", 0.5),
        ),
        Shape(
            f"fold.sneer{side}",
            sculptor.bumps(sneer, side),
            late(f"{{noseSneer{side}}}+0.3*{{mouthUpperUp{side}}}", 0.3, 0.8),
        ),
        Shape(
            f"wrinkle.lips{side}", sculptor.along_normals(0.7 * np.sin(2 * np.pi * x / 5.2) * lips), late(pucker, 0.55)
        ),
        Shape(f"fold.marionette{side}", sculptor.bumps(frown, side), late(f"{{mouthFrown{side}}}", 0.4, 0.9)),
        Shape(f"fold.neckCords{side}", sculptor.bumps(cords, side), late(stretch, 0.5)),
    ]


def _middle(shapes: Shapes, sculptor: Sculptor) -> list[Shape]:
    regions = sculptor.regions
    x, z = 1e3 * regions.points[:, 0], 1e3 * regions.points[:, 2]
    chin = regions.near(0, -0.15, 1.527, 0.013, 0.03, 0.009)
    pebbles = np.sin(2 * np.pi * x / 6.1 + 1.3 * np.sin(z / 2.1)) * np.sin(2 * np.pi * z / 5.3 + 0.8 * np.sin(x / 1.7))
    between = regions.near(0, -0.155, 1.638, 0.009, 0.03, 0.011)
    lines = np.cos(2 * np.pi * x / 8.0)
    under = [(0, 1500, (26, 40, 12), (0, -2, -2, 5.0)), (0, 1480, (26, 40, 8), (0, 0, 0, -2.5))]
    scalp = regions.skin * smoothstep(1660, 1690, z) * smoothstep(-0.06, 0.0, -regions.points[:, 1])
    raised = "0.25*({browOuterUpLeft}+{browOuterUpRight}+{browInnerUpLeft}+{browInnerUpRight})+0.3*{browInnerUp}"
    return [
        Shape(
            "flesh.bothSmile",
            sculptor.bumps([(0, 1556, (24, 24, 13), (0, 2.6, 1.4, 0)), (0, 1530, (22, 24, 14), (0, 1.4, 2.2, 0))]),
            late("{mouthSmileLeft}*{mouthSmileRight}", 0.12, 0.45),
        ),
        Shape("flesh.scalp", 1e-3 * scalp[:, None] * np.array([0.0, 1.5, 2.0]), late(raised, 0.3, 0.8)),
        Shape(
            "wrinkle.chin", sculptor.along_normals(1.1 * pebbles * chin), late("{mouthShrugLower}+0.6*{chinBoss}", 0.45)
        ),
        Shape(
            "wrinkle.brow",
            sculptor.along_normals(0.9 * lines * between),
            late("{browDownLeft}*{browDownRight}", 0.25, 0.7),
        ),
        Shape("fold.chin", sculptor.bumps(under), late("{jawOpen}+0.4*{jawBack}", 0.45, 0.9)),
        Shape(
            "fold.lowerLip",
            sculptor.bumps([(0, 1534, (14, 14, 4), (0, 0, 0, -3.5))]),
            late("{mouthShrugLower}+0.5*{mouthShrugUpper}", 0.3, 0.8),
        ),
    ]


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
