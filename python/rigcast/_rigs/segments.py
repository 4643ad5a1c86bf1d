"""The segments of a character: its named parts, else its materials, else its connected components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rigcast._hashing import padded_faces
from rigcast._rigs.surface import Surface, surface_of
from rigcast._shown import one_line
from rigcast._validate import bad_argument

KINDS = ("parts", "materials", "components")


class AtRest(Protocol):
    """Anything with a mesh at rest: a rig, a data set, a model."""

    @property
    def rest_vertices(self) -> NDArray[np.float32]:
        """(V, 3)."""
        ...

    @property
    def faces(self) -> NDArray[np.int32]:
        """(F, 3) or (F, 4), -1 pads triangles."""
        ...


@one_line
@dataclass(frozen=True)
class Segments:
    """A mesh cut into segments.

    Attributes
    ----------
    by : "parts", "materials" or "components"
    names : list of S str
    vertices : (V,) int32 array
        The segment of each vertex; -1 for none.
    """

    by: str
    names: list[str]
    vertices: NDArray[np.int32]

    def __len__(self) -> int:
        """S."""
        return len(self.names)


def segments(of: AtRest, by: str | None = None) -> Segments:
    """Cut the mesh of a rig, a data set or a model into named segments.

    Parameters
    ----------
    of : Rig, Dataset or Deformer
    by : "parts", "materials" or "components", optional
        Default: the first of them that makes more than one segment.

        - ``parts`` are the meshes that the character is made of.
        - ``materials``: a vertex belongs to the material of most of its faces, the first in the list of equals.
        - ``components`` are the connected parts of the mesh, the largest first, of equals the one with the lowest
          vertex; their names count from 1.

    Raises
    ------
    ValueError
        If ``of`` has no mesh at rest, or ``by`` is anything else.

    Examples
    --------
    >>> rc.segments(rc.faces.example()).by
    'components'
    """
    if by is not None and by not in KINDS:
        raise bad_argument("segments", "by", repr(by), f"one of {', '.join(KINDS)}, or None")
    if not (hasattr(of, "rest_vertices") and hasattr(of, "faces")):
        raise bad_argument("segments", "of", f"a {type(of).__name__}", "a rig, a data set or a model")
    count = len(of.rest_vertices)
    surface, faces = surface_of(of), padded_faces(of.faces, "segments", count)
    for kind in (by,) if by else KINDS:
        found = _cut(kind, surface, faces, count)
        if by or len(found) > 1:
            return found
    return found


def components(faces: NDArray[np.int32], num_vertices: int) -> NDArray[np.int64]:
    """The smallest vertex (V,) that faces (F, 4) connect each vertex with; -1 pads triangles."""
    corners = np.where(faces < 0, faces[:, :1], faces).astype(np.int64)
    label = np.arange(num_vertices)
    while True:
        lowest = label[corners].min(axis=1)
        new = label.copy()
        for corner in corners.T:
            np.minimum.at(new, corner, lowest)
        new = new[new]
        if np.array_equal(new, label):
            return label
        label = new


def _cut(kind: str, surface: Surface, faces: NDArray[np.int32], count: int) -> Segments:
    if kind == "parts":
        parts = surface.vertex_parts if surface.parts else np.full(count, -1, np.int32)
        return _used(kind, surface.parts, parts)
    if kind == "materials":
        return _used(kind, surface.materials, _vertex_materials(surface, faces, count))
    label = components(faces, count)
    first, sizes = np.unique(label, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    place = np.empty(count, np.int32)
    place[first[order]] = np.arange(len(first), dtype=np.int32)
    return Segments(kind, [f"component {number + 1}" for number in range(len(first))], place[label])


def _vertex_materials(surface: Surface, faces: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    if not surface.materials:
        return np.full(count, -1, np.int32)
    votes = np.zeros((count, len(surface.materials)), np.int64)
    face, corner = np.nonzero((faces >= 0) & (surface.face_materials >= 0)[:, None])
    np.add.at(votes, (faces[face, corner], surface.face_materials[face]), 1)
    return np.where(votes.any(axis=1), votes.argmax(axis=1), -1).astype(np.int32)


def _used(kind: str, names: list[str], labels: NDArray[np.int32]) -> Segments:
    """Without the names that no vertex has."""
    used = np.unique(labels[labels >= 0])
    place = np.full(len(names) + 1, -1, np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    return Segments(kind, [names[index] for index in used.tolist()], place[labels])
