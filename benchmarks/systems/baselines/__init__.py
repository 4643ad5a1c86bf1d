"""Baselines under the gate."""
