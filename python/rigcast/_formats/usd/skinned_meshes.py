"""A character at rest below a ``SkelRoot``: skeleton, one mesh per part with its skin, blend shapes (UsdSkel).

Joints carry their own names as ``jointNames`` in addition to paths of identifiers. A blend shape is a child of each
mesh that it moves, with the points that it moves; its in-betweens are offsets from rest at weights between 0 and 1,
between which UsdSkel interpolates linearly ("Blend Shapes" of the page *Schemas In-Depth* of UsdSkel).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require
from rigcast._formats.usd.arrays import PURPOSE, extent, floats, integers, matrices, vectors
from rigcast._formats.usd.names import state_places, unique_identifiers
from rigcast._formats.usd.write_points import cover, define_materials, define_mesh
from rigcast._rigs.description import Morph
from rigcast._rigs.motions.moving_mesh import MovingMesh
from rigcast._rigs.motions.skinned_motion import SkinnedMotion
from rigcast._rigs.pieces import Piece

SKELETON, ANIMATION, MATERIALS = "Skeleton", "motion", "materials"


@dataclass(frozen=True)
class Inbetween:
    """The offsets of a shape at a weight between 0 and 1, of the vertices of its morph."""

    weight: float
    deltas: NDArray[np.float32]


Inbetweens = Mapping[str, Sequence[Inbetween]]


def define_character(stage: Any, place: str, motion: SkinnedMotion, inbetweens: Inbetweens | None = None) -> list[Any]:
    """Fill in all but the motion below a ``SkelRoot``; gives the meshes.

    Parameters
    ----------
    stage : Usd.Stage
    place : str
        Path of the root.
    motion : SkinnedMotion
        In a unit and axes that the stage states; joints have no stretch at rest.
    inbetweens : mapping, optional
        By names of morphs.
    """
    rig = motion.rig
    name = place.rpartition("/")[2]
    skeleton = _skeleton(stage, place, motion)
    parts = MovingMesh(rig.rest_vertices[None], rig.faces, 1.0, name=rig.name or name, surface=rig.surface).pieces
    names = unique_identifiers([part.name for part in parts], "mesh", taken=[MATERIALS, SKELETON, ANIMATION])
    materials = dict(zip(rig.surface.materials, define_materials(stage, place, rig.surface), strict=True))
    meshes = []
    for part, own in zip(parts, names, strict=True):
        mesh = define_mesh(stage, f"{place}/{own}", part)
        mesh.GetPointsAttr().Set(vectors(rig.rest_vertices[part.vertices]))
        mesh.GetExtentAttr().Set(extent(rig.rest_vertices[part.vertices]))
        if len(parts) > 1:
            state_places(mesh, part.vertices)
        cover(mesh, part.faces, part.surface, materials)
        binding = _bind(mesh, skeleton, motion, part)
        _shapes(mesh, binding, motion, part, inbetweens or {})
        meshes.append(mesh)
    return meshes


def _skeleton(stage: Any, place: str, motion: SkinnedMotion) -> Any:
    skel = require("pxr.UsdSkel", extra="usd", purpose=PURPOSE)
    joints = motion.joints
    skeleton = skel.Skeleton.Define(stage, f"{place}/{SKELETON}")
    skeleton.CreateJointsAttr(joint_paths(motion))
    skeleton.CreateJointNamesAttr(list(joints.names))
    skeleton.CreateBindTransformsAttr(matrices(joints.rest_globals))
    skeleton.CreateRestTransformsAttr(matrices(joints.rest))
    return skeleton


def joint_paths(motion: SkinnedMotion) -> list[str]:
    """Paths of identifiers, parents before children."""
    paths: list[str] = []
    own = unique_identifiers(motion.joints.names, "joint")
    for name, parent in zip(own, np.asarray(motion.joints.parents).tolist(), strict=True):
        paths.append(name if parent < 0 else f"{paths[parent]}/{name}")
    return paths


def _bind(mesh: Any, skeleton: Any, motion: SkinnedMotion, part: Piece) -> Any:
    skel = require("pxr.UsdSkel", extra="usd", purpose=PURPOSE)
    skin = motion.rig.own_skin
    assert skin is not None
    binding = skel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    joint, weight = skin.joint[part.vertices], skin.weight[part.vertices].astype(np.float32)
    size = joint.shape[1]
    binding.CreateJointIndicesPrimvar(False, size).Set(integers(np.where(weight > 0, joint, 0).reshape(-1)))
    binding.CreateJointWeightsPrimvar(False, size).Set(floats(weight.reshape(-1)))
    return binding


def _shapes(mesh: Any, binding: Any, motion: SkinnedMotion, part: Piece, inbetweens: Inbetweens) -> None:
    morphs = motion.rig.morphs
    if not morphs:
        return
    skel, sdf = (require(f"pxr.{name}", extra="usd", purpose=PURPOSE) for name in ("UsdSkel", "Sdf"))
    targets = []
    for name, morph in zip(unique_identifiers([morph.name for morph in morphs], "shape"), morphs, strict=True):
        target = skel.BlendShape.Define(mesh.GetPrim().GetStage(), mesh.GetPath().AppendChild(name))
        inside, rows = _of_part(morph, part)
        target.CreateOffsetsAttr(vectors(morph.deltas[inside]))
        target.CreatePointIndicesAttr(integers(rows))
        for number, between in enumerate(inbetweens.get(morph.name, ())):
            made = target.CreateInbetween(f"at{number}")
            made.SetWeight(between.weight)
            made.SetOffsets(vectors(between.deltas[inside]))
        targets.append(sdf.Path(target.GetPath()))
    binding.CreateBlendShapesAttr([morph.name for morph in morphs])
    binding.CreateBlendShapeTargetsRel().SetTargets(targets)


def _of_part(morph: Morph, part: Piece) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
    inside = np.isin(morph.vertices, part.vertices)
    return inside, np.searchsorted(part.vertices, morph.vertices[inside]).astype(np.int32)
