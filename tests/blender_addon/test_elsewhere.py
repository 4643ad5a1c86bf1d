"""A model that lies beside its .blend is found from files in other folders, which have another model of its name."""

from __future__ import annotations

import pytest

from tests.blender_addon.models import tube, turned
from tests.blender_addon.working import blenders, told

BESIDE, AWAY, FAR = "//hero.safetensors", "//../hero/hero.safetensors", "//../../hero/hero.safetensors"
PATHS = {
    "beside": BESIDE,
    "appended": AWAY,
    "appended, reopened": AWAY,
    "saved elsewhere": FAR,
    "saved elsewhere, reopened": FAR,
    "overridden": BESIDE,
    "overridden, reopened": BESIDE,
    "hero/hero moved": BESIDE,
    "shots/appended moved": AWAY,
    "overridden moved": BESIDE,
    "appended from there": AWAY,
}


@pytest.fixture(scope="module", params=blenders())
def seen(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("elsewhere")
    paths = [folder / f"{name}.safetensors" for name in ("tube", "turned")]
    turned(paths[1], tube(paths[0]))
    return told("elsewhere.py", folder, *paths, blender=request.param)


@pytest.mark.parametrize("state", PATHS)
def test_vertices_are_the_models_to_the_last_bit(seen, state):
    assert seen[state][0] == 0.0


@pytest.mark.parametrize("state", PATHS)
def test_the_path_counts_from_the_open_file_or_the_linked_one(seen, state):
    assert seen[state][1] == PATHS[state]


def test_the_panel_says_that_the_path_has_changed(seen):
    assert seen["appended"][2].endswith(f"its path is now {AWAY}")
    assert seen["overridden"][2] == ""


def test_the_other_model_would_be_seen(seen):
    assert seen["of the other model"] > 1.0


def test_a_character_appended_from_a_moved_project_finds_the_moved_model(seen):
    assert seen["absolute"]
