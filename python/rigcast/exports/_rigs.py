"""Blendshape rigs, written for this package and for other programs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rigcast._atomic_files import atomic_npz
from rigcast._blendshapes import Tent
from rigcast._formats.blender.write import write_blend
from rigcast._formats.gltf.surface import read_surface
from rigcast._formats.gltf.write import write_glb
from rigcast._formats.registry import BLEND, GLTF, NPZ, SAFETENSORS, Format, by_ending
from rigcast._rigs.pieces import on_faces
from rigcast._rigs.surface import Surface
from rigcast._validate import bad_argument, check_blendshape_rig, missing_file

if TYPE_CHECKING:
    from rigcast._core import BlendshapeRig

PARADE_FPS = 2.0  # shapes per second


def write_rig(
    path: str | os.PathLike[str], rig: BlendshapeRig, *, surface_of: str | os.PathLike[str] | None = None
) -> None:
    """Write a blendshape rig in the format that the path's ending names.

    ================  ==============================================================================================
    ``.safetensors``  everything; read back by :func:`rigcast.load`
    ``.npz``          everything but metadata beyond names, licence, origin and units; documented in
                      :doc:`/reference/file_formats`
    ``.glb``          mesh, morph targets and a clip that shows one shape after the other. Combinations are targets of
                      their own, as a viewer does not multiply weights; this package reads them as combinations
    ``.blend``        mesh with shape keys, combinations as driven keys, upright, z up (needs Blender)
    ================  ==============================================================================================

    The file appears complete or not at all.

    Parameters
    ----------
    path : path-like
    rig : BlendshapeRig
    surface_of : path-like, optional
        A .glb or .gltf with the rig's vertices in the rig's order, as a transfer's target: texture coordinates and the
        materials' names come along into a ``.glb``; other formats hold none.

    Raises
    ------
    ValueError
        If the ending is unknown, or ``rig`` is no blendshape rig: a body's own ``save`` writes it.
    SourceError
        If Blender fails (``.blend``).

    Examples
    --------
    >>> rc.exports.write_rig("face.npz", rc.faces.example())
    >>> rc.sources.load_blendshapes("face.npz").num_shapes
    22
    """
    check_blendshape_rig("write_rig", rig)
    file = _path("write_rig", path)
    writer = WRITERS.get(file.suffix.lower())
    if writer is None:
        raise bad_argument("write_rig", "path", repr(str(path)), f"a file that ends in {', '.join(WRITERS)}", path)
    if surface_of is not None and file.suffix.lower() == ".glb":
        _write_glb(file, rig, _surface(Path(surface_of), rig))
        return
    writer(file, rig)


def _surface(path: Path, rig: BlendshapeRig) -> Surface:
    if not path.is_file():
        raise missing_file("write_rig", "surface_of", path)
    covered, count = read_surface(path), len(rig.rest_vertices)
    if covered.count != count:
        got = f"{path}: {covered.count} vertices"
        raise bad_argument("write_rig", "surface_of", got, f"a mesh of the rig's {count}")
    return on_faces(covered.surface, covered.faces, np.asarray(rig.faces), count)


def _path(function: str, path: str | os.PathLike[str]) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise bad_argument(function, "path", f"a {type(path).__name__}", "a path")
    return Path(path)


def _write_safetensors(path: Path, rig: BlendshapeRig) -> None:
    rig.save(path)


def _write_npz(path: Path, rig: BlendshapeRig) -> None:
    factors = [factor for combination in rig.combinations for factor in combination]
    tents = [(f.x1, f.x2, f.x3) if isinstance(f, Tent) else (0.0, 0.0, 0.0) for f in factors]
    columns, about = rig.columns(), rig.metadata
    arrays: dict[str, Any] = {
        "neutral": rig.rest_vertices,
        "deltas": columns[: rig.num_shapes],
        "names": np.array(rig.shape_names, np.str_),
        "bounds": rig.bounds,
        "faces": rig.faces,
        "factor_offsets": np.cumsum([0, *(len(combination) for combination in rig.combinations)], dtype=np.int64),
        "factor_shapes": np.array([f.shape if isinstance(f, Tent) else f for f in factors], np.int64),
        "factor_tents": np.array(tents, np.float64).reshape(-1, 3),
        "combination_deltas": columns[rig.num_shapes :],
        "combination_names": np.array(rig.column_names[rig.num_shapes :], np.str_),
        "meters_per_unit": np.float64(about["meters_per_unit"]),
        "constructed": np.array(about["constructed"], np.str_),
    }
    arrays |= {name: np.array(about[name], np.str_) for name in ("name", "licence", "origin", "up_axis")}
    atomic_npz(path, arrays, compressed=True)


def _write_glb(path: Path, rig: BlendshapeRig, surface: Surface | None = None) -> None:
    parade = np.zeros((rig.num_shapes + 2, rig.num_shapes), np.float32)
    parade[1:-1] = np.diag(np.clip(1.0, *rig.bounds.T))
    write_glb(path, rig, parade, PARADE_FPS, surface=surface)


def _write_blend(path: Path, rig: BlendshapeRig) -> None:
    write_blend(path, rig)


FORMATS: dict[Format, Callable[[Path, Any], None]] = {
    SAFETENSORS: _write_safetensors,
    NPZ: _write_npz,
    GLTF: _write_glb,
    BLEND: _write_blend,
}
WRITERS = by_ending(FORMATS)
