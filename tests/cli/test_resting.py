"""Shapes that sparsity keeps at rest although the shot shows them are named."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.inverse._lost_shapes import lost_shapes

FACE = rc.faces.example()
JAW, BLINK = (FACE.shape_names.index(name) for name in ("jawOpen", "eyeBlinkLeft"))


@pytest.fixture(scope="module")
def shot():
    """A jaw that opens while the left eye blinks, with noise."""
    weights = np.zeros((70, FACE.num_shapes), np.float32)
    weights[:, JAW] = np.linspace(0, 0.8, 70)
    weights[66:69, BLINK] = 0.5, 1.0, 0.5
    return FACE.evaluate(weights) + np.random.default_rng(0).normal(0, 0.02, (70, 2536, 3))


def found(shot, share, **options):
    return rc.inverse.solve(FACE, shot, relative_alpha=share, **options)


def test_a_blink_that_sparsity_swallows_is_named(shot):
    (text,) = lost_shapes(FACE, shot, found(shot, 0.05))
    assert "eyeBlinkLeft (up to 1)" in text
    assert "relative alpha" in text


def test_nothing_is_named_if_all_that_moves_is_on(shot):
    assert lost_shapes(FACE, shot, found(shot, 0.0005)) == []


def test_chosen_vertices_tell_the_same(shot):
    few = np.arange(0, 2536, 3)
    solution = found(shot[:, few], 0.05, vertices=few)
    assert "eyeBlinkLeft" in lost_shapes(FACE, shot[:, few], solution, few)[0]
    assert lost_shapes(FACE, shot[:, few], solution, few) == lost_shapes(FACE, shot, solution, few)
