"""Experiments on the system that benchmarks/systems/blendshapes measures."""
