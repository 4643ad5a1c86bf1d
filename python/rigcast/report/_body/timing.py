"""How long the engine takes for a pose on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc

BATCH = 256
LEAST_RUNS = 15
ROUNDS, TURN, REPEATS = 8, 5, 4  # beside the rig: rounds of five poses each, which the engine evaluates four times
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


def time_engine(model: rc.Deformer, poses: NDArray[np.float32]) -> Timing:
    """Measure a model on some poses, one after another and as a batch."""
    batch = np.ascontiguousarray(np.resize(poses, (BATCH, poses.shape[1])))
    into = np.empty((BATCH, *model.rest_vertices.shape), np.float32)
    turn = iter(range(10**9))
    single = median_seconds(lambda: model.evaluate(batch[next(turn) % BATCH], threads=1, out=into[0]))
    together = median_seconds(lambda: model.evaluate(batch, out=into))
    return Timing(1e3 * single, 1e3 * together / BATCH)


def time_beside(model: rc.Deformer, rig: Any, poses: NDArray[np.float32], channels: NDArray[Any]) -> HostTiming:
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
