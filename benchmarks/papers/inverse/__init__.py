"""Experiments on the system that benchmarks/systems/inverse measures."""
