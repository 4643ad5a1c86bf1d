"""Experiments on the system that benchmarks/systems/baselines measures."""
