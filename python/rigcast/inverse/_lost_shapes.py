"""Shapes that sparsity keeps at rest although the shot shows them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

ON = 1e-3  # a weight above counts as on
SHOWN = 0.2  # the weight that a shape must reach alone before it is missed
NOISE = 6.0  # standard deviations of a frame's residual that its motion must exceed
FRAMES_AT_ONCE = 64


def lost_shapes(
    rig: Any, still: NDArray[np.generic], solution: Any, vertices: NDArray[np.int64] | None = None
) -> list[str]:
    """One sentence if shapes rest in every frame although the residual shows them, else nothing.

    The weight that shape b alone would take of a frame's residual r is ``b . r / |b|^2``.

    Parameters
    ----------
    rig : BlendshapeRig
    still : (T, V, 3), or (T, M, 3) of the chosen vertices
        The shot in the rig's frame.
    solution : Solution
        Weights (T, K) and the alpha that they were found with.
    vertices : (M,), optional
    """
    weights = solution.weights
    idle = np.flatnonzero(~(np.abs(weights) > ON).any(axis=0))
    if solution.alpha == 0.0 or not len(idle) or not weights.any():
        return []
    chosen = slice(None) if vertices is None else vertices
    shapes = np.asarray(rig.columns()[idle], np.float64)[:, chosen].reshape(len(idle), -1)
    square = np.square(shapes).sum(axis=1)
    most = np.zeros(len(idle))
    for first in range(0, len(weights), FRAMES_AT_ONCE):
        rows = slice(first, first + FRAMES_AT_ONCE)
        shot = np.asarray(still[rows], np.float64)
        shot = shot[:, chosen] if shot.shape[1] == len(rig.rest_vertices) else shot
        left = shot - rig.evaluate(weights[rows])[:, chosen]
        left = left.reshape(len(left), -1)
        along = left @ shapes.T
        clear = along > NOISE * np.sqrt(np.square(left).mean(axis=1))[:, None] * np.sqrt(square)
        alone = np.divide(along, square, out=np.zeros_like(along), where=clear & (square > 0))
        most = np.maximum(most, alone.max(axis=0))
    missed = [index for index in np.argsort(-most, kind="stable") if most[index] > SHOWN]
    if not missed:
        return []
    named = ", ".join(f"{rig.shape_names[idle[index]]} (up to {most[index]:.1g})" for index in missed[:6])
    more = f" and {len(missed) - 6} more" if len(missed) > 6 else ""
    return [
        f"shapes that seem to move in the shot rest in every frame, because alpha {solution.alpha:.3g} is too large: "
        f"{named}{more}; a smaller alpha or relative alpha turns them on"
    ]
