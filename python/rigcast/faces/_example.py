"""The built-in face: a mask with named shapes, made of formulas, to try things with where there are no files."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast._blendshapes import Tent
from rigcast._core import BlendshapeRig
from rigcast.faces._mask import LIDS, MOUTH_HALF, MOUTH_V, Mask, eyeballs

Array = NDArray[np.float64]

OPEN = np.radians(17.0)  # of the jaw
HINGE = np.array([0.0, 1.5, -2.0])  # of the jaw, about x, centimeters
LOW_LID = 0.06  # centimeters that the lower lid comes up in a blink
SIDES = {"Left": 1, "Right": -1}  # the character's left is +x


def example() -> BlendshapeRig:
    """Make the built-in face: a mask with 22 shapes, six combinations and two in-betweens.

    It is in centimeters, y up, facing z, and needs NumPy alone. Shapes have ARKit's names. The lips are the rims of a
    slit and touch at rest; the eyes are two spheres behind the mask that no shape moves. Nothing was scanned or
    sculpted: all of it is made of formulas, and ``metadata["constructed"]`` lists every shape and combination.

    Returns
    -------
    BlendshapeRig
        The same on every call.

    Examples
    --------
    >>> import rigcast as rc
    >>> rig = rc.faces.example()
    >>> rig.num_shapes, len(rig.combinations)
    (22, 8)
    >>> smile = rig.evaluate([float(name.startswith("mouthSmile")) for name in rig.shape_names])
    >>> found = rc.inverse.solve(rig, smile[None], alpha=0.01)
    >>> [name for name, weight in zip(rig.shape_names, found.weights[0]) if weight > 0.5]
    ['mouthSmileLeft', 'mouthSmileRight']
    """
    mask = Mask()
    balls, ball_faces = eyeballs(mask)
    shapes = _shapes(mask)
    names = list(shapes)
    combinations = [
        (tuple(_driver(factor, names) for factor in factors), _with_eyes(delta, balls))
        for factors, delta in _combinations(mask)
    ]
    columns = [" * ".join(str(factor) for factor in factors) for factors, _ in _combinations(mask)]
    return BlendshapeRig(
        np.concatenate([mask.points, balls]),
        np.stack([_with_eyes(delta, balls) for delta in shapes.values()]),
        combinations,
        names=names,
        faces=np.concatenate([mask.faces, np.where(ball_faces < 0, -1, ball_faces + len(mask.points))]),
        metadata={
            "name": "example face",
            "meters_per_unit": 0.01,
            "up_axis": "Y",
            "licence": "CC0 1.0",
            "origin": "constructed by rigcast from formulas",
            "constructed": [*names, *columns],
        },
    )


def _shapes(mask: Mask) -> dict[str, Array]:
    """Offsets (V, 3) of every shape at full weight, by name."""
    shapes: dict[str, Array] = {"jawOpen": _jaw(mask) * _opened(mask.points)}
    for name, side in SIDES.items():
        shapes[f"jaw{name}"] = _jaw(mask) * [0.7 * side, 0.0, 0.0]
    shapes["mouthPucker"] = _pucker(mask)
    for name, side in SIDES.items():
        shapes |= {f"{stem}{name}": delta for stem, delta in _of_one_side(mask, side).items()}
    shapes["cheekPuff"] = mask.near(0.5, -0.28, 0.2, 0.18) * [0.3, 0.0, 0.9]
    shapes["cheekPuff"] = shapes["cheekPuff"] + mask.near(-0.5, -0.28, 0.2, 0.18) * [-0.3, 0.0, 0.9]
    shapes["browInnerUp"] = mask.near(0.0, 0.6, 0.26, 0.12) * [0.0, 0.8, 0.2]
    return shapes


def _of_one_side(mask: Mask, side: int) -> dict[str, Array]:
    """Offsets of the shapes that exist for both sides, for one of them."""
    near, mirror = mask.near, np.array([side, 1.0, 1.0])
    closing = LIDS[1] - LIDS[0] - LOW_LID
    upper, lower = mask.lid(side, upper=True), mask.lid(side, upper=False)
    corner = near(side * MOUTH_HALF, MOUTH_V, 0.16, 0.13)
    lip = mask.mouth_width() * near(0.16 * side, MOUTH_V, 0.14, 0.14) * mask.above_mouth[:, None]
    return {
        "mouthSmile": corner * [0.8, 1.0, -0.35] * mirror
        + near(0.5 * side, -0.08, 0.2, 0.16) * [0.1, 0.35, 0.45] * mirror,
        "mouthFrown": corner * [0.1, -0.9, -0.2] * mirror,
        "mouthUpperUp": lip * [0.0, 0.75, 0.15],
        "eyeBlink": upper * [0.0, -closing, 0.05] + lower * [0.0, LOW_LID, 0.05],
        "eyeWide": upper * [0.0, 0.25, 0.0] + lower * [0.0, -0.08, 0.0],
        "browOuterUp": near(0.5 * side, 0.58, 0.22, 0.12) * [0.0, 0.9, 0.1],
        "browDown": near(0.34 * side, 0.57, 0.26, 0.1) * [-0.1, -0.6, 0.2] * mirror,
        "noseSneer": near(0.14 * side, -0.08, 0.12, 0.12) * [0.05, 0.5, 0.2] * mirror,
    }


def _combinations(mask: Mask) -> list[tuple[tuple[str | tuple[str, float], ...], Array]]:
    """Errors of plain sums: drivers by name, (name, peak) for an in-between, and offsets (V, 3)."""
    near = mask.near
    below = ~mask.above_mouth[:, None]
    found: list[tuple[tuple[str | tuple[str, float], ...], Array]] = [
        (("jawOpen", "mouthPucker"), below * near(0.0, MOUTH_V - 0.1, 0.24, 0.18) * [0.0, 0.7, 0.3]),
        (
            ("jawOpen", "mouthSmileLeft", "mouthSmileRight"),
            near(0.0, MOUTH_V - 0.1, 0.3, 0.12) * [0.0, 0.2, -0.25],
        ),
    ]
    for name, side in SIDES.items():
        stretched = near(0.36 * side, MOUTH_V - 0.08, 0.15, 0.15) * [-0.2 * side, -0.35, 0.1]
        found.append((("jawOpen", f"mouthSmile{name}"), stretched))
        raised = near(0.25 * side, 0.59, 0.16, 0.11) * [0.0, -0.4, 0.0]
        found.append((("browInnerUp", f"browOuterUp{name}"), raised))
        found.append(((((f"eyeBlink{name}"), 0.5),), mask.lid(side, upper=True) * [0.0, 0.0, 0.12]))
    return found


def _jaw(mask: Mask) -> Array:
    """(V, 1) how far a vertex follows the jaw: the lower lip wholly, its corners and the cheeks not at all."""
    deep = np.clip((MOUTH_V - mask.v) / 0.3, 0.0, 1.0)
    smooth = (deep * deep * (3.0 - 2.0 * deep))[:, None]
    follows = (smooth + (1.0 - smooth) * mask.mouth_width()) * np.exp(-((mask.u[:, None] / 0.95) ** 8))
    return np.asarray(np.where(mask.above_mouth[:, None] | (follows < 1e-3), 0.0, follows))


def _opened(points: Array) -> Array:
    """Offsets of points that turn with the open jaw."""
    away = points - HINGE
    down = np.cos(OPEN) * away[:, 1] - np.sin(OPEN) * away[:, 2]
    back = np.sin(OPEN) * away[:, 1] + np.cos(OPEN) * away[:, 2]
    return np.stack([np.zeros(len(away)), down - away[:, 1], back - away[:, 2]], axis=1)


def _pucker(mask: Mask) -> Array:
    inward = mask.points * mask.near(0.0, MOUTH_V, 0.45, 0.16) * [0.45, 0.0, 0.0]
    return np.asarray(mask.near(0.0, MOUTH_V, 0.26, 0.12) * [0.0, 0.0, 1.2] - inward)


def _driver(factor: str | tuple[str, float], names: list[str]) -> int | Tent:
    if isinstance(factor, str):
        return names.index(factor)
    return Tent(names.index(factor[0]), 0.0, factor[1], 1.0)


def _with_eyes(delta: Array, balls: Array) -> Array:
    return np.concatenate([delta, np.zeros_like(balls)])
