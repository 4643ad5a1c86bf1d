"""A learned rig in the scene: vertices are the model's to the last bit, whatever happened to the file before."""

from __future__ import annotations

import pytest

from tests.blender_addon.models import NAMES, tube
from tests.blender_addon.working import blenders, told

EXACT = [
    "frames",
    "reopened",
    "by hand",
    "undone",
    "redone",
    "undone to before",
    "undo frames",
    "first of two",
    "second of two",
    "duplicate",
    "original of it",
    "appended",
    "overridden",
    "overridden, reopened",
    "renamed back",
]


@pytest.fixture(scope="module", params=blenders())
def seen(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("follow")
    tube(folder / "tube.safetensors")
    return told("follow.py", folder, folder / "tube.safetensors", blender=request.param)


@pytest.mark.parametrize("state", EXACT)
def test_vertices_are_the_models_to_the_last_bit(seen, state):
    assert seen[state] == 0.0


def test_undo_changes_the_pose_back(seen):
    assert seen["undo moves"] > 0.01


def test_two_objects_on_one_mesh_have_poses_of_their_own(seen):
    assert seen["two differ"] > 0.1


def test_a_duplicate_has_points_of_its_own(seen):
    assert seen["own points"]


def test_an_overridden_character_has_local_points(seen):
    assert seen["local points"]


def test_a_plain_link_is_told_to_become_an_override(seen):
    assert "library override" in seen["plain link"]


def test_a_renamed_bone_is_one_sentence_and_switches_live_off(seen):
    assert f"lacks bones of the model, 1 of 4: '{NAMES[1]}'" in seen["renamed"]
    assert not seen["renamed live"]


def test_a_missing_file_is_one_sentence_and_switches_live_off(seen):
    assert "gone.safetensors is not there" in seen["missing"]
    assert not seen["missing live"]
    assert seen["missing said"] == 1


def test_unbinding_frees_the_models(seen):
    assert seen["held"] > 0
    assert seen["held after unbinding"] == 0


def test_unbinding_leaves_the_scene_as_it_was(seen):
    assert seen["left"] == {"points": 0, "trees": 0, "modifiers": ["Armature"], "shown": True}
