"""A face laid out on maps: segments, what rests, rigid parts, masks, squares; bad input."""

import numpy as np
import pytest

from rigcast._rigs.surface import Surface
from rigcast.training._face_maps._layout.texture_space import lay_out
from rigcast.training._face_maps._refine.rectangles import LONGEST, Rectangle
from rigcast.training._face_maps._refine.refinement import refinements
from tests.training.laid_face import LaidFace
from tests.training.map_floors import refined_floor


def laid(face, **options):
    options = {"unit_to_mm": 1.0, "fields": 2, "resolution": 16} | options
    return lay_out(face.surface, face.rest, face.faces, face.offsets, face.masks, **options)


@pytest.fixture(scope="module")
def face():
    return LaidFace()


@pytest.fixture(scope="module")
def layout(face):
    return laid(face)


def segment(layout, name):
    return next(item for item in layout.segments if item.name == name)


def test_segments_are_parts(layout):
    assert [item.name for item in layout.segments] == ["skin", "tooth", "beads"]


def test_every_moving_vertex_is_in_one_segment_or_part(face, layout):
    counts = np.zeros(len(face.rest), int)
    for item in [*layout.segments, *layout.parts]:
        counts[item.vertices] += 1
    moves = np.linalg.norm(face.offsets, axis=2).max(axis=0) > 1e-3
    np.testing.assert_array_equal(counts, moves)


def test_what_never_moves_is_said(layout):
    assert any("left at rest: upper tooth" in note for note in layout.notes)


def test_controls_without_effect_are_said(layout):
    assert any(note.startswith("1 of 4 pose columns move no vertex") for note in layout.notes)


def test_inputs_are_the_columns_that_move_the_segment(layout):
    assert {item.name: item.columns.tolist() for item in layout.segments} == {
        "skin": [0, 1],
        "tooth": [0, 2],
        "beads": [0],
    }


def test_coordinates_lie_in_the_unit_square(layout):
    for item in layout.segments:
        assert item.uvs.min() >= 0.0
        assert item.uvs.max() <= 1.0


def test_mending_leaves_no_more_than_the_artist_s_coordinates(layout):
    assert layout.floors[0].after[0] <= layout.floors[0].before[0]


def test_the_rigid_tooth_is_found_and_follows_its_own_vertices(face, layout, tolerance):
    (part,) = layout.parts
    own = segment(layout, "tooth")
    assert sorted([*part.vertices, *part.followers]) == face.of["tooth"].tolist()
    assert own.vertices.tolist() == part.followers.tolist()
    assert part.error < tolerance["float32_character"]


def test_followers_on_a_map_of_their_own_share_no_texel(layout):
    own = segment(layout, "tooth")
    apart = np.abs(own.uvs[:, None] - own.uvs[None]).max(axis=2) + np.eye(10)
    assert apart.min() >= 1.0 / (own.resolution - 1)
    assert "tooth: only followers of rigid parts, spread over the map." in layout.notes


def test_components_under_three_vertices_are_moved_by_maps(face, layout):
    assert segment(layout, "beads").vertices.tolist() == face.of["beads"][:2].tolist()
    assert any("fewer than three vertices" in note for note in layout.notes)


def test_tiles_are_segments_of_their_own(face):
    moved = LaidFace()
    uvs = np.array(moved.surface.uvs)
    half = moved.rest[: len(moved.of["skin"]), 0] > 50.0
    uvs[: len(half)][half] += [0.0, 1.0]
    moved.surface = Surface(moved.surface.parts, moved.surface.vertex_parts, [], [], uvs, moved.surface.uv_faces)
    names = [item.name for item in laid(moved).segments]
    assert names[:2] == ["skin (tile 0 0)", "skin (tile 0 1)"]


def test_without_texture_coordinates_there_are_charts(face):
    bare = LaidFace(uvs=False)
    found = laid(bare)
    assert any(note.startswith("skin: without texture coordinates; 2 charts") for note in found.notes)
    assert found.floors[0].folded_after == 0
    assert found.floors[0].overlapped_after == 0


def test_texture_on_a_line_gives_charts(face):
    flat = LaidFace()
    uvs = np.array(flat.surface.uvs)
    uvs[:, 1] = 0.5
    flat.surface = Surface(flat.surface.parts, flat.surface.vertex_parts, [], [], uvs, flat.surface.uv_faces)
    assert any(note.startswith("skin: its texture coordinates lie on a line") for note in laid(flat).notes)


def test_a_texture_on_top_of_itself_is_laid_out_anew():
    """The left half of the skin lies on the right one, as of mirrored characters."""
    twice = LaidFace()
    uvs = np.array(twice.surface.uvs)
    x = twice.rest[: len(twice.of["skin"]), 0]
    uvs[: len(x), 0] = np.abs(x - 50.0) / 101.0
    twice.surface = Surface(twice.surface.parts, twice.surface.vertex_parts, [], [], uvs, twice.surface.uv_faces)
    found = laid(twice)
    assert any("of its texture overlaps" in note for note in found.notes)


