"""Shots in which the head moves, solved from a cache and from Alembic, and keys given to another topology."""

from __future__ import annotations

import pytest

from tests.blender_addon.working import blenders, told

SAME = 1e-4  # of values from 0 to 1
NEAR = 0.01  # millimeters, of a face of a meter


@pytest.fixture(scope="module", params=blenders())
def facts(request, tmp_path_factory):
    return told("shots.py", tmp_path_factory.mktemp("shots"), blender=request.param)


def test_the_motion_of_the_head_is_found_and_keyed(facts):
    wrong, apart, stated = facts["head"]
    assert wrong < SAME
    assert apart < NEAR
    assert stated < NEAR


def test_without_it_the_shapes_cannot_follow(facts):
    assert facts["without head"][0] > 0.1


def test_the_present_frame_shows_its_own_keys(facts):
    assert facts["first seen"] < SAME


def test_an_alembic_shot_is_solved_where_it_stands(facts):
    if facts["alembic"] is None:
        pytest.skip("this Blender was built without Alembic")
    modifier, wrong, apart, stated = facts["alembic"]
    assert modifier == "MESH_SEQUENCE_CACHE"
    assert wrong < SAME
    assert apart < NEAR
    assert stated < NEAR


def test_landmarks_carry_shapes_to_another_topology(facts):
    """The largest difference from the formula of the shapes, as a share of their largest offset: grids that differ."""
    assert set(facts["landmarks"]) == {"open", "smile", "brow"}
    assert max(facts["landmarks"].values()) < 0.15
