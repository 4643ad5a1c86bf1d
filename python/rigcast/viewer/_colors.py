"""One byte per vertex: how far a figure is from the one beside it or may be from the truth, or how little is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.viewer._figures._figure import Vertices

Marks = NDArray[np.uint8]
ERROR_SHARE = 0.0025  # of the character's size: the error that is drawn in the last color


def error_marks(
    vertices: Vertices, truth: Vertices, size: float, meters_per_unit: float
) -> tuple[Marks, dict[str, Any]]:
    """Distances of vertices (V, 3) to the true ones, 255 at 0.25 % of the size; mean and largest in millimeters."""
    return distance_marks(np.linalg.norm(vertices.astype(np.float64) - truth, axis=1), size, meters_per_unit)


def distance_marks(
    distance: NDArray[np.floating[Any]], size: float, meters_per_unit: float
) -> tuple[Marks, dict[str, Any]]:
    """Lengths (V,), 255 at 0.25 % of the size; mean and largest in millimeters."""
    most = ERROR_SHARE * size
    in_mm = 1000.0 * meters_per_unit
    facts = {"mean": float(distance.mean() * in_mm), "max": float(distance.max() * in_mm), "full": most * in_mm}
    return np.clip(255.0 * distance / most, 0, 255).astype(np.uint8), facts


def confidence_marks(confidence: float, num_vertices: int) -> Marks:
    """0 inside the training poses, 255 where nothing is known."""
    return np.full(num_vertices, round(255.0 * (1.0 - confidence)), np.uint8)


def marks_of(
    mode: str,
    shown: Sequence[Vertices],
    confidence: float,
    size: float,
    meters_per_unit: float,
    bound: Callable[[], NDArray[np.float32]],
) -> tuple[Marks | None, dict[str, Any] | None]:
    """What colors show of the vertices of the first figure, and what errors amount to; None of what is not shown.

    ``bound`` is called if the bound of the model's error is shown.
    """
    if mode == "bound":
        return distance_marks(bound(), size, meters_per_unit)
    if mode == "confidence":
        return confidence_marks(confidence, len(shown[0])), None
    if mode == "error" and len(shown) == 2:
        return error_marks(shown[0], shown[1], size, meters_per_unit)
    return None, None
