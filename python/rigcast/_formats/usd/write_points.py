"""A moving mesh as USD meshes with time samples of their points (OpenUSD, ``usd-core``)."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_file
from rigcast._extras import require
from rigcast._formats.usd.arrays import PURPOSE, extent, integers, pairs, vectors
from rigcast._formats.usd.names import identifier, state_places, unique_identifiers
from rigcast._rigs.motions.moving_mesh import MovingMesh
from rigcast._rigs.pieces import Piece
from rigcast._rigs.surface import Surface

FIRST_FRAME = 1
AXES = ("Y", "Z")  # the up axes that USD knows


def write_usd_points(path: Path, mesh: MovingMesh) -> None:
    """Write ``.usd``, ``.usda`` or ``.usdc``: points and extent of polygonal meshes at time codes 1 to T.

    A character of several parts is an Xform of that many meshes. The stage states rate, unit and up axis; a mesh whose
    x axis is up is turned to y. Binary files are saved every few frames, so that memory holds no whole motion.
    """
    usd = require("pxr.Usd", extra="usd", purpose=PURPOSE)
    with tempfile.TemporaryDirectory(prefix="rigcast-export-") as folder:
        scene = Path(folder) / f"scene{path.suffix.lower()}"
        stage = usd.Stage.CreateNew(str(scene))
        plain = mesh.placed(up_axis=upright(mesh.up_axis))
        prims = _stage(stage, plain, plain.pieces)
        key_points(stage, plain, prims, [float(FIRST_FRAME + frame) for frame in range(len(plain))])
        stage.Save()
        del stage, prims
        with scene.open("rb") as source, atomic_file(path) as stream:
            shutil.copyfileobj(source, stream)


def upright(up_axis: str) -> str:
    """The up axis of a stage for vertices with this one."""
    return up_axis if up_axis in AXES else AXES[0]


def key_points(stage: Any, mesh: MovingMesh, prims: list[Any], codes: list[float]) -> None:
    """Set points and extent of the mesh of each part at the time code of each frame.

    A binary layer is saved every few frames, so that memory holds no whole motion.
    """
    parts, frames = mesh.pieces, iter(codes)
    for chunk in mesh.chunks():
        for frame in chunk:
            code = next(frames)
            for part, prim in zip(parts, prims, strict=True):
                prim.GetPointsAttr().Set(vectors(frame[part.vertices]), code)
                prim.GetExtentAttr().Set(extent(frame[part.vertices]), code)
        if not stage.GetRootLayer().identifier.endswith(".usda"):
            stage.GetRootLayer().Save()


def _stage(stage: Any, mesh: MovingMesh, parts: list[Piece]) -> list[Any]:
    """Fill in all but the frames; gives the meshes that take them."""
    geometry = require("pxr.UsdGeom", extra="usd", purpose=PURPOSE)
    geometry.SetStageUpAxis(stage, mesh.up_axis)
    geometry.SetStageMetersPerUnit(stage, mesh.meters_per_unit)
    stage.SetTimeCodesPerSecond(mesh.fps)
    stage.SetFramesPerSecond(mesh.fps)
    stage.SetStartTimeCode(FIRST_FRAME)
    stage.SetEndTimeCode(FIRST_FRAME + len(mesh) - 1)
    stage.GetRootLayer().customLayerData = {"generator": "rigcast", "licence": mesh.licence}
    root = f"/{identifier(mesh.name)}"
    if len(parts) == 1:
        prims = _meshes(stage, root, [root], mesh)
        stage.SetDefaultPrim(prims[0].GetPrim())
        return prims
    stage.SetDefaultPrim(geometry.Xform.Define(stage, root).GetPrim())
    return define_meshes(stage, root, mesh)


def define_meshes(stage: Any, root: str, mesh: MovingMesh) -> list[Any]:
    """A mesh below a prim for each part, without points, and the materials; in the order of the parts."""
    names = unique_identifiers([part.name for part in mesh.pieces], "mesh", taken=["materials"])
    return _meshes(stage, root, [f"{root}/{name}" for name in names], mesh)


def _meshes(stage: Any, root: str, paths: list[str], mesh: MovingMesh) -> list[Any]:
    parts = mesh.pieces
    prims = [define_mesh(stage, path, part) for path, part in zip(paths, parts, strict=True)]
    materials = dict(zip(mesh.surface.materials, define_materials(stage, root, mesh.surface), strict=True))
    for prim, part in zip(prims, parts, strict=True):
        if len(parts) > 1:
            state_places(prim, part.vertices)
        cover(prim, part.faces, part.surface, materials)
    return prims


def define_mesh(stage: Any, path: str, part: Piece) -> Any:
    """A polygonal mesh without subdivision; points and extent are for the caller to set."""
    geometry = require("pxr.UsdGeom", extra="usd", purpose=PURPOSE)
    prim = geometry.Mesh.Define(stage, path)
    prim.CreateFaceVertexCountsAttr((part.faces >= 0).sum(axis=1).tolist())
    prim.CreateFaceVertexIndicesAttr(part.faces[part.faces >= 0].tolist())
    prim.CreateSubdivisionSchemeAttr(geometry.Tokens.none)
    prim.CreatePointsAttr()
    prim.CreateExtentAttr()
    return prim


def define_materials(stage: Any, root: str, surface: Surface) -> list[Any]:
    """A material prim per name, without shaders, below ``root``/materials."""
    if not surface.materials:
        return []
    shade = require("pxr.UsdShade", extra="usd", purpose=PURPOSE)
    geometry = require("pxr.UsdGeom", extra="usd", purpose=PURPOSE)
    geometry.Scope.Define(stage, f"{root}/materials")
    names = unique_identifiers(surface.materials, "material")
    made = [shade.Material.Define(stage, f"{root}/materials/{name}") for name in names]
    for material, name in zip(made, surface.materials, strict=True):
        material.GetPrim().SetDisplayName(name)
    return made


def cover(mesh: Any, faces: NDArray[np.int32], surface: Surface, materials: dict[str, Any]) -> None:
    """Put it on a mesh whose faces (F, 4) are these."""
    if len(surface.uvs):
        _coordinates(mesh, faces, surface)
    if not surface.materials:
        return
    shade = require("pxr.UsdShade", extra="usd", purpose=PURPOSE)
    geometry = require("pxr.UsdGeom", extra="usd", purpose=PURPOSE)
    binding = shade.MaterialBindingAPI.Apply(mesh.GetPrim())
    used = np.unique(surface.face_materials).tolist()
    if len(used) == 1:
        binding.Bind(materials[surface.materials[used[0]]])
        return
    names = unique_identifiers(surface.materials, "material")
    for kind in [kind for kind in used if kind >= 0]:
        rows = np.flatnonzero(surface.face_materials == kind).tolist()
        subset = binding.CreateMaterialBindSubset(names[kind], rows, geometry.Tokens.face)
        shade.MaterialBindingAPI.Apply(subset.GetPrim()).Bind(materials[surface.materials[kind]])


def _coordinates(mesh: Any, faces: NDArray[np.int32], surface: Surface) -> None:
    geometry = require("pxr.UsdGeom", extra="usd", purpose=PURPOSE)
    types = require("pxr.Sdf", extra="usd", purpose=PURPOSE).ValueTypeNames
    corners = surface.uv_faces[faces >= 0]
    uvs = surface.uvs
    if (corners < 0).any():  # faces without coordinates: every corner needs some
        uvs = np.concatenate([uvs, np.zeros((1, 2), np.float32)])
        corners = np.where(corners < 0, len(uvs) - 1, corners)
    primvar = geometry.PrimvarsAPI(mesh).CreatePrimvar("st", types.TexCoord2fArray, geometry.Tokens.faceVarying)
    primvar.Set(pairs(uvs))
    primvar.SetIndices(integers(corners))
