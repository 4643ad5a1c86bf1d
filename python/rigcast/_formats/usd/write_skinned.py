"""A skinned character and its motion as a USD file (UsdSkel of OpenUSD, ``usd-core``)."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from rigcast._atomic_files import atomic_file
from rigcast._extras import require
from rigcast._formats.usd.arrays import PURPOSE, floats, vectors
from rigcast._formats.usd.names import ABOUT, identifier
from rigcast._formats.usd.skinned_meshes import ANIMATION, SKELETON, define_character, joint_paths
from rigcast._formats.usd.write_points import FIRST_FRAME, upright
from rigcast._rigs.motions.skinned_motion import SkinnedMotion

COARSE = 1e-5  # of a scale


def write_usd_skinned(path: Path, motion: SkinnedMotion, extras: dict[str, Any] | None = None) -> list[str]:
    """Write ``.usd``, ``.usda`` or ``.usdc`` with time samples at time codes 1 to T.

    Unit and up axis are the character's, with X up turned to Y, which USD cannot state. Joints have no stretch at rest,
    since USD holds scales in 16 bits; morphs are blend shapes. Several clips follow each other on the one timeline.
    ``extras`` is JSON text of the layer's ``customLayerData``, ``rigcast``; its entry ``fallback``, in words how far
    the file is from the character, is ``customData`` of the root instead, as in stages of characters.

    Returns
    -------
    list of str
        What the file does not hold exactly.
    """
    usd = require("pxr.Usd", extra="usd", purpose=PURPOSE)
    plain = in_stage_axes(motion)
    with tempfile.TemporaryDirectory(prefix="rigcast-export-") as folder:
        place = Path(folder) / f"motion{path.suffix.lower()}"
        stage = usd.Stage.CreateNew(str(place))
        _write(stage, plain, path, extras)
        stage.GetRootLayer().Save()
        del stage
        with atomic_file(path) as stream:
            stream.write(place.read_bytes())
    notes = [f"{path.name}: joints change their size, which USD holds in 16 bits"] * is_coarse(plain)
    if len(motion.spans) > 1:
        places = (f"{name} {span.start + FIRST_FRAME} to {span.stop}" for name, span in motion.spans.items())
        notes.append(f"{path.name} has one timeline, on which clips follow each other: {', '.join(places)}")
    return notes


def in_stage_axes(motion: SkinnedMotion) -> SkinnedMotion:
    """The motion with an up axis that USD can state, of joints that are not stretched at rest."""
    return motion.placed(motion.rig.meters_per_unit, upright(motion.rig.up_axis)).without_rest_scale()


def is_coarse(motion: SkinnedMotion) -> bool:
    """True if the 16 bits of UsdSkel's scales lose something."""
    scale = motion.keys().scale
    return bool(np.abs(scale - scale.astype(np.float16)).max(initial=0.0) > COARSE)


def _write(stage: Any, motion: SkinnedMotion, path: Path, extras: dict[str, Any] | None) -> None:
    geometry, skel = (require(f"pxr.{name}", extra="usd", purpose=PURPOSE) for name in ("UsdGeom", "UsdSkel"))
    rig = motion.rig
    geometry.SetStageUpAxis(stage, rig.up_axis)
    geometry.SetStageMetersPerUnit(stage, rig.meters_per_unit)
    stage.SetTimeCodesPerSecond(motion.fps)
    stage.SetFramesPerSecond(motion.fps)
    stage.SetStartTimeCode(FIRST_FRAME)
    stage.SetEndTimeCode(FIRST_FRAME + len(motion) - 1)
    facts = dict(extras or {})
    words = facts.pop("fallback", "")
    said = {"rigcast": json.dumps(facts)} if facts else {}
    stage.GetRootLayer().customLayerData = {"generator": "rigcast", "licence": rig.licence, **said}
    root = skel.Root.Define(stage, f"/{identifier(rig.name or path.stem)}")
    stage.SetDefaultPrim(root.GetPrim())
    if words:
        root.GetPrim().SetCustomDataByKey(ABOUT, {"fallback": words})
    place = str(root.GetPath())
    define_character(stage, place, motion)
    animation = define_animation(stage, f"{place}/{ANIMATION}", motion)
    skeleton = stage.GetPrimAtPath(f"{place}/{SKELETON}")
    skel.BindingAPI.Apply(skeleton).CreateAnimationSourceRel().SetTargets([animation.GetPath()])


def define_animation(stage: Any, place: str, motion: SkinnedMotion) -> Any:
    """A ``SkelAnimation`` with a sample of all joints and blend shapes per frame, at time codes 1 to T."""
    skel, arrays = (require(f"pxr.{name}", extra="usd", purpose=PURPOSE) for name in ("UsdSkel", "Vt"))
    animation = skel.Animation.Define(stage, place)
    animation.CreateJointsAttr(joint_paths(motion))
    animation.CreateBlendShapesAttr([morph.name for morph in motion.rig.morphs])
    translations, rotations = animation.CreateTranslationsAttr(), animation.CreateRotationsAttr()
    scales, weights = animation.CreateScalesAttr(), animation.CreateBlendShapeWeightsAttr()
    keys = motion.keys()
    for frame in range(len(motion)):
        code = float(FIRST_FRAME + frame)
        translations.Set(vectors(keys.translation[frame]), code)
        rotations.Set(arrays.QuatfArray.FromNumpy(np.ascontiguousarray(keys.rotation[frame])), code)
        scales.Set(arrays.Vec3hArray.FromNumpy(keys.scale[frame].astype(np.float16)), code)
        if motion.rig.morphs:
            weights.Set(floats(motion.amounts[frame]), code)
    return animation
