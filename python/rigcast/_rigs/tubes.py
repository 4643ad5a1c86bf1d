"""Faces of tubes: rings of vertices, closed at both ends."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def closed_tube(rings: int, sides: int) -> NDArray[np.int32]:
    """Faces (F, 4) of a tube of ``rings * sides`` vertices, rings from one end to the other, and its two poles.

    Quads between the rings, triangles (padded with -1) to the pole before the first ring, vertex ``rings * sides``, and
    to the pole behind the last one. They face outward if the rings run upward and turn from +z to +x.
    """
    number = np.arange(rings * sides, dtype=np.int32).reshape(rings, sides)
    after = np.roll(number, -1, axis=1)
    quads = np.stack([number[:-1], after[:-1], after[1:], number[1:]], axis=-1).reshape(-1, 4)
    first, last = (np.full(sides, rings * sides + end, np.int32) for end in (0, 1))
    padding = np.full(sides, -1, np.int32)
    caps = [np.stack([first, after[0], number[0], padding], 1), np.stack([last, number[-1], after[-1], padding], 1)]
    return np.concatenate([quads, *caps])
