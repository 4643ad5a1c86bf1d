"""Animated points of a USD mesh as a shot (OpenUSD, ``usd-core``)."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require
from rigcast._formats.usd.stage import (
    MOST_FRAMES,
    PURPOSE,
    foreign_errors,
    frames_of,
    meters_per_unit,
    missing_files,
    opened,
    prims_of,
)
from rigcast._rigs.matching import listed
from rigcast._rigs.motions.shot import Shot
from rigcast._validate import bad_argument

FUNCTION = "load_shot"


def load_usd_shot(path: Path, mesh: str | None = None) -> Shot:
    """Read the samples of a mesh's ``points`` and of the transforms above it, in world space.

    UsdSkel's skinning and blend shapes make points; meshes inside instances are read, too. Samples at even distances
    are the frames; rarer ones are read at whole time codes, between which USD interpolates (``notes`` says so). The
    rate is the stage's ``timeCodesPerSecond``; unit and up axis are the stage's where it states them.

    Parameters
    ----------
    path : path-like
    mesh : str, optional
        Prim path or name; needed where several meshes move.
    """
    with foreign_errors(FUNCTION, path):
        geometry = require("pxr.UsdGeom", extra="usd", purpose=PURPOSE)
        stage = opened(path)
        _bake_skinning(stage)
        meshes, left_out = _meshes(stage, mesh)
        prim = _choose(meshes, mesh, path)
        per_second = float(stage.GetTimeCodesPerSecond())
        codes, rate, note = frames_of(_samples(prim), per_second, _size(prim), path, FUNCTION)
        cache = geometry.XformCache()
        frames = [_world_points(prim, cache, float(code), path) for code in codes]
        counts = {len(frame) for frame in frames}
        if len(counts) != 1:
            got = f"{path}: {prim.GetPath()} with {min(counts)} to {max(counts)} points"
            raise bad_argument(FUNCTION, "path", got, "a mesh of one topology", path)
        axis = str(geometry.GetStageUpAxis(stage)) if stage.HasAuthoredMetadata(geometry.Tokens.upAxis) else None
        faces = _faces(prim, cache, len(frames[0]), path)
        notes = tuple(filter(None, (note, left_out, _scattered(stage), *missing_files(stage))))
        return Shot(np.stack(frames), rate, faces, meters_per_unit(stage), axis, notes)


def moving_meshes(path: Path) -> list[str]:
    """Prim paths of the meshes of a USD file that move; of all if none moves."""
    with foreign_errors(FUNCTION, path):
        stage = opened(path)  # its prims end with it
        _bake_skinning(stage)
        meshes, _ = _meshes(stage)
        return [str(mesh.GetPath()) for mesh in _moving(meshes) or meshes]


def _meshes(stage: Any, named: str | None = None) -> tuple[list[Any], str]:
    """Meshes, and a note on those that are left out: hidden from the first frame on, guides and stand-ins.

    If nothing else is there, or one is named, all are taken.
    """
    geometry = require("pxr.UsdGeom", extra="usd", purpose=PURPOSE)
    first = require("pxr.Usd", extra="usd", purpose=PURPOSE).TimeCode.EarliestTime()
    every = [geometry.Mesh(prim) for prim in prims_of(stage) if prim.IsA(geometry.Mesh)]
    shown = [
        mesh
        for mesh in every
        if mesh.ComputeVisibility(first) != geometry.Tokens.invisible
        and mesh.ComputePurpose() not in (geometry.Tokens.guide, geometry.Tokens.proxy)
    ]
    if named is not None or not shown or len(shown) == len(every):
        return every, ""
    return (
        shown,
        f"left out, hidden or no part of a picture: {listed([str(m.GetPath()) for m in every if m not in shown])}",
    )


def _scattered(stage: Any) -> str:
    """A note on the copies that point instancers make."""
    names = [str(prim.GetPath()) for prim in prims_of(stage) if prim.GetTypeName() == "PointInstancer"]
    return f"point instancers, whose copies are not read: {listed(names)}" if names else ""


def _moving(meshes: list[Any]) -> list[Any]:
    return [mesh for mesh in meshes if len(_samples(mesh)) > 1]


def _samples(mesh: Any) -> NDArray[np.float64]:
    """Time codes of the points, and of the transforms of the mesh and what it hangs on."""
    geometry = require("pxr.UsdGeom", extra="usd", purpose=PURPOSE)
    found, prim = list(mesh.GetPointsAttr().GetTimeSamples()), mesh.GetPrim()
    while prim and not prim.IsPseudoRoot():
        placed = geometry.Xformable(prim)
        if placed:
            found += placed.GetTimeSamples()
            if placed.GetResetXformStack():
                break
        prim = prim.GetParent()
    return np.unique(np.array(found, np.float64))


def _size(mesh: Any) -> int:
    """Bytes of a frame."""
    samples = mesh.GetPointsAttr().GetTimeSamples()
    points = mesh.GetPointsAttr().Get(samples[0] if samples else 0.0)
    return 12 * (0 if points is None else len(points))


def _bake_skinning(stage: Any) -> None:
    """Turn what skeletons and blend shapes move into points, in memory alone."""
    if not any(prim.GetTypeName() == "SkelRoot" for prim in prims_of(stage)):
        return
    names = ("pxr.Usd", "pxr.Gf", "pxr.UsdSkel")
    usd, gf, skel = (require(name, extra="usd", purpose=PURPOSE) for name in names)
    layer = stage.GetSessionLayer()
    layer.timeCodesPerSecond = stage.GetTimeCodesPerSecond()  # another rate would scale what is written there
    layer.framesPerSecond = stage.GetTimeCodesPerSecond()  # with one of billions the library takes all memory
    first, last = _extremes(stage, usd)
    if last - first > MOST_FRAMES:  # codes finer than frames, or a stray one
        last = first
    layer.startTimeCode, layer.endTimeCode = first, last  # it takes samples, and a frame of each code of this range
    stage.SetEditTarget(layer)
    skel.BakeSkinning(usd.PrimRange(stage.GetPseudoRoot()), gf.Interval.GetFullInterval())
    layer.ClearStartTimeCode()
    layer.ClearEndTimeCode()


def _extremes(stage: Any, usd: Any) -> tuple[float, float]:
    """The first and the last time code at which anything has a value."""
    attributes = [attribute for prim in prims_of(stage) for attribute in prim.GetAttributes()]
    times = usd.Attribute.GetUnionedTimeSamples(attributes)
    return (float(times[0]), float(times[-1])) if times else (0.0, 0.0)


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
        raise bad_argument("load_shot", "path", f"{path}: {mesh.GetPath()} without points at {code:g}", "a mesh", path)
    cache.SetTime(code)
    matrix = np.array(cache.GetLocalToWorldTransform(mesh.GetPrim()), np.float64)  # for row vectors
    with np.errstate(over="ignore", invalid="ignore"):  # reported below
        placed = np.asarray(np.asarray(points, np.float64) @ matrix[:3, :3] + matrix[3, :3], np.float32)
    if not np.isfinite(placed).all():
        got = f"{path}: {mesh.GetPath()} with points or a transform at {code:g} that are not finite"
        raise bad_argument("load_shot", "path", got, "a mesh of finite points", path)
    return placed


def _faces(mesh: Any, cache: Any, num_vertices: int, path: Path) -> NDArray[np.int32] | None:
    """Faces (F, 4), their corners counterclockwise from outside; polygons of more than four corners become fans.

    A mesh may state that it is left-handed, and a mirroring transform turns corners once more.
    """
    sizes, corners = mesh.GetFaceVertexCountsAttr().Get(), mesh.GetFaceVertexIndicesAttr().Get()
    if not sizes or not corners:
        return None
    whole = len(sizes) <= len(corners)  # before memory is taken for either
    counts, index = (np.asarray(values if whole else [], np.int64) for values in (sizes, corners))
    if not whole or counts.min() < 3 or counts.sum() != len(index) or index.min() < 0 or index.max() >= num_vertices:
        got = f"{path}: {mesh.GetPath()} with faces that do not fit its points"
        raise bad_argument("load_shot", "path", got, "a mesh with whole faces", path)
    placed = np.array(cache.GetLocalToWorldTransform(mesh.GetPrim()), np.float64)[:3, :3]
    clockwise = (str(mesh.GetOrientationAttr().Get()) == "leftHanded") != (np.linalg.det(placed) < 0)
    rows: list[list[int]] = []
    for polygon in np.split(index, np.cumsum(counts)[:-1]):
        if clockwise:
            polygon = np.append(polygon[:1], polygon[:0:-1])
        if len(polygon) == 4:
            rows.append(polygon.tolist())
        else:
            rows += [[int(polygon[0]), int(b), int(c), -1] for b, c in itertools.pairwise(polygon[1:])]
    return np.array(rows, np.int32)
