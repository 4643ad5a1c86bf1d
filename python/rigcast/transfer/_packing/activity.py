"""Which vertices a shape moves, and how far."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[Any]


def displacements(neutral: Floats, shapes: Floats) -> Floats:
    """(K, V) distances ``|v_k^n - v_0^n|``, float32."""
    offsets = shapes - neutral
    return np.asarray(np.sqrt(np.einsum("kvc,kvc->kv", offsets, offsets)))


def active_vertices(distances: Floats, threshold: float) -> NDArray[np.bool_]:
    """Binary shapes ``b_k^n`` (Carrigan 2020, equation 3.2): (K, V) bool.

    A vertex is active if it moves at least ``threshold`` times as far as the shape's farthest. Vertices that do not
    move are never active, not even for the threshold 0.
    """
    top = distances.max(axis=1, keepdims=True) if distances.shape[1] else np.zeros((len(distances), 1))
    return np.asarray((distances >= threshold * top) & (distances > 0.0))
