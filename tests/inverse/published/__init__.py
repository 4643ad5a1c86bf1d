"""Majorization-minimization as published, and as its authors released it."""
