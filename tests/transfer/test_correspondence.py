"""Meshes of different topology."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from rigcast.errors import CorrespondenceWarning
from tests.transfer.meshes import random_rotation, sheet


def cap(count: int, quads: bool) -> tuple[np.ndarray, np.ndarray]:
    """A piece of an ellipsoid of ``count`` x ``count`` cells, with a bump like a nose."""
    _, faces = sheet(count, count, 0, quads)
    x, y = (g.reshape(-1) for g in np.meshgrid(np.linspace(-1, 1, count + 1), np.linspace(-1, 1, count + 1)))
    z = 0.8 * np.sqrt(3 - x**2 - y**2) + 0.4 * np.exp(-12 * (x**2 + (y - 0.1) ** 2))
    return np.stack([x, 1.2 * y, z], axis=1).astype(np.float32), faces


def smile(points: np.ndarray) -> np.ndarray:
    x, y = points[:, 0], points[:, 1]
    amount = np.exp(-8 * (x**2 + (y + 0.5) ** 2))
    return (points + amount[:, None] * np.stack([0.2 * x, 0.2 + 0 * x, 0.1 + 0 * x], axis=1)).astype(np.float32)


def nearest(points: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    return np.argmin(np.linalg.norm(points[:, None] - wanted, axis=2), axis=0)


PLACES = np.array(
    [[0, 0.1, 1.8], [-0.8, 0.8, 1.1], [0.8, 0.8, 1.1], [0, -0.9, 1.2], [-0.7, -0.7, 1.2], [0.7, -0.7, 1.2]]
)


@pytest.mark.parametrize("seed", range(2))
def test_the_same_surface_in_another_topology_gets_the_same_shape(seed):
    source, faces = cap(30, True)
    target, other = cap(23, False)
    turn = 3.0 * random_rotation(seed)
    moved = (target @ turn.T + [5, 1, 2]).astype(np.float32)
    pairs = np.stack([nearest(source, PLACES), nearest(target, PLACES)], axis=1)
    found = rc.transfer.correspond(source, faces, moved, other, landmarks=pairs)
    assert found.coverage > 0.7
    assert found.mean_distance < 0.05
    rest, shapes = found.resample(source, smile(source)[None])
    result = rc.transfer.deformation_transfer(rest, shapes, moved, other)[0] - moved
    expected = (smile(target) - target) @ turn.T
    error = np.linalg.norm(result - expected, axis=1)
    assert error.mean() < 0.08 * np.linalg.norm(expected, axis=1).max()
    assert found.landmark_error.max() < 0.3


def test_a_swelling_is_reached_though_all_else_fits_at_once():
    """Most closest points are at distance 0: being farther than that is no reason not to believe one."""
    source, faces = cap(30, True)
    target, other = cap(23, False)
    swelling = 0.1 * np.exp(-20 * ((target[:, 0] - 0.5) ** 2 + (target[:, 1] + 0.4) ** 2))
    target = target + np.stack([0 * swelling, 0 * swelling, swelling], axis=1).astype(np.float32)
    found = rc.transfer.correspond(source, faces, target, other)
    assert found.distance[swelling > 0.05].max() < 0.3 * swelling.max()


def test_a_component_without_correspondence_rests():
    source, faces = cap(16, True)
    far, more = sheet(3, 3, 1, True)
    target = np.concatenate([source, far + np.float32([50, 0, 0])])
    both = np.concatenate([faces, more + len(source)])
    found = rc.transfer.correspond(source, faces, target, both)
    assert found.unmatched_components == [1]
    assert not found.matched[len(source) :].any()
    rest, shapes = found.resample(source, smile(source)[None])
    result = rc.transfer.deformation_transfer(rest, shapes, target, both)[0]
    assert np.array_equal(result[len(source) :], target[len(source) :])
    # Corresponding points lie inside faces, where the smile is linear.
    np.testing.assert_allclose(result[: len(source)], smile(source), atol=0.02)


def test_nothing_near_is_said():
    source, faces = cap(4, True)
    with pytest.raises(ValueError, match="correspond: target is nowhere within"):
        rc.transfer.correspond(source, faces, source + np.float32(100), faces, iterations=0)


@pytest.mark.parametrize(
    ("landmarks", "text"),
    [
        ([[0, 0], [1, 1]], r"landmarks is int64 \(2, 2\); it must be integers \(L, 2\), L at least 3"),
        ([[0, 0], [1, 1], [2, 99]], "landmarks is 0 to 99 in column 2, of the target; it must be vertex indices"),
        ([[0.5, 0], [1, 1], [2, 2]], "landmarks is float64"),
        ([[0, 0], [0, 0], [0, 0]], "3 pairs whose vertices of the source lie on one line or in one point"),
        ([[0, 0], [1, 1], [1, 1]], "of the source lie on one line"),
        ([[0, 3], [4, 3], [20, 3]], "of the target lie on one line or in one point; it must be three or more that do"),
    ],
)
def test_wrong_landmarks_are_named(landmarks, text):
    source, faces = cap(4, True)
    with pytest.raises(ValueError, match=text):
        rc.transfer.correspond(source, faces, source, faces, landmarks=landmarks)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"reach": -1}, "reach is -1; it must be a finite number above 0"),
        ({"reach": float("nan")}, "reach is nan"),
        ({"reach": "far"}, "reach is 'far'"),
        ({"iterations": -1}, "iterations is -1; it must be a whole number of at least 0"),
        ({"iterations": 1.5}, "iterations is 1.5"),
        ({"source_faces": [[0, 1, 25]]}, "source_faces is 25 in face 0; it must be vertex indices from 0 to 24"),
        ({"target_faces": [[0, 1, -2]]}, "target_faces is -2 in face 0"),
        ({"target": np.full((25, 3), np.nan)}, r"target is not finite everywhere \(nan at \(0, 0\)\)"),
    ],
)
def test_wrong_arguments_are_named(change, words):
    source, faces = cap(4, True)
    given = {"source": source, "source_faces": faces, "target": source, "target_faces": faces}
    with pytest.raises(ValueError, match="^correspond: " + words):
        rc.transfer.correspond(**(given | change))


def slow_closest(points, triangles, query):
    """By sampling-free projection: the best of inside, edges and corners."""
    best = np.inf
    for a, b, c in points[triangles].astype(np.float64):
        frame = np.stack([b - a, c - a], axis=1)
        u, v = np.linalg.lstsq(frame, query - a, rcond=None)[0]
        if u >= 0 and v >= 0 and u + v <= 1:
            best = min(best, np.linalg.norm(a + frame @ [u, v] - query))
        for p, q in ((a, b), (b, c), (c, a)):
            t = np.clip(np.dot(query - p, q - p) / np.dot(q - p, q - p), 0, 1)
            best = min(best, np.linalg.norm(p + t * (q - p) - query))
    return best


def test_closest_points(tolerance):
    rng = np.random.default_rng(0)
    points = rng.standard_normal((30, 3)).astype(np.float32)
    triangles = rng.integers(0, 30, (25, 3))
    triangles = triangles[[len(set(t)) == 3 for t in triangles.tolist()]]
    queries = 2 * rng.standard_normal((200, 3)).astype(np.float32)
    corners, weights, distance = _core.closest_points(points, triangles, queries)
    expected = [slow_closest(points, triangles, q) for q in queries.astype(np.float64)]
    np.testing.assert_allclose(distance, expected, atol=10 * tolerance["float32"])
    found = np.einsum("qca,qc->qa", points[corners], weights)
    np.testing.assert_allclose(np.linalg.norm(found - queries, axis=1), distance, atol=10 * tolerance["float32"])
    assert weights.min() >= 0


def test_closest_points_that_face_the_same_way(tolerance):
    points = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]])
    faces = [[0, 2, 1], [3, 4, 5]]  # the lower looks down, the upper up
    query = np.float32([[0.2, 0.2, 0.1], [0.2, 0.2, 0.1], [0.2, 0.2, 0.1]])
    normals = np.float32([[0, 0, 1], [0, 0, -1], [1, 0, 0]])
    corners, _, distance = _core.closest_points(points, faces, query, normals)
    assert corners[0].tolist() == [3, 4, 5]
    assert corners[1].tolist() == [0, 2, 1]
    assert corners[2].tolist() == [-1, -1, -1]
    np.testing.assert_allclose(distance, [0.9, 0.1, np.inf], atol=tolerance["float64_converged"])


def test_skin_is_matched_to_skin_though_gums_are_nearer():
    """Landmarks tie skin to skin; a second component, in places nearer to the target's skin, takes nothing."""
    skin, faces = cap(30, True)
    inside = np.flatnonzero((np.abs(skin[:, 0]) < 0.5) & (np.abs(skin[:, 1] + 0.5) < 0.4))
    gums, more = part(skin + 0.01 * np.sin(40 * skin[:, :1]) * np.float32([0, 0, 1]), faces, inside)
    source, both = np.concatenate([skin, gums]), np.concatenate([faces, more + len(skin)])
    target, other = cap(23, False)
    pairs = np.stack([nearest(skin, PLACES), nearest(target, PLACES)], axis=1)
    found = rc.transfer.correspond(source, both, target, other, landmarks=pairs)
    assert found.coverage > 0.7
    assert found.corners[found.matched].max() < len(skin)
    assert not len(found.torn)
    rest, shapes = found.resample(source, np.concatenate([smile(skin), gums])[None])
    moved = rc.transfer.deformation_transfer(rest, shapes, target, other)[0] - target
    expected = smile(target) - target
    assert np.linalg.norm(moved - expected, axis=1).max() < 0.25 * np.linalg.norm(expected, axis=1).max()


