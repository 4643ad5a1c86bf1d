"""Differential coordinates of meshes: encode displacements, rebuild them from a few anchors, and choose the anchors."""

import rigcast._shown  # noqa: F401 (classes of the engine are complete after it)
from rigcast._core import FoldedReconstructor, Reconstructor, choose_anchors

__all__ = ["FoldedReconstructor", "Reconstructor", "choose_anchors"]
