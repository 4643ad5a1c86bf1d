"""Results of public functions in one line and as tables: no numbers of arrays, whatever the arrays hold."""

from __future__ import annotations

import dataclasses
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest

import rigcast as rc
from rigcast._shown.picture import rest_picture
from tests.shown.filled import ELSEWHERE, HANDLES, MADE, filled, public_classes, records

RECORDS = dict(records())
LONGEST = 120


class Balanced(HTMLParser):
    """Counts elements that are left open, or closed and never opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.feed(text)
        self.close()
        self.wrong += self.open

    def handle_starttag(self, tag, attrs):
        if tag not in ("img", "br", "meta", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def check(value: object) -> None:
    line = repr(value)
    assert len(line) <= LONGEST, line
    assert "\n" not in line
    assert "array(" not in line
    if hasattr(type(value), "_repr_html_"):
        table = value._repr_html_()
        assert not Balanced(table).wrong
        assert "array(" not in table
        assert "<td>" not in table, "cells say that they are left-aligned"


def test_every_public_class_is_in_a_table():
    known = {*RECORDS, *MADE, *HANDLES, *ELSEWHERE}
    assert sorted(set(public_classes()) - known) == []


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_is_one_line_and_a_table(name):
    assert hasattr(RECORDS[name], "_repr_html_")
    check(filled(RECORDS[name]))


@pytest.mark.parametrize("name", [*MADE, *HANDLES])
def test_an_object_is_one_line_and_a_table(name):
    if name in ("plot.Image", "ik.LimbFlag"):
        pytest.skip("a picture is its own; a flag is a number")
    value = (MADE[name][0] if name in MADE else HANDLES[name])()
    assert type(value).__repr__ is not object.__repr__
    if name in ("viewer.ViewPage", "rigcast.Skeleton"):  # the page itself; a table of joints
        assert len(repr(value)) <= LONGEST
        return
    check(value)


@pytest.mark.parametrize("name", [n for n in RECORDS if n.endswith("Settings") and n != "synthesis.FitSettings"])
def test_settings_show_what_is_not_the_default(name):
    usual = RECORDS[name]()
    assert repr(usual) == f"{RECORDS[name].__name__}()"
    number = next(f for f in dataclasses.fields(usual) if type(getattr(usual, f.name)) is float and f.init)
    other = object.__new__(RECORDS[name])
    vars(other).update(vars(usual) | {number.name: 0.25})
    assert repr(other) == f"{RECORDS[name].__name__}({number.name}=0.25)"


def test_a_model_states_its_error_and_shows_its_rest_pose():
    data = {"error": {"mean": 0.0012, "max": 0.034}, "meters_per_unit": 0.01}
    rig = rc.BlendshapeRig(np.eye(3), np.ones((1, 3, 3)), faces=[[0, 1, 2]], metadata=data)
    table = rig._repr_html_()
    assert "0.012 mm on average, 0.34 mm at most" in table
    assert table.count('<img src="data:image/png;base64,') == 1


def test_a_mesh_without_faces_or_with_numbers_that_are_none_has_no_picture():
    for vertices, faces in ((np.zeros((4, 3)), None), (np.full((4, 3), np.nan), np.array([[0, 1, 2]]))):
        assert rest_picture(SimpleNamespace(vertices=vertices, faces=faces)) == ""


def test_names_of_strangers_are_escaped_and_shortened():
    clip = rc.synthesis.Clip(np.zeros((3, 2)), name="<script>\x1b[2J" + "x" * 500)
    assert "\x1b" not in repr(clip)
    assert len(repr(clip)) <= LONGEST
    assert "<script>" not in clip._repr_html_()
