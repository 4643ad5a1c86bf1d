"""Experiments on the system that benchmarks/systems/ik measures."""
