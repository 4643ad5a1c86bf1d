"""The engine's time for a pose on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._core import Deformer

BATCH = 256
LEAST_RUNS = 15
SECONDS = 0.4  # of measuring each, if that is more than the least number of runs


@dataclass(frozen=True)
class Timing:
    """Median milliseconds per pose.

    Attributes
    ----------
    single : float
        One pose at a time, one thread.
    batch : float
        256 poses at once, all processors.
    """

    single: float
    batch: float


def time_engine(model: Deformer, poses: NDArray[np.float32]) -> Timing:
    """Measure a model on some poses, one after another and as a batch."""
    batch = np.ascontiguousarray(np.resize(poses, (BATCH, poses.shape[1])))
    into = np.empty((BATCH, *model.rest_vertices.shape), np.float32)
    turn = iter(range(10**9))
    single = median_seconds(lambda: model.evaluate(batch[next(turn) % BATCH], threads=1, out=into[0]))
    together = median_seconds(lambda: model.evaluate(batch, out=into))
    return Timing(1e3 * single, 1e3 * together / BATCH)


def median_seconds(call: Callable[[], object]) -> float:
    """Median duration of a call, after three to warm up."""
    for _ in range(3):
        call()
    runs: list[float] = []
    end = time.perf_counter() + SECONDS
    while len(runs) < LEAST_RUNS or time.perf_counter() < end:
        begin = time.perf_counter()
        call()
        runs.append(time.perf_counter() - begin)
    return float(np.median(runs))
