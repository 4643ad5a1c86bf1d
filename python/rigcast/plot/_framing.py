"""The framing of a picture of a rig: the part that moves, and its width."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def moving_vertices(rig: Any, noticed: float = 0.0) -> NDArray[np.bool_]:
    """(V,) vertices that some column of a blendshape rig moves; all vertices if none moves.

    Parameters
    ----------
    rig : BlendshapeRig
    noticed : float
        In each column only vertices count that move farther than this share of its largest movement.
    """
    moved = np.zeros(len(rig.rest_vertices), bool)
    for n in range(rig.num_columns):
        size = np.linalg.norm(rig.column(n), axis=1)
        moved |= size > noticed * size.max()
    return np.asarray(moved if moved.any() else ~moved)


def aspect_of(vertices: NDArray[Any], up_axis: str) -> float:
    """Width over height of a picture that holds these vertices from any side, between 0.6 and 1.4."""
    up = "XYZ".index(up_axis)
    spans = np.ptp(np.asarray(vertices, np.float64), axis=0)
    wide = max(np.delete(spans, up))
    return float(np.clip(wide / max(float(spans[up]), 1e-9), 0.6, 1.4))
