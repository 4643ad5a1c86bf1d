"""The bound of a model's error as a color."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.viewer._drawing import _colors
from rigcast.viewer._figures._model import ModelFigure
from rigcast.viewer._stage import Stage
from tests.conftest import TOLERANCES
from tests.view.frames import header_of
from tests.view.page_messages import page_messages

FACE = rc.faces.example()


@pytest.fixture
def bounded(monkeypatch):
    """A stage whose model states a bound: a millimeter times the first slider at the first vertex, 0 at all others."""

    def error_bound(figure, state):
        bound = np.zeros(len(figure.rest_vertices), np.float32)
        bound[0] = 1e-3 / figure.meters_per_unit * state.row[0]
        return bound

    monkeypatch.setattr(ModelFigure, "error_bound", error_bound)
    return Stage(ModelFigure(FACE))


def test_the_color_is_offered_if_the_model_states_a_bound(bounded):
    assert header_of(bounded.scene())["colors"] == ["plain", "confidence", "bound"]


def test_the_color_is_not_offered_without_one():
    stage = Stage(ModelFigure(FACE))
    assert "bound" not in header_of(stage.scene())["colors"]
    notice = header_of(stage.step(page_messages({"type": "color", "mode": "bound"}), 0.0))["notice"]
    assert notice == "bound needs a model that states one"


def test_the_legend_has_the_bound_of_the_present_pose(bounded):
    bounded.step(page_messages({"type": "color", "mode": "bound"}), 0.0)
    for value in (0.25, 0.5):
        message = page_messages({"type": "set", "channel": 0, "value": value, "done": True})
        stated = header_of(bounded.step(message, 0.0))["error"]
        assert stated["max"] == pytest.approx(value, rel=TOLERANCES["float32_scaled"])
        assert stated["mean"] == pytest.approx(value / len(FACE.rest_vertices), rel=TOLERANCES["float32_scaled"])


def test_marks_end_at_a_share_of_the_size():
    marks, facts = _colors.distance_marks(np.array([0.0, 0.5, 1.0, 9.0]) * _colors.ERROR_SHARE * 2.0, 2.0, 1.0)
    assert marks.tolist() == [0, 127, 255, 255]
    assert facts["full"] == pytest.approx(2000.0 * _colors.ERROR_SHARE)
