"""A model and the rig that it learned from, timed in turns."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import Deformer

ROUNDS, TURN, REPEATS = 8, 5, 4  # rounds of five poses each, which the engine evaluates four times


@dataclass(frozen=True)
class HostTiming:
    """The rig itself and the engine, measured in turns on single poses.

    Attributes
    ----------
    name : str
        ``"Blender 5.0.1"``.
    milliseconds : float
        Median per pose.
    engine_milliseconds : float
        The same of the model, on one thread.
    """

    name: str
    milliseconds: float
    engine_milliseconds: float


def time_with_rig(model: Deformer, rig: Any, poses: NDArray[np.float32], channels: NDArray[Any]) -> HostTiming:
    """Measure a model and its rig in turns, so that what disturbs the machine disturbs both.

    Parameters
    ----------
    model : Deformer
    rig : Rig
        Measures itself by ``time_pose`` where it has that, as a host does inside its own process.
    poses : (T, C) array
    channels : (T, N) array
        Of the same poses.
    """
    into = np.empty((len(model.rest_vertices), 3), np.float32)
    ours: list[float] = []
    theirs: list[float] = []
    for begin in range(0, min(len(poses), ROUNDS * TURN), TURN):
        rows = slice(begin, begin + TURN)
        theirs += _host_seconds(rig, np.asarray(channels[rows], np.float64))
        for pose in np.repeat(poses[rows], REPEATS, axis=0):
            start = time.perf_counter()
            model.evaluate(pose, threads=1, out=into)
            ours.append(time.perf_counter() - start)
    name = getattr(rig, "host", None) or getattr(rig, "name", "") or "the rig"
    return HostTiming(str(name), 1e3 * float(np.median(theirs)), 1e3 * float(np.median(ours)))


def _host_seconds(rig: Any, rows: NDArray[np.float64]) -> list[float]:
    if hasattr(rig, "time_pose"):
        return [float(seconds) for seconds in rig.time_pose(rows)]
    found = []
    for row in rows:
        start = time.perf_counter()
        rig.sample(row[None])
        found.append(time.perf_counter() - start)
    return found
