"""Accuracy and speed of faces on deformation maps."""
