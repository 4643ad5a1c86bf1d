"""Metrics against slow NumPy, their invariances, and what they refuse."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rigcast as rc
from rigcast import _core
from tests.conftest import TOLERANCES
from tests.support.made.models import chain_skeleton, random_poses


def animation(frames=4, vertices=30, seed=0):
    return np.random.default_rng(seed).standard_normal((frames, vertices, 3)).astype(np.float32)


def mixed_faces(count=40, vertices=30, seed=1):
    rng = np.random.default_rng(seed)
    faces = np.stack([rng.permutation(vertices)[:4] for _ in range(count)]).astype(np.int32)
    faces[::2, 3] = -1
    return faces


def grid(side):
    """A flat grid of quads, and the index of a vertex."""
    index = np.arange(side * side).reshape(side, side)
    faces = np.stack([index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]], axis=-1).reshape(-1, 4)
    x, y = np.meshgrid(np.arange(side), np.arange(side))
    return np.stack([x, y, 0 * x], axis=-1).reshape(-1, 3).astype(np.float32), faces


def face_normal(points, face):
    p = points.astype(np.float64)[face[face >= 0]]
    return np.cross(p[2] - p[0], p[3] - p[1]) if len(p) == 4 else np.cross(p[1] - p[0], p[2] - p[0])


def rotate(points, seed=0):
    rotation, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((3, 3)))
    return points @ (rotation * np.sign(np.linalg.det(rotation))).astype(np.float32)


@given(frames=st.integers(1, 5), vertices=st.integers(1, 40), seed=st.integers(0, 10**6))
def test_vertex_error_matches_numpy(frames, vertices, seed):
    a, b = animation(frames, vertices, seed), animation(frames, vertices, seed + 1)
    distances = np.linalg.norm(a.astype(float) - b, axis=2)
    error = rc.metrics.vertex_error(a, b)
    assert error.mean == pytest.approx(distances.mean(), rel=TOLERANCES["float32"])
    assert error.rms == pytest.approx(np.sqrt((distances**2).mean()), rel=TOLERANCES["float32"])
    assert error.p95 == pytest.approx(np.percentile(distances, 95), rel=TOLERANCES["float32"])
    assert error.max == pytest.approx(distances.max(), rel=TOLERANCES["float32"])
    np.testing.assert_allclose(error.per_vertex, distances.mean(axis=0), rtol=TOLERANCES["float32"])
    np.testing.assert_allclose(error.per_frame, distances.mean(axis=1), rtol=TOLERANCES["float32"])


def test_vertex_error_takes_one_frame():
    a = np.zeros((5, 3), np.float32)
    error = rc.metrics.vertex_error(a, a + np.float32([3, 0, 4]))
    assert (error.mean, error.max, error.per_vertex.shape, error.per_frame.shape) == (5.0, 5.0, (5,), (1,))
    assert "mean=5" in repr(error)


def test_normal_angle_matches_numpy(tolerance):
    a, b, faces = animation(seed=2), animation(seed=3), mixed_faces()
    expected = np.empty((len(a), len(faces)))
    for t in range(len(a)):
        for f, face in enumerate(faces):
            n, m = face_normal(a[t], face), face_normal(b[t], face)
            cosine = n @ m / np.linalg.norm(n) / np.linalg.norm(m)
            expected[t, f] = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
    angle = rc.metrics.normal_angle(a, b, faces)
    assert angle.excluded == 0
    np.testing.assert_allclose(angle.per_face, expected.mean(axis=0), rtol=tolerance["float32"])
    assert angle.mean == pytest.approx(expected.mean(), rel=tolerance["float32"])
    assert angle.max == pytest.approx(expected.max(), rel=tolerance["float32"])
    assert angle.p95 == pytest.approx(np.percentile(expected, 95), rel=tolerance["float32"])


def test_normal_angle_resolves_small_angles(tolerance):
    """Where arccos of a float32 cosine would say 0."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    tilted = points + np.float32([[0, 0, 0], [0, 0, 1e-5], [0, 0, 0]])
    angle = rc.metrics.normal_angle(points, tilted, [[0, 1, 2]])
    assert angle.mean == pytest.approx(np.degrees(1e-5), rel=tolerance["float32"])


def test_faces_without_area_are_left_out():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0]], np.float32)
    faces = [[0, 1, 2], [0, 1, 3], [0, 0, 2]]
    angle = rc.metrics.normal_angle(points, points * np.float32([1, 1, 1]), faces)
    assert angle.excluded == 2
    np.testing.assert_array_equal(angle.per_face, [0, np.nan, np.nan])
    assert angle.mean == 0.0
    assert "excluded=2" in repr(angle)
    assert np.isnan(rc.metrics.normal_angle(points, points, [[0, 0, 2]]).mean)


