"""Shots: a mesh that moves, vertex by vertex."""

from rigwright.sources.shots.loading import Shot, load_shot

__all__ = ["Shot", "load_shot"]
