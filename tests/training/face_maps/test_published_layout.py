"""The published layout: the artist's coordinates, squares around clusters, the followers of smallest error."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.training._face_maps._layout.rigid import FOLLOWERS, nearest_part
from rigcast.training._face_maps._layout.segments import COARSE, MapSegment
from rigcast.training._face_maps._layout.texture_space import lay_out
from rigcast.training._face_maps._refine.rectangles import SIDE
from rigcast.training._face_maps._refine.refinement import refinements, square_segments
from rigcast.training._face_maps._train import descent
from tests.support.characters.mapped_face import clip_data
from tests.support.trainings import train_with
from tests.training.face_maps.test_rigid_parts import moving_blocks
from tests.training.laid_face import LaidFace

MIDDLES = np.array([[0.2, 0.3], [0.75, 0.7]])
WIDTH = 0.02  # of the errors around each


@pytest.fixture(scope="module")
def layout():
    face = LaidFace()
    options = {"unit_to_mm": 1.0, "fields": 2, "resolution": 6, "published": True}
    return face, lay_out(face.surface, face.rest, face.faces, face.offsets, face.masks, **options)


def spotted():
    """A segment whose errors lie around two places, and the columns that move its vertices."""
    uvs = np.random.default_rng(0).random((4000, 2))
    error = sum(np.exp(-np.square((uvs - middle) / WIDTH).sum(axis=1)) for middle in MIDDLES)
    vertices = 2 * np.arange(4000)
    influence = np.zeros((8000, 3), bool)
    influence[vertices, 0] = uvs[:, 0] < 0.5
    influence[vertices, 1] = uvs[:, 0] >= 0.5
    return MapSegment("skin", COARSE, vertices, uvs, np.ones(4000, np.float32), np.arange(3), 32), error, influence


def test_the_artists_coordinates_are_stretched_and_not_mended(layout, tolerance):
    face, found = layout
    skin = next(segment for segment in found.coarse if segment.name == "skin")
    given = np.asarray(face.surface.uvs, np.float64)[skin.vertices]
    expected = (given - given.min(axis=0)) / np.ptp(given, axis=0)
    np.testing.assert_allclose(skin.uvs, expected, atol=tolerance["float64"])


def test_squares_lie_around_the_errors():
    found = square_segments(*spotted(), 64)
    centers = np.array([segment.rectangle.mean(axis=0) for segment in found])
    np.testing.assert_allclose(centers[np.argsort(centers[:, 0])], MIDDLES, atol=WIDTH)
    for segment in found:
        np.testing.assert_allclose(segment.rectangle[1] - segment.rectangle[0], SIDE)


def test_a_square_has_the_vertices_inside_it_with_weight_one(tolerance):
    segment, error, influence = spotted()
    for square in square_segments(segment, error, influence, 64):
        low, high = square.rectangle
        inside = [
            v for v, uv in zip(segment.vertices, segment.uvs, strict=True) if (low <= uv).all() and (uv <= high).all()
        ]
        assert square.vertices.tolist() == inside
        assert (square.weights == 1.0).all()
        places = segment.uvs[np.searchsorted(segment.vertices, square.vertices)]
        np.testing.assert_allclose(square.uvs, (places - low) / (high - low), atol=tolerance["float64"])


def test_a_square_reads_the_columns_that_move_its_vertices():
    found = square_segments(*spotted(), 64)
    assert sorted(square.columns.tolist() for square in found) == [[0], [1]]


def test_vertices_of_squares_that_overlap_are_in_the_nearest_alone(layout):
    face, coarse = layout
    found = refinements(coarse, face.offsets, unit_to_mm=1.0, influence=face.masks, resolution=12, squares=True)
    counts = np.zeros(len(face.rest), int)
    for square in found:
        counts[square.vertices] += 1
    assert len(found) > 1
    assert counts.max() == 1


def test_followers_are_the_ten_of_smallest_error():
    moving, components = moving_blocks()
    part, others = components[0], np.concatenate([components[1].vertices, components[3].vertices])
    found = nearest_part(moving, [part], others)
    rest, posed = moving.rest[part.vertices], moving.posed(part.vertices)
    errors = np.zeros(len(others))
    for t, frame in enumerate(posed):
        left, _, right = np.linalg.svd((rest - rest.mean(axis=0)).T @ (frame - frame.mean(axis=0)))
        sign = np.diag([1.0, 1.0, np.linalg.det(left) * np.linalg.det(right)])
        turn = right.T @ sign @ left.T
        moved = (moving.rest[others] - rest.mean(axis=0)) @ turn.T + frame.mean(axis=0)
        errors += np.square(moved - moving.posed(others)[t]).sum(axis=1)
    chosen = np.isin(others, found.followers)
    assert chosen.sum() == FOLLOWERS
    assert errors[chosen].max() <= errors[~chosen].min()


def test_a_part_has_no_followers_on_a_line():
    moving, components = moving_blocks()
    moving.rest[components[1].vertices[:FOLLOWERS]] = np.arange(10.0)[:, None] * np.ones(3)
    assert nearest_part(moving, [components[0]], components[1].vertices[:FOLLOWERS]) is None


def test_regions_are_not_of_the_published_layout():
    with pytest.raises(ValueError, match=r'face_maps: regions is 1; it must be of the layout "mended"'):
        rc.training.FaceMapsSettings(method="paper", regions=1)


def test_a_step_of_the_published_method_has_the_normals_of_all_faces(tmp_path, monkeypatch):
    """Other steps look at a part of the faces in turn if there are many."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    data = clip_data(tmp_path / "face.rwdata", frames=20)
    budget = {"method": "paper", "steps": 3, "threads": 1, "hidden": 8}
    whole = train_with("face_maps", data, **budget).tensors()
    monkeypatch.setattr(descent, "FACES_PER_STEP", 8)
    some = train_with("face_maps", data, **budget).tensors()
    np.testing.assert_array_equal(some["segment.000.dense1.weight"], whole["segment.000.dense1.weight"])
