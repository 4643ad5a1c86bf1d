"""Shots in NumPy files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.npz.archive import Member, read_arrays
from rigcast._formats.npz.array import read_array
from rigcast._hashing import padded_faces
from rigcast._rigs.motions.shot import Shot
from rigcast._validate import FPS, Arguments, bad_argument

MEMBERS = {
    "vertices": Member("f", ("T", "V", 3)),
    "faces": Member("iu", ("F", "W")),
    "fps": Member("fiu", ()),
    "meters_per_unit": Member("fiu", ()),
    "up_axis": Member("U", ()),
}


def load_npy(path: Path, fps: float = FPS) -> Shot:
    """One array (T, V, 3) as ``numpy.save`` writes it."""
    try:
        stored = read_array(path)
    except ValueError as error:
        raise bad_argument("load_shot", "path", str(error), "an array of numbers (T, V, 3)") from error
    if stored.ndim != 3 or stored.shape[2] != 3:
        got = f"{path}: {stored.dtype} {stored.shape}"
        raise bad_argument("load_shot", "path", got, "an array of numbers (T, V, 3)", path)
    return Shot(_narrow(stored), fps)


def load_npz(path: Path, fps: float | None = None) -> Shot:
    """``vertices`` (T, V, 3); ``faces`` (F, 3 or 4), ``fps``, ``meters_per_unit`` and ``up_axis`` are optional.

    Other arrays are left alone.
    """
    arrays = read_arrays(path, MEMBERS, "load_shot", others=True)
    if "vertices" not in arrays:
        raise bad_argument(
            "load_shot", "path", f"{path}: an archive without vertices", "one with vertices (T, V, 3)", path
        )
    vertices = _narrow(arrays["vertices"])
    faces = padded_faces(arrays["faces"], "load_shot") if "faces" in arrays else None
    if faces is not None and not ((faces >= -1) & (faces < vertices.shape[1])).all():
        raise bad_argument("load_shot", "faces", "out of range somewhere", f"vertex indices below {vertices.shape[1]}")
    rate = fps if fps is not None else float(arrays.get("fps", FPS))
    unit = float(arrays["meters_per_unit"]) if "meters_per_unit" in arrays else None
    axis = str(arrays["up_axis"]) if "up_axis" in arrays else None
    if (unit is not None and not 0.0 < unit < np.inf) or axis not in (None, "X", "Y", "Z"):
        got = f"{path}: meters_per_unit {unit}, up_axis {axis!r}"
        raise bad_argument(
            "load_shot", "path", got, "an archive with a positive unit and one of the axes X, Y, Z", path
        )
    return Shot(vertices, rate, faces, unit, axis)


def _narrow(vertices: NDArray[Any]) -> NDArray[np.float32]:
    """As float32; what that cannot hold becomes infinite, which a shot refuses with its frame."""
    return Arguments("load_shot").numbers("vertices", vertices, "T V 3", dtype=np.float32, finite=False)