def slow_dihedral(points, first, second, edge):
    """Degrees from the first face's normal to the second's, both projected on the plane across the edge."""
    along = points[edge[1]].astype(float) - points[edge[0]]
    along /= np.linalg.norm(along)
    n, m = (face_normal(points, face) for face in (first, second))
    n, m = (x - (x @ along) * along for x in (n, m))
    cosine = n @ m / np.linalg.norm(n) / np.linalg.norm(m)
    return np.degrees(np.arccos(np.clip(cosine, -1, 1))) * np.sign(np.cross(n, m) @ along)


def test_seam_error_matches_numpy(tolerance):
    base, faces = grid(6)
    faces[::3, 3] = -1  # holes and triangles among the quads
    labels = (base[:, 0] >= 3).astype(int)
    rng = np.random.default_rng(0)
    truth = (base + 0.2 * rng.standard_normal((3, 36, 3))).astype(np.float32)
    guess = (base + 0.2 * rng.standard_normal((3, 36, 3))).astype(np.float32)
    sides = {}
    for f, face in enumerate(faces):
        corners = [v for v in face.tolist() if v >= 0]
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
            sides.setdefault((min(a, b), max(a, b)), []).append(f)
    hinges = {edge: found for edge, found in sides.items() if len(found) == 2}

    def angle_error(edge):
        first, second = (faces[f] for f in hinges[edge])
        pairs = zip(truth, guess, strict=True)
        change = [slow_dihedral(x, first, second, edge) - slow_dihedral(y, first, second, edge) for x, y in pairs]
        return np.abs((np.array(change) + 180) % 360 - 180).mean()

    def length_error(edge):
        lengths = [np.linalg.norm(x[:, edge[1]] - x[:, edge[0]], axis=1) for x in (truth, guess)]
        return np.abs(lengths[0] - lengths[1]).mean()

    def mixed(edge):
        return any(len({labels[v] for v in faces[f] if v >= 0}) > 1 for f in hinges[edge])

    seam = rc.metrics.seam_error(truth, guess, faces, labels=labels)
    for name, error, crosses in [
        ("normal", angle_error, mixed),
        ("length", length_error, lambda edge: labels[edge[0]] != labels[edge[1]]),
    ]:
        across = [edge for edge in hinges if crosses(edge)]
        inside = [edge for edge in hinges if not crosses(edge)]
        beside = [edge for edge in inside if set(edge) & {v for other in across for v in other}]
        for group, edges in (("across", across), ("inside", inside), ("beside", beside)):
            expected = np.mean([error(edge) for edge in edges])
            assert getattr(getattr(seam, group), name) == pytest.approx(expected, rel=tolerance["float32_sum"])
            assert name == "length" or getattr(seam, group).count == len(edges)
    assert seam.ratio == seam.across.normal / seam.inside.normal


def test_a_step_between_two_pieces_is_seen_at_the_seam_alone(tolerance):
    base, faces = grid(8)
    labels = (base[:, 0] >= 4).astype(int)
    stepped = base.copy()
    stepped[labels == 1, 2] += 0.1
    seam = rc.metrics.seam_error(base, stepped, faces, labels=labels)
    # 14 edges at both ends of the step bend, the 6 that run across it do not
    assert seam.across.count == 20
    assert seam.across.normal == pytest.approx(np.degrees(np.arctan(0.1)) * 14 / 20, rel=tolerance["float32_sum"])
    assert seam.across.length == pytest.approx(np.hypot(1, 0.1) - 1, rel=tolerance["float32_sum"])
    assert (seam.inside.normal, seam.inside.length) == (0.0, 0.0)


def test_seam_error_ignores_rigid_motion_and_sees_inversion():
    base, faces = grid(6)
    bumpy = base + np.float32([0, 0, 0.3]) * np.random.default_rng(0).random((36, 1)).astype(np.float32)
    labels = np.arange(36) % 2
    still = rc.metrics.seam_error(bumpy, rotate(bumpy), faces, labels=labels)
    assert still.across.normal < 1e-3
    mirrored = rc.metrics.seam_error(bumpy, bumpy * np.float32([1, 1, -1]), faces, labels=labels)
    assert mirrored.across.normal > 1.0  # the unsigned angles are all the same


def test_borders_and_non_manifold_edges_do_not_count():
    points = np.random.default_rng(0).random((5, 3)).astype(np.float32)
    fan = [[0, 1, 2], [0, 1, 3], [0, 1, 4]]
    seam = rc.metrics.seam_error(points, points, fan, labels=[0, 1, 0, 1, 0])
    assert (seam.across.count, seam.inside.count) == (0, 0)
    assert np.isnan(seam.across.normal)
    assert np.isnan(seam.ratio)


def character(frames=6, num_vertices=25):
    skeleton = chain_skeleton(3, seed=5)
    rng = np.random.default_rng(5)
    rest = rng.standard_normal((num_vertices, 3)).astype(np.float32)
    poses = random_poses(skeleton, frames, seed=6, stretch=0.0)
    return skeleton, rest, poses, rng.standard_normal((frames, num_vertices, 3)).astype(np.float32)


