"""The smallest error with which a deformation map can show a motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._validate import Arguments


def map_floor(
    uvs: ArrayLike, offsets: ArrayLike, resolution: int, *, weights: ArrayLike | None = None, threads: int = 0
) -> NDArray[np.float64]:
    """Residual distances of the best deformation map: no map of this resolution, learned or painted, has a smaller sum.

    For each frame the map of R x R texels that minimizes the sum of squared distances between the offsets and its
    bilinear samples at the texture coordinates (Bailey 2020, equation 3.2, with least squares in place of
    interpolation). Vertices that share texels but not their motion show up here: see
    :func:`rigcast.training.face_layout`.

    Parameters
    ----------
    uvs : (V, 2) array
        Texture coordinates in the unit square, one per vertex; texel (i, j) has its center at (i, j) / (R - 1).
    offsets : (T, V, 3) array
        Vertices minus the rest, in any unit.
    resolution : int
        R, from 2 to 256.
    weights : (V,) array, optional
        What samples are multiplied by. Default: 1.
    threads : int
        Number of threads; 0 means all processors that this process may use. The result has the same bytes for any.

    Returns
    -------
    (T, V) array
        In the unit of the offsets.

    Raises
    ------
    ValueError
        If a shape is wrong or a number not finite.

    Examples
    --------
    Two vertices on one texel move apart: the best map moves neither.

    >>> uvs, offsets = [[0.5, 0.5], [0.5, 0.5]], [[[0, 1, 0], [0, -1, 0]]]
    >>> rc.metrics.map_floor(uvs, offsets, 32).round(6)
    array([[1., 1.]])
    """
    check = Arguments("map_floor")
    at = check.numbers("uvs", uvs, "V+ 2")
    moved = check.numbers("offsets", offsets, "T V 3", dtype=np.float32)
    resolution = check.whole("resolution", resolution, least=2, most=256)
    shares = None if weights is None else check.numbers("weights", weights, "V", dtype=np.float32)
    return np.asarray(_core.map_floor(at, moved, resolution, shares, check.threads(threads)))
