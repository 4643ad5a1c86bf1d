"""Checks of arguments, and the one wording of a wrong argument."""

from rigcast._validate.arguments import (
    FPS,
    LONGEST_UNIT,
    MOST_FRAMES,
    MOST_INDEX,
    MOST_THREADS,
    RATES,
    SHORTEST_UNIT,
    Arguments,
    check_finite,
    check_threads,
)
from rigcast._validate.arrays import as_array, check_blendshape_rig
from rigcast._validate.metadata import metadata_text
from rigcast._validate.words import MissingFile, bad_argument, bad_file, is_text, missing_file, shown

__all__ = [
    "FPS",
    "LONGEST_UNIT",
    "MOST_FRAMES",
    "MOST_INDEX",
    "MOST_THREADS",
    "RATES",
    "SHORTEST_UNIT",
    "Arguments",
    "MissingFile",
    "as_array",
    "bad_argument",
    "bad_file",
    "check_blendshape_rig",
    "check_finite",
    "check_threads",
    "is_text",
    "metadata_text",
    "missing_file",
    "shown",
]
