"""Differential coordinates of meshes: encode displacements, rebuild them from a few anchors, and choose the anchors."""

from rigcast._core import FoldedReconstructor, Reconstructor, choose_anchors

__all__ = ["FoldedReconstructor", "Reconstructor", "choose_anchors"]
