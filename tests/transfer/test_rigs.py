"""Whole rigs: combinations and in-betweens keep their meaning."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import rigcast as rc
from rigcast.errors import UpAxisWarning
from tests.support.characters.second_face import write_obj
from tests.transfer.meshes import bend, mixed_sheets, random_rotation
from tests.transfer.test_correspondence import PLACES, cap, nearest, smile

Z_TO_Y = np.float32([[1, 0, 0], [0, 0, 1], [0, -1, 0]])  # what points up in z points up in y


def source_rig(seed: int = 0) -> rc.BlendshapeRig:
    neutral, faces = mixed_sheets(seed)
    deltas = np.stack([bend(neutral, i, 0.3) - neutral for i in range(3)])
    small = [0.3 * (bend(neutral, 10 + i, 0.3) - neutral) for i in range(4)]
    combinations = [
        ((0, 1, 2), small[0]),
        ((0, 1), small[1]),
        ((rc.Tent(1, 0.0, 0.5, 1.0),), small[2]),
        ((rc.Tent(0, 0.0, 0.4, 1.0), 2), small[3]),
    ]
    return rc.BlendshapeRig(
        neutral, deltas, combinations, ["a", "b", "c"], [[0, 1], [0, 2], [-1, 1]], faces, metadata={"up_axis": "Z"}
    )


def test_the_source_as_target_gives_the_rig(tolerance):
    rig = source_rig()
    result = rc.transfer.transfer_rig(rig, rig.rest_vertices)
    np.testing.assert_allclose(result.columns(), rig.columns(), atol=tolerance["float32_scaled"])
    assert result.shape_names == rig.shape_names
    assert result.combinations == rig.combinations
    assert np.array_equal(result.bounds, rig.bounds)
    assert result.metadata["up_axis"] == "Z"


def test_a_moved_and_scaled_target_gets_a_moved_and_scaled_rig():
    rig = source_rig()
    turn = 2.0 * random_rotation(1)
    result = rc.transfer.transfer_rig(rig, rig.rest_vertices @ turn.T + 3.0)
    weights = np.random.default_rng(0).random((20, 3))
    expected = rig.evaluate(weights) @ turn.T + 3.0
    # Offsets of order ten, rotated and summed in float32.
    np.testing.assert_allclose(result.evaluate(weights), expected, atol=5e-5)


def test_a_combination_completes_its_expression(tolerance):
    rig = source_rig()
    target = bend(rig.rest_vertices, 5)
    result = rc.transfer.transfer_rig(rig, target)
    pose = np.ones(3)  # the expression of the combination of all three; the tents are 0 here
    expected = rc.transfer.deformation_transfer(rig.rest_vertices, rig.evaluate(pose)[None], target, rig.faces)[0]
    np.testing.assert_allclose(result.evaluate(pose), expected, atol=tolerance["float32_scaled"])


def test_a_rig_without_faces_needs_some():
    rig = rc.BlendshapeRig(np.eye(3), np.ones((1, 3, 3)))
    with pytest.raises(ValueError, match="transfer_rig: target is a mesh without faces"):
        rc.transfer.transfer_rig(rig, np.eye(3))
    assert rc.transfer.transfer_rig(rig, np.eye(3), [[0, 1, 2]]).num_shapes == 1


def test_every_kind_of_target_gives_the_same_rig(tmp_path, tolerance):
    rig = source_rig()
    target = bend(rig.rest_vertices, 5).astype(np.float32)
    write_obj(tmp_path / "target.obj", target, rig.faces)
    as_rig = rc.BlendshapeRig(target, np.zeros((1, *target.shape)), faces=rig.faces, metadata={"up_axis": "Z"})
    expected = rc.transfer.transfer_rig(rig, target)
    for other in (str(tmp_path / "target.obj"), tmp_path / "target.obj", rc.sources.Mesh(target), as_rig):
        made = rc.transfer.transfer_rig(rig, other)
        np.testing.assert_allclose(made.columns(), expected.columns(), atol=tolerance["float32_scaled"])


def test_what_a_mesh_states_of_its_unit_holds_for_the_result():
    rig = source_rig()
    mesh = rc.sources.Mesh(0.01 * rig.rest_vertices @ Z_TO_Y.T, rig.faces, "head", 1.0, "Y")
    made = rc.transfer.transfer_rig(rig, mesh)
    assert (made.meters_per_unit, made.up_axis) == (1.0, "Y")


@pytest.mark.parametrize("other_topology", [False, True])
@pytest.mark.parametrize(("stated", "said"), [(None, True), ("Y", True), ("Z", False)])
def test_a_target_on_its_back_is_said_unless_it_states_so(other_topology, stated, said):
    source, faces = cap(24, True)
    target, other = cap(19, False) if other_topology else (source, faces)
    rig = rc.BlendshapeRig(source, smile(source)[None] - source, names=["smile"], faces=faces)
    pairs = np.stack([nearest(source, PLACES), nearest(target, PLACES)], axis=1) if other_topology else None
    mesh = rc.sources.Mesh(target @ Z_TO_Y, other, up_axis=stated)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = rc.transfer.transfer_rig(rig, mesh, landmarks=pairs)
    texts = [str(warning.message) for warning in told if warning.category is UpAxisWarning]
    assert [text.startswith("transfer_rig: target lies as a mesh with Z up would") for text in texts] == [True] * said
    assert made.up_axis == (stated or "Y")


@pytest.mark.parametrize("as_file", [False, True])
def test_a_target_of_another_topology_is_one_call_with_landmarks(tmp_path, as_file):
    source, faces = cap(24, True)
    target, other = cap(19, False)
    rig = rc.BlendshapeRig(source, smile(source)[None] - source, names=["smile"], faces=faces)
    pairs = np.stack([nearest(source, PLACES), nearest(target, PLACES)], axis=1)
    mesh = rc.sources.Mesh(target, other)
    given = pairs
    if as_file:
        write_obj(tmp_path / "other.obj", target, other)
        np.savetxt(tmp_path / "pairs.txt", pairs, fmt="%d")
        mesh, given = tmp_path / "other.obj", tmp_path / "pairs.txt"
    made = rc.transfer.transfer_rig(rig, mesh, landmarks=given)
    assert made.shape_names == ["smile"]
    assert np.array_equal(made.faces[:, :3], other[:, :3])
    expected = smile(target) - target
    error = np.linalg.norm(made.columns()[0] - expected, axis=1)
    assert error.mean() < 0.08 * np.linalg.norm(expected, axis=1).max()


def test_another_topology_without_landmarks_says_what_is_missing():
    rig = source_rig()
    with pytest.raises(ValueError, match=r"transfer_rig: target is a mesh of 3 vertices where .* needs landmarks"):
        rc.transfer.transfer_rig(rig, np.eye(3))


@pytest.mark.parametrize(
    ("rig", "target", "message"),
    [
        ("face.npz", np.eye(3), "rig is the path 'face.npz'; it must be .*: rigcast.sources.load_blendshapes"),
        (source_rig(), {"a": 1}, "target is a dict; it must be vertices"),
        (source_rig(), np.zeros((2, 3, 3)), r"target is float64 \(2, 3, 3\); it must be vertices \(V, 3\)"),
    ],
)
def test_what_cannot_be_transferred_is_named(rig, target, message):
    with pytest.raises(ValueError, match=f"transfer_rig: {message}"):
        rc.transfer.transfer_rig(rig, target)


def handed_over(rig: rc.BlendshapeRig, shapes):
    """Calls of the functions that take positions."""
    rest, faces = rig.rest_vertices, rig.faces
    return {
        "deformation_transfer": lambda: rc.transfer.deformation_transfer(rest, shapes, rest, faces),
        "example_based": lambda: rc.transfer.example_based(rest, shapes, rest, faces, rest[None], np.ones((1, 3))),
        "find_contacts": lambda: rc.transfer.find_contacts(rest, shapes, faces),
        "quality": lambda: rc.transfer.quality(rest, shapes, rest, target_shapes=shapes, faces=faces),
        "pack_expressions": lambda: rc.transfer.pack_expressions(rest, shapes, faces),
        "transfer_in_parts": lambda: rc.transfer.transfer_in_parts(rest, shapes, rest, faces, folder="never"),
        "resting_vertices": lambda: rc.transfer.resting_vertices(rest, shapes),
        "resample": lambda: rc.transfer.correspond(rest, faces, rest, faces, iterations=1).resample(rest, shapes),
        "rig_from_positions": lambda: rc.transfer.rig_from_positions(rig, rest, shapes),
        "count_new_crossings": lambda: rc.transfer.count_new_crossings(rest[None], rest, shapes, faces=faces),
    }


FUNCTIONS = sorted(handed_over(source_rig(), ()))


def test_examples_that_are_offsets_are_said():
    rig = source_rig()
    rest, offsets = rig.rest_vertices, rig.columns()[:1]
    solver = rc.transfer.DeformationTransfer(rest, rest, rig.faces)
    with pytest.raises(
        ValueError, match="fit_example_weights: examples is offsets from the neutral; it must be positions"
    ):
        rc.transfer.fit_example_weights(
            solver, rest + rig.columns()[:1], rest, examples=offsets, example_weights=np.ones((1, 1))
        )


@pytest.mark.parametrize("function", FUNCTIONS)
def test_offsets_where_positions_are_expected_are_said(function):
    rig = source_rig()
    with pytest.raises(ValueError, match=rf"{function}: \w*shapes is offsets from the neutral; it must be positions"):
        handed_over(rig, rig.columns()[:3])[function]()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_rig_where_positions_are_expected_is_said(function):
    rig = source_rig()
    with pytest.raises(ValueError, match=rf"{function}: \w*shapes is a BlendshapeRig; .*positions_from_rig\(rig\)"):
        handed_over(rig, rig)[function]()


def test_a_shape_that_collapses_beside_others_is_a_position(tolerance):
    """Not all shapes lie near the origin, so that these are no offsets."""
    rig = source_rig()
    shapes = np.stack([rig.rest_vertices, 0.01 * rig.rest_vertices])
    made = rc.transfer.deformation_transfer(rig.rest_vertices, shapes, rig.rest_vertices, rig.faces, contacts=None)
    np.testing.assert_allclose(made[0], rig.rest_vertices, atol=tolerance["float32_scaled"])
