"""Published face data sets as blendshape rigs, and correctives for faces that nobody sculpted any for."""

from rigwright.faces._combinations import CombinationStructure, combination_structure
from rigwright.faces._compskin import compskin_curves, ict_with_combinations
from rigwright.faces._convert import convert
from rigwright.faces._correctives.correctives import constructed_correctives
from rigwright.faces._example import example
from rigwright.faces._ict import SEGMENTS, ict
from rigwright.faces._makehuman import macro, makehuman
from rigwright.faces._makehuman_body import makehuman_body

__all__ = [
    "SEGMENTS",
    "CombinationStructure",
    "combination_structure",
    "compskin_curves",
    "constructed_correctives",
    "convert",
    "example",
    "ict",
    "ict_with_combinations",
    "macro",
    "makehuman",
    "makehuman_body",
]
