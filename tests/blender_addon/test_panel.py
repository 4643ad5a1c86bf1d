"""The main panel shows the character that belongs to what is active."""

from __future__ import annotations

import pytest

from tests.blender_addon.models import in_parts, tube
from tests.blender_addon.working import blenders, told

PARTS = ["lower", "upper"]
NOTHING = "Select a mesh, or the armature or a pin"


@pytest.fixture(scope="module", params=blenders())
def seen(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("panel")
    in_parts(folder / "parts.safetensors", tube(folder / "tube.safetensors"))
    return told("panel.py", folder, folder / "parts.safetensors", blender=request.param)


def test_of_a_mesh_its_own_model(seen):
    assert seen["mesh"]["live"] == ["upper"]
    assert "upper" not in seen["mesh"]["texts"]
    assert seen["mesh"]["buttons"] == [["rigcast.unbind", "upper"]]


def test_of_an_armature_all_meshes_that_it_poses(seen):
    assert seen["armature"]["live"] == PARTS
    assert [text for text in seen["armature"]["texts"] if text in PARTS] == PARTS
    assert seen["armature"]["buttons"] == [["rigcast.unbind", name] for name in PARTS]


def test_of_a_pin_the_mesh_that_it_pins(seen):
    assert seen["pin"]["live"] == ["upper"]
    assert "upper" in seen["pin"]["texts"]


def test_an_unbound_mesh_can_be_bound(seen):
    assert seen["unbound mesh"]["buttons"] == [["rigcast.bind", ""]]


@pytest.mark.parametrize("state", ["unbound armature", "other empty", "nothing"])
def test_without_a_character_it_says_what_to_select(seen, state):
    assert " ".join(seen[state]["texts"]).startswith(NOTHING)
    assert not seen[state]["buttons"]


def test_one_of_several_is_unbound_or_all(seen):
    assert seen["one unbound"]["live"] == ["lower"]
    assert seen["all unbound"] == [False, False]
