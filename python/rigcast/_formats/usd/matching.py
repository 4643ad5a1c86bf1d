"""Parts of a moving mesh and the meshes of a stage that they are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rigcast._formats.usd.meshes import num_points, shown_meshes
from rigcast._formats.usd.names import identifier
from rigcast._rigs.matching import listed
from rigcast._rigs.pieces import Piece
from rigcast._validate import bad_argument


@dataclass(frozen=True)
class Match:
    """A part, its mesh in a stage, and what told so."""

    part: Piece
    mesh: Any
    by: str

    def __str__(self) -> str:
        return f"{self.part.name or 'the mesh'} on {self.mesh.GetPath()} (by {self.by})"


def matched(stage: Any, parts: list[Piece], under: str | None, path: Path, function: str) -> list[Match]:
    """A mesh for each part: of its name and number of points, else of its faces, else the only one of so many points.

    Parameters
    ----------
    stage : Usd.Stage
    parts : list of Piece
    under : str, optional
        Path of a prim: only meshes at or below it count.
    path : Path
        Of the stage, for errors.
    function : str

    Raises
    ------
    ValueError
        If a part has no mesh, or several that nothing tells apart; naming both sides.
    """
    meshes, _ = shown_meshes(stage)
    if under is not None:
        meshes = [mesh for mesh in meshes if under in map(str, mesh.GetPath().GetPrefixes())]
    left, found = list(meshes), []
    for part in sorted(parts, key=lambda one: not _named(one, left)):  # names first: they leave fewer to choose from
        fits = [mesh for mesh in left if num_points(mesh) == len(part.vertices)]
        ways = {
            "name": [mesh for mesh in fits if _is_name(part, mesh)],
            "faces": [mesh for mesh in fits if _has_faces(mesh, part)],
            "number of points": fits,
        }
        by = next((way for way, chosen in ways.items() if len(chosen) == 1), None)
        if by is None:
            raise _unmatched(part, fits, meshes, under, path, function)
        (mesh,) = ways[by]
        _check_editable(mesh, path, function)
        found.append(Match(part, mesh, by))
        left = [other for other in left if other.GetPath() != mesh.GetPath()]
    order = {id(part): place for place, part in enumerate(parts)}
    return sorted(found, key=lambda match: order[id(match.part)])


def _named(part: Piece, meshes: list[Any]) -> bool:
    return any(_is_name(part, mesh) and num_points(mesh) == len(part.vertices) for mesh in meshes)


def _is_name(part: Piece, mesh: Any) -> bool:
    prim = mesh.GetPrim()
    return bool(part.name) and (
        part.name in (prim.GetName(), prim.GetDisplayName()) or prim.GetName() == identifier(part.name)
    )


def _has_faces(mesh: Any, part: Piece) -> bool:
    counts, corners = mesh.GetFaceVertexCountsAttr().Get(), mesh.GetFaceVertexIndicesAttr().Get()
    own = part.faces >= 0
    return (
        counts is not None
        and corners is not None
        and np.array_equal(np.asarray(counts), own.sum(axis=1))
        and np.array_equal(np.asarray(corners), part.faces[own])
    )


def _unmatched(
    part: Piece, fits: list[Any], meshes: list[Any], under: str | None, path: Path, function: str
) -> ValueError:
    place = "" if under is None else f" below {under}"
    have = listed([f"{mesh.GetPath()} ({num_points(mesh):,} points)" for mesh in (fits or meshes)]) or "no meshes"
    name = repr(part.name) if part.name else "the mesh"
    if fits:
        got = f"{path}{place} with several meshes for {name} of {len(part.vertices):,} vertices: {have}"
        return bad_argument(function, "stage", got, "one, or the prim above the one that is meant (under)", path)
    got = f"{path}{place} without a mesh for {name} of {len(part.vertices):,} vertices; it has {have}"
    return bad_argument(function, "stage", got, "a stage with the character's parts, vertex by vertex", path)


def _check_editable(mesh: Any, path: Path, function: str) -> None:
    if mesh.GetPrim().IsInstanceProxy():
        got = f"{path}: {mesh.GetPath()} inside of an instance, where USD allows no opinions"
        raise bad_argument(
            function, "stage", got, "a stage whose character is no instance (instanceable = false)", path
        )
