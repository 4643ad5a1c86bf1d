"""Importance of shapes against the definitions, in slow NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.blendshapes import random_arrays, random_rig

FACES = np.array([[i, i + 1, i + 2] for i in range(58)], np.int32)


def slow_rms(a, b):
    return np.sqrt(sum(sum((p - q) ** 2) for p, q in zip(a, b, strict=True)) / len(a))


def slow_displacement(a, b):
    return sum(np.sqrt(np.dot(p - q, p - q) / 3) for p, q in zip(a, b, strict=True)) / len(a)


def slow_hausdorff(a, b):
    distances = np.linalg.norm(a[:, None] - b[None], axis=2)
    return max(distances.min(axis=0).max(), distances.min(axis=1).max())


def slow_triangles(a, b):
    total = 0.0
    for u, v, w in FACES:
        for tip in (u, w):
            edge = np.linalg.norm(a[tip] - a[v]) / np.linalg.norm(b[tip] - b[v])
            total += max(edge, 1 / edge) - 1
    return total / len(FACES)


SLOW = {
    "rms": slow_rms,
    "displacement": slow_displacement,
    "hausdorff": slow_hausdorff,
    "triangle_distortion": slow_triangles,
}


@pytest.mark.parametrize("by", SLOW)
@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-2.0, 0.5)])
def test_geometry_matches_the_definitions(by, bounds, tolerance):
    rig = rc.BlendshapeRig(*random_arrays(), bounds=bounds, faces=FACES)
    full = max(bounds, key=abs) * np.eye(rig.num_shapes, dtype=np.float32)
    neutral = rig.evaluate(np.zeros(rig.num_shapes)).astype(np.float64)
    expected = [SLOW[by](neutral, shape) for shape in rig.evaluate(full).astype(np.float64)]
    np.testing.assert_allclose(rc.crowd.importance(rig, by), expected, rtol=tolerance["float32"])


@pytest.mark.parametrize("by", SLOW)
def test_a_larger_shape_is_more_important(by):
    rng = np.random.default_rng(0)
    neutral, push = 100 * rng.standard_normal((60, 3)), rng.standard_normal((60, 3))
    reach = np.array([0.2, 3.0, 0.0, 1.0, 2.0, 0.5])
    rig = rc.BlendshapeRig(neutral, reach[:, None, None] * push, faces=FACES)
    np.testing.assert_array_equal(rc.crowd.importance_order(rig, by), [1, 4, 3, 5, 0, 2])


def test_equal_shapes_keep_their_order():
    rig = rc.BlendshapeRig(np.zeros((4, 3)), np.ones((5, 4, 3)))
    np.testing.assert_array_equal(rc.crowd.importance_order(rig, "rms"), np.arange(5))


def test_scores_sort_by_name_and_by_index():
    rig = random_rig()
    scores = np.random.default_rng(1).permutation(7).astype(float)
    named = dict(zip(rig.shape_names, scores, strict=True))
    np.testing.assert_array_equal(rc.crowd.importance(rig, scores), scores)
    np.testing.assert_array_equal(rc.crowd.importance_order(rig, named), np.argsort(-scores))


def splat(vertices):
    """A picture without a renderer: a smooth bump a vertex, seen along z."""
    y, x = np.mgrid[-3:3:24j, -3:3:20j]
    bumps = np.exp(-4 * ((x[..., None] - vertices[:, 0]) ** 2 + (y[..., None] - vertices[:, 1]) ** 2))
    return np.minimum(60 * bumps.sum(axis=2), 255)


def test_pictures_are_compared_with_the_neutral(tolerance):
    rig = random_rig()
    neutral, *shapes = (splat(v) for v in rig.evaluate(np.vstack([np.zeros(7), np.eye(7)])))
    mse = [rc.metrics.image_mse(neutral, shape) for shape in shapes]
    ssim = [rc.metrics.structural_similarity(neutral, shape) for shape in shapes]
    np.testing.assert_allclose(rc.crowd.importance(rig, "image_mse", picture=splat), mse, rtol=tolerance["float64"])
    by_ssim = rc.crowd.importance(rig, "image_ssim", picture=splat)
    np.testing.assert_allclose(by_ssim, 1 - np.array(ssim), rtol=tolerance["float64"])
    assert (by_ssim > 0).all()


def test_a_renderer_that_reuses_its_buffer_is_fine(tolerance):
    rig, buffer = random_rig(), np.zeros((24, 20))

    def reusing(vertices):
        buffer[:] = splat(vertices)
        return buffer

    expected = rc.crowd.importance(rig, "image_mse", picture=splat)
    found = rc.crowd.importance(rig, "image_mse", picture=reusing)
    np.testing.assert_allclose(found, expected, rtol=tolerance["float64"])


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("beauty", r"importance: by is 'beauty'; it must be scores, or one of: rms"),
        ("image_mse", r"importance: picture is None"),
        ("triangle_distortion", r"importance: rig is without faces"),
        (np.zeros(3), r"importance: by is float64 \(3,\); it must be numbers \(7,\)"),
        ([[1.0], [1.0, 2.0]], r"importance: by is a ragged list"),
        (np.full(7, np.nan), r"importance: by is not finite everywhere"),
        ({"shape0": 1.0}, r"importance: by is without a score of 'shape1'"),
        ({"nose": 1.0}, r"importance: by is with a score of 'nose'"),
    ],
)
def test_bad_measures_are_refused(by, message):
    with pytest.raises(ValueError, match=message):
        rc.crowd.importance_order(random_rig(), by)
    with pytest.raises(ValueError, match="importance: picture is 3; it must be a function"):
        rc.crowd.importance_order(random_rig(), "image_ssim", picture=3)
