"""Combinations and in-betweens: what the plain sum of shapes gets wrong, as large as sculptors make it. Constructed.

Which combinations there are is the published structure of compskin_face_anim. What they look like is a model of flesh:

- shapes that push a vertex the same way do not add up: their sum of length t becomes the p-norm of their lengths;
- what rides on an open jaw is stretched already and moves less, and the cheeks hollow;
- half-way, flesh far from a shape's center lags behind, and skin rides out over the skull.

The delta of a combination is the wanted displacement at its corner minus what all its parts give there, so that
each corner is right whatever else is sculpted (inclusion-exclusion).
"""

from __future__ import annotations

from itertools import combinations as subsets

import numpy as np
from numpy.typing import NDArray

from examples.characters.production_face.controls import curve_table
from examples.characters.production_face.expressions import tent
from examples.characters.production_face.sculpted import Sculptor
from examples.characters.production_face.shapes import Shape, Shapes
from rigcast import Tent
from rigcast.faces import compskin_combinations

Array = NDArray[np.float64]
NORM = 4.0  # p of the p-norm
STRETCHED = 0.6  # share of a shape that an open jaw takes away, where the flesh rides on the jaw
LAG = 0.75  # of the way that the farthest flesh is late half-way
RISE = 0.16  # of a vertex's way that it rides out half-way
LEAST = 2e-4  # meters: combinations that move nothing further are left out


def combination_shapes(shapes: Shapes, sculptor: Sculptor) -> list[Shape]:
    """Shapes of the published products and in-betweens over our dials."""
    structure, table = compskin_combinations(), curve_table()
    dials = [table[name] for name in structure.controls]
    done: dict[frozenset[str], Array] = {}
    result = []
    for factors in structure.combinations:
        words, names = [], []
        for factor in factors:
            dial = dials[factor if isinstance(factor, int) else factor.shape]
            word = shapes.word(dial)
            names.append(dial)
            words.append(word if isinstance(factor, int) else tent(word, factor.x1, factor.x2, factor.x3))
        label = "*".join(
            name if isinstance(factor, int) else f"{name}@{factor.x2:g}"
            for name, factor in zip(names, factors, strict=True)
        )
        if isinstance(factors[0], Tent) and len(factors) == 1:
            delta = _in_between(shapes, sculptor, names[0], factors[0])
        else:
            delta = _missing(shapes, sculptor, names, done)
            if all(isinstance(factor, int) for factor in factors):
                done[frozenset(names)] = delta
        if np.linalg.norm(delta, axis=1).max() > LEAST:
            result.append(Shape(f"combination.{label}", delta, "*".join(words)))
    return result


def _missing(shapes: Shapes, sculptor: Sculptor, names: list[str], done: dict[frozenset[str], Array]) -> Array:
    """The offset that a combination adds to its parts."""
    wanted = _together(shapes, sculptor, names)
    have = sum((_own(shapes, name) for name in names), np.zeros_like(shapes.rest))
    for size in range(2, len(names)):
        for part in subsets(names, size):
            have = have + done.get(frozenset(part), 0.0)
    return np.asarray(wanted - have)


def _together(shapes: Shapes, sculptor: Sculptor, names: list[str]) -> Array:
    """Wanted displacement (V, 3), before skinning, at full effect of some dials."""
    jaw = "jawOpen" in names
    own = [_own(shapes, name) for name in names if name != "jawOpen"]
    total = np.sum(own, axis=0)
    lengths = np.linalg.norm(own, axis=2)
    plain = lengths.sum(axis=0)
    limited = (lengths**NORM).sum(axis=0) ** (1 / NORM)
    total = total * np.divide(limited, plain, out=np.ones_like(plain), where=plain > 0)[:, None]
    if not jaw:
        return np.asarray(total)
    on_jaw = shapes.regions.stretched
    hollow = 0.25 * limited * on_jaw * (1 - on_jaw) * 4
    stretched = total * (1 - STRETCHED * on_jaw)[:, None] - hollow[:, None] * sculptor.normals
    return np.asarray(stretched + _own(shapes, "jawOpen"))


def _in_between(shapes: Shapes, sculptor: Sculptor, name: str, factor: Tent) -> Array:
    """The difference of a shape half-way from the straight way: late at its rim, and out along the normals."""
    peak = float(factor.x2)
    delta = _own(shapes, name)
    length = np.linalg.norm(delta, axis=1)
    largest = max(float(length.max()), 1e-9)
    late = 4 * peak * (1 - peak) * LAG * (1 - length / largest) * peak
    out = 4 * peak * (1 - peak) * RISE * length
    return np.asarray(-late[:, None] * delta + out[:, None] * sculptor.normals)


def _own(shapes: Shapes, name: str) -> Array:
    shape = shapes.own.get(name)
    return shape.delta if shape is not None else np.zeros_like(shapes.rest)
