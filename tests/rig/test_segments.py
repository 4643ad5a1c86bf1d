"""Segments of a mesh: named parts first, then materials, then connected components."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.segments import components
from rigcast._rigs.surface import Surface
from tests.support.characters.surfaces import FACES, two_parts


def mesh(surface):
    return SimpleNamespace(rest_vertices=np.zeros((10, 3), np.float32), faces=FACES, surface=surface)


def test_parts_come_first():
    found = rc.segments(mesh(two_parts()))
    assert (found.by, found.names, found.vertices.tolist()) == ("parts", ["the body", "eyes"], [0] * 5 + [1] * 5)


def test_materials_come_where_there_is_one_part():
    whole = two_parts()
    found = rc.segments(mesh(Surface(["all"], np.zeros(10, int), whole.materials, whole.face_materials)))
    assert (found.by, found.names) == ("materials", ["skin", "nails", "iris"])
    assert found.vertices.tolist() == [0, 1, 0, 0, 1, 2, 2, 2, 2, 2]  # vertex 1: one face of skin, two of nails


def test_components_come_last_the_largest_first():
    faces = np.concatenate([FACES, [[3, 4, 2, -1]]])
    found = rc.segments(SimpleNamespace(rest_vertices=np.zeros((11, 3)), faces=faces))
    assert (found.by, found.names) == ("components", ["component 1", "component 2", "component 3"])
    assert found.vertices.tolist() == [0] * 5 + [1] * 5 + [2]


@pytest.mark.parametrize("by", ["parts", "materials", "components"])
def test_the_kind_may_be_chosen(by):
    assert rc.segments(mesh(two_parts()), by).by == by


def test_parts_without_vertices_are_no_segments():
    found = rc.segments(mesh(Surface(["none", "all"], np.ones(10, int))), "parts")
    assert (found.names, set(found.vertices.tolist())) == (["all"], {0})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((mesh(Surface()), "bones"), "by is 'bones'; it must be one of parts"), ((3,), "of is a int; it must be a rig")],
)
def test_anything_else_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        rc.segments(*arguments)


def test_components_are_what_faces_connect():
    faces = np.array([[0, 2, 4, -1], [4, 5, 2, 0], [1, 3, 6, -1]], np.int32)
    assert components(faces, 8).tolist() == [0, 1, 0, 1, 0, 0, 1, 7]


def test_a_long_strip_is_one_component():
    """Labels travel from one end to the other, against the order of the faces."""
    order = np.random.default_rng(1).permutation(301)
    faces = np.stack([order[:-1], order[1:], order[1:], np.full(300, -1)], axis=1).astype(np.int32)
    assert set(components(faces, 301).tolist()) == {0}
