"""Meshes with anchors, and the dense operators of differential coordinates."""

from __future__ import annotations

import numpy as np

from tests.support.characters.plain_face import bumpy_shield


def shield(half: int = 6, rows: int = 9) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and quads of one component."""
    points, faces, _ = bumpy_shield(half, rows)
    return points.astype(np.float32), faces


def two_shields() -> tuple[np.ndarray, np.ndarray]:
    """Two components; the second has triangles too."""
    points, faces = shield()
    part = faces[:40]  # of whole columns of cells, every third one split into triangles
    halves = [[(a, b, c, -1), (a, c, d, -1)] if f % 3 == 0 else [(a, b, c, d)] for f, (a, b, c, d) in enumerate(part)]
    other = np.array([corners for half in halves for corners in half], np.int32)
    used = part.max() + 1
    return np.concatenate([points, points[:used] + 5]), np.concatenate(
        [faces, np.where(other < 0, -1, other + len(points)).astype(np.int32)]
    )


def welded(kind: str) -> tuple[np.ndarray, int]:
    """Faces and number of vertices of meshes that are no manifold.

    ``lash``: a strip welded to an edge inside the first shield, which then has three faces; ``point``: a triangle that
    shares one vertex; ``loose``: a vertex without a face; ``repeated``: a face with a corner twice.
    """
    points, faces = two_shields()
    count, (a, b) = len(points), faces[5, 1:3]
    more = {
        "lash": ([(a, b, count + 1, count), (count, count + 1, count + 3, count + 2)], 4),
        "point": ([(a, count, count + 1, -1)], 2),
        "loose": ([], 1),
        "repeated": ([(a, b, b, -1)], 0),
    }
    corners, added = more[kind]
    return np.concatenate([faces, np.array(corners, np.int32).reshape(-1, 4)]), count + added


def dense_laplacian(faces: np.ndarray, num_vertices: int) -> np.ndarray:
    """``D - A`` of the graph of edges, entry by entry."""
    adjacency = np.zeros((num_vertices, num_vertices))
    for face in np.asarray(faces):
        corners = [v for v in face if v >= 0]
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
            adjacency[a, b] = adjacency[b, a] = 1.0
    return np.diag(adjacency.sum(axis=1)) - adjacency


def selection(anchors: np.ndarray, num_vertices: int) -> np.ndarray:
    """S (A, V)."""
    return np.eye(num_vertices)[np.asarray(anchors)]


def dense_solve(
    laplacian: np.ndarray, anchors: np.ndarray, weights: np.ndarray, delta: np.ndarray, positions: np.ndarray
) -> np.ndarray:
    """The least-squares solution of ``[L; W S] d = [delta; W a]``, frame by frame."""
    rows = np.concatenate([laplacian, weights[:, None] * selection(anchors, len(laplacian))])
    right = np.concatenate([delta, weights[:, None] * positions], axis=1)
    return np.stack([np.linalg.lstsq(rows, frame, rcond=None)[0] for frame in right])


def random_manifold_anchors(faces: np.ndarray, components: np.ndarray, count: int, seed: int) -> np.ndarray:
    """Random anchors, one of them in each component."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(components))
    first = [order[np.flatnonzero(components[order] == c)[0]] for c in np.unique(components)]
    rest = [v for v in order if v not in first]
    return np.array([*first, *rest[: count - len(first)]], np.int32)


def components_of(faces: np.ndarray, num_vertices: int) -> np.ndarray:
    """The component of each vertex, by flooding."""
    label = np.arange(num_vertices)
    faces = np.where(np.asarray(faces) < 0, np.asarray(faces)[:, :1], faces)
    while True:
        lowest = label[faces].min(axis=1)
        new = label.copy()
        np.minimum.at(new, faces.ravel(), np.repeat(lowest, faces.shape[1]))
        if np.array_equal(new, label):
            return label
        label = new