def test_motion_that_no_control_makes_is_said(face):
    masks = face.masks.copy()
    masks[face.of["beads"]] = False
    found = lay_out(face.surface, face.rest, face.faces, face.offsets, masks, unit_to_mm=1.0, fields=0)
    assert "beads moves although no control moves it: it is left at rest." in found.notes
    assert "beads" not in [item.name for item in found.segments]


def test_bytes_do_not_depend_on_the_number_of_threads(face):
    one, two = (laid(face, threads=threads) for threads in (1, 2))
    for a, b in zip(one.segments, two.segments, strict=True):
        np.testing.assert_array_equal(a.uvs, b.uvs)


def test_a_layout_in_meters_is_that_in_millimeters(face, layout, tolerance):
    small = lay_out(
        face.surface,
        1e-3 * face.rest,
        face.faces,
        1e-3 * face.offsets,
        face.masks,
        unit_to_mm=1e3,
        fields=2,
        resolution=16,
    )
    assert [len(part.vertices) for part in small.parts] == [len(part.vertices) for part in layout.parts]
    np.testing.assert_allclose(small.floors[0].after, layout.floors[0].after, rtol=tolerance["printed"])


def test_a_layout_prints_its_floors(layout):
    assert "skin" in str(layout).splitlines()[1]
    assert "rigid: tooth, 88 vertices" in str(layout)


@pytest.fixture(scope="module")
def refined(face, layout):
    fine = laid(face, resolution=6)
    return fine, refinements(fine, face.offsets, unit_to_mm=1.0, influence=face.masks, resolution=12)


def test_squares_lower_the_floor(face, refined):
    coarse, squares = refined
    assert squares
    before, after = (refined_floor(item, face.offsets).mean() for item in (coarse, coarse.refined(squares)))
    assert after < before


def test_weights_of_a_vertex_have_a_sum_of_at_most_one(face, refined):
    total = np.zeros(len(face.rest))
    for square in refined[1]:
        total[square.vertices] += square.weights
    assert 0.5 < total.max() <= 1.0 + 1e-6  # rounding of float32 weights


def test_rectangles_have_up_to_half_of_the_width(refined, tolerance):
    coarse, details = refined
    skin = coarse.coarse[0]
    for detail in details:
        own = skin.uvs[np.searchsorted(skin.vertices, detail.vertices)]
        rectangle = Rectangle(*detail.rectangle)
        low, high = rectangle.reach
        assert rectangle.size.max() <= LONGEST + 1e-12
        np.testing.assert_allclose(detail.uvs * (high - low) + low, own, atol=tolerance["float64"])


def test_inputs_of_squares_are_those_of_their_vertices(face, refined):
    for square in refined[1]:
        inside = square.vertices[square.weights == 1.0]
        assert square.columns.tolist() == np.flatnonzero(face.masks[inside].any(axis=0)).tolist()


def test_a_segment_that_a_coarse_map_shows_is_not_refined(face, layout):
    assert refinements(layout, 1e-3 * face.offsets, unit_to_mm=1.0) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"offsets": np.nan}, "lay_out: offsets is not finite everywhere"),
        ({"offsets": 0.0}, "lay_out: offsets is 0 everywhere; it must be samples of a rig that moves"),
        ({"rest": np.inf}, "lay_out: rest_vertices is not finite everywhere"),
        ({"unit_to_mm": 0.0}, "lay_out: unit_to_mm is 0.0; it must be a finite number above 0"),
    ],
)
def test_bad_numbers_are_refused(face, change, message):
    rest = np.full_like(face.rest, change["rest"]) if "rest" in change else face.rest
    offsets = np.full_like(face.offsets, change["offsets"]) if "offsets" in change else face.offsets
    unit = change.get("unit_to_mm", 1.0)
    with pytest.raises(ValueError, match=message):
        lay_out(face.surface, rest, face.faces, offsets, face.masks, unit_to_mm=unit)


def test_one_sample_is_too_few(face):
    with pytest.raises(ValueError, match="lay_out: offsets is of 1 samples; it must be of at least 2 samples"):
        lay_out(face.surface, face.rest, face.faces, face.offsets[:1], face.masks, unit_to_mm=1.0)


def test_masks_must_be_of_the_vertices(face):
    with pytest.raises(ValueError, match=r"lay_out: influence is float64 \(3, 2\); it must be truth values"):
        lay_out(face.surface, face.rest, face.faces, face.offsets, np.zeros((3, 2)), unit_to_mm=1.0)
