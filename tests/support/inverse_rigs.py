"""Random blendshape rigs, and the inverse rig's objective in slow, obvious NumPy on the vertices."""

from __future__ import annotations

import numpy as np

import rigcast as rc


def random_rig(
    rng: np.random.Generator,
    *,
    vertices: int = 40,
    shapes: int = 8,
    corrections: int = 8,
    order: int = 4,
    tents: bool = True,
) -> rc.BlendshapeRig:
    """Corrections of two to ``order`` factors; every third has a tent."""
    combinations = []
    for c in range(corrections):
        count = int(rng.integers(2, order + 1))
        factors: list[object] = [int(k) for k in rng.choice(shapes, count, replace=False)]
        if tents and c % 3 == 0:
            factors[0] = rc.Tent(factors[0], 0.0, float(rng.uniform(0.3, 0.7)), 1.0)
        combinations.append((tuple(factors), 0.7 * rng.normal(size=(vertices, 3))))
    deltas = rng.normal(size=(shapes, vertices, 3))
    return rc.BlendshapeRig(rng.normal(size=(vertices, 3)), deltas, combinations=combinations)


def slow_vertices(rig: rc.BlendshapeRig, weights: np.ndarray) -> np.ndarray:
    """One pose (K,) in double precision: (V, 3)."""
    result = np.asarray(rig.rest_vertices, np.float64)
    columns = np.asarray(rig.columns(), np.float64)
    for k, w in enumerate(weights):
        result = result + w * columns[k]
    for factors, column in zip(rig.combinations, columns[len(weights) :], strict=True):
        product = 1.0
        for f in factors:
            if isinstance(f, rc.Tent):
                w = weights[f.shape]
                product *= np.interp(w, [f.x1, f.x2, f.x3], [0.0, 1.0, 0.0])
            else:
                product *= weights[f]
        result = result + product * column
    return result


def slow_objective(rig, target, weights, *, alpha, vertex_weights=1.0) -> float:
    """|f(w) - b|^2 + alpha sum w of one frame."""
    error = np.square(slow_vertices(rig, weights) - target).sum(axis=1)
    return float((vertex_weights * error).sum() + alpha * weights.sum())


def macro_rig(rng: np.random.Generator, vertices: int = 80) -> rc.BlendshapeRig:
    """Like MakeHuman's macro targets: no shape moves anything alone, products of tents over several do; 5 weights."""
    gender, age, muscle, first, second = range(5)
    sexes = [rc.Tent(gender, -1.0, 0.0, 1.0), rc.Tent(gender, 0.0, 1.0, 2.0)]
    ages = [rc.Tent(age, *knots) for knots in ((-0.2, 0.0, 0.2), (0.0, 0.2, 0.5), (0.2, 0.5, 1.0), (0.5, 1.0, 1.5))]
    builds = [rc.Tent(muscle, *knots) for knots in ((-0.5, 0.0, 0.5), (0.0, 0.5, 1.0), (0.5, 1.0, 1.5))]
    factors = [(people, sex, years) for people in (first, second) for sex in sexes for years in ages]
    factors += [(sex, years, build) for sex in sexes for years in ages for build in builds]
    base = rng.normal(size=(vertices, 3))
    combinations = [(f, 0.5 * base + rng.normal(size=(vertices, 3))) for f in factors]
    return rc.BlendshapeRig(rng.normal(size=(vertices, 3)), np.zeros((5, vertices, 3)), combinations=combinations)


def in_between_rig(rng: np.random.Generator, vertices: int = 4) -> rc.BlendshapeRig:
    """An in-between over weight 0 at 0.5; weight 1 makes up for most of what weight 0 does, so that a frame nearly fits
    on either side of the knot, and lies in the other minimum with both weights only a little away."""
    own, other, common = np.linalg.qr(rng.normal(size=(3 * vertices, 3)))[0].T.reshape(3, vertices, 3)
    below, above = own + 3 * common, 0.3 * other - 0.5 * own + 3 * common  # what weight 0 does at either side
    in_between = ((rc.Tent(0, 0.0, 0.5, 1.0),), (below - above) / 4)
    deltas = np.array([(below + above) / 2, 3 * common])
    return rc.BlendshapeRig(rng.normal(size=(vertices, 3)), deltas, combinations=[in_between])


def near_duplicates_rig(rng: np.random.Generator, vertices: int = 40) -> rc.BlendshapeRig:
    """Four shapes, four nearly equal to them, and an in-between: solved frames are swept, and along pairs of nearly
    equal shapes sweeps gain a little for ever."""
    deltas = rng.normal(size=(8, vertices, 3))
    deltas[4:] = deltas[:4] + 0.1 * rng.normal(size=(4, vertices, 3))
    in_between = ((rc.Tent(0, 0.0, 0.5, 1.0),), rng.normal(size=(vertices, 3)))
    return rc.BlendshapeRig(np.zeros((vertices, 3)), deltas, combinations=[in_between])


def weights_near(knots, frames: int, rng: np.random.Generator) -> np.ndarray:
    """Values (frames,) at either side of some of the knots, from 0.0003 to 0.03 away."""
    return rng.choice(knots, frames) + rng.choice([-1, 1], frames) * 10 ** rng.uniform(-3.5, -1.5, frames)
