"""Benchmarks, one room per system: ``python -m benchmarks.ROOM.SCRIPT --help``."""
