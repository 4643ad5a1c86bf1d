"""Random blendshape rigs, and their evaluation in slow, obvious NumPy."""

from __future__ import annotations

import numpy as np

import rigcast as rc


def random_arrays(num_vertices=60, num_shapes=7, seed=0, reach=0.4):
    """Neutral, deltas and combinations: pairs, a triple, a quadruple, tents alone and in products, random regions.

    The last shape moves nothing, the last vertex is moved by nothing, and one tent is not 0 at weight 0.
    """
    rng = np.random.default_rng(seed)

    def offsets():
        moved = rng.random(num_vertices) < reach
        moved[-1] = False
        return (rng.standard_normal((num_vertices, 3)) * moved[:, None]).astype(np.float32)

    k = rng.permutation(num_shapes)
    factors = [
        (int(k[0]), int(k[1])),
        (int(k[2]), int(k[0])),
        (int(k[1]), int(k[2]), int(k[3])),
        (int(k[0]), int(k[1]), int(k[3]), int(k[4])),
        (rc.Tent(int(k[0]), 0.0, 0.5, 1.0),),
        (rc.Tent(int(k[1]), 0.25, 0.5, 1.25), int(k[4])),
        (rc.Tent(int(k[2]), -0.5, 0.25, 0.75), rc.Tent(int(k[3]), 0.0, 1.0, 2.0)),
    ]
    deltas = np.stack([offsets() for _ in range(num_shapes)])
    deltas[-1] = 0
    neutral = rng.standard_normal((num_vertices, 3)).astype(np.float32)
    return neutral, deltas, [(f, offsets()) for f in factors]


def random_rig(seed=0, storage="float32", bounds=(0.0, 1.0), **sizes):
    """A random rig; sizes as in `random_arrays`."""
    return rc.BlendshapeRig(*random_arrays(seed=seed, **sizes), bounds=bounds, storage=storage)


def random_weights(rig, heads, seed=0, active=0.6):
    """(heads, K) weights, from a little below to a little above 0 ... 1, a share of them exactly 0."""
    rng = np.random.default_rng(seed)
    weights = rng.uniform(-0.2, 1.2, (heads, rig.num_shapes)) * (rng.random((heads, rig.num_shapes)) < active)
    return weights.astype(np.float32)


def slow_factor(factor, weights):
    if not isinstance(factor, rc.Tent):
        return weights[factor]
    return np.interp(weights[factor.shape], [factor.x1, factor.x2, factor.x3], [0.0, 1.0, 0.0])


def slow_blendshapes(neutral, deltas, combinations, weights, kept=None):
    """(V, 3) in double precision, shape by shape; `kept`: the shapes of a prefix, or None for all."""
    kept = set(range(len(deltas))) if kept is None else set(kept)
    weights = weights.astype(np.float64)
    vertices = neutral.astype(np.float64)
    for k in sorted(kept):
        vertices += weights[k] * deltas[k]
    for factors, delta in combinations:
        if all((f.shape if isinstance(f, rc.Tent) else f) in kept for f in factors):
            vertices += np.prod([slow_factor(f, weights) for f in factors]) * delta
    return vertices
