"""Animated points of a USD mesh as a shot (OpenUSD, ``usd-core``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require
from rigcast._formats.usd.meshes import chosen_meshes, joined_faces, joined_points, num_points, shown_meshes
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
        Prim path or name of a mesh, or of a prim above several that are one character; needed where several meshes move
        and the stage does not state that they are its parts (``rigcast:vertices``).
    """
    with foreign_errors(FUNCTION, path):
        geometry = require("pxr.UsdGeom", extra="usd", purpose=PURPOSE)
        stage = opened(path)
        _bake_skinning(stage)
        meshes, left_out = shown_meshes(stage, mesh)
        joined = chosen_meshes(meshes, _moving(meshes) or meshes, mesh, path, FUNCTION)
        per_second = float(stage.GetTimeCodesPerSecond())
        samples = np.unique(np.concatenate([_samples(own) for own in joined.meshes]))
        size = 12 * sum(map(num_points, joined.meshes))
        codes, rate, note = frames_of(samples, per_second, size, path, FUNCTION)
        cache = geometry.XformCache()
        frames = [joined_points(joined, cache, float(code), path, FUNCTION) for code in codes]
        axis = str(geometry.GetStageUpAxis(stage)) if stage.HasAuthoredMetadata(geometry.Tokens.upAxis) else None
        faces = joined_faces(joined, cache, path, FUNCTION)
        notes = tuple(filter(None, (joined.note, note, left_out, _scattered(stage), *missing_files(stage))))
        return Shot(np.stack(frames), rate, faces, meters_per_unit(stage), axis, notes)


def moving_meshes(path: Path) -> list[str]:
    """Prim paths of the meshes of a USD file that move; of all if none moves."""
    with foreign_errors(FUNCTION, path):
        stage = opened(path)  # its prims end with it
        _bake_skinning(stage)
        meshes, _ = shown_meshes(stage)
        return [str(mesh.GetPath()) for mesh in _moving(meshes) or meshes]


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
