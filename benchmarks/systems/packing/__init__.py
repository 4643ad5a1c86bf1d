"""Packing of expressions: plans, coverage, peers."""
