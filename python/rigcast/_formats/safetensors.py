"""Blendshape rigs in model files, as what they are and as rigs of their dials."""

from __future__ import annotations

from pathlib import Path

from rigcast._core import BlendshapeRig, load
from rigcast._rigs.face import rig_of_face
from rigcast._rigs.skinned import SkinnedRig
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
        raise bad_argument("load_blendshapes", "path", f"{path}: a {type(rig).__name__}", "a blendshape rig", path)
    return rig


def load_safetensors_rig(path: Path) -> SkinnedRig:
    """Open a model file that holds a blendshape rig, as a rig of its dials.

    Raises
    ------
    ValueError
        If the file is no model, or a learned one: what was learned from a rig is no rig.
    """
    model = load(path)
    if not isinstance(model, BlendshapeRig):
        got = f"{path}: a learned model of kind {model.kind}"
        raise bad_argument("load", "path", got, "a rig, which of model files only those of blendshapes are", path)
    return rig_of_face(model)
