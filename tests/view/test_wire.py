"""Messages of the page: what is none changes nothing."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path

import numpy as np
import pytest

import rigcast.viewer
from rigcast.viewer._messages import (
    Drag,
    Export,
    FilmPicture,
    FilmStep,
    OpenFile,
    Probe,
    ShownFrame,
    TimeMessage,
    parsed,
)
from rigcast.viewer._playing._transport import Transport
from rigcast.viewer._protocol import Message
from rigcast.viewer._stage import Stage
from rigcast.viewer._wire import packed

GOOD = {"type": "drag", "pin": 1, "origin": [0, 0, 1], "direction": [0.5, 0, -1]}


def test_a_good_message_comes_through():
    expected = Drag(1, [0, 0, 1], [0.5, 0, -1])
    assert parsed(json.dumps(GOOD)) == expected
    assert parsed(json.dumps(GOOD).encode()) == expected


def test_an_entry_may_have_a_name_that_python_reserves():
    assert parsed('{"type": "mirror", "from": "left"}') == Message.KINDS["mirror"]("left")


@pytest.mark.parametrize(
    "wrong",
    [
        {"pin": -1},
        {"pin": 1.5},
        {"pin": True},
        {"origin": [0, 0]},
        {"origin": [0, 0, "x"]},
        {"origin": [0, 0, 1e300]},
        {"origin": [0, 0, float("nan")]},
        {"origin": [0, 0, float("inf")]},
        {"direction": [0, 0, 0]},
        {"type": "nonsense"},
        {"type": ["drag"]},
        {"more": 1},
    ],
)
def test_a_wrong_entry_is_refused(wrong):
    with pytest.raises(ValueError, match=r"drag|type"):
        parsed(json.dumps({**GOOD, **wrong}))


@pytest.mark.parametrize("name", sorted(set(GOOD) - {"type"}))
def test_a_missing_entry_is_refused(name):
    with pytest.raises(ValueError, match="drag has other entries"):
        parsed(json.dumps({key: value for key, value in GOOD.items() if key != name}))


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", "3", b"\xff\xfe", "[" * 30000])
def test_what_is_no_object_is_refused(text):
    with pytest.raises(ValueError, match="it is no JSON"):
        parsed(text)


def test_every_kind_of_message_has_a_place_where_it_is_handled():
    rooms = [set(vars(room)["handle"].dispatcher.registry) - {object} for room in (Stage, Transport)]
    assert TimeMessage in rooms[0], "the stage hands on what is said of time"
    handled = set.union(*rooms) - {TimeMessage}
    served = {ShownFrame, Probe, Export, FilmStep, FilmPicture, OpenFile}
    assert handled.isdisjoint(served), "which the server handles"
    assert set(Message.KINDS.values()) == handled | served


def test_the_page_sends_no_other_kinds():
    page = Path(rigcast.viewer.__file__).parent / "page"
    sent = {kind for file in page.glob("*.js") for kind in re.findall(r'send\("(\w+)"', file.read_text("utf-8"))}
    assert "drag" in sent
    assert sent <= set(Message.KINDS), sent - set(Message.KINDS)


def test_arrays_follow_an_aligned_header():
    numbers = np.arange(5, dtype=np.uint32)
    message = packed({"type": "scene", "a": "é"}, [numbers])
    (length,) = struct.unpack("<I", message[:4])
    assert (4 + length) % 4 == 0
    assert json.loads(message[4 : 4 + length]) == {"type": "scene", "a": "é"}
    assert np.array_equal(np.frombuffer(message, np.uint32, offset=4 + length), numbers)
