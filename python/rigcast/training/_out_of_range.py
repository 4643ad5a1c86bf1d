"""How often the flag of poses outside the training poses is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import Deformer

BEYOND = 0.25  # of a channel's range: how far outside it lies in the poses that the flag must find
LEAST = 1e-4  # of a pose's entries: smaller changes are rounding


def flag_rates(
    model: Deformer, poses: NDArray[np.float32], channels: NDArray[np.float32], ds: Any, seed: int
) -> dict[str, Any]:
    """False alarms on held-out poses, and misses on poses with one channel a quarter of its range outside it.

    Parameters
    ----------
    model : Deformer
    poses, channels : (T, C), (T, N) arrays
        Held-out rows.
    ds : Dataset
    seed : int
        Of the channels that are moved, and of the end beyond which each is.

    Returns
    -------
    dict
        ``false_alarm`` and ``miss``; the latter is of poses that move something that the model reads, and None where
        plain kinematics does not make poses of channels.
    """
    false_alarm = float(model.out_of_range(poses).mean())
    outside = beyond_range(channels, np.asarray(ds.channel_ranges), np.random.default_rng([seed, 7]))
    try:
        moved = model.poses_from_channels(outside)
    except ValueError:  # a driven joint, a set of manifest version 1: the rig alone knows the pose
        return {"false_alarm": false_alarm, "miss": None}
    read = model.tensors()["confidence.column"]  # without a single root, which takes the whole character along exactly
    matters = np.any(np.abs(moved[:, read] - poses[:, read]) > LEAST, axis=1)
    miss = 1.0 - float(model.out_of_range(moved[matters]).mean()) if matters.any() else None
    return {"false_alarm": false_alarm, "miss": miss}


def beyond_range(
    channels: NDArray[np.float32], ranges: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float32]:
    """Rows (T, N) in each of which one channel that has a range lies ``BEYOND`` of it outside."""
    wide = np.flatnonzero(np.ptp(ranges, axis=1) > 0.0)
    result = np.array(channels)
    chosen = wide[rng.integers(len(wide), size=len(channels))]
    low, high = ranges[chosen].T
    above = rng.random(len(channels)) < 0.5
    result[np.arange(len(channels)), chosen] = np.where(
        above, high + BEYOND * (high - low), low - BEYOND * (high - low)
    )
    return result
