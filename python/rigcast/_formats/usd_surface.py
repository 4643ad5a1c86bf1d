"""Materials and texture coordinates of USD meshes: ``primvars:st`` per corner, materials by name, bound to faces."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require
from rigcast._formats.usd_names import unique_identifiers
from rigcast._rigs.surface import Surface

PURPOSE = "writing USD files"


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
    arrays = require("pxr.Vt", extra="usd", purpose=PURPOSE)
    corners = surface.uv_faces[faces >= 0]
    uvs = surface.uvs
    if (corners < 0).any():  # faces without coordinates: every corner needs some
        uvs = np.concatenate([uvs, np.zeros((1, 2), np.float32)])
        corners = np.where(corners < 0, len(uvs) - 1, corners)
    primvar = geometry.PrimvarsAPI(mesh).CreatePrimvar("st", types.TexCoord2fArray, geometry.Tokens.faceVarying)
    primvar.Set(arrays.Vec2fArray.FromNumpy(np.ascontiguousarray(uvs, np.float32)))
    primvar.SetIndices(arrays.IntArray.FromNumpy(np.ascontiguousarray(corners, np.int32)))
