"""Times of the engine on this machine: functions in turns, models, and what storages and memory allow."""

from rigcast._timing.turns import interleaved, load_average, machine

__all__ = ["interleaved", "load_average", "machine"]
