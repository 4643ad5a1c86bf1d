"""Pins on the skin of a learned character: the rig's own controls follow them, and are keyed."""

from __future__ import annotations

import pytest

from tests.blender_addon.working import told

NEAR = 0.01  # of 1.2: what the hardly trained model misses, in the unit of the scene


@pytest.fixture(scope="module")
def facts(learned, tmp_path_factory):
    folder, known, blender = learned
    words = [folder / "learned.blend", known["learned"][0]]
    return told("drag.py", tmp_path_factory.mktemp("drag"), *words, blender=blender)


def test_a_pin_stands_at_the_point_of_the_skin_next_to_the_cursor(facts):
    is_tip, apart = facts["pin"]
    assert is_tip
    assert apart < NEAR


def test_the_rig_itself_follows_a_dragged_pin(facts):
    assert facts["reached"] < NEAR < 0.5 * facts["dragged"]
    assert facts["changed"] > 0
    assert facts["inside"]


def test_the_panel_knows_the_miss_of_the_model(facts):
    assert 0.0 <= facts["miss"] < 10.0  # millimeters


def test_undo_brings_the_controls_back_and_solves_nothing(facts):
    assert facts["undone"] < 1e-5


def test_a_point_is_pinned_once(facts):
    assert facts["again"] == ["CANCELLED"]


def test_keys_follow_the_path_of_a_pin_in_all_frames(facts):
    assert facts["keyed"] < 2 * NEAR
    assert facts["frame"] == 8


def test_controls_have_the_units_orders_and_kinds_of_a_blend(facts):
    assert facts["written"] == pytest.approx([30.0, 20.0, 0.25, 3, 0.75])
    assert facts["read"] == pytest.approx([30.0, 20.0, 0.25, 3.0, 0.75])
    assert facts["missing"] == ["nobody.rotation_x"]


def test_pins_snap_to_the_skin_and_go(facts):
    assert facts["snapped"] < 1e-5
    assert facts["left"] == 0
