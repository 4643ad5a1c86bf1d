"""Animated points of a USD mesh as a shot (OpenUSD, ``usd-core``)."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require
from rigcast._rigs.shot import Shot
from rigcast._validate import bad_argument


def load_usd_shot(path: Path, mesh: str | None = None) -> Shot:
    """Read the time samples of a mesh's ``points``, in world space; UsdSkel's skinning and blend shapes make points.

    Frames are the whole time codes from the first sample to the last; between samples USD interpolates. The rate is
    the stage's ``timeCodesPerSecond``; unit and up axis are the stage's where it states them.

    Parameters
    ----------
    path : path-like
    mesh : str, optional
        Prim path or name; needed where several meshes have moving points.
    """
    geometry = require("pxr.UsdGeom", extra="usd", purpose="opening USD files")
    stage = _opened(path)
    prim = _choose(_meshes(stage), mesh, path)
    samples = prim.GetPointsAttr().GetTimeSamples()
    codes = np.arange(np.floor(samples[0]), np.ceil(samples[-1]) + 1) if len(samples) else np.array([0.0])
    cache = geometry.XformCache()
    frames = [_world_points(prim, cache, float(code), path) for code in codes]
    counts = {len(frame) for frame in frames}
    if len(counts) != 1:
        got = f"{path}: {prim.GetPath()} with {min(counts)} to {max(counts)} points"
        raise bad_argument("load_shot", "path", got, "a mesh of one topology")
    return Shot(
        np.stack(frames),
        float(stage.GetTimeCodesPerSecond()),
        _faces(prim, len(frames[0]), path),
        geometry.GetStageMetersPerUnit(stage) if geometry.StageHasAuthoredMetersPerUnit(stage) else None,
        str(geometry.GetStageUpAxis(stage)) if stage.HasAuthoredMetadata(geometry.Tokens.upAxis) else None,
    )


def moving_meshes(path: Path) -> list[str]:
    """Prim paths of the meshes of a USD file whose points move; of all if none moves."""
    stage = _opened(path)  # its prims end with it
    meshes = _meshes(stage)
    return [str(mesh.GetPath()) for mesh in _moving(meshes) or meshes]


def _opened(path: Path) -> Any:
    """The stage, with skinning as points."""
    usd = require("pxr.Usd", extra="usd", purpose="opening USD files")
    errors = require("pxr.Tf", extra="usd", purpose="opening USD files")
    try:
        stage = usd.Stage.Open(str(path))
    except errors.ErrorException as error:
        reason = " ".join(str(error).split())[:200]
        raise bad_argument("load_shot", "path", f"{path}: unreadable ({reason})", "a USD file") from error
    _bake_skinning(stage)
    return stage


def _meshes(stage: Any) -> list[Any]:
    geometry = require("pxr.UsdGeom", extra="usd", purpose="opening USD files")
    return [geometry.Mesh(prim) for prim in stage.Traverse() if prim.IsA(geometry.Mesh)]


def _moving(meshes: list[Any]) -> list[Any]:
    return [mesh for mesh in meshes if mesh.GetPointsAttr().GetNumTimeSamples() > 1]


def _bake_skinning(stage: Any) -> None:
    """Turn what skeletons and blend shapes move into points, in memory alone."""
    if not any(prim.GetTypeName() == "SkelRoot" for prim in stage.Traverse()):
        return
    names = ("pxr.Usd", "pxr.Gf", "pxr.UsdSkel")
    usd, gf, skel = (require(name, extra="usd", purpose="opening USD files") for name in names)
    layer = stage.GetSessionLayer()
    layer.timeCodesPerSecond = stage.GetTimeCodesPerSecond()  # another rate would scale what is written there
    stage.SetEditTarget(layer)
    skel.BakeSkinning(usd.PrimRange(stage.GetPseudoRoot()), gf.Interval.GetFullInterval())


def _choose(meshes: list[Any], name: str | None, path: Path) -> Any:
    moving = _moving(meshes)
    found = moving or meshes
    if name is not None:
        found = [mesh for mesh in meshes if name in (str(mesh.GetPath()), mesh.GetPrim().GetName())]
    if len(found) != 1:
        listing = ", ".join(str(mesh.GetPath()) for mesh in (moving or meshes))[:300] or "(the file has no mesh)"
        got = f"not given for {path}" if name is None else f"{name!r} in {path}"
        raise bad_argument("load_shot", "mesh", got, f"one of {listing}")
    return found[0]


def _world_points(mesh: Any, cache: Any, code: float, path: Path) -> NDArray[np.float32]:
    points = mesh.GetPointsAttr().Get(code)
    if points is None or not len(points):
        raise bad_argument("load_shot", "path", f"{path}: {mesh.GetPath()} without points at {code:g}", "a mesh")
    cache.SetTime(code)
    matrix = np.array(cache.GetLocalToWorldTransform(mesh.GetPrim()), np.float64)  # for row vectors
    return np.asarray(np.asarray(points, np.float64) @ matrix[:3, :3] + matrix[3, :3], np.float32)


def _faces(mesh: Any, num_vertices: int, path: Path) -> NDArray[np.int32] | None:
    """Faces (F, 4); polygons of more than four corners become fans."""
    sizes, corners = mesh.GetFaceVertexCountsAttr().Get(), mesh.GetFaceVertexIndicesAttr().Get()
    if not sizes or not corners:
        return None
    counts, index = np.asarray(sizes, np.int64), np.asarray(corners, np.int64)
    if counts.min() < 3 or counts.sum() != len(index) or index.min() < 0 or index.max() >= num_vertices:
        got = f"{path}: {mesh.GetPath()} with faces that do not fit its points"
        raise bad_argument("load_shot", "path", got, "a mesh with whole faces")
    rows: list[list[int]] = []
    for polygon in np.split(index, np.cumsum(counts)[:-1]):
        if len(polygon) == 4:
            rows.append(polygon.tolist())
        else:
            rows += [[int(polygon[0]), int(b), int(c), -1] for b, c in itertools.pairwise(polygon[1:])]
    return np.array(rows, np.int32)
