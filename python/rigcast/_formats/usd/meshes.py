"""The meshes of a stage: which ones are shown, which are meant, and their points and faces in world space."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require
from rigcast._formats.usd.names import stated_places
from rigcast._formats.usd.stage import PURPOSE, prims_of
from rigcast._rigs.matching import listed
from rigcast._validate import bad_argument


@dataclass(frozen=True)
class Joined:
    """Meshes that are read as one.

    Attributes
    ----------
    meshes : list of UsdGeom.Mesh
    places : list of (n,) int64 arrays
        The vertex of the whole that each point is.
    note : str
        Why they are one, if nobody stated it.
    """

    meshes: list[Any]
    places: list[NDArray[np.int64]]
    note: str = ""

    @property
    def count(self) -> int:
        """Vertices of the whole."""
        return 1 + max((int(own.max()) for own in self.places if len(own)), default=-1)


def shown_meshes(stage: Any, named: str | None = None) -> tuple[list[Any], str]:
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


def chosen_meshes(meshes: list[Any], likely: list[Any], name: str | None, path: Path, function: str) -> Joined:
    """The mesh that is meant, or the parts of the character that are.

    Parameters
    ----------
    meshes : list of UsdGeom.Mesh
        All of them.
    likely : list of UsdGeom.Mesh
        Those that move, or have shapes; all if none does.
    name : str or None
        Path or name of a mesh, or of a prim above several, which are then joined in the stage's order.
    path : Path
    function : str
        The public function, named in errors.

    Raises
    ------
    ValueError
        If none or several are meant that are not the parts of one character.
    """
    found = likely
    if name is not None:
        found = [mesh for mesh in meshes if name in (str(mesh.GetPath()), mesh.GetPrim().GetName())]
        if not found:
            below = [mesh for mesh in meshes if _is_below(mesh, name)]
            if below:
                return _in_order(below, name)
    if len(found) == 1:
        return Joined(found, [np.arange(num_points(found[0]), dtype=np.int64)])
    parts = [] if name is not None else _parts(meshes, likely)
    if parts:
        return Joined(parts, [places for mesh in parts if (places := stated_places(mesh)) is not None])
    listing = listed([str(mesh.GetPath()) for mesh in likely]) or "(the file has no mesh)"
    got = f"not given for {path}" if name is None else f"{name!r} in {path}"
    above = ", or a prim above all that are one character" if len(likely) > 1 else ""
    raise bad_argument(function, "mesh", got, f"one of {listing}{above}", path)


def _is_below(mesh: Any, name: str) -> bool:
    prims = [str(prefix) for prefix in mesh.GetPath().GetParentPath().GetPrefixes()]
    return name in prims or name in [prim.rpartition("/")[2] for prim in prims]


def _in_order(meshes: list[Any], name: str) -> Joined:
    sizes = [num_points(mesh) for mesh in meshes]
    ends = np.cumsum([0, *sizes])
    places = [np.arange(begin, end, dtype=np.int64) for begin, end in itertools.pairwise(ends.tolist())]
    stated = [stated_places(mesh) for mesh in meshes]
    if _is_whole(stated):
        return Joined(meshes, [own for own in stated if own is not None])
    names = listed([mesh.GetPrim().GetName() for mesh in meshes])
    note = f"{len(meshes)} meshes below {name} are one, their points in this order: {names}" * (len(meshes) > 1)
    return Joined(meshes, places, note)


def _parts(meshes: list[Any], likely: list[Any]) -> list[Any]:
    """The meshes that state of which vertices of one character they are, if those that are likely are among them."""
    marked = [mesh for mesh in meshes if stated_places(mesh) is not None]
    paths = {str(mesh.GetPath()) for mesh in marked}
    among = all(str(mesh.GetPath()) in paths for mesh in likely)
    return marked if among and _is_whole([stated_places(mesh) for mesh in marked]) else []


def _is_whole(places: list[NDArray[np.int64] | None]) -> bool:
    """True if these are all vertices from 0 on, and no two parts are the same."""
    known = [own for own in places if own is not None]
    if len(known) != len(places) or not known:
        return False
    every = np.unique(np.concatenate(known))
    return bool(every[-1] + 1 == len(every)) and len({own.tobytes() for own in known}) == len(known)


def num_points(mesh: Any) -> int:
    """Of the first sample."""
    points = mesh.GetPointsAttr()
    samples = points.GetTimeSamples()
    given = points.Get(samples[0]) if samples else points.Get()
    return 0 if given is None else len(given)


def joined_points(joined: Joined, cache: Any, code: Any, path: Path, function: str) -> NDArray[np.float32]:
    """World-space points (V, 3) at a time code.

    Raises
    ------
    ValueError
        If a mesh has none, another number of them than at first, or one that is not finite.
    """
    whole = np.zeros((joined.count, 3), np.float32)
    for mesh, places in zip(joined.meshes, joined.places, strict=True):
        own = world_points(mesh, cache, code, path, function)
        if len(own) != len(places):
            few, many = sorted((len(places), len(own)))
            got = f"{path}: {mesh.GetPath()} with {few} to {many} points"
            raise bad_argument(function, "path", got, "a mesh of one topology", path)
        whole[places] = own
    return whole


def world_points(mesh: Any, cache: Any, code: Any, path: Path, function: str) -> NDArray[np.float32]:
    """Those of one mesh."""
    points = mesh.GetPointsAttr().Get(code)
    if points is None or not len(points):
        raise bad_argument(function, "path", f"{path}: {mesh.GetPath()} without points at {code}", "a mesh", path)
    cache.SetTime(code)
    matrix = np.array(cache.GetLocalToWorldTransform(mesh.GetPrim()), np.float64)  # for row vectors
    with np.errstate(over="ignore", invalid="ignore"):  # reported below
        placed = np.asarray(np.asarray(points, np.float64) @ matrix[:3, :3] + matrix[3, :3], np.float32)
    if not np.isfinite(placed).all():
        got = f"{path}: {mesh.GetPath()} with points or a transform at {code} that are not finite"
        raise bad_argument(function, "path", got, "a mesh of finite points", path)
    return placed


def joined_faces(joined: Joined, cache: Any, path: Path, function: str) -> NDArray[np.int32] | None:
    """Faces (F, 4) of the whole, -1 pads triangles; None if a mesh states none."""
    rows = []
    for mesh, places in zip(joined.meshes, joined.places, strict=True):
        own = faces_of(mesh, cache, len(places), path, function)
        if own is None:
            return None
        rows.append(np.where(own < 0, -1, places[own]).astype(np.int32))
    return np.concatenate(rows)


def faces_of(mesh: Any, cache: Any, num_vertices: int, path: Path, function: str) -> NDArray[np.int32] | None:
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
        raise bad_argument(function, "path", got, "a mesh with whole faces", path)
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
