"""One texture coordinate per vertex: tiles, seams; charts packed into the unit square."""

import numpy as np
import pytest

from rigcast._rigs.surface import Surface
from rigcast.training._face_maps._layout.uvs import own_charts, packed, spread_out, vertex_uvs
from tests.training.laid_face import sheet

SIDE = 5


def two_tiles(seam: int = 2):
    """A sheet whose columns from ``seam`` on lie in the next tile; the vertices of the seam have two coordinates."""
    rest, quads = sheet(SIDE, 1.0)
    uvs = np.concatenate([0.2 + 0.5 * rest[:, :2], 0.2 + 0.5 * rest[:, :2] + [1.0, 0.0]])
    right = quads[:, 0] % SIDE >= seam
    corners = quads + np.where(right, len(rest), 0)[:, None]
    return Surface(uvs=uvs, uv_faces=corners), quads.astype(np.int32), rest, right


def test_vertices_lie_in_the_tile_of_most_of_their_corners():
    surface, quads, rest, _ = two_tiles()
    found = vertex_uvs(surface, quads, len(rest))
    assert found.tiles == [(0, 0), (1, 0)]
    assert found.tile.reshape(SIDE, SIDE).tolist() == [[0, 0, 0, 1, 1]] * SIDE  # the seam: two and two, so the first


def test_coordinates_are_those_inside_the_tile(tolerance):
    surface, quads, rest, _ = two_tiles()
    found = vertex_uvs(surface, quads, len(rest))
    np.testing.assert_allclose(found.uvs, 0.2 + 0.5 * rest[:, :2], atol=tolerance["float32"])


def test_faces_across_the_seam_are_not_whole():
    surface, quads, rest, right = two_tiles()
    found = vertex_uvs(surface, quads, len(rest))
    touching = (quads % SIDE == 2).any(axis=1) & right
    np.testing.assert_array_equal(found.whole, ~touching)
    assert found.several == SIDE


def test_at_a_seam_the_coordinates_that_keep_most_faces_whole_are_taken():
    """Both sides in one tile; at the seam every other vertex has its first coordinates on the right side."""
    surface, quads, rest, right = two_tiles()
    uvs = np.array(surface.uvs)
    uvs[len(rest) :, 0] -= 0.8
    uvs[len(rest) + 2 :: 2 * SIDE, 0] = 0.1
    found = vertex_uvs(Surface(uvs=uvs, uv_faces=surface.uv_faces), quads, len(rest))
    lost = (~found.whole).sum()
    assert lost == min(
        (right & (quads % SIDE == 2).any(axis=1)).sum(), (~right & (quads % SIDE == 2).any(axis=1)).sum()
    )


def test_a_mesh_without_texture_has_none():
    found = vertex_uvs(Surface(), np.array([[0, 1, 2, -1]], np.int32), 3)
    assert np.isnan(found.uvs).all()
    assert (found.tile == -1).all()


def test_vertices_of_faces_without_texture_have_none():
    corners = np.array([[0, 1, 2, -1], [-1, -1, -1, -1]])
    faces = np.array([[0, 1, 2, -1], [1, 2, 3, -1]], np.int32)
    found = vertex_uvs(Surface(uvs=np.eye(3, 2), uv_faces=corners), faces, 4)
    assert found.tile.tolist() == [0, 0, 0, -1]
    assert found.whole.tolist() == [True, False]


@pytest.mark.parametrize("weights", [[1.0], [3.0, 1.0], [5.0, 1.0, 1.0, 2.0, 4.0]])
def test_rectangles_fill_the_square_in_proportion(weights, tolerance):
    rooms = packed(np.array(weights))
    areas = np.array([np.prod(high - low) for low, high in rooms])
    np.testing.assert_allclose(areas, np.array(weights) / sum(weights), atol=tolerance["float64"])
    for i, (low, high) in enumerate(rooms):
        for other_low, other_high in rooms[:i]:
            assert (np.maximum(low, other_low) >= np.minimum(high, other_high) - tolerance["float64"]).any()


def test_charts_of_several_components_do_not_overlap():
    rest, quads = sheet(SIDE, 1.0)
    found = own_charts(np.concatenate([rest, rest + 3.0]).astype(np.float32), np.concatenate([quads, quads + 25]), 32)
    left, right = found.uvs[:25], found.uvs[25:]
    assert (left.max(axis=0) < right.min(axis=0)).any() or (right.max(axis=0) < left.min(axis=0)).any()
    assert found.note == "2 charts"


def test_a_degenerate_mesh_is_projected_flat():
    """All vertices on one line: no chart has an area."""
    rest = np.arange(4.0)[:, None] * np.ones((1, 3))
    found = own_charts(rest.astype(np.float32), np.array([[0, 1, 1, -1]], np.int32), 32)
    assert np.isfinite(found.uvs).all()
    assert "projected flat" in found.note


@pytest.mark.parametrize("count", [1, 2, 5, 40])
def test_few_vertices_are_spread_over_the_square(count):
    places = spread_out(count)
    assert len(np.unique(places, axis=0)) == count
    assert places.min() >= 0.0
    assert places.max() <= 1.0
