"""Rigs to learn from."""

from rigwright.sources.rig import Rig

__all__ = ["Rig"]
