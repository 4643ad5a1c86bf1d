"""What models bind to, and the sentences about what they do not."""

from __future__ import annotations

import pytest

import rigcast as rc
from tests.blender_addon.models import in_parts, tube, turned
from tests.blender_addon.working import blenders, told

ROUNDED = 2e-6  # of float32 positions up to 10
EXACT = ["blend 0", "blend 0.5", "blend 1", "not live", "each part", "the shown part", "shown again"]
NEAR = ["moved armature", "moved mesh", "other axes and unit", "face by keys", "face by properties"]
SENTENCES = {
    "meant": "lacks bones of the model, 1 of 4: 'upper.L' (did you mean 'uper.L'?)",
    "no control": "22 of 22: 'jawOpen' (did you mean 'jawOpn'?)",
    "missing file": "the model file /nowhere/hero.safetensors is not there",
    "other mesh": "Face has 2536 vertices, and the model 240",
    "no armature": "no armature moves Alone, and the model has joints: name the armature",
}


@pytest.fixture(scope="module", params=blenders())
def seen(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bind")
    paths = [folder / f"{name}.safetensors" for name in ("tube", "parts", "turned", "face")]
    model = tube(paths[0])
    in_parts(paths[1], model)
    turned(paths[2], model)
    rc.faces.example().save(paths[3])
    return told("bind.py", folder, *paths, blender=request.param)


@pytest.mark.parametrize("name", EXACT)
def test_vertices_are_the_same_to_the_last_bit(seen, name):
    assert seen[name] == 0.0


@pytest.mark.parametrize("name", NEAR)
def test_vertices_are_where_the_scene_puts_them(seen, name):
    assert seen[name] < ROUNDED


@pytest.mark.parametrize("name", SENTENCES)
def test_what_does_not_fit_is_one_sentence(seen, name):
    assert SENTENCES[name] in seen[name]


def test_the_model_differs_from_the_armature_and_a_face_moves(seen):
    assert seen["they differ"] > 0.1
    assert seen["a face moves"] > 0.001


def test_a_bone_may_be_written_with_other_signs(seen):
    assert seen["by other signs"] == ""


def test_meshes_find_their_parts(seen):
    assert seen["parts"] == ["lower", "upper"]


def test_only_the_parts_that_are_shown_are_computed(seen):
    computed, shown = seen["computed"]
    assert computed == shown


def test_a_subdivision_stays_behind_the_model(seen):
    assert seen["a subdivision after it"]


def test_a_model_without_a_bound_says_so_and_stays_live(seen):
    message, live = seen["no bound"]
    assert "states no error bound" in message
    assert live


def test_a_formula_is_trusted(seen):
    assert seen["confidence"] == [1.0, ""]


def test_a_refused_mesh_is_left_alone(seen):
    assert seen["untouched"] == [True, 0]


def test_a_fault_in_a_handler_is_said_once_and_switches_live_off(seen):
    assert seen["fault"] == ["unexpected RuntimeError: a fault", False, 1]
