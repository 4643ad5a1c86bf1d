"""Blend shapes of UsdSkel as a blendshape rig."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigcast._blendshapes import Tent
from rigcast._extras import require
from rigcast._formats.safetensors import load_safetensors_blendshapes
from rigcast._formats.usd.meshes import Joined, chosen_meshes, joined_faces, joined_points, shown_meshes
from rigcast._formats.usd.model_asset import model_assets, model_file
from rigcast._formats.usd.stage import PURPOSE, foreign_errors, meters_per_unit, missing_files, opened
from rigcast._notes import tell
from rigcast._rigs.matching import listed
from rigcast._rigs.model_surface import with_surface
from rigcast._rigs.surface import Surface
from rigcast._rigs.surface import joined as joined_surface
from rigcast._validate import bad_argument

if TYPE_CHECKING:
    from rigcast._core import BlendshapeRig

FUNCTION = "load_blendshapes"
LARGEST = 1 << 32  # bytes of dense deltas that a file may claim


@dataclass
class _Shape:
    """A shape of all meshes: offsets at full weight, and at the weights of its in-betweens."""

    full: NDArray[np.float32]
    between: dict[float, NDArray[np.float32]] = field(default_factory=dict)


def load_usd_blendshapes(path: Path, mesh: str | None = None) -> BlendshapeRig:
    """The rig in the model file that a stage names, else the blend shapes of its meshes.

    Shapes of one name in several meshes are one. In-betweens become combinations with tents over the shape's weight,
    which is exact from 0 to 1; correctives have no place in UsdSkel, so none are found. Bounds are [0, 1].

    Parameters
    ----------
    path : path-like
    mesh : str, optional
        Prim path or name of a mesh, or of a prim above several that are one character; needed where several meshes
        have blend shapes and the stage does not state that they are its parts. With it the shapes are read, whatever
        model the stage names.

    Raises
    ------
    ValueError
        If there are no blend shapes, or they do not fit their mesh.
    """
    if mesh is None and model_assets(path, FUNCTION):
        return load_safetensors_blendshapes(model_file(path, FUNCTION))
    with foreign_errors(FUNCTION, path):
        stage = opened(path)
        meshes, left_out = shown_meshes(stage, mesh)
        joined = chosen_meshes(meshes, [own for own in meshes if _targets(own)] or meshes, mesh, path, FUNCTION)
        if not any(_targets(own) for own in joined.meshes):
            raise bad_argument(FUNCTION, "path", f"{path}: without blend shapes", "a mesh with blend shapes", path)
        notes = [left_out, joined.note, *missing_files(stage)]
        rig = _rig(stage, joined, path, notes)
    tell(*notes)
    return rig


def _targets(mesh: Any) -> list[tuple[str, Any]]:
    """Names and blend shapes of a mesh."""
    skel = require("pxr.UsdSkel", extra="usd", purpose=PURPOSE)
    binding = skel.BindingAPI(mesh.GetPrim())
    names = [str(name) for name in binding.GetBlendShapesAttr().Get() or []]
    stage = mesh.GetPrim().GetStage()
    shapes = [skel.BlendShape(stage.GetPrimAtPath(target)) for target in binding.GetBlendShapeTargetsRel().GetTargets()]
    return [(name, shape) for name, shape in zip(names, shapes, strict=False) if shape]


def _rig(stage: Any, joined: Joined, path: Path, notes: list[str]) -> BlendshapeRig:
    from rigcast._core import BlendshapeRig

    geometry = require("pxr.UsdGeom", extra="usd", purpose=PURPOSE)
    cache = geometry.XformCache()
    neutral = joined_points(joined, cache, 0.0, path, FUNCTION)
    faces = joined_faces(joined, cache, path, FUNCTION)
    shapes = _shapes(joined, cache, path, notes)
    names = list(shapes)
    deltas = np.stack([shapes[name].full for name in names])
    combinations = [pair for number, name in enumerate(names) for pair in _tents(number, shapes[name])]
    about = {
        "name": joined.meshes[0].GetPrim().GetName() if len(joined.meshes) == 1 else path.stem,
        "meters_per_unit": meters_per_unit(stage) or 1.0,
        "up_axis": str(geometry.GetStageUpAxis(stage)),
        "licence": str(stage.GetRootLayer().customLayerData.get("licence", "")),
        "origin": path.name,
    }
    rig = BlendshapeRig(neutral, deltas, combinations, names, (0.0, 1.0), faces, metadata=about)
    if len(joined.meshes) < 2 or faces is None:
        return rig
    surface = _parts(joined, faces)
    return rig if surface is None else with_surface(rig, surface)


def _parts(joined: Joined, faces: NDArray[np.int32]) -> Surface | None:
    """The meshes as named parts, if no vertex is in two."""
    owner = np.full(joined.count, -1, np.int32)
    for number, places in enumerate(joined.places):
        owner[places] = number
    if sum(map(len, joined.places)) != joined.count:
        return None
    plain = joined_surface([(mesh.GetPrim().GetName(), 0, 0, Surface()) for mesh in joined.meshes])
    return Surface(plain.parts, owner)


def _shapes(joined: Joined, cache: Any, path: Path, notes: list[str]) -> dict[str, _Shape]:
    found = [(mesh, places, _targets(mesh)) for mesh, places in zip(joined.meshes, joined.places, strict=True)]
    names = list(dict.fromkeys(name for _, _, targets in found for name, _ in targets))
    between = sum(len(target.GetInbetweens()) for _, _, targets in found for _, target in targets)
    if 12 * (len(names) + between) * joined.count > LARGEST:
        got = f"{path}: {len(names)} shapes and {between} in-betweens of {joined.count} vertices"
        raise bad_argument(FUNCTION, "path", got, f"at most {LARGEST} bytes of offsets", path)
    shapes = {name: _Shape(np.zeros((joined.count, 3), np.float32)) for name in names}
    outside: list[str] = []
    for mesh, places, targets in found:
        turn = np.array(cache.GetLocalToWorldTransform(mesh.GetPrim()), np.float64)[:3, :3]  # for row vectors
        for name, target in targets:
            shape, rows = shapes[name], _rows(target, len(places), path)
            shape.full[places[rows]] = _offsets(target.GetOffsetsAttr().Get(), rows, turn, target, path)
            for between in target.GetInbetweens():
                weight = float(between.GetWeight() or 0.0)
                if not 0.0 < weight < 1.0:
                    outside.append(f"{name} at {weight:g}")
                    continue
                whole = shape.between.setdefault(weight, np.full((joined.count, 3), np.nan, np.float32))
                whole[places[rows]] = _offsets(between.GetOffsets(), rows, turn, target, path)
    for shape in shapes.values():
        for weight, whole in shape.between.items():  # meshes without this in-between go straight
            shape.between[weight] = np.where(np.isnan(whole), weight * shape.full, whole).astype(np.float32)
    if outside:
        notes.append(f"in-betweens outside of weights 0 to 1 are left out: {listed(outside)}")
    return shapes


def _rows(target: Any, count: int, path: Path) -> NDArray[np.int64]:
    """The points that a shape moves; all if it does not say."""
    stated = target.GetPointIndicesAttr().Get()
    rows = np.arange(count) if stated is None or not len(stated) else np.asarray(stated, np.int64)
    if stated is not None and not len(stated) and not len(target.GetOffsetsAttr().Get() or []):
        rows = rows[:0]
    if len(rows) and (rows.min() < 0 or rows.max() >= count):
        got = f"{path}: {target.GetPath()} moves point {rows.max()} of {count}"
        raise bad_argument(FUNCTION, "path", got, "blend shapes of points that the mesh has", path)
    return rows


def _offsets(
    values: Any, rows: NDArray[np.int64], turn: NDArray[np.float64], target: Any, path: Path
) -> NDArray[np.float32]:
    offsets = np.zeros((0, 3)) if values is None else np.asarray(values, np.float64).reshape(-1, 3)
    if len(offsets) != len(rows) or not np.isfinite(offsets).all():
        got = f"{path}: {target.GetPath()} with {len(offsets)} offsets for {len(rows)} points"
        raise bad_argument(FUNCTION, "path", got, "a finite offset for each point", path)
    return (offsets @ turn).astype(np.float32)


def _tents(number: int, shape: _Shape) -> list[tuple[tuple[Tent], NDArray[np.float32]]]:
    """Additions of in-betweens to the straight shape, each a tent from its neighbors: piecewise linear through all."""
    at = [0.0, *sorted(shape.between), 1.0]
    return [
        ((Tent(number, at[i - 1], at[i], at[i + 1]),), shape.between[at[i]] - np.float32(at[i]) * shape.full)
        for i in range(1, len(at) - 1)
    ]
