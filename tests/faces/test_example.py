"""The built-in face: a face in centimeters whose lips and lids do what their names say."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import rigcast as rc
from rigcast.faces._mask import MOUTH_V, Mask


@pytest.fixture(scope="module")
def rig():
    return rc.faces.example()


def pose(rig: rc.BlendshapeRig, **weights: float) -> np.ndarray:
    return rig.evaluate([weights.get(name, 0.0) for name in rig.shape_names])


def rims(mask: Mask, where: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The vertices of a slit's lower and upper rim, matched by their place in the grid."""
    doubled = np.flatnonzero(where & (np.arange(len(mask.u)) >= 47 * 47))
    lower = [np.flatnonzero((mask.u == mask.u[k]) & (mask.v == mask.v[k]))[0] for k in doubled]
    return np.array(lower), doubled


@pytest.fixture(scope="module")
def mouth():
    mask = Mask()
    return rims(mask, np.isclose(mask.v, MOUTH_V))


@pytest.fixture(scope="module")
def left_eye():
    mask = Mask()
    return rims(mask, (mask.v > 0) & (mask.u > 0))


def test_it_is_the_same_on_every_call(rig):
    again = rc.faces.example()
    np.testing.assert_array_equal(rig.rest_vertices, again.rest_vertices)
    np.testing.assert_array_equal(rig.columns(), again.columns())


def test_it_says_that_all_of_it_is_constructed(rig):
    assert len(rig.constructed) == rig.num_columns
    assert "constructed" in rig.metadata["origin"]


def test_it_has_the_size_of_a_face(rig):
    width, height, _ = rig.meters_per_unit * np.ptp(rig.rest_vertices, axis=0)
    assert 0.12 < width < 0.18
    assert 0.17 < height < 0.24


def test_left_and_right_are_mirror_images(rig):
    """A shape of one side is that of the other, seen in a mirror: matched by the nearest mirrored vertex."""
    rest = rig.rest_vertices.astype(np.float64)
    columns = dict(zip(rig.shape_names, rig.columns(), strict=False))
    for name in (name for name in rig.shape_names if name.endswith("Left")):
        left, right = (rest + columns[n] for n in (name, name.replace("Left", "Right")))
        mirrored = right * [-1.0, 1.0, 1.0]
        assert nearest_distances(left, mirrored).max() < 1e-4, name


def nearest_distances(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    _, squared = rc._core.PointTree(others).nearest(points)
    return np.sqrt(squared[:, 0])


def test_lips_touch_at_rest_and_part_with_the_jaw(rig, mouth):
    lower, upper = mouth
    np.testing.assert_array_equal(rig.rest_vertices[lower], rig.rest_vertices[upper])
    opened = pose(rig, jawOpen=1.0)
    gap = opened[upper, 1] - opened[lower, 1]
    assert gap.min() > 0.0
    assert gap.max() > 1.5


def test_a_blink_closes_the_eye(rig, left_eye):
    lower, upper = left_eye
    assert (rig.rest_vertices[upper, 1] > rig.rest_vertices[lower, 1]).all()
    closed = pose(rig, eyeBlinkLeft=1.0)
    assert np.abs(closed[upper] - closed[lower])[:, 1].max() < 0.03


def test_no_shape_moves_the_eyeballs(rig):
    assert not rig.columns()[:, len(Mask().u) :].any()


def test_its_faces_are_those_of_a_surface(rig):
    """No face is degenerate, and no edge belongs to three faces."""
    assert not rc.transfer.degenerate_faces(rig.rest_vertices, rig.faces).any()
    edges = []
    for face in rig.faces:
        corners = face[face >= 0]
        edges += [tuple(sorted(pair)) for pair in zip(corners, np.roll(corners, -1), strict=True)]
    assert np.unique(edges, axis=0, return_counts=True)[1].max() == 2


def test_its_weights_come_back_from_its_vertices(rig, tolerance):
    weights = np.zeros((3, rig.num_shapes), np.float32)
    weights[1, [0, 4]], weights[2, ::3] = [0.7, 0.4], 0.5
    found = rc.inverse.solve(rig, rig.evaluate(weights), alpha=1e-6)
    np.testing.assert_allclose(found.weights, weights, atol=tolerance["finite_difference"])


def test_both_examples_need_numpy_alone():
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(['scipy', 'torch', 'matplotlib', 'pyvista', 'pygltflib', 'rich']))\n"
        "import rigcast as rc\n"
        "rig, arm = rc.faces.example(), rc.sources.example_body()\n"
        "rc.inverse.solve(rig, rig.evaluate([[0.5] * rig.num_shapes]), alpha=0.01)\n"
        "arm.sample([arm.channel_rest])\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
