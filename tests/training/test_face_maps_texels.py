"""The loss in texels is the squared error of the vertices and of the faces' diagonals."""

from __future__ import annotations

import numpy as np
import pytest

from rigwright.training._face_maps._preparation import prepare
from rigwright.training._face_maps._problem import level_of, make_problem, offsets_of
from rigwright.training._face_maps._settings import settings_for
from rigwright.training._face_maps._texels import TexelDescent
from tests.support.mapped_face import clip_data

pytest.importorskip("torch", reason="PyTorch is not installed")

ROWS = np.array([3, 9, 40])


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return clip_data(tmp_path_factory.mktemp("face") / "face.rwdata", frames=20)


def slow_loss(problem, errors, weight):
    """Of errors (B, M, 3), one face at a time."""
    level = problem.level
    moved = np.unique(np.concatenate([level.place[segment.vertices] for segment in level.segments]))
    total = np.square(errors[:, moved]).sum() / len(moved)
    rest = problem.rest.astype(np.float64)
    for a, b, c, d in level.corners:
        for one, other in ((a, c), (b, d)):
            change = (errors[:, other] - errors[:, one]) / np.linalg.norm(rest[other] - rest[one])
            total += weight * np.square(change).sum() / len(level.corners)
    return total / len(errors)


@pytest.mark.parametrize("weight", [0.0, 0.7])
@pytest.mark.parametrize("on_base", [False, True])
def test_the_loss_is_that_of_the_vertices(data, weight, on_base, tolerance):
    settings = settings_for("ours", hidden=8, first_channels=2, channels=4, gradient_weight=weight)
    ready = prepare(data, settings, 1, lambda _: None)
    level = level_of(ready.layout.coarse, ready.layout.parts, data.faces, len(data.rest_vertices))
    truth = offsets_of(data, np.arange(len(data)), level.vertices, ready.length)
    base = 0.5 * truth if on_base else None
    problem = make_problem(level, ready, np.asarray(data.rest_vertices), truth, base, settings)
    descent = TexelDescent(problem, settings, "cpu", 0)
    state = descent.start()
    descent._restore(state)
    left = truth[ROWS].astype(np.float64) - (base[ROWS] if on_base else 0.0)
    errors = descent.offsets(state.best, ROWS) - truth[ROWS].astype(np.float64)
    expected = slow_loss(problem, errors, weight) - slow_loss(problem, left, weight)
    assert float(descent._texel_loss(ROWS)) == pytest.approx(expected, rel=tolerance["float32_character"])
