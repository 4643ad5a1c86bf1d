"""Deformation transfer against its published form, and what must hold whatever the mesh."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.transfer.meshes import bend, mixed_sheets, random_rotation, sheet
from tests.transfer.slow_transfer import slow_transfer


def placed(points: np.ndarray, seed: int, scale: float) -> np.ndarray:
    return (scale * points @ random_rotation(seed).T + [3.0, -2.0, 1.0]).astype(np.float32)


@pytest.mark.parametrize("quads", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_it_minimizes_the_published_energy(seed, quads, tolerance):
    source, faces = sheet(5, 4, seed, quads)
    target, shape = bend(source, seed + 100), bend(source, seed + 200, 0.3)
    solver = rc.transfer.DeformationTransfer(source, target, faces, [0, 7])
    # The oracle takes the source as it is; the solver places it on the target first.
    turn = nearest_rotation(source, target)
    expected = slow_transfer(source @ turn.T, shape @ turn.T, target, faces, [0, 7])
    result = solver.transfer(shape[None])[0]
    np.testing.assert_allclose(result, expected, atol=10 * tolerance["float32"])
    assert np.array_equal(result[[0, 7]], target[[0, 7]])


def nearest_rotation(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    a, b = (p.astype(np.float64) - p.mean(axis=0, dtype=np.float64) for p in (source, target))
    u, _, vt = np.linalg.svd(b.T @ a)
    return u @ np.diag([1, 1, np.sign(np.linalg.det(u @ vt))]) @ vt


@pytest.mark.parametrize("seed", range(4))
def test_the_source_as_target_gives_the_source(seed, tolerance):
    source, faces = mixed_sheets(seed)
    shapes = np.stack([bend(source, seed + i, 0.4) for i in range(5)])
    result = rc.transfer.deformation_transfer(source, shapes, source, faces)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, shapes, atol=tolerance["float32_scaled"])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("scale", [1.0, 0.3, 4.0])
def test_a_moved_and_scaled_target_gets_moved_and_scaled_offsets(seed, scale, tolerance):
    source, faces = mixed_sheets(seed)
    shapes = np.stack([bend(source, seed + i, 0.4) for i in range(3)])
    target = placed(source, seed, scale)
    expected = placed(shapes.reshape(-1, 3), seed, scale).reshape(shapes.shape)
    result = rc.transfer.deformation_transfer(source, shapes, target, faces)
    np.testing.assert_allclose(result, expected, atol=20 * scale * tolerance["float32"] + 4e-6)


def test_each_component_is_placed_by_its_own_correspondence(tolerance):
    source, faces = mixed_sheets(3)
    parts = [np.arange(20), np.arange(20, len(source))]
    shapes = np.stack([bend(source, i, 0.4) for i in range(3)])
    target, expected = source.copy(), shapes.copy()
    for i, part in enumerate(parts):
        target[part] = placed(source[part], i, 1.0 + i)
        expected[:, part] = placed(shapes[:, part].reshape(-1, 3), i, 1.0 + i).reshape(3, -1, 3)
    solver = rc.transfer.DeformationTransfer(source, target, faces)
    assert np.array_equal(solver.components, np.repeat([0, 1], [len(p) for p in parts]))
    np.testing.assert_allclose(solver.transfer(shapes), expected, atol=40 * tolerance["float32"])


def test_a_part_that_rests_stays_in_place():
    source, faces = sheet(12, 12, 0, True)
    target = bend(source, 1)
    offset = np.zeros_like(source)
    offset[:5] = [0, 0, 0.5]
    result = rc.transfer.deformation_transfer(source, (source + offset)[None], target, faces, fixed=None)[0] - target
    assert np.abs(result[100:]).max() < 0.02
    assert np.linalg.norm(result[:5], axis=1).min() > 0.3


def test_a_shape_equal_to_the_neutral_gives_the_target_to_the_last_bit():
    source, faces = mixed_sheets(1)
    target = bend(source, 2)
    result = rc.transfer.deformation_transfer(source, source[None], target, faces, contacts=[[0, 25]])
    assert np.array_equal(result[0], target)


def test_no_shapes_give_no_shapes():
    source, faces = sheet(2, 2, 0, True)
    assert rc.transfer.deformation_transfer(source, np.zeros((0, 9, 3)), source, faces).shape == (0, 9, 3)


def test_the_same_bytes_for_any_number_of_threads_and_any_batch():
    source, faces = mixed_sheets(5)
    target = bend(source, 6)
    shapes = np.stack([bend(source, i, 0.3) for i in range(37)])
    solver = rc.transfer.DeformationTransfer(source, target, faces, [3], contacts=[[0, 25], [4, 30]])
    expected = solver.transfer(shapes, threads=1)
    for threads in (0, 2, 5):
        assert solver.transfer(shapes, threads=threads).tobytes() == expected.tobytes()
    for count in range(1, 10):
        assert solver.transfer(shapes[:count], threads=1).tobytes() == expected[:count].tobytes()


def test_a_quad_may_start_at_any_corner(tolerance):
    source, faces = sheet(5, 4, 2, True)
    target, shape = bend(source, 3), bend(source, 4, 0.4)
    turned = np.stack([np.roll(face, i) for i, face in enumerate(faces)])
    a, b = (rc.transfer.deformation_transfer(source, shape[None], target, f) for f in (faces, turned))
    np.testing.assert_allclose(a, b, atol=tolerance["float32"])


def test_degenerate_triangles_carry_nothing():
    source, faces = sheet(4, 4, 7, False)
    target, shape = bend(source, 8), bend(source, 9, 0.3)
    expected = rc.transfer.deformation_transfer(source, shape[None], target, faces, fixed=[0])
    flat = np.int32([[0, 0, 1, -1], [3, 4, 3, -1], [5, 5, 5, 5]])
    solver = rc.transfer.DeformationTransfer(source, target, np.concatenate([faces, flat]), [0])
    assert solver.transfer(shape[None]).tobytes() == expected.tobytes()
    assert solver.degenerate_faces.tolist() == [len(faces), len(faces) + 1, len(faces) + 2]


def test_a_needle_does_not_disturb_its_neighbors(tolerance):
    source, faces = sheet(4, 4, 7, False)
    source[12] = 0.5 * (source[11] + source[13])  # all but on the line
    source[12, 2] += 1e-6
    faces = np.concatenate([faces, np.int32([[11, 12, 13, -1]])])
    shape = bend(source, 9, 0.3)
    result = rc.transfer.deformation_transfer(source, shape[None], source, faces)
    np.testing.assert_allclose(result[0], shape, atol=tolerance["float32_scaled"])


def test_loose_vertices_follow_the_placed_source(tolerance):
    source, faces = sheet(3, 3, 1, True)
    source = np.concatenate([source, np.float32([[5, 5, 5], [6, 5, 5]])])
    target = placed(source, 2, 2.0)
    shape = bend(source, 3, 0.3)
    expected = placed(shape, 2, 2.0)
    result = rc.transfer.deformation_transfer(source, shape[None], target, faces)[0]
    np.testing.assert_allclose(result, expected, atol=20 * tolerance["float32"])


def test_a_mesh_that_is_all_fixed_stays():
    source, faces = sheet(2, 2, 0, True)
    result = rc.transfer.deformation_transfer(source, bend(source, 1)[None], source, faces, fixed=np.arange(9))
    assert np.array_equal(result[0], source)


def wrong(**changes):
    source, faces = sheet(2, 2, 0, True)
    arguments = {"source_neutral": source, "source_shapes": source[None], "target_neutral": source, "faces": faces}
    return arguments | changes


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"target_neutral": np.zeros((8, 3))}, r"target_neutral is \(8, 3\); it must be \(9, 3\)"),
        (
            {"source_shapes": np.zeros((2, 8, 3))},
            r"source_shapes is float64 \(2, 8, 3\); .* numbers \(K, 9, 3\)",
        ),
        ({"source_shapes": np.zeros((9, 3))}, r"source_shapes is float64 \(9, 3\); it must be numbers \(K, 9, 3\)"),
        (
            {"source_shapes": np.full((1, 9, 3), np.nan)},
            r"source_shapes is not finite everywhere \(nan at \(0, 0, 0\)\)",
        ),
        ({"source_neutral": np.full((9, 3), np.inf)}, r"source_neutral is not finite everywhere \(inf at \(0, 0\)\)"),
        ({"target_neutral": np.full((9, 3), np.nan)}, "target_neutral is not finite everywhere"),
        (
            dict.fromkeys(["source_neutral", "target_neutral"], np.zeros((0, 3))) | {"fixed": None},
            "at least one vertex",
        ),
        ({"faces": [[0, 1, 9]]}, "faces is 9 in face 0; it must be a vertex index below 9"),
        ({"faces": [[0.5, 1, 2]]}, "faces is float64"),
        ({"fixed": [9]}, "fixed is 9 somewhere; it must be vertex indices below 9"),
        ({"fixed": [-1]}, "fixed is -1 somewhere"),
        ({"fixed": "all"}, 'fixed is \'all\'; it must be "rest", "each", vertices or None'),
        ({"contacts": [[0, 9]]}, "contacts is 9 somewhere"),
        ({"contacts": [[2, 2]]}, "contacts is vertex 2 with itself; it must be pairs of two vertices"),
        ({"contacts": [0, 1]}, r"contacts is int64 \(2,\); it must be integers \(P, 2\)"),
        ({"contact_weight": 0.0}, "contact_weight is 0.0+; it must be above 0"),
        ({"contact_weight": np.nan}, "contact_weight is nan"),
    ],
)
def test_wrong_input_is_named(changes, text):
    with pytest.raises(ValueError, match=f"^(DeformationTransfer|deformation_transfer).*{text}"):
        rc.transfer.deformation_transfer(**wrong(**changes))
