"""Telling that a shot moves the head, which shapes cannot follow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright.inverse import head_motion


def head_motion_warnings(
    rig: Any, targets: NDArray[np.float32], weights: NDArray[np.float64], vertices: ArrayLike | None = None
) -> list[str]:
    """One sentence if the head moves in a solved shot, else nothing; arguments as of ``rw.inverse.head_motion``."""
    found = head_motion(rig, targets, weights, vertices)
    if not found.moves:
        return []
    return [
        f"a rigid motion of each frame explains {found.explained:.0%} of what the fit leaves: the head moves in this "
        "shot; --rigid auto finds its motion and removes it"
    ]
