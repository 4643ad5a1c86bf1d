"""Whatever a figure raises while a frame is made: the page says it, the last pose comes back, and the view goes on."""

from __future__ import annotations

import logging
from functools import partial

import numpy as np
import pytest

from rigcast.errors import SourceError
from rigcast.viewer._staging import stage_of
from tests.support.characters.plain_face import plain_face
from tests.view.frames import header_of, positions_of
from tests.view.page_messages import page_messages

RAISED = [
    ValueError("odd"),
    RuntimeError("odd"),
    OSError("odd"),
    MemoryError(),
    SourceError("the host has gone"),
    KeyError("odd"),
]


def setting(value):
    return {"type": "set", "channel": 0, "value": value, "done": True}


def row(message):
    return header_of(message)["row"][0]


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("part", ["vertices", "not finite", "confidence"])
def test_the_last_pose_comes_back(part, error, monkeypatch, caplog):
    stage = stage_of(plain_face())
    before = stage.step(page_messages(setting(0.25)), 0.0)
    real = type(stage.figure).vertices

    def failing(*_):
        raise error

    if part == "vertices":
        monkeypatch.setattr(stage.figure, "vertices", failing, raising=False)
    elif part == "confidence":
        monkeypatch.setattr("rigcast.viewer._drawing._colors.confidence_of", partial(_once, iter([error])))
    else:
        monkeypatch.setattr(stage.figure, "vertices", lambda state: real(stage.figure, state) * np.float32(np.nan))
    with caplog.at_level(logging.ERROR, "rigcast.viewer"):
        broken = stage.step(page_messages(setting(0.75)), 0.0)
    assert "the last pose that could be shown is back" in header_of(broken)["notice"]
    assert len(caplog.records) == 1
    assert row(broken) == row(before) == 0.25
    count = [len(stage.figure.rest_vertices)]
    np.testing.assert_array_equal(positions_of(broken, count)[0], positions_of(before, count)[0])
    monkeypatch.undo()
    after = stage.step(page_messages(setting(0.5)), 0.0)
    assert (row(after), header_of(after)["notice"]) == (0.5, "")


def _once(calls, *_):
    error = next(calls, None)
    if error is not None:
        raise error
