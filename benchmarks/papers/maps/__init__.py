"""Experiments on the system that benchmarks/systems/face_maps measures: the published network and its tables."""
