"""What the best maps of a layout leave of a motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.training._face_maps._layout.segments import REFINEMENT, Layout
from rigcast.training._face_maps._refine.refinement import fitted


def refined_floor(layout: Layout, offsets: NDArray[np.float32], threads: int = 0) -> NDArray[np.float64]:
    """Distances (T, V) that the best maps of a layout leave, in the unit of offsets (T, V, 3).

    Refinement maps are fitted to what the best coarse maps leave, one after another, twice. Where coarse maps blend,
    each is fitted by itself. Vertices of no coarse segment have 0.
    """
    left = np.zeros(offsets.shape, np.float32)
    for segment in layout.coarse:
        own = np.ascontiguousarray(offsets[:, segment.vertices])
        ones = np.ones(len(segment.vertices), np.float32)
        remains = _core.map_residuals(segment.uvs, own, segment.resolution, ones, threads)
        left[:, segment.vertices] += segment.weights[:, None] * remains
    left = fitted([segment for segment in layout.segments if segment.level == REFINEMENT], left, threads)
    return np.asarray(np.linalg.norm(left.astype(np.float64), axis=2))
