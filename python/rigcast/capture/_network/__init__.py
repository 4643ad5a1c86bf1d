"""Weights and points read from pictures by a network."""
