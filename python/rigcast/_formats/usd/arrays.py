"""Arrays as USD holds them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._extras import require
from rigcast._rigs.rotations import Float64

PURPOSE = "writing USD files"


def vectors(rows: NDArray[Any]) -> Any:
    """Of three numbers each."""
    return _types().Vec3fArray.FromNumpy(np.ascontiguousarray(rows, np.float32))


def pairs(rows: ArrayLike) -> Any:
    """Of two numbers each."""
    return _types().Vec2fArray.FromNumpy(np.ascontiguousarray(rows, np.float32).reshape(-1, 2))


def floats(values: ArrayLike) -> Any:
    """Of single precision."""
    return _types().FloatArray.FromNumpy(np.ascontiguousarray(values, np.float32))


def integers(values: ArrayLike) -> Any:
    """Of 32 bits."""
    return _types().IntArray.FromNumpy(np.ascontiguousarray(values, np.int32))


def matrices(transforms: Float64) -> Any:
    """Transforms (J, 3, 4) for column vectors as matrices for row vectors."""
    result = np.tile(np.eye(4), (len(transforms), 1, 1))
    result[:, :3] = transforms
    return _types().Matrix4dArray.FromNumpy(np.ascontiguousarray(result.swapaxes(1, 2)))


def extent(points: NDArray[Any]) -> Any:
    """The lowest and the highest corner of points (..., 3)."""
    flat = points.reshape(-1, 3)
    return vectors(np.stack([flat.min(axis=0), flat.max(axis=0)]))


def _types() -> Any:
    return require("pxr.Vt", extra="usd", purpose=PURPOSE)
