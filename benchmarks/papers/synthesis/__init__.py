"""Experiments on the system that benchmarks/systems/synthesis measures."""
