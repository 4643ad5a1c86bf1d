"""Warnings about a solution: weights that all rest, shapes that are lost, pairs that a shot hardly separates."""
