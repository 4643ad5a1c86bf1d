"""``rig.*.json`` and ``weights.*.json``: bones placed on the base mesh, and which vertices follow them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.mpfb.files import read_object
from rigcast._safe_reading import Malformed
from rigcast._validate import bad_argument

Float64 = NDArray[np.float64]


@dataclass(frozen=True)
class Bone:
    """A bone at rest: end points in the frame of the vertices that it was placed on, and Blender's roll in radians."""

    name: str
    parent: str | None
    head: Float64
    tail: Float64
    roll: float


def vertex_groups(path: Path, function: str) -> dict[str, NDArray[np.int64]]:
    """Vertices of each named group of the base mesh, from ``basemesh_vertex_groups.json``."""
    groups = read_object(path, function)
    try:
        return {name: np.concatenate([np.arange(a, b + 1) for a, b in ranges]) for name, ranges in groups.items()}
    except (TypeError, ValueError) as error:
        raise bad_argument(
            function,
            "folder",
            f"with {path} of other content ({error})",
            "ranges of vertices",
            path,
        ) from None


def read_bones(path: Path, vertices: Float64, groups: dict[str, NDArray[np.int64]], function: str) -> list[Bone]:
    """Bones of a ``rig.*.json``, parents before children, placed by their strategies on vertices (V, 3).

    The end of a bone is the mean of the vertices of a joint cube (``CUBE``), of some vertices (``MEAN``), or one
    vertex (``VERTEX``).

    Raises
    ------
    FileNotFoundError, ValueError
    """
    content = read_object(path, function)
    entries: dict[str, Any] = content["bones"] if isinstance(content.get("bones"), dict) else content
    try:
        return [_bone(name, entries[name], vertices, groups) for name in _parents_first(entries)]
    except (LookupError, TypeError, ValueError) as error:
        got = f"with {path} of other content ({type(error).__name__}: {error})"
        raise bad_argument(function, "folder", got, "a rig of MPFB", path) from None


def _bone(name: str, entry: dict[str, Any], vertices: Float64, groups: dict[str, NDArray[np.int64]]) -> Bone:
    ends = [np.asarray(vertices[_picked(entry[end], groups)].mean(axis=0), np.float64) for end in ("head", "tail")]
    return Bone(name, entry["parent"] or None, ends[0], ends[1], float(entry["roll"]))


def _picked(end: dict[str, Any], groups: dict[str, NDArray[np.int64]]) -> NDArray[np.int64]:
    if end["strategy"] == "CUBE":
        return groups[end["cube_name"]]
    return np.array([end["vertex_index"]] if end["strategy"] == "VERTEX" else end["vertex_indices"])


def _parents_first(entries: dict[str, Any]) -> list[str]:
    order: list[str] = []
    placed: set[str] = set()
    waiting = list(entries)
    while waiting:
        name = next((n for n in waiting if not entries[n]["parent"] or entries[n]["parent"] in placed), None)
        if name is None:
            raise Malformed(f"bones without a root: {', '.join(waiting[:3])}")
        order.append(name)
        placed.add(name)
        waiting.remove(name)
    return order


def read_weights(path: Path, num_vertices: int, function: str) -> dict[str, tuple[NDArray[np.int32], Float64]]:
    """For each bone that moves any, the vertices (n,) below ``num_vertices`` that it moves, and their weights (n,).

    Raises
    ------
    FileNotFoundError, ValueError
    """
    content = read_object(path, function)
    result: dict[str, tuple[NDArray[np.int32], Float64]] = {}
    try:
        for name, pairs in content["weights"].items():
            table = np.array(pairs, np.float64).reshape(-1, 2)
            if not np.isfinite(table).all() or (table[:, 0] < 0).any():
                raise Malformed(f"{name}: a vertex or a weight that is none")
            table = table[(table[:, 0] < num_vertices) & (table[:, 1] > 0)]
            if len(table):
                result[name] = (table[:, 0].astype(np.int32), table[:, 1])
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        got = f"with {path} of other content ({type(error).__name__}: {error})"
        raise bad_argument(function, "folder", got, "weights of MPFB", path) from None
    return result


def bone_matrix(head: Float64, tail: Float64, roll: float) -> Float64:
    """Rest matrix (4, 4) of a Blender bone, in Blender's axes (z up).

    Y points from head to tail; the rest is the smallest rotation that turns the world's Y there, followed by the roll
    about it (Blender, ``vec_roll_to_mat3``).
    """
    y = (tail - head) / np.linalg.norm(tail - head)
    axis = np.array([y[2], 0.0, -y[0]])  # (0, 1, 0) x y
    cosine = y[1]
    if cosine < -1.0 + 1e-9:
        swing = np.diag([-1.0, -1.0, 1.0])
    else:
        skew = _skew(axis)
        swing = np.eye(3) + skew + skew @ skew / (1.0 + cosine)
    spin = _skew(y)
    result = np.eye(4)
    result[:3, :3] = (np.eye(3) + np.sin(roll) * spin + (1.0 - np.cos(roll)) * spin @ spin) @ swing
    result[:3, 3] = head
    return result


def _skew(vector: Float64) -> Float64:
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
