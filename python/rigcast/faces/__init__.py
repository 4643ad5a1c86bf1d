"""Published face data sets as blendshape rigs, and correctives for faces that nobody sculpted any for."""

from rigcast.faces._combinations import CombinationStructure, compskin_combinations
from rigcast.faces._compskin import compskin_curves, ict_with_combinations
from rigcast.faces._convert import convert_data_set
from rigcast.faces._correctives.correctives import constructed_correctives
from rigcast.faces._example import example
from rigcast.faces._ict import ict
from rigcast.faces._makehuman import makehuman, makehuman_macro_targets
from rigcast.faces._makehuman_body import makehuman_body

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
