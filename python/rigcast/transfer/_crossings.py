"""Crossings: pairs of faces of a mesh that cut through each other, their depths, and those that a transfer adds."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._hashing import padded_faces
from rigcast._validate import Arguments
from rigcast.transfer._positions import check_positions
from rigcast.transfer._surface import checked_vertices

DEPTH = 5e-4  # of the mesh's largest extent: less deep, lips and lids that touch cross by rounding (0.1 mm of a face)
HALVES = ([0, 1, 2], [0, 2, 3])  # corners of the triangles of a quad
FLAT = 1e-6  # of the edges' lengths: a direction whose sine is smaller is none

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]


def count_crossings(
    vertices: ArrayLike,
    faces: ArrayLike,
    near: ArrayLike | None = None,
    *,
    rings: int = 2,
    depth: float = DEPTH,
) -> int:
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
    depth : float
        Share of the mesh's largest extent, at least 0. The depth of a crossing is the shortest way by which one of the
        two faces would leave the other. Pairs that cross less deep are not counted: where lips and lids touch,
        rounding alone makes hundreds. Default 0.0005, 0.1 mm of a face of 20 cm; 0 counts all.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        On values that are not finite, indices out of range, and a number of rings or a depth below 0.
    """
    check = Arguments("count_crossings")
    points = check.numbers("vertices", vertices, "V 3", dtype=np.float32)
    least = check.number("depth", depth, least=0.0)
    corners = padded_faces(faces, "count_crossings", len(points))
    chosen = _chosen("count_crossings", corners, len(points), near, rings)
    return len(_deep(points, corners, chosen, least * extent(points))[0])


def new_crossings(
    source_shape: ArrayLike,
    target_neutral: ArrayLike,
    target_shape: ArrayLike,
    *,
    faces: ArrayLike,
    near: ArrayLike | None = None,
    rings: int = 2,
    depth: float = DEPTH,
) -> Int32:
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
    depth : float
        As there, of each mesh's own extent; the source's and the neutral's crossings count from half of it, so that
        one that is a little deeper in the target is not new.

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
    counter = CrossingCounter("new_crossings", neutral, corners, near, rings, depth)
    return counter.new(source, target)[0]


def count_new_crossings(
    source_shapes: ArrayLike,
    target_neutral: ArrayLike,
    target_shapes: ArrayLike,
    *,
    faces: ArrayLike,
    near: ArrayLike | None = None,
    depth: float = DEPTH,
) -> NDArray[np.int64]:
    """Count the :func:`new_crossings` of each of the target's shapes.

    Parameters
    ----------
    source_shapes, target_shapes : array_like, shape (K, V, 3)
        Positions.
    target_neutral, faces, near, depth
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
    counter = CrossingCounter("count_new_crossings", neutral, corners, near, depth=depth)
    found = (counter.new(source, target)[0] for source, target in zip(sources, targets, strict=True))
    return np.array([len(pairs) for pairs in found], np.int64)


class CrossingCounter:
    """Crossings in many shapes of one target: what :func:`new_crossings` needs of its neutral and faces, once.

    ``least`` is the depth from which they count, in the target's unit.
    """

    def __init__(
        self,
        function: str,
        target_neutral: Float32,
        faces: Int32,
        near: ArrayLike | None,
        rings: int = 2,
        depth: float = DEPTH,
    ) -> None:
        self._share = Arguments(function).number("depth", depth, least=0.0)
        self.least = self._share * extent(target_neutral)
        self._faces = faces
        self._chosen = _chosen(function, faces, len(target_neutral), near, rings)
        self._component = _core.DeformationTransfer(target_neutral, target_neutral, faces).components[faces[:, 0]]
        self._around = _Neighbors(faces, len(target_neutral))
        self._before = self._known(target_neutral)

    def count(self, shape: Float32) -> int:
        """Number of pairs of faces of a shape, in any unit, that cut through each other."""
        return len(_deep(shape, self._faces, self._chosen, self._share * extent(shape))[0])

    def new(self, source_shape: Float32, target_shape: Float32) -> tuple[Int32, Float64]:
        """Pairs (N, 2) of a target's shape that neither its neutral nor the source's shape has, and their depths."""
        found, depths = _deep(target_shape, self._faces, self._chosen, self.least)
        same = self._component[found[:, 0]] == self._component[found[:, 1]]
        found, depths = found[same], depths[same]
        if not len(found):
            return found, depths
        known = self._before | self._known(source_shape)

        def is_known(f: int, g: int) -> bool:
            return any((min(a, b), max(a, b)) in known for a in self._around(f) for b in self._around(g))

        new = np.array([not is_known(f, g) for f, g in found.tolist()], bool)
        return found[new], depths[new]

    def _known(self, shape: Float32) -> set[tuple[int, int]]:
        pairs, _ = _deep(shape, self._faces, self._chosen, 0.5 * self._share * extent(shape))
        return {(f, g) for f, g in pairs.tolist()}


def extent(points: Float32) -> float:
    """The largest extent of a mesh along an axis."""
    return float(np.ptp(points, axis=0).max()) if len(points) else 0.0


def _deep(points: Float32, faces: Int32, chosen: NDArray[np.uint8], least: float) -> tuple[Int32, Float64]:
    """Pairs of faces (N, 2) that cut through each other at least so deep, and their depths (N,)."""
    pairs = _core.self_intersections(points, faces, chosen)
    depths = crossing_depths(points, faces, pairs)
    deep = depths >= least
    return pairs[deep], depths[deep]


def crossing_depths(points: Float32, faces: Int32, pairs: Int32) -> Float64:
    """Depths (N,) of pairs of faces (N, 2) that cut: the shortest way by which one leaves the other.

    Two convex bodies are apart if they are so along a normal of one of them or a product of two of their edges
    (Gottschalk et al. 1996); the least overlap along these directions is the depth. Of quads, the deepest halves'.
    """
    x = np.asarray(points, np.float64)
    depths = np.zeros(len(pairs))
    for own in HALVES:
        for other in HALVES:
            a, b = faces[pairs[:, 0]][:, own], faces[pairs[:, 1]][:, other]
            rows = (a.min(axis=1, initial=0) >= 0) & (b.min(axis=1, initial=0) >= 0)
            depths[rows] = np.maximum(depths[rows], _overlaps(x[a[rows]], x[b[rows]]))
    return depths


def _overlaps(a: Float64, b: Float64) -> Float64:
    """The least overlap (N,) of triangles (N, 3, 3), below 0 if they are apart."""
    edges = [np.roll(corners, -1, axis=1) - corners for corners in (a, b)]
    normals = [np.cross(own[:, 0], own[:, 1])[:, None] for own in edges]
    products = np.cross(edges[0][:, :, None], edges[1][:, None]).reshape(len(a), 9, 3)
    axes = np.concatenate([*normals, products], axis=1)
    lengths = np.linalg.norm(axes, axis=2)
    longest = [np.linalg.norm(own, axis=2).max(axis=1, initial=0.0) for own in edges]
    least = FLAT * np.stack([longest[0] ** 2, longest[1] ** 2, *[longest[0] * longest[1]] * 9], axis=1)
    axes = axes / np.maximum(lengths, 1e-300)[..., None]
    first, second = (np.einsum("nci,nki->nkc", corners, axes) for corners in (a, b))
    overlap = np.minimum(first.max(axis=2) - second.min(axis=2), second.max(axis=2) - first.min(axis=2))
    return np.asarray(np.where(lengths > least, overlap, np.inf).min(axis=1, initial=np.inf))


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
