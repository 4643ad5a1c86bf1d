"""Telling that a shot moves the head, which shapes cannot follow, and that noise makes the weights jitter."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast.inverse import head_motion, jitter

JITTERS = 2.0  # times the motion's second differences: less is hardly seen


def head_motion_warnings(
    rig: Any, targets: NDArray[np.float32], weights: NDArray[np.float64], vertices: ArrayLike | None = None
) -> list[str]:
    """One sentence if the head moves in a solved shot, else nothing; arguments as of ``rc.inverse.head_motion``."""
    found = head_motion(rig, targets, weights, vertices=vertices)
    if not found.moves:
        return []
    return [
        f"a rigid motion of each frame explains {found.explained:.0%} of what the fit leaves: the head moves in this "
        "shot; --rigid auto finds its motion and removes it"
    ]


def jitter_warnings(
    rig: Any, still: NDArray[np.generic], weights: NDArray[np.float64], vertices: ArrayLike | None = None
) -> list[str]:
    """One sentence if noise shows in the weights, else nothing; arguments as of ``rc.inverse.jitter``."""
    found = jitter(rig, still, weights, vertices=vertices)
    if found.smoothness == 0.0 or found.jitter <= JITTERS * found.motion:
        return []
    millimeters = 1e3 * float(rig.meters_per_unit) * found.noise
    times = f"{found.jitter / found.motion:.1f} times as much as they move" if found.motion > 0 else "though they rest"
    return [
        f"noise of {millimeters:.2g} mm makes the weights jitter, {times} (second differences); --smoothness auto "
        "smooths them"
    ]
