"""Median times of calls that take turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def medians(calls: list[Callable[[], object]], runs: int, threads: int) -> list[float]:
    """Seconds of each call, which take turns, after two rounds to warm up: the processor's for one thread."""
    clock = time.process_time if threads == 1 else time.perf_counter
    seconds: list[list[float]] = [[] for _ in calls]
    for run in range(-2, runs):
        for own, call in zip(seconds, calls, strict=True):
            if threads > 1:
                time.sleep(0.1)  # OpenBLAS's workers spin for a while after a product, on the next one's processor
                call()  # and whoever has slept wakes up
            begin = clock()
            call()
            if run >= 0:
                own.append(clock() - begin)
    return [statistics.median(own) for own in seconds]
