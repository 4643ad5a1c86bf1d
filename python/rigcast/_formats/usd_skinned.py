"""A skinned character and its motion as a USD file (UsdSkel of OpenUSD, ``usd-core``).

Below the ``SkelRoot`` stand the ``Skeleton``, its ``SkelAnimation`` and one mesh per part. Joints carry their own names
as ``jointNames`` in addition to paths of identifiers.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_file
from rigcast._extras import require
from rigcast._formats.usd_names import identifier, unique_identifiers
from rigcast._formats.usd_points import AXES, FIRST_FRAME, PURPOSE, cover, define_materials
from rigcast._rigs.description import Morph
from rigcast._rigs.motions.moving_mesh import MovingMesh
from rigcast._rigs.motions.skinned_motion import SkinnedMotion
from rigcast._rigs.pieces import Piece
from rigcast._rigs.rotations import Float64

SKELETON, ANIMATION = "Skeleton", "motion"
COARSE = 1e-5  # of a scale


def write_usd_skinned(path: Path, motion: SkinnedMotion, extras: dict[str, Any] | None = None) -> list[str]:
    """Write ``.usd``, ``.usda`` or ``.usdc`` with time samples at time codes 1 to T.

    Unit and up axis are the character's, with X up turned to Y, which USD cannot state. Joints have no stretch at rest,
    since USD holds scales in 16 bits; morphs are blend shapes. Several clips follow each other on the one timeline.
    ``extras`` is JSON text of the layer's ``customLayerData``, ``rigcast``.

    Returns
    -------
    list of str
        What the file does not hold exactly.
    """
    usd = require("pxr.Usd", extra="usd", purpose=PURPOSE)
    unit, axis = motion.rig.meters_per_unit, motion.rig.up_axis
    plain = motion.placed(unit, axis if axis in AXES else AXES[0]).without_rest_scale()
    with tempfile.TemporaryDirectory(prefix="rigcast-export-") as folder:
        place = Path(folder) / f"motion{path.suffix.lower()}"
        stage = usd.Stage.CreateNew(str(place))
        _write(stage, plain, path, extras)
        stage.GetRootLayer().Save()
        del stage
        with atomic_file(path) as stream:
            stream.write(place.read_bytes())
    scale = plain.keys().scale
    coarse = bool(np.abs(scale - scale.astype(np.float16)).max() > COARSE)
    notes = [f"{path.name}: joints change their size, which USD holds in 16 bits"] * coarse
    if len(motion.spans) > 1:
        places = (f"{name} {span.start + FIRST_FRAME} to {span.stop}" for name, span in motion.spans.items())
        notes.append(f"{path.name} has one timeline, on which clips follow each other: {', '.join(places)}")
    return notes


def _write(stage: Any, motion: SkinnedMotion, path: Path, extras: dict[str, Any] | None) -> None:
    geometry, skel = (require(f"pxr.{name}", extra="usd", purpose=PURPOSE) for name in ("UsdGeom", "UsdSkel"))
    rig = motion.rig
    geometry.SetStageUpAxis(stage, rig.up_axis)
    geometry.SetStageMetersPerUnit(stage, rig.meters_per_unit)
    stage.SetTimeCodesPerSecond(motion.fps)
    stage.SetFramesPerSecond(motion.fps)
    stage.SetStartTimeCode(FIRST_FRAME)
    stage.SetEndTimeCode(FIRST_FRAME + len(motion) - 1)
    said = {"rigcast": json.dumps(extras)} if extras else {}
    stage.GetRootLayer().customLayerData = {"generator": "rigcast", "licence": rig.licence, **said}
    root = skel.Root.Define(stage, f"/{identifier(rig.name or path.stem)}")
    stage.SetDefaultPrim(root.GetPrim())
    skeleton = _skeleton(stage, root, motion)
    mesh = MovingMesh(rig.rest_vertices[None], rig.faces, motion.fps, name=rig.name or path.stem, surface=rig.surface)
    parts = mesh.pieces
    taken = ["materials", SKELETON, ANIMATION]
    names = unique_identifiers([part.name for part in parts], "mesh", taken=taken)
    place = str(root.GetPath())
    materials = dict(zip(rig.surface.materials, define_materials(stage, place, rig.surface), strict=True))
    for part, name in zip(parts, names, strict=True):
        prim = _mesh(stage, f"{place}/{name}", rig.rest_vertices, part)
        cover(prim, part.faces, part.surface, materials)
        _bind(prim, skeleton, motion, part)
    _animation(stage, skeleton, motion)


def _skeleton(stage: Any, root: Any, motion: SkinnedMotion) -> Any:
    skel, arrays = (require(f"pxr.{name}", extra="usd", purpose=PURPOSE) for name in ("UsdSkel", "Vt"))
    joints = motion.joints
    skeleton = skel.Skeleton.Define(stage, root.GetPath().AppendChild(SKELETON))
    skeleton.CreateJointsAttr(_joint_paths(motion))
    skeleton.CreateJointNamesAttr(list(joints.names))
    for create, transforms in (
        (skeleton.CreateBindTransformsAttr, joints.rest_globals),
        (skeleton.CreateRestTransformsAttr, joints.rest),
    ):
        create(arrays.Matrix4dArray.FromNumpy(_matrices(transforms)))
    return skeleton


def _joint_paths(motion: SkinnedMotion) -> list[str]:
    """Paths of identifiers, parents before children."""
    paths: list[str] = []
    own = unique_identifiers(motion.joints.names, "joint")
    for name, parent in zip(own, np.asarray(motion.joints.parents).tolist(), strict=True):
        paths.append(name if parent < 0 else f"{paths[parent]}/{name}")
    return paths


def _matrices(transforms: Float64) -> NDArray[np.float64]:
    """Matrices (J, 4, 4) for row vectors."""
    result = np.tile(np.eye(4), (len(transforms), 1, 1))
    result[:, :3] = transforms
    return np.ascontiguousarray(result.swapaxes(1, 2))


def _mesh(stage: Any, place: str, vertices: NDArray[np.float32], part: Piece) -> Any:
    geometry = require("pxr.UsdGeom", extra="usd", purpose=PURPOSE)
    prim = geometry.Mesh.Define(stage, place)
    prim.CreateFaceVertexCountsAttr((part.faces >= 0).sum(axis=1).tolist())
    prim.CreateFaceVertexIndicesAttr(part.faces[part.faces >= 0].tolist())
    prim.CreateSubdivisionSchemeAttr(geometry.Tokens.none)
    prim.CreatePointsAttr(_vectors(vertices[part.vertices]))
    return prim


def _bind(prim: Any, skeleton: Any, motion: SkinnedMotion, part: Piece) -> None:
    names = ("UsdSkel", "Vt", "Sdf")
    skel, arrays, sdf = (require(f"pxr.{name}", extra="usd", purpose=PURPOSE) for name in names)
    skin = motion.rig.own_skin
    assert skin is not None
    binding = skel.BindingAPI.Apply(prim.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    joint, weight = skin.joint[part.vertices], skin.weight[part.vertices].astype(np.float32)
    size = joint.shape[1]
    indices = np.where(weight > 0, joint, 0).astype(np.int32).reshape(-1)
    binding.CreateJointIndicesPrimvar(False, size).Set(arrays.IntArray.FromNumpy(indices))
    binding.CreateJointWeightsPrimvar(False, size).Set(arrays.FloatArray.FromNumpy(weight.reshape(-1)))
    if not motion.rig.morphs:
        return
    shapes = unique_identifiers([morph.name for morph in motion.rig.morphs], "shape")
    targets = []
    for name, morph in zip(shapes, motion.rig.morphs, strict=True):
        target = skel.BlendShape.Define(prim.GetPrim().GetStage(), prim.GetPath().AppendChild(name))
        rows, deltas = _of_part(morph, part)
        target.CreateOffsetsAttr(_vectors(deltas))
        target.CreatePointIndicesAttr(arrays.IntArray.FromNumpy(rows))
        targets.append(sdf.Path(target.GetPath()))
    binding.CreateBlendShapesAttr([morph.name for morph in motion.rig.morphs])
    binding.CreateBlendShapeTargetsRel().SetTargets(targets)


def _of_part(morph: Morph, part: Piece) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    inside = np.isin(morph.vertices, part.vertices)
    rows = np.searchsorted(part.vertices, morph.vertices[inside]).astype(np.int32)
    return rows, np.asarray(morph.deltas[inside], np.float32)


def _animation(stage: Any, skeleton: Any, motion: SkinnedMotion) -> None:
    skel, arrays = (require(f"pxr.{name}", extra="usd", purpose=PURPOSE) for name in ("UsdSkel", "Vt"))
    animation = skel.Animation.Define(stage, skeleton.GetPath().GetParentPath().AppendChild(ANIMATION))
    skel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([animation.GetPath()])
    animation.CreateJointsAttr(_joint_paths(motion))
    animation.CreateBlendShapesAttr([morph.name for morph in motion.rig.morphs])
    translations, rotations = animation.CreateTranslationsAttr(), animation.CreateRotationsAttr()
    scales, weights = animation.CreateScalesAttr(), animation.CreateBlendShapeWeightsAttr()
    keys = motion.keys()
    for frame in range(len(motion)):
        code = float(FIRST_FRAME + frame)
        translations.Set(_vectors(keys.translation[frame]), code)
        rotations.Set(arrays.QuatfArray.FromNumpy(np.ascontiguousarray(keys.rotation[frame])), code)
        scales.Set(arrays.Vec3hArray.FromNumpy(keys.scale[frame].astype(np.float16)), code)
        if motion.rig.morphs:
            amounts = np.ascontiguousarray(motion.amounts[frame], np.float32)
            weights.Set(arrays.FloatArray.FromNumpy(amounts), code)


def _vectors(rows: NDArray[np.float32]) -> Any:
    arrays = require("pxr.Vt", extra="usd", purpose=PURPOSE)
    return arrays.Vec3fArray.FromNumpy(np.ascontiguousarray(rows, np.float32))
