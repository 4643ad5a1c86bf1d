"""Targets that the fitted rig does not reach: parts of ``python -m benchmarks.papers.inverse.mismatch``."""
