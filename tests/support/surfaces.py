"""Surfaces of small meshes, and their comparison."""

from __future__ import annotations

import numpy as np

from rigwright._rigs.surface import ARRAYS, NAMES, Surface


def same_surface(one: Surface, other: Surface) -> bool:
    """Whether all names and arrays are equal."""
    names = all(getattr(one, name) == getattr(other, name) for name in NAMES)
    return names and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ARRAYS)
