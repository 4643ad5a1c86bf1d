"""Blendshape rigs in model files."""

from __future__ import annotations

from pathlib import Path

from rigcast._core import BlendshapeRig, load
from rigcast._validate import bad_argument


def load_safetensors_blendshapes(path: Path) -> BlendshapeRig:
    """Open a model file that holds a blendshape rig.

    Raises
    ------
    ValueError
        If the file is no model, or another model.
    """
    rig = load(path)
    if not isinstance(rig, BlendshapeRig):
        raise bad_argument("load_blendshapes", "path", f"{path}: a {type(rig).__name__}", "a blendshape rig")
    return rig
