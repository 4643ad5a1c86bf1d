"""Topology, normals and the graph Laplacian against slow NumPy, on meshes of every kind of mess."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigcast import _core

CUBE = [[0, 1, 2, 3], [7, 6, 5, 4], [0, 4, 5, 1], [1, 5, 6, 2], [2, 6, 7, 3], [3, 7, 4, 0]]
CORNERS = np.array([[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1], [1, 0, 1]], float)

messy_faces = st.lists(st.tuples(*[st.integers(0, 8)] * 3, st.integers(-1, 8)), max_size=20).map(
    lambda rows: np.array(rows, np.int32).reshape(-1, 4)
)


def slow_edges(faces):
    found = set()
    for face in faces:
        corners = [int(v) for v in face if v >= 0]
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
            if a != b:
                found.add((min(a, b), max(a, b)))
    return sorted(found)


@given(messy_faces)
def test_edges_of_any_faces(faces):
    edges = _core.edges(faces, 10)
    assert edges.dtype == np.int32
    assert edges.shape == (len(edges), 2)
    assert [tuple(edge) for edge in edges.tolist()] == slow_edges(faces)


@given(messy_faces)
def test_graph_laplacian_of_any_faces(faces):
    rows, columns, values = _core.graph_laplacian(faces, 10)
    matrix = np.zeros((10, 10))
    np.add.at(matrix, (rows, columns), values)
    expected = np.zeros((10, 10))
    for a, b in slow_edges(faces):
        expected[a, b] = expected[b, a] = -1
    np.testing.assert_array_equal(matrix, expected - np.diag(expected.sum(axis=1)))
    assert len(set(zip(rows.tolist(), columns.tolist(), strict=True))) == len(rows)
    assert set(range(10)) == set(rows[rows == columns].tolist())


def test_triangles_may_come_without_padding():
    triangles = np.array([[0, 1, 2], [2, 1, 3]], np.int64)
    assert _core.edges(triangles, 4).tolist() == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]
    assert _core.edges(np.zeros((0, 3), np.int32), 4).shape == (0, 2)


def test_heat_diffusion_spreads_a_partition_of_unity(tolerance):
    """(I + t L) a = indicator: positive everywhere connected, and the indicators of a partition still sum to 1."""
    rows, columns, values = _core.graph_laplacian(CUBE, 9)  # vertex 8 is loose
    diagonal = rows == columns
    cholesky = _core.SparseCholesky(rows, columns, 0.7 * values + diagonal, 9)
    labels = np.array([0, 0, 1, 1, 2, 2, 2, 0, 1])
    weights = cholesky.solve(np.eye(3)[labels])
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=tolerance["float64"])
    assert (weights[:8] > 0).all()
    np.testing.assert_array_equal(weights[8], [0, 1, 0])


def test_normals_of_a_cube_point_outward(tolerance):
    normals = _core.vertex_normals(np.vstack([CORNERS, [[5, 5, 5]]]), CUBE)
    expected = (CORNERS - 0.5) / np.linalg.norm(CORNERS - 0.5, axis=1, keepdims=True)
    np.testing.assert_allclose(normals[:8], expected, atol=tolerance["float32"])
    np.testing.assert_array_equal(normals[8], 0)


def test_normals_match_numpy_on_random_triangles(tolerance):
    rng = np.random.default_rng(0)
    vertices = rng.standard_normal((30, 3)).astype(np.float32)
    faces = rng.integers(0, 30, (50, 3))  # degenerate ones included
    sums = np.zeros((30, 3))
    for a, b, c in faces:
        area = np.cross(vertices[b].astype(float) - vertices[a], vertices[c].astype(float) - vertices[a])
        for corner in (a, b, c):
            sums[corner] += area
    expected = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    np.testing.assert_allclose(_core.vertex_normals(vertices, faces), expected, atol=tolerance["float32"])


@pytest.mark.parametrize(
    ("faces", "text"),
    [
        ([[0, 1, 4]], "edges: faces is 4 in face 0; it must be a vertex index below 4"),
        ([[0, 1, 2, 3], [0, -1, 2, 3]], "edges: faces is -1 in face 1"),
        ([[0, 1, 2, -2]], "edges: faces is -2 in face 0"),
        ([[0, 1, 2, 2**33]], "edges: faces is 8589934592 in face 0"),
        ([[0, 1]], r"edges: faces is int64 \(1, 2\); it must be integers \(F, 3\) or \(F, 4\)"),
        ([[0.0, 1.0, 2.0]], r"edges: faces is float64 \(1, 3\)"),
        ("nonsense", "edges: faces is"),
    ],
)
def test_wrong_faces_are_named(faces, text):
    with pytest.raises(ValueError, match=text):
        _core.edges(faces, 4)


def test_wrong_vertices_are_named():
    with pytest.raises(ValueError, match=r"vertex_normals: vertices is \(4, 2\); it must be \(any, 3\)"):
        _core.vertex_normals(np.zeros((4, 2)), [[0, 1, 2]])
    with pytest.raises(ValueError, match="vertex_normals: vertices is not finite"):
        _core.vertex_normals(np.full((4, 3), np.inf), [[0, 1, 2]])
    with pytest.raises(ValueError, match="edges: num_vertices is -1"):
        _core.edges([[0, 1, 2]], -1)
