"""A blendshape rig, its animation and the motion of its head as a USD file (OpenUSD, ``usd-core``)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_file
from rigcast._extras import require
from rigcast._formats.usd.arrays import PURPOSE, floats, vectors
from rigcast._formats.usd.write_points import FIRST_FRAME, upright
from rigcast._rigs.motions import shot
from rigcast._rigs.motions.head import in_axes

if TYPE_CHECKING:
    from rigcast._core import BlendshapeRig

JOINT = "head"


def write_usd_weights(
    path: Path, rig: BlendshapeRig, weights: NDArray[np.float32], fps: float, motion: NDArray[np.float64] | None = None
) -> None:
    """Write a skeleton root with mesh, blend shapes and their animation.

    ``/Head`` is a ``SkelRoot`` whose ``xformOp:transform`` moves with the head, ``/Head/Face`` the mesh with one
    ``BlendShape`` per column of the rig (only the points that it moves), ``/Head/Animation`` a ``SkelAnimation`` with
    the columns' activations as ``blendShapeWeights``: USD does not multiply weights. ``/Head/Skeleton`` has one joint,
    which rests and holds all points, because readers look for blend shapes below a skeleton. Time codes are frames from
    1; unit and up axis are the rig's, with X up turned to Y, which USD cannot state.
    """
    usd = require("pxr.Usd", extra="usd", purpose=PURPOSE)
    with tempfile.TemporaryDirectory(prefix="rigcast-export-") as folder:
        place = Path(folder) / f"weights{path.suffix.lower()}"
        stage = usd.Stage.CreateNew(str(place))
        _write(stage, rig, weights, fps, motion)
        stage.GetRootLayer().Save()
        with atomic_file(path) as stream:
            stream.write(place.read_bytes())


def _write(
    stage: Any, rig: BlendshapeRig, weights: NDArray[np.float32], fps: float, motion: NDArray[np.float64] | None
) -> None:
    geometry, skel = (require(f"pxr.{name}", extra="usd", purpose=PURPOSE) for name in ("UsdGeom", "UsdSkel"))
    axis = str(rig.up_axis)
    geometry.SetStageUpAxis(stage, upright(axis))
    geometry.SetStageMetersPerUnit(stage, float(rig.meters_per_unit))
    stage.SetTimeCodesPerSecond(fps)
    stage.SetFramesPerSecond(fps)
    stage.SetStartTimeCode(FIRST_FRAME)
    stage.SetEndTimeCode(FIRST_FRAME + len(weights) - 1)
    root = skel.Root.Define(stage, "/Head")
    stage.SetDefaultPrim(root.GetPrim())
    _move(root, axis, motion)
    licence, origin = (str(rig.metadata.get(name) or "") for name in ("licence", "origin"))
    root.GetPrim().SetCustomData({"licence": licence, "origin": origin})
    skeleton = _skeleton(stage, skel)
    animation = skel.Animation.Define(stage, "/Head/Animation")
    skel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([animation.GetPath()])
    mesh = _mesh(stage, geometry, rig)
    _bind(stage, skel, mesh, skeleton, rig)
    animation.CreateBlendShapesAttr(list(rig.column_names))
    values = animation.CreateBlendShapeWeightsAttr()
    for frame, row in enumerate(np.asarray(rig.activations(weights), np.float32)):
        values.Set(floats(row), float(FIRST_FRAME + frame))


def _move(root: Any, axis: str, motion: NDArray[np.float64] | None) -> None:
    """Key the root's transform; matrices of USD are for row vectors."""
    matrix = require("pxr.Gf", extra="usd", purpose=PURPOSE).Matrix4d
    turn = shot.TO_Y_UP["X"] if axis == "X" else np.eye(3)
    if motion is None and axis != "X":
        return
    operation = root.AddTransformOp()
    if motion is None:
        operation.Set(matrix(_square(turn, np.zeros(3)).T.tolist()))
        return
    for frame, own in enumerate(in_axes(motion, turn)):
        operation.Set(matrix(_square(own[:, :3] @ turn, own[:, 3]).T.tolist()), float(FIRST_FRAME + frame))


def _square(linear: NDArray[np.float64], shift: NDArray[np.float64]) -> NDArray[np.float64]:
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = linear, shift
    return result


def _skeleton(stage: Any, skel: Any) -> Any:
    matrix = require("pxr.Gf", extra="usd", purpose=PURPOSE).Matrix4d
    skeleton = skel.Skeleton.Define(stage, "/Head/Skeleton")
    skeleton.CreateJointsAttr([JOINT])
    skeleton.CreateBindTransformsAttr([matrix(1.0)])
    skeleton.CreateRestTransformsAttr([matrix(1.0)])
    return skeleton


def _mesh(stage: Any, geometry: Any, rig: BlendshapeRig) -> Any:
    mesh = geometry.Mesh.Define(stage, "/Head/Face")
    mesh.CreatePointsAttr(vectors(np.asarray(rig.rest_vertices, np.float32)))
    faces = np.asarray(rig.faces)
    corners = faces >= 0
    mesh.CreateFaceVertexCountsAttr(corners.sum(axis=1).tolist())
    mesh.CreateFaceVertexIndicesAttr(faces[corners].tolist())
    mesh.CreateSubdivisionSchemeAttr("none")
    return mesh


def _bind(stage: Any, skel: Any, mesh: Any, skeleton: Any, rig: BlendshapeRig) -> None:
    sdf, tf = (require(f"pxr.{name}", extra="usd", purpose=PURPOSE) for name in ("Sdf", "Tf"))
    binding = skel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    count = len(rig.rest_vertices)
    binding.CreateJointIndicesPrimvar(False, 1).Set([0] * count)
    binding.CreateJointWeightsPrimvar(False, 1).Set([1.0] * count)
    targets: list[Any] = []
    taken: set[str] = set()
    for number, name in enumerate(rig.column_names):
        own = tf.MakeValidIdentifier(name)
        own = own if own not in taken else f"{own}_{number}"
        taken.add(own)
        target = skel.BlendShape.Define(stage, mesh.GetPath().AppendChild(own))
        delta = np.asarray(rig.column(number), np.float32)
        moved = np.flatnonzero(delta.any(axis=1))
        target.CreateOffsetsAttr(vectors(delta[moved]))
        target.CreatePointIndicesAttr(moved.tolist())
        targets.append(sdf.Path(target.GetPath()))
    binding.CreateBlendShapesAttr(list(rig.column_names))
    binding.CreateBlendShapeTargetsRel().SetTargets(targets)
