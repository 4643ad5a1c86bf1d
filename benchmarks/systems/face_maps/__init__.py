"""Deformation maps: floors, accuracy beside goals and gates, and speed beside peers."""
