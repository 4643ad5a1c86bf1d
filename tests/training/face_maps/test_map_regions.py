"""Regions: refined squares with coarse maps of their own, which no control moves that does not move the square."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from rigcast.training._face_maps._layout.segments import COARSE, Floors, Layout, MapSegment
from rigcast.training._face_maps._refine.rectangles import GAP, Rectangle, apart, shares
from rigcast.training._face_maps._refine.refinement import _segments_of
from rigcast.training._face_maps._refine.regions import with_regions
from rigcast.training._face_maps._train.convolution_networks import ConvolutionShape, doublings_of
from rigcast.training._face_maps._train.learned_map import LearnedMap, map_tensors
from rigcast.training._face_maps._train.shapes import Scaling
from tests.training.map_floors import refined_floor

COUNT, CONTROLS = 4000, 6
LOWS = [np.array([0.1, 0.1]), np.array([0.25, 0.3]), np.array([0.75, 0.6])]
SIZES = [np.array([0.25, 0.25]), np.array([0.25, 0.3]), np.array([0.25, 0.4])]
RECTANGLES = apart([Rectangle(low, low + size) for low, size in zip(LOWS, SIZES, strict=True)])


@pytest.fixture(scope="module")
def face():
    """A sheet of scattered vertices, the controls that move each (discs around centers), its layout with regions."""
    rng = np.random.default_rng(0)
    uvs = rng.random((COUNT, 2))
    centers, sizes = rng.random((CONTROLS, 2)), np.full(CONTROLS, 0.35)
    centers[0], sizes[0] = LOWS[0] + 0.125, 0.12  # inside of a square
    influence = np.linalg.norm(uvs[:, None] - centers, axis=2) < sizes
    ones = np.ones(COUNT, np.float32)
    skin = MapSegment("skin", COARSE, np.arange(COUNT), uvs, ones, np.arange(CONTROLS), 32)
    floors = [Floors("skin", 32, (0.0, 0.0), (0.0, 0.0), 0, 0, 0, 0)]
    plain = Layout([skin], [], [], floors, [uvs]).refined(_segments_of(skin, RECTANGLES, influence, 64))
    offsets = rng.standard_normal((3, COUNT, 3)).astype(np.float32)
    return influence, plain, with_regions(plain, offsets, influence, unit_to_mm=1.0), offsets


@pytest.fixture(scope="module")
def model(face):
    """Random networks on the layout."""
    _, _, layout, _ = face
    learned = []
    for number, segment in enumerate(layout.segments):
        count = len(segment.columns)
        shape = ConvolutionShape(count, 6, 2, 3, doublings_of(segment.resolution))
        scaling = Scaling(np.zeros(count), np.ones(count), 1.0)
        learned.append(LearnedMap(segment, shape, scaling, shape.initial_weights([number])))
    tensors = map_tensors(learned, layout) | {
        "rest_vertices": np.zeros((COUNT, 3), np.float32),
        "faces": np.array([[0, 1, 2, -1]], np.int32),
        "control_ranges": np.tile(np.float32([0, 1]), (CONTROLS, 1)),
    }
    about = {"kind": "face_maps", "version": 1, "joint_names": [], "meters_per_unit": 1.0, "up_axis": "Y"}
    about["numeric_controls"] = [f"control{i}" for i in range(CONTROLS)]
    return _core.model_from_tensors(tensors, json.dumps(about))


def test_each_square_has_a_region(face):
    _, plain, layout, _ = face
    assert [segment.name for segment in layout.coarse] == ["skin", "skin, region 1", "skin, region 2", "skin, region 3"]
    assert layout.segments[4:] == plain.segments[1:]


def test_coarse_weights_of_a_vertex_have_a_sum_of_one(face, tolerance):
    total = np.zeros(COUNT)
    for segment in face[2].coarse:
        total[segment.vertices] += segment.weights
    np.testing.assert_allclose(total, 1.0, atol=tolerance["float32"])


def test_weights_of_neighbors_differ_little(face):
    """Weights fall across a quarter of a square's side, without a jump: at most by twice the mean slope."""
    _, plain, layout, _ = face
    uvs = plain.coarse[0].uvs
    near = np.linalg.norm(uvs[:, None] - uvs[:400], axis=2) < 0.005
    for segment in layout.coarse:
        weights = np.zeros(COUNT)
        weights[segment.vertices] = segment.weights
        step = np.abs(weights[:, None] - weights[:400])[near].max()
        assert step < 2.0 * 2.0 * 0.005 / 0.0625


def interior(detail):
    """Vertices of a refinement segment inside of its rectangle."""
    return detail.vertices[detail.weights == 1.0]


def test_inside_a_square_its_region_acts_alone(face):
    _, _, layout, _ = face
    for square, region in zip(layout.segments[4:], layout.coarse[1:], strict=True):
        assert len(interior(square)) > 100
        for segment in layout.coarse:
            weights = segment.weights[np.isin(segment.vertices, interior(square))]
            assert (weights == 1.0).all() if segment is region else not len(weights)


def test_controls_that_do_not_move_a_square_leave_it_alone_however_many_are_turned(face, model):
    influence, _, layout, _ = face
    rng = np.random.default_rng(1)
    poses, other = (rng.random((20, CONTROLS)).astype(np.float32) for _ in range(2))
    for square in layout.segments[4:]:
        inside = interior(square)
        moves = influence[inside].any(axis=0)
        assert not moves.all()
        kept = np.where(moves, poses, other)
        np.testing.assert_array_equal(model.evaluate(kept)[:, inside], model.evaluate(poses)[:, inside])


