"""Experiments on the system that benchmarks/systems/packing measures."""
