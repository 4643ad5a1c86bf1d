"""Timing of functions side by side."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from rigcast import _core


def machine() -> str:
    """One line about this machine: processor, processors in use, instruction set, system."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                name = line.split(":", 1)[1].strip()
                break
    return f"{name}, {_core.num_processors()} processors, {_core.instruction_set()}, {platform.platform(terse=True)}"


def interleaved(
    functions: Mapping[str, Callable[[], object]], runs: int, in_a_row: int = 1, warm_up: int = 3
) -> dict[str, float]:
    """Median seconds of a call of each function, the functions taking turns.

    What disturbs the machine for a while then disturbs all of them alike.

    Parameters
    ----------
    functions : mapping
        What to time, by name.
    runs : int
        Rounds that count; each function is also called `warm_up` times before.
    in_a_row : int
        Timed calls of a function in each of its turns. If more than one, the turn begins with a call that is not
        timed: it brings back what the other functions drove out of the caches.
    """
    for function in functions.values():
        for _ in range(warm_up):
            function()
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(runs):
        for name, function in functions.items():
            if in_a_row > 1:
                function()
            for _ in range(in_a_row):
                begin = time.perf_counter()
                function()
                times[name].append(time.perf_counter() - begin)
    return {name: float(np.median(values)) for name, values in times.items()}


def load_average() -> float:
    """Processes that wanted a processor in the last minute."""
    return os.getloadavg()[0]