def test_without_landmarks_the_nearest_component_with_overlap_is_the_partner():
    skin, faces = cap(16, True)
    ball = np.float32(0.15) * cap(6, True)[0] + np.float32([0.4, 0.4, 1.2])
    source = np.concatenate([skin, ball])
    both = np.concatenate([faces, cap(6, True)[1] + len(skin)])
    found = rc.transfer.correspond(
        source, both, source[::-1].copy(), len(source) - 1 - np.maximum(both, 0), iterations=0
    )
    is_ball = np.arange(len(source)) < len(ball)
    for rows, low, high in ((is_ball, len(skin), len(source)), (~is_ball, 0, len(skin))):
        met = found.corners[rows & found.matched]
        assert len(met) > 0.4 * rows.sum()
        assert met.min() >= low
        assert met.max() < high


def part(points: np.ndarray, faces: np.ndarray, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    place = np.full(len(points), -1)
    place[kept] = np.arange(len(kept))
    return points[kept], place[faces[(place[faces] >= 0).all(axis=1)]]


def lips(gap: float, bridged: bool) -> tuple[np.ndarray, np.ndarray]:
    """A sheet of 12 x 12 cells whose middle row is a shut mouth ``gap`` high: a slit, or bridged by faces."""
    points, faces = sheet(12, 12, 0, True)
    y, x = (g.reshape(-1).astype(np.float64) for g in np.mgrid[:13, :13])
    height = np.where((y == 6) | (y == 7), 6.5 + np.where(y == 6, -0.5, 0.5) * np.where(np.abs(x - 6) < 4, gap, 1), y)
    points = np.stack([x, height, 0.05 * (x - 6) ** 2], axis=1).astype(np.float32)
    row = (faces.min(axis=1) // 13 == 6) & (faces.min(axis=1) % 13 >= 2) & (faces.min(axis=1) % 13 < 10)
    return points, faces if bridged else faces[~row]


def test_a_target_that_bridges_a_shut_mouth_opens_it_no_wider_than_the_source():
    """A gradient across the gap is the opening over the gap's height: without bound as the gap closes."""
    source, slit = lips(0.02, bridged=False)
    target, other = lips(0.3, bridged=True)
    marks = [0, 12, 156, 168, *range(13 * 6 + 3, 13 * 6 + 10), *range(13 * 7 + 3, 13 * 7 + 10)]
    with pytest.warns(CorrespondenceWarning, match="right across a mouth that is one surface"):
        found = rc.transfer.correspond(source, slit, target, other, landmarks=np.stack([marks, marks], axis=1))
    x, y = source[:, 0], source[:, 1]
    jaw = np.where(y < 6.5, -2.0 * np.clip(1 - np.abs(x - 6) / 4, 0, 1) * np.clip(y / 6, 0, 1), 0.0)
    opened = source + np.stack([0 * jaw, jaw, 0 * jaw], axis=1).astype(np.float32)
    rest, shapes = found.resample(source, opened[None])
    moved = rc.transfer.deformation_transfer(rest, shapes, target, other)[0] - target
    assert np.abs(moved).max() < 1.3 * np.abs(jaw).max()
    lower, upper = moved[13 * 6 + 4 : 13 * 6 + 9, 1], moved[13 * 7 + 4 : 13 * 7 + 9, 1]
    assert lower.min() < -1.5
    assert np.abs(upper).max() < 0.5
    across = np.sort(found.torn // 13, axis=1)
    assert len(across) >= 5, "the bridge is said"
    assert set(map(tuple, across.tolist())) == {(6, 7)}


def test_what_nothing_decides_is_said_with_its_place():
    source, slit = lips(0.02, bridged=False)
    target, other = lips(0.3, bridged=True)
    marks = [0, 12, 156, 168, *range(13 * 6 + 3, 13 * 6 + 10), *range(13 * 7 + 3, 13 * 7 + 10)]
    with pytest.warns(CorrespondenceWarning) as told:
        found = rc.transfer.correspond(source, slit, target, other, landmarks=np.stack([marks, marks], axis=1))
    assert [str(warning.message) for warning in told] == [f"correspond: {found.doubt()}"]
    assert set(found.torn.reshape(-1)) <= set(found.undecided)
    x, y, _ = target[found.undecided].mean(axis=0)
    assert f"{len(found.undecided)} vertices of the target lie" in found.doubt()
    assert f"({len(found.undecided)} about ({x:.4g}, {y:.4g}, " in found.doubt()
    assert abs(y - 6.5) < 0.5
    assert abs(x - 6) < 1
