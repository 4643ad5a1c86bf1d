"""Lips and lids: which vertices face each other, and where surfaces cut through each other."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._hashing import padded_faces
from rigcast._validate import Arguments, bad_argument
from rigcast.transfer._positions import check_positions
from rigcast.transfer._surface import checked_vertices

#: Pairs of facing vertices: those that are found, these, or none.
Contacts = ArrayLike | Literal["auto"] | None


def contact_pairs(
    function: str, contacts: Contacts, neutral: ArrayLike, shapes: ArrayLike, faces: ArrayLike, threads: int
) -> ArrayLike | None:
    """The pairs that ``contacts`` stands for: ``"auto"`` those of :func:`find_contacts`."""
    if not isinstance(contacts, str):
        return contacts
    if contacts != "auto":
        raise bad_argument(function, "contacts", repr(contacts), '"auto", pairs of vertices or None')
    try:
        return find_contacts(neutral, shapes, faces, threads=threads)
    except ValueError:
        return None  # the transfer refuses the same input, by the names of its own arguments


def find_contacts(
    neutral: ArrayLike, shapes: ArrayLike, faces: ArrayLike, *, reach: float = 1.0, threads: int = 0
) -> NDArray[np.int32]:
    """Pairs of vertices whose surfaces meet in the neutral or in a shape, as lips and lids do.

    Two vertices are a pair where, in one of the poses, they are closer than ``reach`` mean edge lengths with their
    normals more than 120 degrees apart; where in the neutral the way from one to the other leads through air and not
    through the solid; and where they belong to one component, more than three edges apart. Each vertex is paired with
    the one that comes nearest.

    Parameters
    ----------
    neutral : array_like, shape (V, 3)
    shapes : array_like, shape (K, V, 3)
        Positions, not offsets.
    faces : array_like, shape (F, 3) or (F, 4)
    reach : float
        In mean lengths of a vertex's edges, above 0.
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Returns
    -------
    (P, 2) int32
        Ascending, the lower vertex of a pair first. The user may remove pairs and add others, between components too.

    Raises
    ------
    ValueError
        On sizes that differ, values that are not finite, and indices out of range.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> pairs = rc.transfer.find_contacts(rig.rest_vertices, rc.transfer.positions_from_rig(rig), rig.faces)
    >>> pairs.shape[1]
    2
    """
    check = Arguments("find_contacts")
    check.threads(threads)
    check_positions("find_contacts", neutral, shapes, "shapes")
    first = check.numbers("neutral", neutral, "V 3", dtype=np.float32)
    others = check.numbers("shapes", shapes, "K V 3", dtype=np.float32)
    return _core.find_contacts(np.concatenate([first[None], others]), faces, reach, threads=threads)


def count_crossings(vertices: ArrayLike, faces: ArrayLike, near: ArrayLike | None = None, *, rings: int = 2) -> int:
    """Count the pairs of faces of one mesh that cut through each other.

    Faces that share a vertex are not compared; faces that touch or lie in one plane do not cut. Quads are cut along
    their first diagonal.

    Parameters
    ----------
    vertices : array_like, shape (V, 3)
    faces : array_like, shape (F, 3) or (F, 4)
    near : integers of any shape, optional
        Only faces within ``rings`` rings of these vertices are compared: the pairs of :func:`find_contacts` ask about
        lips and lids.
    rings : int
        At least 0.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        On values that are not finite, indices out of range, and a number of rings below 0.
    """
    points = Arguments("count_crossings").numbers("vertices", vertices, "V 3", dtype=np.float32)
    corners = padded_faces(faces, "count_crossings", len(points))
    return len(_core.self_intersections(points, corners, _chosen("count_crossings", corners, len(points), near, rings)))


def new_crossings(
    source_shape: ArrayLike,
    target_neutral: ArrayLike,
    target_shape: ArrayLike,
    *,
    faces: ArrayLike,
    near: ArrayLike | None = None,
    rings: int = 2,
) -> NDArray[np.int32]:
    """Pairs of faces of a target's shape that cut through each other where nothing says they should.

    A pair is new if neither it nor a pair of neighbors of the two faces (that share a vertex with them) cuts in the
    source's shape or in the target's neutral: lips that cross in the source may cross an edge farther in the target.
    Only faces of one component are compared, as only those are contacts. :func:`quality` counts them for many shapes.

    Parameters
    ----------
    source_shape, target_neutral, target_shape : array_like, shape (V, 3)
    faces : array_like, shape (F, 3) or (F, 4)
    near, rings
        As in :func:`count_crossings`.

    Returns
    -------
    (N, 2) int32
        Ascending, the lower face first.
    """
    check = Arguments("new_crossings")
    target = check.numbers("target_shape", target_shape, "V 3", dtype=np.float32)
    source = check.numbers("source_shape", source_shape, "V 3", dtype=np.float32)
    neutral = check.numbers("target_neutral", target_neutral, "V 3", dtype=np.float32)
    corners = padded_faces(faces, "new_crossings", len(target))
    counter = CrossingCounter("new_crossings", neutral, corners, near, rings)
    return counter.new(counter.pairs(source), target)


def count_new_crossings(
    source_shapes: ArrayLike,
    target_neutral: ArrayLike,
    target_shapes: ArrayLike,
    *,
    faces: ArrayLike,
    near: ArrayLike | None = None,
) -> NDArray[np.int64]:
    """Count the :func:`new_crossings` of each of the target's shapes.

    Parameters
    ----------
    source_shapes, target_shapes : array_like, shape (K, V, 3)
        Positions.
    target_neutral, faces, near
        As in :func:`new_crossings`.

    Returns
    -------
    (K,) int64

    Raises
    ------
    ValueError
        If the shapes are not as many, or not of one topology.
    """
    check_positions("count_new_crossings", target_neutral, target_shapes, "target_shapes")
    check = Arguments("count_new_crossings")
    neutral = check.numbers("target_neutral", target_neutral, "V 3", dtype=np.float32)
    targets = check.numbers("target_shapes", target_shapes, "K V 3", dtype=np.float32)
    sources = check.numbers("source_shapes", source_shapes, "K V 3", dtype=np.float32)
    corners = padded_faces(faces, "count_new_crossings", len(neutral))
    counter = CrossingCounter("count_new_crossings", neutral, corners, near)
    found = (counter.new(counter.pairs(source), target) for source, target in zip(sources, targets, strict=True))
    return np.array([len(pairs) for pairs in found], np.int64)


class CrossingCounter:
    """Crossings in many shapes of one target: what :func:`new_crossings` needs of its neutral and faces, once."""

    def __init__(
        self,
        function: str,
        target_neutral: NDArray[np.float32],
        faces: NDArray[np.int32],
        near: ArrayLike | None,
        rings: int = 2,
    ) -> None:
        self._faces = faces
        self._chosen = _chosen(function, faces, len(target_neutral), near, rings)
        self._component = _core.DeformationTransfer(target_neutral, target_neutral, faces).components[faces[:, 0]]
        self._around = _Neighbors(faces, len(target_neutral))
        self._before = {(f, g) for f, g in self.pairs(target_neutral).tolist()}

    def pairs(self, shape: NDArray[np.float32]) -> NDArray[np.int32]:
        """Pairs of faces (N, 2) that cut through each other."""
        return _core.self_intersections(shape, self._faces, self._chosen)

    def new(self, source_pairs: NDArray[np.int32], target_shape: NDArray[np.float32]) -> NDArray[np.int32]:
        """Those of a target's shape (N, 2) that neither its neutral nor the source's shape has."""
        known = self._before | {(f, g) for f, g in source_pairs.tolist()}

        def is_known(f: int, g: int) -> bool:
            return any((min(a, b), max(a, b)) in known for a in self._around(f) for b in self._around(g))

        found = self.pairs(target_shape)
        found = found[self._component[found[:, 0]] == self._component[found[:, 1]]]
        new = [(f, g) for f, g in found.tolist() if not is_known(f, g)]
        return np.array(new, np.int32).reshape(-1, 2)


class _Neighbors:
    """Faces that share a vertex with a face, itself among them."""

    def __init__(self, faces: NDArray[np.int32], num_vertices: int) -> None:
        self.faces = faces
        face, corner = np.nonzero(faces >= 0)
        vertex = faces[face, corner]
        self.at = face[np.argsort(vertex, kind="stable")]
        self.start = np.searchsorted(np.sort(vertex), np.arange(num_vertices + 1))

    def __call__(self, face: int) -> set[int]:
        corners = self.faces[face]
        spans = (self.at[self.start[v] : self.start[v + 1]].tolist() for v in corners[corners >= 0])
        return {other for span in spans for other in span}


def _chosen(
    function: str, faces: NDArray[np.int32], num_vertices: int, near: ArrayLike | None, rings: int
) -> NDArray[np.uint8]:
    """Mask of the faces (F,) to compare."""
    rings = Arguments(function).whole("rings", rings)
    if near is None:
        return np.ones(len(faces), np.uint8)
    return _faces_near(faces, num_vertices, checked_vertices(function, "near", near, num_vertices), rings)


def _faces_near(faces: NDArray[np.int32], num_vertices: int, near: NDArray[np.int64], rings: int) -> NDArray[np.uint8]:
    inside = np.zeros(num_vertices, bool)
    inside[near] = True
    touched = np.zeros(len(faces), bool)
    for _ in range(rings):
        touched = np.any(inside[faces] & (faces >= 0), axis=1)
        corners = faces[touched]
        inside[corners[corners >= 0]] = True
    return touched.astype(np.uint8)
