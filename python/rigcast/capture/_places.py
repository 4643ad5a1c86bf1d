"""Places of a detector's points on the mesh of a character."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._atomic_files import atomic_write
from rigcast._core import BlendshapeRig
from rigcast._safe_reading import check_regular, read_json
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, bad_file, missing_file

UNUSED = -1


@one_line
@dataclass(frozen=True)
class Places:
    """A place on the mesh for each of P points.

    Attributes
    ----------
    vertices : (P, 3) int32
        Corners; -1: the point is not used. One vertex: three times the same.
    weights : (P, 3) float64
        Barycentric coordinates.
    """

    vertices: NDArray[np.int32]
    weights: NDArray[np.float64]

    @property
    def used(self) -> NDArray[np.int64]:
        """Indices of the points that have a place."""
        return np.flatnonzero(self.vertices[:, 0] >= 0)

    def positions(self, vertices: NDArray[np.float64]) -> NDArray[np.float64]:
        """(U, 3) of the used points on vertices (V, 3)."""
        corners, shares = self.vertices[self.used], self.weights[self.used]
        return np.asarray((vertices[corners] * shares[:, :, None]).sum(axis=1), np.float64)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a JSON file for :func:`load_places`: corners and barycentric coordinates by the index of the point."""
        rows = {str(i): {"vertices": self.vertices[i].tolist(), "weights": self.weights[i].tolist()} for i in self.used}
        text = json.dumps({"points": len(self.vertices), "places": rows}, indent=0)
        atomic_write(path, f"{text}\n".encode())


def places_of_vertices(function: str, landmarks: ArrayLike, rig: BlendshapeRig) -> Places:
    """Places at vertices (P,), -1 where a point is not used.

    Raises
    ------
    ValueError
        If there is no such vertex, or fewer than four points are used.
    """
    count = len(rig.rest_vertices)
    must = f"vertices (P,) from 0 to {count - 1}, counted from 0, and -1 for points that are not used"
    check = Arguments(function)
    vertices = check.integers("landmarks", landmarks, "P+", low=UNUSED, below=count, dtype=np.int32, must=must)
    if (vertices >= 0).sum() < 4:
        raise check.wrong("landmarks", f"{(vertices >= 0).sum()} used points", "at least 4 of them")
    weights = np.tile([1.0, 0.0, 0.0], (len(vertices), 1))
    return Places(np.repeat(vertices[:, None], 3, axis=1), weights)


def load_places(path: str | os.PathLike[str], rig: BlendshapeRig, points: int | None = None) -> Places:
    """Read where points lie on a rig.

    Parameters
    ----------
    path : path-like
        JSON: a list of vertices, one per point and -1 for points that are not used; or a vertex by the index of the
        point, ``{"33": 1204, ...}``; or what :meth:`Places.save` writes.
    rig : BlendshapeRig
    points : int, optional
        P of the tracks, for files that name some points alone; by default the largest index plus one.

    Raises
    ------
    FileNotFoundError
    ValueError
        If the file is none of these, or names a vertex that the rig lacks.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> from pathlib import Path
    >>> _ = Path("map.json").write_text('{"0": 10, "3": 12, "4": 80, "6": 95}')
    >>> rc.capture.load_places("map.json", rig).used
    array([0, 3, 4, 6])
    """
    file = Path(path)
    if not file.exists():
        raise missing_file("load_places", "path", file)
    check_regular(file)
    content = read_json(file)
    try:
        return _parsed(content, rig, points)
    except (AttributeError, KeyError, TypeError, OverflowError):
        must = 'a list of vertices, {"point": vertex, ...}, or what Places.save writes'
        raise bad_file(file, "no places of points", must, "load_places") from None
    except ValueError as error:
        raise bad_file(file, str(error), function="load_places") from None


def _parsed(content: Any, rig: BlendshapeRig, points: int | None) -> Places:
    if isinstance(content, list):
        return places_of_vertices("", content, rig)
    rows = content.get("places", content)
    indices = [int(name) for name in rows]
    largest = content.get("points", max(indices, default=-1) + 1) if points is None else points
    if not indices or min(indices) < 0 or max(indices) >= int(largest):
        got = f"named from {min(indices, default=0)} to {max(indices, default=0)}"
        raise bad_argument("", "points", got, f"from 0 to {int(largest) - 1}")
    if all(isinstance(value, int) for value in rows.values()):
        listed = np.full(int(largest), UNUSED)
        listed[indices] = list(rows.values())
        return places_of_vertices("", listed, rig)
    check = Arguments("", P=int(largest))
    corners, weights = np.full((int(largest), 3), UNUSED), np.zeros((int(largest), 3))
    for index, row in zip(indices, rows.values(), strict=True):
        corners[index], weights[index] = row["vertices"], row["weights"]
    count = len(rig.rest_vertices)
    vertices = check.integers("vertices", corners, "P 3", low=UNUSED, below=count, dtype=np.int32)
    return Places(vertices, check.numbers("weights", weights, "P 3"))
