"""Noticing that points lie relative to others as if another axis pointed up."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.motions.shot import TO_Y_UP
from rigcast._similarity import best_turn

NEARLY = 30.0  # degrees that a head may be turned against another whose up axis is another one


def seeming_up_axis(source: NDArray[Any], target: NDArray[Any], own: str, stated: str) -> str | None:
    """The up axis with which a target (N, 3) would stand as the source (N, 3) does, if it is another than ``stated``.

    Parameters
    ----------
    source, target : (N, 3)
        The same points of both.
    own, stated : "X", "Y" or "Z"
        The up axis of the source, and the one that the target is taken to have.
    """
    if len(source) < 3:
        return None
    lies = best_turn(source, target)[0]
    near = {axis: float(np.trace(TO_Y_UP[own].T @ turn @ lies)) for axis, turn in TO_Y_UP.items()}
    axis = max(near, key=lambda name: near[name])
    if axis == stated or near[axis] < 1.0 + 2.0 * np.cos(np.radians(NEARLY)):
        return None
    return axis
