"""Checks of what is to be drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._hashing import padded_faces
from rigcast._rigs.mesh import Mesh
from rigcast._validate import as_array, bad_argument, check_finite


class RestingMesh(Protocol):
    """A rig, a model or a data set: ``up_axis`` is read if present."""

    @property
    def rest_vertices(self) -> NDArray[np.float32]: ...
    @property
    def faces(self) -> NDArray[np.int32]: ...


Values = Sequence[ArrayLike | None]


@dataclass(frozen=True)
class PlottedMesh:
    """The mesh to draw, at rest, with faces (F, 4) and the direction of up."""

    rest: NDArray[np.float32]
    faces: NDArray[np.int32]
    up_axis: str


def subject_of(function: str, model: RestingMesh | Mesh) -> PlottedMesh:
    """The mesh of a rig, a model, a data set or a mesh."""
    rest = getattr(model, "rest_vertices", getattr(model, "vertices", None))
    faces = getattr(model, "faces", None)
    if rest is None or faces is None or np.ndim(rest) != 2:
        expected = "a rig, a model, a data set or a mesh, with faces and rest_vertices"
        raise bad_argument(function, "model", f"a {type(model).__name__}", expected)
    if not len(faces):
        raise bad_argument(function, "model", "without faces", "a mesh that can be drawn")
    up_axis = getattr(model, "up_axis", None) or "Y"
    return PlottedMesh(np.asarray(rest, np.float32), padded_faces(np.asarray(faces), function), str(up_axis))


def points_of(function: str, vertices: ArrayLike, subject: PlottedMesh, rank: int) -> NDArray[np.float32]:
    """Vertices (V, 3) of rank 2, or (N, V, 3) of rank 3, checked."""
    count = len(subject.rest)
    expected = f"numbers ({count}, 3)" if rank == 2 else f"numbers (N, {count}, 3), N at least 1"
    array = as_array(function, "vertices", vertices, expected)
    if array.dtype.kind not in "fiu" or array.ndim != rank or array.shape[-2:] != (count, 3) or not len(array):
        raise bad_argument(function, "vertices", f"{array.dtype} {array.shape}", expected)
    check_finite(function, "vertices", array)
    return np.asarray(array, np.float32)


def values_of(function: str, values: Values | None, frames: int, count: int) -> list[NDArray[np.float64] | None]:
    """One entry per picture, (V,) or None, checked."""
    if values is None:
        return [None] * frames
    if len(values) != frames:
        raise bad_argument(function, "values", f"{len(values)} entries", f"one per picture, {frames}")
    found: list[NDArray[np.float64] | None] = []
    for entry in values:
        if entry is None:
            found.append(None)
            continue
        array = as_array(function, "values", entry, f"numbers ({count},)")
        if array.dtype.kind not in "fiu" or array.shape != (count,):
            raise bad_argument(function, "values", f"{array.dtype} {array.shape}", f"numbers ({count},)")
        check_finite(function, "values", array)
        found.append(array.astype(np.float64))
    return found


def focus_of(function: str, focus: ArrayLike, count: int) -> NDArray[np.int64]:
    """Vertices that a picture must show, as indices."""
    chosen = np.asarray(focus)
    expected = f"vertices (M,), from 0 to {count - 1}, or ({count},) bool, at least one"
    if chosen.dtype == bool and chosen.shape == (count,):
        chosen = np.flatnonzero(chosen)
    inside = chosen.dtype.kind in "iu" and chosen.ndim == 1 and len(chosen) > 0
    if not inside or chosen.min() < 0 or chosen.max() >= count:
        raise bad_argument(function, "focus", f"{chosen.dtype} {chosen.shape}", expected)
    return np.asarray(chosen, np.int64)
