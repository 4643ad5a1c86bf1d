"""Clips of controls: read, at one rate and inside limits, as coordinates with their effect on the mesh."""
