"""A face rigged as in production, built by script in Blender from CC0 assets, with the curves that it is judged by."""

from examples.characters.production_face.build import build_production_face
from examples.characters.production_face.clips import (
    Clip,
    constructed_clips,
    performance_clips,
    training_rows,
    uniform_rows,
)
from examples.characters.production_face.controls import Control, controls

__all__ = [
    "Clip",
    "Control",
    "build_production_face",
    "constructed_clips",
    "controls",
    "performance_clips",
    "training_rows",
    "uniform_rows",
]
