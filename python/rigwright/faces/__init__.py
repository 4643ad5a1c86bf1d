"""Published face data sets as blendshape rigs, and correctives for faces that nobody sculpted any for."""

from rigwright.faces._combinations import CombinationStructure, compskin_combinations
from rigwright.faces._compskin import compskin_curves, ict_with_combinations
from rigwright.faces._convert import convert_data_set
from rigwright.faces._correctives.correctives import constructed_correctives
from rigwright.faces._example import example
from rigwright.faces._ict import ict
from rigwright.faces._makehuman import makehuman, makehuman_macro_targets
from rigwright.faces._makehuman_body import makehuman_body

__all__ = [
    "CombinationStructure",
    "compskin_combinations",
    "compskin_curves",
    "constructed_correctives",
    "convert_data_set",
    "example",
    "ict",
    "ict_with_combinations",
    "makehuman",
    "makehuman_body",
    "makehuman_macro_targets",
]
