"""What rests in the source's shapes rests in the target's, and what moves is not held."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.transfer.meshes import bend, mixed_sheets, random_rotation, sheet


def face(seed: int = 0):
    """A sheet whose right half moves, each shape another part of it: source, target, shapes, faces, what rests."""
    source, faces = sheet(12, 8, seed, True)
    x = source[:, 0]
    falls = np.stack([np.clip((x - 6) / 3, 0, 1), np.clip((x - 9) / 2, 0, 1)])[..., None]
    offsets = falls * [bend(source, 1, 0.4) - source, bend(source, 2, 0.4) - source]
    shapes = (source + offsets).astype(np.float32)
    return source, bend(source, 3, 0.3), shapes, faces, x <= 6


def test_vertices_that_rest_in_all_shapes_are_found():
    source, _, shapes, _, rests = face()
    assert np.array_equal(rc.transfer.resting_vertices(source, shapes), np.flatnonzero(rests))
    assert np.array_equal(rc.transfer.resting_vertices(source.astype(float), shapes[:0]), np.arange(len(source)))
    rounded = np.nextafter(shapes[0], np.float32(np.inf))
    assert np.array_equal(rc.transfer.resting_vertices(source, rounded[None]), np.flatnonzero(rests)), "rounding"
    moved = shapes.copy()
    moved[1, 0, 2] += 1e-5
    assert 0 not in rc.transfer.resting_vertices(source, moved)


@pytest.mark.parametrize("seed", range(3))
def test_what_rests_stays_to_the_last_bit_and_the_rest_is_the_constrained_minimum(seed, tolerance):
    source, target, shapes, faces, rests = face(seed)
    given = (source, shapes, target, faces)
    made = rc.transfer.deformation_transfer(*given)
    assert np.array_equal(made[:, rests], np.broadcast_to(target[rests], (2, rests.sum(), 3)))
    by_hand = rc.transfer.deformation_transfer(*given, fixed=np.flatnonzero(rests))
    assert made.tobytes() == by_hand.tobytes()
    free = rc.transfer.deformation_transfer(*given, fixed=None)
    assert np.abs(free - target)[:, rests].max() > 1e-3, "else there is nothing to hold"
    assert np.abs(free - made).max() > 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_each_shape_can_hold_what_rests_in_it_alone(seed, tolerance):
    source, target, shapes, faces, _ = face(seed)
    made = rc.transfer.deformation_transfer(source, shapes, target, faces, fixed="each")
    for k, shape in enumerate(shapes):
        still = np.flatnonzero((shape == source).all(axis=1))
        expected = rc.transfer.deformation_transfer(source, shape[None], target, faces, fixed=still)[0]
        np.testing.assert_allclose(made[k], expected, atol=tolerance["float32"])
        assert np.array_equal(made[k, still], target[still])
    everywhere = rc.transfer.deformation_transfer(source, shapes, target, faces)
    assert np.abs(made - everywhere).max() > 1e-4
    solver = rc.transfer.DeformationTransfer(source, target, faces)
    assert (
        solver.transfer_keep_rest(shapes, threads=1).tobytes() == solver.transfer_keep_rest(shapes, threads=4).tobytes()
    )


@pytest.mark.parametrize("scale", [1.0, 0.3])
def test_holding_keeps_moved_and_scaled_targets_exact(scale, tolerance):
    source, _, shapes, faces, _ = face(1)
    other, more = mixed_sheets(5)
    source, faces = (
        np.concatenate([source, other + 30]),
        np.concatenate([faces, np.where(more < 0, -1, more + len(source))]),
    )
    moved = np.stack([other + 30, bend(other, 1, 0.3) + 30])  # at rest in one shape, moves wholly in the other
    shapes = np.concatenate([shapes, moved], axis=1)
    turn = scale * random_rotation(3).T
    expected = np.stack([shape @ turn + 2 for shape in shapes])
    made = rc.transfer.deformation_transfer(source, shapes, (source @ turn + 2).astype(np.float32), faces, fixed="each")
    np.testing.assert_allclose(made, expected, atol=100 * tolerance["float32"])
    same = rc.transfer.deformation_transfer(source, shapes, source, faces, fixed="each")
    np.testing.assert_allclose(same, shapes, atol=tolerance["float32_scaled"])


def test_everything_rests_in_no_shapes_and_in_neutrals():
    source, target, _, faces, _ = face()
    assert np.array_equal(rc.transfer.deformation_transfer(source, source[None], target, faces)[0], target)


def test_a_component_that_moves_wholly_goes_where_its_shape_goes(tolerance):
    source, faces = mixed_sheets(2)
    ball = np.arange(20, len(source))
    shape = source.copy()
    center = source[ball].mean(axis=0)
    shape[ball] = (source[ball] - center) @ random_rotation(1).T + center + [0.5, 0, 0]
    target = (1.5 * source @ random_rotation(2).T + [1, 2, 3]).astype(np.float32)
    expected = (1.5 * shape @ random_rotation(2).T + [1, 2, 3]).astype(np.float32)
    made = rc.transfer.deformation_transfer(source, shape[None], target, faces)[0]
    np.testing.assert_allclose(made, expected, atol=40 * tolerance["float32"])
    assert np.array_equal(made[:20], target[:20])


def test_examples_do_not_move_what_rests():
    source, target, shapes, faces, rests = face()
    noise = 0.01 * np.random.default_rng(0).standard_normal((2, *target.shape))
    scans = rc.transfer.deformation_transfer(source, shapes, target, faces) + noise
    made = rc.transfer.example_based(source, shapes, target, faces, scans, np.eye(2))
    assert np.array_equal(made[:, rests], np.broadcast_to(target[rests], (2, rests.sum(), 3)))
    free = rc.transfer.example_based(source, shapes, target, faces, scans, np.eye(2), fixed=None)
    assert np.abs(free - target)[:, rests].max() > 1e-3


def test_whole_rigs_hold_what_no_expression_moves(tmp_path):
    source, target, shapes, faces, rests = face()
    corrective = np.where(rests[:, None], 0, 0.1).astype(np.float32) * np.ones(3, np.float32)
    rig = rc.BlendshapeRig(source, shapes - source, [((0, 1), corrective)], faces=faces)
    made = rc.transfer.transfer_rig(rig, target)
    assert not made.columns()[:, rests].any()
    assert rc.transfer.transfer_rig(rig, target, fixed=None).columns()[:, rests].any()
    assert np.array_equal(
        rc.transfer.transfer_rig(rig, target, fixed="each").columns()[:2].any(axis=2), (shapes != source).any(axis=2)
    )
    given = (source, rc.transfer.positions_from_rig(rig), target, faces)
    parts = rc.transfer.transfer_in_parts(*given, folder=tmp_path)
    assert np.array_equal(parts[:, rests][0], target[rests])
    each = rc.transfer.transfer_in_parts(*given, folder=tmp_path, fixed="each")
    assert np.array_equal(each, rc.transfer.deformation_transfer(*given, fixed="each"))
    assert not np.array_equal(each, parts), "parts of another way are not taken"


def test_contacts_leave_what_is_held_in_place():
    source, target, shapes, faces, rests = face()
    pairs = [[np.flatnonzero(rests)[-1], np.flatnonzero(~rests)[-1]]]
    made = rc.transfer.deformation_transfer(source, shapes, target, faces, contacts=pairs, contact_weight=10.0)
    assert np.array_equal(made[0, rests], target[rests])


def test_wrong_input_is_named():
    source, target, shapes, faces, _ = face()
    with pytest.raises(ValueError, match=r"^example_based: fixed is 'each'; it must be .rest., vertices or None"):
        rc.transfer.example_based(source, shapes, target, faces, shapes, np.eye(2), fixed="each")
    with pytest.raises(ValueError, match=r"^resting_vertices: source_shapes is .*; it must be numbers \(K, 5, 3\)"):
        rc.transfer.resting_vertices(np.zeros((5, 3)), np.zeros((2, 4, 3)))
    with pytest.raises(ValueError, match=r"^resting_vertices: source_neutral is <U1 \(1, 1\)"):
        rc.transfer.resting_vertices([["a"]], np.zeros((2, 4, 3)))
