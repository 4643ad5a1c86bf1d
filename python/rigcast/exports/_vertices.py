"""Moving meshes, written for whatever plays them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._formats.blender.moving_mesh import blend_cache_paths, write_alembic, write_blend_cache
from rigcast._formats.gltf.write_motion import write_glb_motion
from rigcast._formats.npz.vertices import write_npy, write_npz
from rigcast._formats.point_cache import cache_paths, write_mdd, write_mdd_parts, write_pc2, write_pc2_parts
from rigcast._formats.registry import ALEMBIC, BLEND, GLTF, MDD, NPY, NPZ, PC2, USD, Format, by_ending
from rigcast._formats.usd.write_points import write_usd_points
from rigcast._hashing import padded_faces
from rigcast._rigs.description import Facts
from rigcast._rigs.motions.moving_mesh import MeshFrames, MovingMesh
from rigcast._rigs.motions.shot import TO_Y_UP
from rigcast._rigs.surface import Surface, check_surface
from rigcast._validate import FPS, Arguments, bad_argument
from rigcast.exports._playback import Playback
from rigcast.exports._skinned import WRITERS as SKINNED
from rigcast.exports._skinned import shown_of_model, write_shown

FUNCTION = "write_vertices"
CACHES = (".pc2", ".mdd")
PartsWriter = Callable[[Sequence[tuple[Path, NDArray[Any]]], MovingMesh], None]
DTYPES = (np.dtype, type(None))  # of what is sliced as it is; arrays of other libraries are converted


def write_vertices(
    path: str | os.PathLike[str],
    vertices: ArrayLike | MeshFrames,
    faces: ArrayLike | None = None,
    *,
    fps: float = FPS,
    meters_per_unit: float = 1.0,
    up_axis: str = "Y",
    to_meters_per_unit: float | None = None,
    to_up_axis: str | None = None,
    name: str = "",
    licence: str = "",
    surface: Surface | None = None,
    max_error: float | None = None,
    as_vertices: bool = False,
    blender: str | None = None,
) -> list[str]:
    """Write a moving mesh (T, V, 3) in the format that the path's ending names.

    ============================  =====================================================================================
    ``.npy``                      the positions alone
    ``.npz``                      ``vertices``, ``faces``, ``fps``, ``meters_per_unit``, ``up_axis``, ``name``,
                                  ``licence``
    ``.pc2``, ``.mdd``            point caches for a mesh that the other program has. Neither states faces, unit or
                                  up axis, PC2 no rate. With several parts, ``NAME.PART.pc2`` of each lies next to it.
    ``.usd``, ``.usda``,          of a :class:`Playback` of a model with joints and linear skinning: skeleton, weights
    ``.usdc``                     and animation; else one mesh with time samples of its points at time codes 1 to T.
                                  The stage states rate, unit and up axis (extra ``usd``)
    ``.abc``                      Alembic, y up, frame t at t / fps seconds, t from 1; states no unit (needs Blender)
    ``.glb``                      a clip that any viewer plays, in meters, y up: of joints, as for USD, else of morph
                                  targets, as few as ``max_error`` allows
    ``.blend``                    the mesh upright in Blender, moved by a Mesh Cache modifier from frame 1 on; the
                                  cache lies next to it as ``.pc2`` (needs Blender)
    ============================  =====================================================================================

    Files appear complete or not at all. All formats but ``.glb`` read the frames a few at a time.

    Parameters
    ----------
    path : path-like
    vertices : array_like, shape (T, V, 3)
        An array, or anything that is sliced like one: a memory-mapped file, :class:`rigcast.exports.Playback`.
    faces : array_like, shape (F, 3) or (F, 4), optional
        -1 pads triangles. Without faces a file holds points.
    fps : float
        Frames per second; 30 unless stated.
    meters_per_unit, up_axis : float, "X", "Y" or "Z"
        Of the vertices.
    to_meters_per_unit, to_up_axis : float, "X", "Y" or "Z", optional
        Of the file; default: those of the vertices. Where a format has an up axis of its own, that one counts.
    name, licence : str
        Of the character; kept where the format has a place.
    surface : Surface, optional
        Named parts, materials and texture coordinates of the mesh. USD, Alembic, glTF and .blend files hold each part
        as an object of its own, with materials by their names; glTF has one texture coordinate per vertex, so those at
        seams are duplicated. The other formats hold one array: parts one after another, as in ``vertices``.
    max_error : float, optional
        ``.glb``: the largest distance of a vertex in any frame, in the unit of the file. Default: 1/2000 of the size
        for morph targets; none for joints, of which the notes say what they miss.
    as_vertices : bool
        USD and ``.glb`` of a :class:`Playback`: write its vertices as they are, without joints.
    blender : str, optional
        A Blender program. Without it the ``bpy`` wheel in this Python, else ``blender`` on the PATH.

    Returns
    -------
    list of str
        Notes: what the file does not state, and what it misses.

    Raises
    ------
    ValueError
        If the ending is unknown, or an argument is not as it must be.
    SourceError
        If Blender fails.
    rigcast._extras.MissingExtra
        If the format needs a package that is not installed.

    Examples
    --------
    >>> face = rc.faces.example()
    >>> weights = np.linspace(0, 1, 24)[:, None] * (np.arange(face.num_shapes) == 0)
    >>> rc.exports.write_vertices("jaw.pc2", face.evaluate(weights), face.faces, fps=24)
    ['jaw.pc2 states no rate, unit or up axis: 24 frames per second, units of 1 m, y up']
    """
    file = Path(path) if isinstance(path, (str, os.PathLike)) else None
    if file is None or file.suffix.lower() not in SUFFIXES:
        got = repr(str(path)) if file is not None else f"a {type(path).__name__}"
        raise bad_argument(FUNCTION, "path", got, f"a file that ends in {', '.join(SUFFIXES)}", file)
    if max_error is not None:
        max_error = Arguments(FUNCTION).number("max_error", max_error, above=0.0)
    mesh = moving_mesh(vertices, faces, fps, meters_per_unit, up_axis, name, licence)
    if surface is not None:
        mesh = replace(mesh, surface=check_surface(surface, mesh.num_vertices, mesh.faces, FUNCTION))
    unit = None if to_meters_per_unit is None else Arguments(FUNCTION).unit("to_meters_per_unit", to_meters_per_unit)
    mesh = mesh.placed(unit, None if to_up_axis is None else _axis("to_up_axis", to_up_axis))
    notes: list[str] = []
    if isinstance(vertices, Playback) and file.suffix.lower() in SKINNED and not as_vertices:
        facts = Facts(mesh.name or file.stem, float(meters_per_unit), up_axis, mesh.licence)
        shown = shown_of_model(vertices, mesh, facts)
        if shown is not None:
            worst = shown.worst * facts.meters_per_unit / mesh.meters_per_unit
            if max_error is None or worst <= max_error:
                return write_shown(file, shown, mesh.meters_per_unit, mesh.up_axis)
            notes = [
                f"{file.name} holds no joints: their linear skinning would miss up to {worst:.3g} units of "
                f"{mesh.meters_per_unit:g} m"
            ]
    return notes + SUFFIXES[file.suffix.lower()](file, mesh, max_error, blender)


def files_of(path: Path, parts: Sequence[str] = ()) -> list[Path]:
    """The files that :func:`write_vertices` writes for a path and a mesh with such parts."""
    if path.suffix.lower() == ".blend":
        return [path, *blend_cache_paths(path, parts)]
    return [path, *cache_paths(path, parts)[: len(parts)]] if path.suffix.lower() in CACHES else [path]


def moving_mesh(
    vertices: Any, faces: ArrayLike | None, fps: float, meters_per_unit: float, up_axis: str, name: str, licence: str
) -> MovingMesh:
    check = Arguments(FUNCTION)
    kind = getattr(vertices, "dtype", None)
    sliced = vertices
    if not hasattr(vertices, "shape") or isinstance(vertices, np.ma.MaskedArray) or not isinstance(kind, DTYPES):
        sliced = check.numbers("vertices", vertices, "T+ V+ 3", dtype=np.float32)
    shape = tuple(sliced.shape)
    if len(shape) != 3 or shape[2] != 3 or 0 in shape:
        raise check.wrong("vertices", f"of shape {shape}", "numbers (T, V, 3), T and V at least 1")
    if isinstance(kind, np.dtype) and kind.kind not in "fiu":
        raise check.wrong("vertices", f"{kind} {shape}", "numbers (T, V, 3)")
    rows = np.zeros((0, 4), np.int32) if faces is None else padded_faces(faces, FUNCTION, shape[1])
    rate = check.rate("fps", fps)
    unit = check.unit("meters_per_unit", meters_per_unit)
    return MovingMesh(sliced, rows, rate, unit, _axis("up_axis", up_axis), str(name), str(licence))


def _axis(argument: str, value: object) -> str:
    if value not in TO_Y_UP:
        raise bad_argument(FUNCTION, argument, repr(value), "X, Y or Z")
    return str(value)


def _unstated(file: Path, what: str, mesh: MovingMesh, axis: bool = True) -> list[str]:
    said = f"{mesh.fps:g} frames per second, " if "rate" in what else ""
    up = f", {mesh.up_axis.lower()} up" if axis else ""
    return [f"{file.name} states no {what}: {said}units of {mesh.meters_per_unit:g} m{up}"]


def _npy(file: Path, mesh: MovingMesh, max_error: float | None, blender: str | None) -> list[str]:
    write_npy(file, mesh)
    return []


def _npz(file: Path, mesh: MovingMesh, max_error: float | None, blender: str | None) -> list[str]:
    write_npz(file, mesh)
    return []


def _pc2(file: Path, mesh: MovingMesh, max_error: float | None, blender: str | None) -> list[str]:
    write_pc2(file, mesh)
    return _unstated(file, "rate, unit or up axis", mesh) + _of_parts(file, mesh, write_pc2_parts)


def _mdd(file: Path, mesh: MovingMesh, max_error: float | None, blender: str | None) -> list[str]:
    write_mdd(file, mesh)
    return _unstated(file, "unit or up axis", mesh) + _of_parts(file, mesh, write_mdd_parts)


def _of_parts(file: Path, mesh: MovingMesh, write: PartsWriter) -> list[str]:
    """A cache of each of several parts, next to the one of all vertices: other programs have meshes of parts."""
    parts = mesh.pieces
    if len(parts) < 2:
        return []
    files = cache_paths(file, [part.name for part in parts])
    write([(path, part.vertices) for path, part in zip(files, parts, strict=True)], mesh)
    names = ", ".join(path.name for path in files)
    return [f"{file.name} holds all {mesh.num_vertices:,} vertices; the caches of single meshes lie beside it: {names}"]


def _usd(file: Path, mesh: MovingMesh, max_error: float | None, blender: str | None) -> list[str]:
    write_usd_points(file, mesh)
    return []


def _abc(file: Path, mesh: MovingMesh, max_error: float | None, blender: str | None) -> list[str]:
    write_alembic(file, mesh, blender)
    return _unstated(file, "unit", mesh, axis=False)


def _glb(file: Path, mesh: MovingMesh, max_error: float | None, blender: str | None) -> list[str]:
    return write_glb_motion(file, mesh, max_error)


def _blend(file: Path, mesh: MovingMesh, max_error: float | None, blender: str | None) -> list[str]:
    caches = write_blend_cache(file, mesh, blender)
    if len(caches) == 1:
        return [f"{file.name} plays {caches[0].name}, which lies beside it: move both together"]
    return [f"{file.name} plays {', '.join(cache.name for cache in caches)}, which lie beside it: move all together"]


Writer = Callable[[Path, MovingMesh, float | None, str | None], list[str]]
FORMATS: dict[Format, Writer] = {
    NPY: _npy,
    NPZ: _npz,
    PC2: _pc2,
    MDD: _mdd,
    USD: _usd,
    ALEMBIC: _abc,
    GLTF: _glb,
    BLEND: _blend,
}
SUFFIXES = by_ending(FORMATS)
