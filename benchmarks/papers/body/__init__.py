"""Experiments on the system that benchmarks/systems/body measures."""
