"""Blendshapes forward, and crowds by level of detail."""
