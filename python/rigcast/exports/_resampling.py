"""Weights and head motion at another rate."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._rigs.motions.head import checked_transforms
from rigcast._rigs.motions.resampling import resampled
from rigcast._validate import Arguments

Resampled = tuple[NDArray[np.float32], NDArray[np.float64] | None]


def resampled_weights(
    weights: ArrayLike, fps: float, to_fps: float, *, transforms: ArrayLike | None = None
) -> Resampled:
    """Weights and the motion of the head at another rate, over the same time.

    Frames lie at n / ``to_fps`` seconds, up to the last given one. Weights, translations and scales are interpolated
    linearly, rotations at constant speed (slerp, Shoemake 1985).

    Parameters
    ----------
    weights : array_like, shape (T, K)
    fps, to_fps : float
        Frames per second, given and wanted.
    transforms : array_like, shape (T, 3, 4), optional
        As ``Solution.transforms`` holds them.

    Returns
    -------
    (S, K) float32, (S, 3, 4) float64 or None

    Raises
    ------
    ValueError
        If weights, rates or transforms are not as they must be.

    Examples
    --------
    >>> import numpy as np
    >>> import rigcast as rc
    >>> rc.exports.resampled_weights(np.linspace(0, 1, 5)[:, None], 48, 24)[0].ravel().tolist()
    [0.0, 0.5, 1.0]
    """
    check = Arguments("resampled_weights")
    rows = check.numbers("weights", weights, "T+ K")
    rates = [check.rate(name, rate) for name, rate in (("fps", fps), ("to_fps", to_fps))]
    if transforms is None:
        return resampled(rows, 0, *rates), None
    motion = checked_transforms("resampled_weights", transforms, len(rows))
    both = resampled(np.concatenate([motion.reshape(-1, 12), rows], axis=1), 1, *rates)
    return both[:, 12:], both[:, :12].reshape(-1, 3, 4).astype(np.float64)
