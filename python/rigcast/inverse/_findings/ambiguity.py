"""Pairs of shapes that a shot hardly separates: nearly parallel columns, compared with the residual."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast.inverse._gram import Gram
from rigcast.inverse._solution import Solution

ON = 1e-3  # a weight above counts as on
UNSURE = 0.05  # standard deviation of a weight that is worth a word
NEAR = 30.0  # degrees between columns that count as nearly parallel
NAMED = 6  # pairs


def ambiguous_pairs(gram: Gram, solution: Solution, millimeters: float) -> list[str]:
    """Return one sentence that names the pairs, the smallest angle first; nothing if the shot separates all shapes.

    With the cosines C of the columns (of the Gram matrix) and the deviation s of a coordinate, which is that of the
    residual, the weight of shape k has the deviation ``s sqrt((C^-1)_kk) / |b_k|``; the root is one over the shape's
    independence. Named are pairs of which one moves
    in the shot, one is uncertain, and whose columns are nearly parallel.

    Parameters
    ----------
    gram : Gram
    solution : Solution
        Weights (T, K) and the residual that they leave.
    millimeters : float
        Per unit of the rig.
    """
    count = gram.activations.num_shapes
    size = np.sqrt(np.diag(gram.matrix)[:count])
    own = np.setdiff1d(np.flatnonzero(size > 0), [later for _, later in gram.duplicates])
    if len(own) < 2:
        return []
    cosines = gram.matrix[np.ix_(own, own)] / np.outer(size[own], size[own])
    noise = float(np.sqrt(np.square(solution.rmse).mean() / 3.0))
    deviation = noise / (gram.independence[own] * size[own])
    parallel = np.abs(cosines - np.eye(len(own)))
    angle = np.degrees(np.arccos(np.minimum(parallel, 1.0)))
    on = np.asarray((np.abs(solution.weights) > ON).any(axis=0))[own]
    unsure = deviation > UNSURE
    first, second = np.triu_indices(len(own), 1)
    near = (unsure[first] | unsure[second]) & (on[first] | on[second]) & (angle[first, second] < NEAR)
    pairs = sorted(zip(angle[first, second][near].tolist(), first[near].tolist(), second[near].tolist(), strict=True))
    if not pairs:
        return []
    names = gram.rig.shape_names
    named = [
        f"{names[own[k]]} with {names[own[m]]} ({degrees:.2g} degrees apart, weights to +-{_reach(deviation[[k, m]])})"
        for degrees, k, m in pairs[:NAMED]
    ]
    more = f" and {len(pairs) - NAMED} more pairs" if len(pairs) > NAMED else ""
    return [
        f"pairs of shapes that this shot hardly tells apart, with {millimeters * noise:.2g} mm left per coordinate: "
        f"{', '.join(named)}{more}; --pins or --priors on one of a pair decide"
    ]


def _reach(deviations: NDArray[np.float64]) -> str:
    return f"{min(1.0, float(deviations.max())):.1g}"
