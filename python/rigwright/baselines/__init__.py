"""Deformers fitted to the same samples as a learned body, to stand beside it in every comparison."""

from rigwright.baselines._linear_blend import Samples, linear_blend

__all__ = ["Samples", "linear_blend"]