def test_controls_that_move_nothing_outside_of_squares_leave_it_alone(face, model):
    influence, _, layout, _ = face
    alone = np.ones(COUNT, bool)
    for region in layout.coarse[1:]:
        alone[region.vertices] = False
    moves = influence[alone].any(axis=0)
    one = next(number for number in range(CONTROLS) if not influence[alone, number].any())
    turned = np.zeros((2, CONTROLS), np.float32)
    turned[1, one] = 1.0
    assert not moves.all()
    np.testing.assert_array_equal(*model.evaluate(turned)[:, alone])


def test_every_control_that_moves_a_vertex_is_an_input_there(face):
    """Of one of the maps that blend at the vertex."""
    influence, _, layout, _ = face
    seen = np.zeros_like(influence)
    for segment in layout.segments:
        seen[np.ix_(segment.vertices, segment.columns)] = True
    assert not (influence & ~seen).any()


def test_a_control_moves_the_squares_that_it_moves_in_the_rig(face, model):
    influence, _, layout, _ = face
    for square in layout.segments[4:]:
        for control in np.flatnonzero(influence[square.vertices].any(axis=0)):
            turned = np.zeros((2, CONTROLS), np.float32)
            turned[1, control] = 1.0
            assert np.ptp(model.evaluate(turned)[:, square.vertices], axis=0).max() > 0.0


def test_a_control_that_acts_between_rectangles_only_has_a_map_there():
    """It moves nothing that the segment's own map moves alone, and nothing inside of a rectangle."""
    uvs = np.random.default_rng(2).random((COUNT, 2))
    ones, everything = np.ones(COUNT, np.float32), np.arange(COUNT)
    around = shares(RECTANGLES, uvs)[1]
    influence = np.stack([ones > 0, (around > 0.1) & (around < 0.9)], axis=1)
    skin = MapSegment("skin", COARSE, everything, uvs, ones, np.arange(2), 32)
    floors = [Floors("skin", 32, (0.0, 0.0), (0.0, 0.0), 0, 0, 0, 0)]
    plain = Layout([skin], [], [], floors, [uvs]).refined(_segments_of(skin, RECTANGLES, influence, 64))
    layout = with_regions(plain, np.ones((2, COUNT, 3), np.float32), influence, unit_to_mm=1.0)
    own, between, *regions = layout.coarse
    assert (own.name, between.name) == ("skin", "skin, around")
    assert [own.columns.tolist(), between.columns.tolist()] == [[0], [0, 1]]
    assert all(region.columns.tolist() == [0] for region in regions)
    alone = np.isin(everything, own.vertices[own.weights == 1.0])
    assert alone.sum() > 100
    assert not alone[between.vertices].any()
    total = np.zeros(COUNT)
    for segment in layout.coarse:
        total[segment.vertices] += segment.weights
    assert np.abs(total - 1.0).max() < 1e-5  # rounding and weights left out


def test_rectangles_that_cover_the_texture_leave_no_weight_out():
    """What remains between them belongs to the segment's own map, whatever moves there."""
    uvs = np.random.default_rng(3).random((COUNT, 2))
    quarters = [
        Rectangle(low, low + 0.5 - 0.5 * GAP) for low in np.array([[0, 0], [0, 1], [1, 0], [1, 1]]) * (0.5 + 0.5 * GAP)
    ]
    skin = MapSegment("skin", COARSE, np.arange(COUNT), uvs, np.ones(COUNT, np.float32), np.arange(1), 32)
    floors = [Floors("skin", 32, (0.0, 0.0), (0.0, 0.0), 0, 0, 0, 0)]
    influence = np.ones((COUNT, 1), bool)
    plain = Layout([skin], [], [], floors, [uvs]).refined(_segments_of(skin, quarters, influence, 64))
    layout = with_regions(plain, np.ones((2, COUNT, 3), np.float32), influence, unit_to_mm=1.0)
    total = np.zeros(COUNT)
    for segment in layout.coarse:
        total[segment.vertices] += segment.weights
    assert len(layout.coarse) == 5
    assert np.abs(total - 1.0).max() < 1e-5  # rounding and weights left out


def test_maps_that_agree_blend_to_what_they_show(face):
    """Offsets that every map shows exactly leave nothing: the weights have no gap."""
    layout = face[2]
    flat = np.broadcast_to(np.float32([1.0, 2.0, 3.0]), (2, COUNT, 3)).copy()
    assert refined_floor(layout, flat).max() < 1e-3  # of the solver of sparse least squares


def test_a_segment_without_squares_stays_as_it_is(face):
    influence, plain, _, offsets = face
    bare = plain.refined([])
    assert with_regions(bare, offsets, influence, unit_to_mm=1.0).segments == bare.segments


def test_other_numbers_for_regions_are_refused():
    with pytest.raises(ValueError, match="face_maps: regions is 2; it must be 0 or 1"):
        rc.training.FaceMapsSettings(regions=2)


def test_the_paper_has_one_coarse_map_per_segment():
    kinds = rc.training.FaceMapsSettings(method="paper"), rc.training.FaceMapsSettings()
    assert [kind.regions for kind in kinds] == [0, 1]