def test_enveloping_error_is_measured_against_the_best_joint(tolerance):
    skeleton, rest, poses, vertices = character()
    guess = vertices + np.float32(0.1)
    rigid = _core.rigid_errors(skeleton, rest, poses, vertices)
    left = ((vertices.astype(float) - guess) ** 2).sum()
    expected = 100 * np.sqrt(left / rigid.min(axis=1).sum())
    found = rc.metrics.enveloping_error(vertices, guess, poses=poses, skeleton=skeleton, rest_vertices=rest)
    assert found == pytest.approx(expected, rel=tolerance["float32"])
    joints = np.zeros(25, int)
    by_root = rc.metrics.enveloping_error(
        vertices, guess, poses=poses, skeleton=skeleton, rest_vertices=rest, joints=joints
    )
    assert by_root == pytest.approx(100 * np.sqrt(left / rigid[:, 0].sum()), rel=tolerance["float32"])


def test_rigid_pieces_have_an_enveloping_error_of_100(tolerance):
    skeleton, rest, poses, vertices = character()
    best = _core.rigid_errors(skeleton, rest, poses, vertices).argmin(axis=1).astype(np.int32)
    tensors = {
        "skeleton.parents": skeleton.parents,
        "skeleton.rest": skeleton.rest,
        "rest_vertices": rest,
        "faces": np.zeros((0, 4), np.int32),
        "control_ranges": np.zeros((36, 2), np.float32),
        "skin.joint": best[:, None],
        "skin.weight": np.ones((25, 1), np.float32),
    }
    from tests.support.made.models import metadata

    rigid = _core.model_from_tensors(tensors, metadata("linear_blend", skeleton))
    error = rc.metrics.enveloping_error(
        vertices, rigid.evaluate(poses), poses=poses, skeleton=skeleton, rest_vertices=rest
    )
    assert error == pytest.approx(100.0, rel=tolerance["float32_sum"])
    assert rc.metrics.enveloping_error(vertices, vertices, poses=poses, skeleton=skeleton, rest_vertices=rest) == 0.0


EQUALS = {"hausdorff", "triangle_distortion"}  # symmetric, and used between meshes neither of which is the truth


@pytest.mark.parametrize("name", [name for name in rc.metrics.__all__ if inspect.isfunction(getattr(rc.metrics, name))])
def test_truth_comes_before_its_approximation(name):
    names = list(inspect.signature(getattr(rc.metrics, name)).parameters)
    if name in EQUALS:
        assert names[:2] == ["a", "b"]
    else:
        assert not {"a", "b", "vertices"} & set(names)
        judged = [word for word in names if word in ("truth", "approximation")]
        assert judged in ([], ["truth", "approximation"])


def test_wrong_inputs_are_named():
    a = animation()
    faces = mixed_faces()
    for call, text in [
        (
            lambda: rc.metrics.vertex_error(a, a[:, :-1]),
            r"vertex_error: approximation is \(4, 29, 3\); it must be \(4, 30, 3\)",
        ),
        (lambda: rc.metrics.vertex_error(a, np.full_like(a, np.nan)), "vertex_error: approximation is not finite"),
        (lambda: rc.metrics.vertex_error(a[:0], a[:0]), "vertex_error: truth is empty"),
        (lambda: rc.metrics.vertex_error(a[..., :2], a[..., :2]), r"vertex_error: truth is \(4, 30, 2\)"),
        (lambda: rc.metrics.vertex_error("no", a), "vertex_error: truth is"),
        (lambda: rc.metrics.normal_angle(a, a, faces + 5), "normal_angle: faces is"),
        (lambda: rc.metrics.normal_angle(a, a[:1], faces), r"normal_angle: approximation is \(1, 30, 3\)"),
        (lambda: rc.metrics.seam_error(a, a, faces, labels=np.zeros(29, int)), r"seam_error: labels is int64 \(29,\)"),
        (lambda: rc.metrics.seam_error(a, a, faces[:, :2], labels=np.zeros(30, int)), "seam_error: faces is int64"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()


def test_wrong_enveloping_inputs_are_named():
    skeleton, rest, poses, vertices = character()
    with pytest.raises(ValueError, match="enveloping_error: approximation is"):
        rc.metrics.enveloping_error(vertices, vertices[:1], poses=poses, skeleton=skeleton, rest_vertices=rest)
    with pytest.raises(ValueError, match="enveloping_error: joints is"):
        rc.metrics.enveloping_error(
            vertices, vertices + 1, poses=poses, skeleton=skeleton, rest_vertices=rest, joints=np.full(25, 3)
        )
    with pytest.raises(ValueError, match="enveloping_error: poses is"):
        rc.metrics.enveloping_error(vertices, vertices, poses=poses[:, :5], skeleton=skeleton, rest_vertices=rest)
