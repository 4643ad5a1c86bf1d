"""Faces in Blender: baked, solved from a cache, and their shape keys given to another mesh."""

from __future__ import annotations

import pytest

from tests.blender_addon.working import blenders, told

SAME = 1e-5  # float32 coordinates of order one, written and read


@pytest.fixture(scope="module", params=blenders())
def facts(request, tmp_path_factory):
    return told("faces.py", tmp_path_factory.mktemp("faces"), blender=request.param)


def test_a_point_cache_plays_what_was_baked(facts):
    name, kind, error = facts["cache"]
    assert (name, kind) == ("Actor cache", "PC2")
    assert error < SAME


def test_shape_keys_play_what_was_baked(facts):
    name, error = facts["shapes"]
    assert name == "Actor shapes"
    assert error < SAME


def test_an_alembic_file_is_written_or_a_blender_without_alembic_says_so(facts):
    """Debian's Blender has none."""
    possible, said, size = facts["alembic"]
    assert (size > 1000 and not said) if possible else "without Alembic: bake a point cache" in said


def test_a_stopped_bake_leaves_no_file_and_goes_back_to_its_frame(facts):
    assert facts["stopped"] == [True, [], 3]


def test_a_cache_beside_an_unsaved_file_is_refused_with_the_cure(facts):
    assert "save the .blend first" in facts["unsaved"]


def test_a_solve_finds_the_values_that_made_the_shot(facts):
    wrong, error, summary = facts["here"]
    assert wrong < 0.02  # the sparsity pulls a little
    assert 0.0 <= error < 0.5  # millimeters
    assert summary.startswith("mean ")


def test_the_trainer_finds_them_too(facts):
    assert facts["by_trainer"] < 0.02


def test_a_solve_without_a_shot_or_of_another_mesh_says_what_it_needs(facts):
    assert "select the mesh that moves" in facts["no_shot"]
    assert "Other has 0 vertices in frame 1, Double has 169" in facts["other_mesh"]


def test_a_transfer_to_the_same_face_gives_its_shapes(facts):
    names, error = facts["transfer"]
    assert names == ["Basis", "open", "smile", "brow"]
    assert error < 1e-4  # what a least squares solution of gradients keeps


def test_a_transfer_to_another_topology_asks_for_landmarks(facts):
    assert "landmark_nose" in facts["no_landmarks"]
