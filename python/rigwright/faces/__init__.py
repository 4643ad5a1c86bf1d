"""Published face data sets as blendshape rigs, and correctives for faces that nobody sculpted any for."""

from rigwright.faces.combinations import CombinationStructure, combination_structure
from rigwright.faces.compskin import compskin_curves, ict_with_combinations
from rigwright.faces.correctives import constructed_correctives
from rigwright.faces.ict import SEGMENTS, ict
from rigwright.faces.makehuman import macro, makehuman

__all__ = [
    "SEGMENTS",
    "CombinationStructure",
    "combination_structure",
    "compskin_curves",
    "constructed_correctives",
    "ict",
    "ict_with_combinations",
    "macro",
    "makehuman",
]
