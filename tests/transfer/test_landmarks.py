"""Landmarks that cannot be meant: counted from 1, left for right, columns exchanged; right ones are never refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast._hashing import padded_faces
from rigcast.transfer._matching.landmarks import checked_landmarks, doubtful_landmarks
from tests.transfer.meshes import random_rotation, sheet
from tests.transfer.test_correspondence import cap
from tests.transfer.test_real_faces import CANONICAL

LEFT_RIGHT = [(0, 3), (1, 2), (4, 5), (12, 17), (13, 16), (14, 19), (15, 18)]  # rows of CANONICAL


@pytest.fixture(scope="module")
def faces(data_path):
    """ICT's face, MediaPipe's, and pairs between them: vertices, faces, vertices, faces, pairs."""
    folder = data_path("ict_facekit")
    base = np.load(folder / "topology_neutral.npz")
    marks = json.loads((folder / "vertex_indices.json").read_text())["idx_to_landmark_verts"]
    lines = data_path("mediapipe_canonical_face", "canonical_face_model.obj").read_text().splitlines()
    words = [line.split() for line in lines]
    target = np.array([w[1:4] for w in words if w[:1] == ["v"]], np.float32)
    corners = np.array([[int(c.split("/")[0]) - 1 for c in w[1:]] for w in words if w[:1] == ["f"]])
    pairs = np.array([[marks[k], vertex] for k, vertex in CANONICAL.items()])
    return base["neutral"].astype(np.float32), padded_faces(base["faces"]), target, padded_faces(corners), pairs


def refusal(faces, pairs) -> str:
    with pytest.raises(ValueError, match="correspond: landmarks is") as told:
        rc.transfer.correspond(*faces[:4], landmarks=pairs)
    return str(told.value)


@pytest.mark.parametrize(
    ("shift", "cure"),
    [
        ((1, 1), "subtract 1 in the source's column and subtract 1 in the target's column"),
        ((0, 1), "subtract 1 in the target's column"),
        ((1, 0), "subtract 1 in the source's column"),
    ],
)
def test_indices_counted_from_1_are_refused(faces, shift, cure):
    told = refusal(faces, faces[4] + shift)
    assert "counted from 1" in told
    assert told.endswith(f"indices that count from 0; {cure}")


def mirrored(pairs, rows):
    """With the target's vertices of these rows exchanged."""
    result = pairs.copy()
    for a, b in rows:
        result[[a, b], 1] = result[[b, a], 1]
    return result


def test_left_for_right_is_refused(faces):
    told = refusal(faces, mirrored(faces[4], LEFT_RIGHT))
    assert "pairs of left with right" in told
    assert "show the face from behind" in told


def test_left_for_right_is_refused_on_a_turned_target(faces):
    source, own, target, other, pairs = faces
    turned = (0.01 * target @ random_rotation(3).T + 2.0).astype(np.float32)
    told = refusal((source, own, turned, other), mirrored(pairs, LEFT_RIGHT))
    assert "pairs of left with right" in told


def test_one_exchanged_pair_is_named(faces):
    assert "vertices of lines 5 with 6" in refusal(faces, mirrored(faces[4], [(4, 5)]))


def test_exchanged_columns_are_refused():
    """One surface with its vertices in another order: both columns are in range either way."""
    source, faces = cap(16, True)
    order = np.random.default_rng(0).permutation(len(source))
    place = np.argsort(order).astype(np.int32)
    pairs = np.stack([order[:12], np.arange(12)], axis=1)
    meshes = source, faces, source[order], np.where(faces < 0, faces, place[faces])
    checked_landmarks(pairs, *meshes)
    assert "with columns exchanged" in refusal(meshes, pairs[:, ::-1])


def test_columns_of_another_size_are_told_by_their_range(faces):
    assert "the columns look exchanged" in refusal(faces, faces[4][:, ::-1])


def test_a_last_vertex_counted_from_1_is_told_by_its_range():
    points, corners = sheet(4, 4, 0, True)
    pairs = np.array([[1, 1], [5, 5], [25, 25], [8, 8]])
    told = refusal((points, corners, points, corners), pairs)
    assert "subtract 1 in column 1" in told


def test_right_pairs_are_accepted_for_many_identities_and_choices(faces, data_path):
    """No false alarm: random identities, random choices of pairs, landmarks a vertex off, turned targets."""
    source, own, target, other, pairs = faces
    modes = np.load(data_path("ict_facekit", "identities.npz"))["deltas"]
    rng = np.random.default_rng(7)
    for trial in range(120):
        rows = rng.choice(len(pairs), rng.integers(3, len(pairs) + 1), replace=False)
        face = source if trial % 4 else source + np.tensordot(rng.standard_normal(100), modes, 1).astype(np.float32)
        turned = (target @ random_rotation(trial).T).astype(np.float32)
        checked_landmarks(pairs[rows], face, own, turned, other)


@pytest.mark.parametrize("seed", range(4))
def test_right_pairs_of_flat_and_bumpy_sheets_are_accepted(seed):
    points, corners = sheet(8, 8, seed, True)
    other = (points @ random_rotation(seed).T).astype(np.float32)
    rows = np.random.default_rng(seed).choice(len(points), 6, replace=False)
    checked_landmarks(np.stack([rows, rows], axis=1), points, corners, other, corners)


def test_one_landmark_that_no_case_explains_is_doubted(faces):
    pairs = faces[4].copy()
    pairs[3, 1] = pairs[12, 1] + 5
    rows, missed = doubtful_landmarks(pairs, faces[0], faces[2])
    assert rows[0] == 3
    assert missed[0] > 0.3 * np.ptp(faces[2][faces[4][:, 1]], axis=0).max() * 0.5


def test_right_landmarks_are_not_doubted(faces):
    assert len(doubtful_landmarks(faces[4], faces[0], faces[2])[0]) == 0


def test_what_a_landmark_misses_is_what_the_best_similarity_leaves(tolerance):
    """Beside SciPy's rotation, and the scale that then minimizes the squares."""
    rotation = pytest.importorskip("scipy.spatial.transform", reason="SciPy is not installed").Rotation
    generator = np.random.default_rng(0)
    points = generator.normal(size=(9, 3)).astype(np.float32)
    moved = (2.5 * points @ random_rotation(generator).T + 3.0).astype(np.float32)
    moved[4] += [0.0, 9.0, 0.0]
    rows, missed = doubtful_landmarks(np.stack([np.arange(9)] * 2, axis=1), points, moved)
    own, other = points - points.mean(axis=0), moved - moved.mean(axis=0)
    turned = rotation.align_vectors(other, own)[0].apply(own)
    left = np.linalg.norm(other - (turned * other).sum() / (own * own).sum() * turned, axis=1)
    assert set(np.argsort(-left)[:3]) <= set(rows)
    np.testing.assert_allclose(missed, left[rows], rtol=tolerance["float32_character"])
