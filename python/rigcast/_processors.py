"""The number of processors that this process may use."""

from __future__ import annotations

import os


def available_processors() -> int:
    """Processors that the system lets this process run on: its affinity where there is one, as the engine counts."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1
