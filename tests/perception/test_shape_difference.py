"""Differences of shapes against their formulas, and unchanged by subdivision, unit and density."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.subdivision import subdivided, triangulated

SAME = 0.02  # what subdivision, another unit and another density may change, of each measure
FACE = rc.faces.example()
TRIANGLES = triangulated(FACE.faces)
SHAPES = ("jawOpen", "eyeBlinkLeft", "mouthSmileLeft", "browInnerUp")


def moved(name):
    return FACE.evaluate(np.eye(FACE.num_shapes)[FACE.shape_names.index(name)]).astype(np.float64)


REST = FACE.rest_vertices.astype(np.float64)
KNOWN = [name for name in SHAPES if name in FACE.shape_names]


def areas_of(vertices, triangles):
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2


def test_the_formulas_on_a_random_mesh(tolerance):
    rng = np.random.default_rng(0)
    a, b = rng.normal(0, 1, (12, 3)), rng.normal(0, 1, (12, 3))
    triangles = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [0, 4, 8]])
    found = rc.perception.shape_difference(a, b, triangles)
    weight = np.zeros(12)
    for corners, area in zip(triangles, areas_of(a, triangles), strict=True):
        for corner in corners:
            weight[corner] += area / 3
    far = np.linalg.norm(b - a, axis=1)
    close = {"rtol": tolerance["gram"]}
    np.testing.assert_allclose(found.rms, np.sqrt((weight * far**2).sum() / weight.sum()), **close)
    np.testing.assert_allclose(found.mean, (weight * far).sum() / weight.sum(), **close)
    assert found.max == far.max()
    thesis = sum(np.sqrt(v @ v / 3) for v in b - a)
    np.testing.assert_allclose([found.thesis_sum, found.thesis_mean], [thesis, thesis / 12], **close)
    stretch = rc.metrics.triangle_distortion(a, b, triangles)
    area = areas_of(a, triangles)
    np.testing.assert_allclose(found.distortion, (area * stretch).sum() / area.sum(), **close)


def test_hausdorff_is_that_of_surfaces(tolerance):
    """Vertices of a plane that slides in itself are far from vertices, and on the surface."""
    side = np.arange(6.0)
    plane = np.stack([*np.meshgrid(side, side, indexing="ij"), np.zeros((6, 6))], axis=-1).reshape(-1, 3)
    number = np.arange(36).reshape(6, 6)
    quads = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1).reshape(-1, 4)
    slid = np.add(plane, [0.5, 0.0, 0.25])
    found = rc.perception.shape_difference(plane, slid, quads).hausdorff
    assert found == pytest.approx(np.hypot(0.5, 0.25), rel=tolerance["float32_sum"])  # the last column has no neighbor
    inside = rc.perception.shape_difference(plane, np.add(plane, [0.0, 0.0, 0.25]), quads).hausdorff
    assert inside == pytest.approx(0.25, rel=tolerance["float32_sum"])
    one_way = np.concatenate([plane, [[0.0, 0.0, 3.0]]])  # a vertex that no face has does not count
    assert rc.perception.shape_difference(one_way, one_way, quads).hausdorff < tolerance["float32_sum"]


def geometry(a, b, faces, meters_per_unit=1.0):
    """Measures without unit, or in meters and pixels."""
    shape = rc.perception.shape_difference(a, b, faces)
    camera = rc.perception.Viewing(distance=1.0).camera(a, meters_per_unit)
    screen = rc.perception.screen_motion(a, b, faces, camera=camera)
    edges = rc.perception.edge_difference(a, b, faces)
    lengths = meters_per_unit * np.array([shape.rms, shape.mean, shape.max, shape.hausdorff])
    return np.array([*lengths, shape.distortion, screen.max, screen.mean, screen.rms, edges.spatial])


@pytest.mark.parametrize("name", KNOWN)
def test_subdivision_changes_nothing(name):
    shapes, triangles = subdivided([REST, moved(name)], TRIANGLES)
    before = geometry(REST, moved(name), TRIANGLES, FACE.meters_per_unit)
    np.testing.assert_allclose(geometry(*shapes, triangles, FACE.meters_per_unit), before, rtol=SAME)


@pytest.mark.parametrize("name", KNOWN)
def test_another_density_changes_nothing(name):
    """The lids and all above them have four times as many triangles."""
    upper = REST[TRIANGLES][:, :, 1].mean(axis=1) > np.median(REST[:, 1])
    shapes, triangles = subdivided([REST, moved(name)], TRIANGLES, upper)
    before = geometry(REST, moved(name), TRIANGLES, FACE.meters_per_unit)
    np.testing.assert_allclose(geometry(*shapes, triangles, FACE.meters_per_unit), before, rtol=SAME)


@pytest.mark.parametrize("name", KNOWN)
def test_another_unit_changes_nothing(name):
    before = geometry(REST, moved(name), TRIANGLES, FACE.meters_per_unit)
    after = geometry(25.4 * REST, 25.4 * moved(name), TRIANGLES, FACE.meters_per_unit / 25.4)
    np.testing.assert_allclose(after, before, rtol=SAME)


def test_the_thesis_s_sum_depends_on_density():
    shapes, triangles = subdivided([REST, moved(KNOWN[0])], TRIANGLES)
    pairs = ((REST, moved(KNOWN[0]), TRIANGLES), (*shapes, triangles))
    sums = [rc.perception.shape_difference(*pair).thesis_sum for pair in pairs]
    assert sums[1] > 3 * sums[0]


def test_a_mesh_without_faces_is_refused():
    with pytest.raises(ValueError, match="faces is without a face"):
        rc.perception.shape_difference(REST, REST, np.zeros((0, 3), int))
