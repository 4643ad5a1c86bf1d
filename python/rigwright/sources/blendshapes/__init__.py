"""Blendshape rigs from files, and the weights that animate them."""

from rigwright.sources.blendshapes.loading import load_blendshapes, load_weights

__all__ = ["load_blendshapes", "load_weights"]
