"""Wrong arguments of ``rc.ik.solve`` are named."""

from __future__ import annotations

import re

import numpy as np
import pytest

import rigcast as rc
from tests.ik.solving import TIP, arm, channel_arrays
from tests.support.made.kinds import MAKERS

MODEL = arm()
LOW, HIGH, REST = channel_arrays(MODEL)
HERE = MODEL.rest_vertices[None, [TIP]]
POINT = rc.ik.Point(TIP, HERE[0, 0])


def bounded(low: float, high: float) -> np.ndarray:
    bounds = np.stack([LOW, HIGH], axis=1)
    bounds[1] = [low, high]
    return bounds


WRONG = {
    "targets is not finite everywhere (nan at (0, 0, 0))": lambda: rc.ik.solve(MODEL, HERE * np.nan, [TIP]),
    "targets is float64 (1, 2, 3)": lambda: rc.ik.solve(MODEL, np.zeros((1, 2, 3)), [TIP]),
    "targets[0].position is not finite": lambda: rc.ik.solve(MODEL, [rc.ik.Point(TIP, [0, np.inf, 0])]),
    "targets[1] is a list": lambda: rc.ik.solve(MODEL, [POINT, [1.0, 2.0, 3.0]]),
    "targets[0].vertex is 99999": lambda: rc.ik.solve(MODEL, [rc.ik.Point(99999, [0, 0, 0])]),
    "targets[0].joint is 'tail'": lambda: rc.ik.solve(MODEL, [rc.ik.Orientation("tail", np.eye(3))]),
    "targets[0].rotation is no rotation": lambda: rc.ik.solve(MODEL, [rc.ik.Orientation(1, 2 * np.eye(3))]),
    "targets[0].direction is of length 0": lambda: rc.ik.solve(MODEL, [rc.ik.Ray(TIP, [0, 0, 0], [0, 0, 0])]),
    "targets[0].length is negative": lambda: rc.ik.solve(MODEL, [rc.ik.Distance(TIP, 0, -1.0)]),
    "targets[0].weight is -1": lambda: rc.ik.solve(MODEL, [rc.ik.Point(TIP, [0, 0, 0], weight=-1.0)]),
    "targets is without a weight above 0": lambda: rc.ik.solve(MODEL, [rc.ik.Point(TIP, [0, 0, 0], weight=0.0)]),
    "targets is of 2 and of 3 frames": lambda: rc.ik.solve(
        MODEL, [rc.ik.Point(TIP, np.zeros((2, 3))), rc.ik.Point(TIP, np.zeros((3, 3)))]
    ),
    "weights is all zero": lambda: rc.ik.solve(MODEL, HERE, [TIP], weights=[0.0]),
    "vertices is 99999": lambda: rc.ik.solve(MODEL, HERE, [99999]),
    "vertices is -1": lambda: rc.ik.solve(MODEL, HERE, [-1]),
    "vertices is None": lambda: rc.ik.solve(MODEL, HERE),
    "model is a str": lambda: rc.ik.solve("hero.safetensors", HERE, [TIP]),
    "model is without a skeleton": lambda: rc.ik.solve(MAKERS["blendshape"](), [rc.ik.Orientation(0, np.eye(3))]),
    "bounds is a range of root.ry without its start": lambda: rc.ik.solve(MODEL, HERE, [TIP], bounds=bounded(5, 9)),
    "bounds is no range for root.ry": lambda: rc.ik.solve(MODEL, HERE, [TIP], bounds=bounded(9, 5)),
    "start is float64 (5,)": lambda: rc.ik.solve(MODEL, HERE, [TIP], start=np.zeros(5)),
    "start is float64 (2, 9)": lambda: rc.ik.solve(MODEL, HERE, [TIP], start=np.zeros((2, len(REST)))),
    "start is not finite": lambda: rc.ik.solve(MODEL, HERE, [TIP], start=REST * np.nan),
    "max_iterations is 0": lambda: rc.ik.solve(MODEL, HERE, [TIP], max_iterations=0),
}


@pytest.mark.parametrize("words", WRONG)
def test_it_is_named(words):
    with pytest.raises(ValueError, match=f"^solve: {re.escape(words)}.*; it must be "):
        WRONG[words]()
