"""A character at rest with the file of its model, as a stage.

The root is a ``SkelRoot`` and the stage's default prim. ``rigcast:model`` on it is an asset path to the model file,
relative to the stage; ``customData["rigcast"]`` says what the model is, and its documentation says in words how far the
character of the stage is from it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rigcast._atomic_files import atomic_file
from rigcast._extras import require
from rigcast._formats.usd.arrays import PURPOSE, floats, pairs
from rigcast._formats.usd.names import ABOUT, MODEL, identifier
from rigcast._formats.usd.skinned_meshes import Inbetween, Inbetweens, define_character
from rigcast._formats.usd.write_skinned import in_stage_axes
from rigcast._rigs.motions.moving_mesh import turn_between
from rigcast._rigs.motions.skinned_motion import SkinnedMotion


@dataclass(frozen=True)
class StagedCharacter:
    """Content of a stage about a character.

    Attributes
    ----------
    motion : SkinnedMotion
        Without frames.
    inbetweens : mapping
        Of its blend shapes.
    model : Path
        The model file.
    about : mapping
        On the model: texts, numbers, lists of texts, arrays (n, 2) of ranges and (n,) of values.
    words : str
        For people.
    """

    motion: SkinnedMotion
    inbetweens: Inbetweens
    model: Path
    about: Mapping[str, Any]
    words: str


def write_usd_character(path: Path, character: StagedCharacter) -> None:
    """Write ``.usd``, ``.usda`` or ``.usdc``, in the unit and the axes of the character; X up is turned to Y."""
    usd, geometry, skel = (
        require(f"pxr.{name}", extra="usd", purpose=PURPOSE) for name in ("Usd", "UsdGeom", "UsdSkel")
    )
    before = character.motion.rig
    motion = in_stage_axes(character.motion)
    rig = motion.rig
    inbetweens = turned(character.inbetweens, turn_between(before.up_axis, rig.up_axis))
    with tempfile.TemporaryDirectory(prefix="rigcast-export-") as folder:
        place = Path(folder) / f"character{path.suffix.lower()}"
        stage = usd.Stage.CreateNew(str(place))
        geometry.SetStageUpAxis(stage, rig.up_axis)
        geometry.SetStageMetersPerUnit(stage, rig.meters_per_unit)
        stage.GetRootLayer().customLayerData = {"generator": "rigcast", "licence": rig.licence}
        root = skel.Root.Define(stage, f"/{identifier(rig.name or path.stem, 'character')}")
        stage.SetDefaultPrim(root.GetPrim())
        define_character(stage, str(root.GetPath()), motion, inbetweens)
        state_model(root.GetPrim(), character, path)
        stage.GetRootLayer().Save()
        del stage, root
        with atomic_file(path) as stream:
            stream.write(place.read_bytes())


def turned(inbetweens: Inbetweens, turn: Any) -> Inbetweens:
    """In-betweens in other axes."""
    return {
        name: [Inbetween(each.weight, (each.deltas @ turn.T).astype(np.float32)) for each in several]
        for name, several in inbetweens.items()
    }


def state_model(prim: Any, character: StagedCharacter, stage_file: Path) -> None:
    """State the file of the model and what it is on the root of a character, in a stage that will lie at a place."""
    usd, sdf = (require(f"pxr.{name}", extra="usd", purpose=PURPOSE) for name in ("Usd", "Sdf"))
    model = usd.ModelAPI(prim)
    model.SetKind("component")
    model.SetAssetName(prim.GetName())
    attribute = prim.CreateAttribute(MODEL, sdf.ValueTypeNames.Asset, True, sdf.VariabilityUniform)
    attribute.Set(sdf.AssetPath(asset_path(character.model, stage_file)))
    attribute.SetDocumentation("The rigcast model of this character, which rigcast.load of this stage opens")
    prim.SetDocumentation(character.words)
    prim.SetCustomDataByKey(ABOUT, {name: _value(value) for name, value in character.about.items()})


def asset_path(file: Path, stage_file: Path) -> str:
    """The path of a file from the folder of a stage, beginning with a dot, by which USD anchors it to the layer."""
    try:
        found = Path(os.path.relpath(file.resolve(), stage_file.parent.resolve())).as_posix()
    except ValueError:  # on another drive
        return file.resolve().as_posix()
    return found if found.startswith("../") else f"./{found}"


def _value(value: Any) -> Any:
    arrays = require("pxr.Vt", extra="usd", purpose=PURPOSE)
    if isinstance(value, Mapping):
        return {name: _value(entry) for name, entry in value.items()}
    if isinstance(value, np.ndarray):
        return pairs(value) if value.ndim == 2 else floats(value)
    return arrays.StringArray(value) if isinstance(value, list) else value
