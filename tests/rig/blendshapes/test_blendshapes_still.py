"""Vertices that no column moves: in no group, and where the neutral has them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from tests.support.made.blendshapes import random_weights

WINDOW = 512


def rig_moving(moving: np.ndarray, storage: str = "float32") -> rc.BlendshapeRig:
    """Three shapes and a product that move the given vertices of (V,) and no others, each some of them."""
    rng = np.random.default_rng(len(moving))
    chosen = moving & (rng.random((4, len(moving))) < 0.6)
    chosen[0] = moving
    deltas = rng.normal(size=(4, len(moving), 3)) * chosen[:, :, None]
    neutral = rng.normal(size=(len(moving), 3)) * (rng.random((len(moving), 1)) < 0.8)
    return rc.BlendshapeRig(-neutral, deltas[:3], [((0, 1), deltas[3])], storage=storage)  # negative zeros too


CASES = {
    "all": np.ones(700, bool),
    "none": np.zeros(700, bool),
    "every other": np.arange(700) % 2 == 0,
    "first window alone": np.arange(1700) < WINDOW,
    "middle window alone": np.arange(1700) // WINDOW == 1,
    "last vertex alone": np.arange(1700) == 1699,
    "around a border": abs(np.arange(1700) - WINDOW) < 3,
}


@pytest.mark.parametrize("storage", ["float32", "int16"])
@pytest.mark.parametrize("name", CASES)
def test_any_pattern_of_still_vertices_evaluates(name, storage, tolerance):
    moving = CASES[name]
    rig = rig_moving(moving, storage)
    assert sorted(rig.tensors()["blendshape.group.vertex"].tolist()) == np.flatnonzero(moving).tolist()
    for heads in (1, 3, 70, 130):
        weights = random_weights(rig, heads)
        expected = rig.rest_vertices + np.tensordot(rig.activations(weights), rig.columns(), axes=1)
        vertices = rig.evaluate(weights)
        np.testing.assert_allclose(vertices, expected, atol=tolerance["float32_sum"])
        np.testing.assert_array_equal(vertices[:, ~moving], np.tile(rig.rest_vertices[~moving], (heads, 1, 1)))
        assert not np.signbit(vertices[vertices == 0]).any()
        np.testing.assert_array_equal(rig.evaluate(weights, threads=1), vertices)
    cotangents = np.random.default_rng(0).normal(size=vertices.shape).astype(np.float32)
    moved_alone = cotangents * moving[None, :, None]
    np.testing.assert_array_equal(rig.vjp(weights, cotangents), rig.vjp(weights, moved_alone.astype(np.float32)))


def changed(rig: rc.BlendshapeRig, **tensors: np.ndarray) -> rc.Deformer:
    named = {f"blendshape.group.{name}": np.asarray(value, np.int32) for name, value in tensors.items()}
    return _core.model_from_tensors(rig.tensors() | named, json.dumps(rig.metadata))


def test_files_that_list_still_vertices_too_are_read():
    """A group whose columns are none: what files held before still vertices were left out."""
    rig = rc.BlendshapeRig(np.zeros((3, 3)), [[[0, 0, 0], [1, 2, 3], [0, 0, 0]]])
    old = changed(rig, offset=[0, 1, 3], vertex=[1, 0, 2], columns=[[1], [0]])
    np.testing.assert_array_equal(old.evaluate([0.5]), rig.evaluate([0.5]))


def test_groups_lie_in_one_window_and_windows_ascend():
    rig = rc.BlendshapeRig(np.zeros((1030, 3)), np.ones((1, 1030, 3)))
    vertex, offset = np.arange(1030), rig.tensors()["blendshape.group.offset"]
    assert offset.tolist() == [0, 512, 1024, 1030]
    with pytest.raises(ValueError, match="group 0 is across windows"):
        changed(rig, vertex=np.roll(vertex, 1))
    with pytest.raises(ValueError, match="group 1 is in a window before that of the last group"):
        changed(rig, vertex=np.concatenate([vertex[512:1024], vertex[:512], vertex[1024:]]))
