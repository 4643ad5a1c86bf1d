"""Faces on deformation maps: the formula, texel masks, rigid parts, detail and storage."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigwright as rw
from rigwright import _core
from tests.support.face_maps import (
    CONTROLS,
    random_face_maps,
    random_face_maps_tensors,
    rotation_by_kabsch,
    slow_face_maps,
)

SIZES = [
    {"base": 4, "doublings": 0, "channels": 5, "base_channels": 1},
    {"base": 4, "doublings": 1, "channels": 16, "base_channels": 8},
    {"base": 8, "doublings": 2, "channels": 16, "base_channels": 8, "num_vertices": 300},
    {"base": 4, "doublings": 2, "channels": 8, "base_channels": 5, "num_vertices": 25},
    {"base": 8, "doublings": 1, "channels": 21, "base_channels": 17, "num_vertices": 150},
    {"base": 3, "doublings": 2, "channels": 1, "base_channels": 2, "hidden": 1},
    {"base": 2, "doublings": 0, "channels": 33, "base_channels": 8, "parts": 0},
    {"base": 4, "doublings": 3, "channels": 4, "refinements": 0, "coarse": 1, "num_vertices": 800},
    {"coarse": 0, "refinements": 1},
    {"coarse": 0, "refinements": 0, "parts": 0},
]


def poses(frames: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((frames, CONTROLS)).astype(np.float32)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_vertices_are_those_of_the_formula(sizes, tolerance):
    for seed in range(3):
        model = random_face_maps(**sizes, seed=seed)
        rows = poses(3, seed)
        expected = np.stack([slow_face_maps(model, pose) for pose in rows])
        np.testing.assert_allclose(model.evaluate(rows), expected, atol=tolerance["float32_sum"])
