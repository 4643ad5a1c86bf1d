# SPDX-License-Identifier: GPL-3.0-or-later
"""Colors on a bound mesh: the bound on the error of each vertex, or the trust in the pose."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
SCALE = np.array(  # linear, from none to the largest: dark blue, green, yellow, red
    [(0.01, 0.02, 0.16), (0.0, 0.22, 0.30), (0.10, 0.55, 0.10), (0.95, 0.75, 0.02), (0.80, 0.02, 0.01)]
)
NO_BOUND = "the model states no error bound: it is a formula, or learned from few poses"


def colors_of(model: Any, row: Array, show: str) -> Array | None:
    """Colors (V, 4) float32 of a pose (C,); None if nothing is shown.

    Raises
    ------
    ValueError
        If the model states no bound.
    """
    if show == "ERROR_BOUND":
        errors = model.error_bound(row)
        return scaled(np.sqrt(errors / max(float(errors.max()), 1e-30)))
    if show == "CONFIDENCE":
        return scaled(np.full(model.num_vertices, 1.0 - float(model.confidence(row)[0])))
    return None


def scaled(shares: Array) -> Array:
    """Colors (V, 4) float32 of shares in [0, 1]."""
    place = np.linspace(0.0, 1.0, len(SCALE))
    rows = [np.interp(shares, place, SCALE[:, i]) for i in range(3)]
    return np.stack([*rows, np.ones_like(shares)], axis=1).astype(np.float32)


def draws_colors(context: Any) -> bool:
    """True if the view of a context draws color attributes."""
    shading = getattr(context.space_data, "shading", None)
    return shading is not None and shading.type == "SOLID" and shading.color_type == "VERTEX"


def switch_colors(context: Any, drawn: bool) -> None:
    """Let the view of a context draw color attributes, or materials."""
    shading = getattr(context.space_data, "shading", None)
    if shading is not None:
        shading.type, shading.color_type = "SOLID", "VERTEX" if drawn else "MATERIAL"
