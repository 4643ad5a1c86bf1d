"""Deformation maps of the production face: accuracy beside goals, gates and floors."""
