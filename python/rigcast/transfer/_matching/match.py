"""The place of each vertex of a target on a fitted source: nearest points, mended by layers and by connectivity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast.transfer._matching.components import border_vertices, closest_of, on_border
from rigcast.transfer._matching.fit import Matches, SourceFit
from rigcast.transfer._matching.sides import decided_along
from rigcast.transfer._matching.tears import mended
from rigcast.transfer._matching.welded import match_welded

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

CHANCE = 0.1  # of a component's vertices: fewer that are near are no correspondence


def match(fit: SourceFit, landmarks: Int64, error: Float64) -> tuple[Matches, Int64, Int64]:
    """Matches, torn edges (N, 2) of the target, and vertices (U,) of which nothing decides on which side they lie.

    Parameters
    ----------
    fit : SourceFit
    landmarks, error : (L, 2), (L,)
        Pairs that hold, and by how much the fit misses them. They are matched as they were given, on the border of the
        source too: lips may be where it ends.
    """
    corners, weights, distance = closest_of(fit.met, fit.target, fit.source, fit.threads)
    near = (corners[:, 0] >= 0) & (distance <= fit.near)
    ends = on_border(corners, weights, border_vertices(fit.source))
    found = Matches(corners, weights, distance, near & ~ends)
    first = np.tile(np.array([1, 0, 0], np.float32), (len(landmarks), 1))
    pinned = np.repeat(landmarks[:, :1], 3, axis=1).astype(np.int32), first, error.astype(np.float32)
    found = found.but(fit.given, pinned, True)
    found, torn = decided_along(match_welded(found, fit), fit)
    kept = mended(torn, found.matched, fit.target, fit.given)
    astray = np.flatnonzero(found.matched & ~kept)
    torn = torn[kept[torn].all(axis=1)]
    undecided = np.union1d(torn, astray)
    component = fit.target.component
    share = np.bincount(component, kept) / np.bincount(component)
    return found.only(kept & (share[component] >= CHANCE)), torn, undecided
