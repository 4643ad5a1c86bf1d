"""Errors of prefixes against evaluated prefixes, and the level of detail they give against projected vertices."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.blendshapes import random_arrays, random_rig, random_weights, slow_blendshapes

CAMERA = rc.crowd.Camera(field_of_view=50.0, image_height=1080)


def random_order(rig, seed=0):
    return np.random.default_rng(seed).permutation(rig.num_shapes)


@pytest.mark.parametrize("seed", range(4))
def test_measured_errors_match_numpy(seed, tolerance):
    arrays = random_arrays(seed=seed)
    rig = rc.BlendshapeRig(*arrays)
    order, weights = random_order(rig, seed), random_weights(rig, 20, seed)
    errors = rc.crowd.level_of_detail_errors(rig, order, weights)
    for t, row in enumerate(weights):
        whole = slow_blendshapes(*arrays, row)
        for n in range(rig.num_shapes + 1):
            distance = np.linalg.norm(slow_blendshapes(*arrays, row, kept=order[:n]) - whole, axis=1)
            np.testing.assert_allclose(errors.max[t, n], distance.max(), atol=tolerance["float32_sum"])
            rms = np.sqrt(np.square(distance).mean())
            np.testing.assert_allclose(errors.rms[t, n], rms, atol=tolerance["float32_sum"])
    assert (errors.max[:, -1] == 0).all()


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-0.5, 0.3), (-1.5, 2.0)])
@pytest.mark.parametrize("seed", range(3))
def test_the_bound_holds_for_random_weights_inside_the_bounds(seed, bounds, tolerance):
    rig = random_rig(seed=seed, bounds=bounds)
    order = random_order(rig, seed)
    rng = np.random.default_rng(seed)
    inside = rng.uniform(*bounds, (300, rig.num_shapes))
    corners = rng.choice(bounds, (300, rig.num_shapes))
    measured = rc.crowd.level_of_detail_errors(rig, order, np.concatenate([inside, corners])).max.max(axis=0)
    bound = rc.crowd.level_of_detail_error_bound(rig, order)
    assert (measured <= bound * (1 + tolerance["float32"])).all()
    assert (np.diff(bound) <= 0).all()
    assert bound[-1] == 0


def test_the_ict_face_stays_inside_its_bound(data_path):
    rig = rc.faces.ict(data_path("ict_facekit"))
    order = rc.crowd.importance_order(rig, "rms")
    assert rig.shape_names[order[0]] == "jawOpen"  # the thesis finds "Mouth Open" first, too
    weights = np.random.default_rng(0).uniform(0, 1, (2, rig.num_shapes))
    measured = rc.crowd.level_of_detail_errors(rig, order, weights).max
    assert (measured <= rc.crowd.level_of_detail_error_bound(rig, order)).all()


def test_the_bound_is_reached_by_shapes_that_add_up(tolerance):
    deltas = np.zeros((3, 5, 3))
    deltas[:, 2, 0] = [3.0, 2.0, 1.0]
    correction = np.zeros((5, 3))
    correction[2, 0] = 0.5
    rig = rc.BlendshapeRig(np.zeros((5, 3)), deltas, [((0, 2), correction)], bounds=(0.0, 2.0))
    # Shape 2 brings its own 2 * 1 and, as it needs shape 0, the correction's 2 * 2 * 0.5.
    expected = [14.0, 8.0, 4.0, 0.0]
    np.testing.assert_allclose(
        rc.crowd.level_of_detail_error_bound(rig, [0, 1, 2]), expected, rtol=tolerance["float32"]
    )
    measured = rc.crowd.level_of_detail_errors(rig, [0, 1, 2], [[2.0, 2.0, 2.0]])
    np.testing.assert_allclose(measured.max[0], expected, rtol=tolerance["float32"])


def pixels_off(rig, lod, weights, prefix, turn, place):
    """How far each vertex of a head is from its place in an image, in pixels, by projecting both."""
    focal = CAMERA.image_height / 2 / np.tan(np.radians(CAMERA.field_of_view / 2))
    whole = rig.evaluate(weights).astype(np.float64) @ turn.T + place
    part = rig.evaluate(weights, order=lod.order, prefix=int(prefix)).astype(np.float64) @ turn.T + place
    nearest = min(whole[:, 2].min(), part[:, 2].min())
    tangent = max((np.hypot(v[:, 0], v[:, 1]) / v[:, 2]).max() for v in (whole, part))
    image = [focal * v[:, :2] / v[:, 2:] for v in (whole, part)]
    return np.linalg.norm(image[0] - image[1], axis=1).max(), nearest, 1 / np.hypot(1, tangent)


@pytest.mark.parametrize("measured", [True, False])
def test_projected_errors_stay_below_the_pixels_asked_for(measured, tolerance):
    arrays = random_arrays(seed=5)
    rig = rc.BlendshapeRig(*arrays)
    rng = np.random.default_rng(7)
    weights = rng.uniform(0, 1, (60, rig.num_shapes)).astype(np.float32)
    lod = rc.crowd.LevelOfDetail(rig, random_order(rig), weights if measured else None)
    seen = set()
    for row in weights if measured else rng.uniform(0, 1, (60, rig.num_shapes)).astype(np.float32):
        turn, _ = np.linalg.qr(rng.standard_normal((3, 3)))
        place = np.array([*rng.uniform(-3, 3, 2), 10 ** rng.uniform(1.2, 4.5)])
        allowed = 10 ** rng.uniform(-1, 1.5)
        _, nearest, cosine = pixels_off(rig, lod, row, 0, turn, place)
        # The prefix that is chosen moves the nearest point itself: the distance is taken of the nearest of all.
        nearest = min(pixels_off(rig, lod, row, n, turn, place)[1] for n in range(rig.num_shapes + 1))
        cosine = min(pixels_off(rig, lod, row, n, turn, place)[2] for n in range(rig.num_shapes + 1))
        prefix = lod.prefix(nearest, CAMERA, allowed * cosine)
        off, _, _ = pixels_off(rig, lod, row, prefix, turn, place)
        rounding = tolerance["float32_sum"] * float(CAMERA.pixels_per_unit(nearest))
        assert off <= allowed + rounding
        seen.add(int(prefix))
    assert len(seen) > 3  # near heads and far ones


def test_no_shorter_prefix_would_do():
    rig = random_rig(seed=2)
    lod = rc.crowd.LevelOfDetail(rig, random_order(rig), random_weights(rig, 30, 2))
    distances = np.geomspace(1.0, 1e6, 200)
    prefixes = lod.prefix(distances, CAMERA, pixels=2.0)
    assert prefixes.shape == (200,)
    assert (np.diff(prefixes) <= 0).all()
    assert prefixes[0] >= rig.num_shapes - 1  # the last shape of the rig moves nothing
    assert prefixes[-1] == 0
    for distance, prefix in zip(distances, prefixes, strict=True):
        within = [lod.screen_error(n, distance, CAMERA) <= 2.0 for n in range(rig.num_shapes + 1)]
        assert prefix == within.index(True)


def test_errors_that_rise_with_the_length_are_understood():
    deltas = np.zeros((2, 3, 3))
    deltas[0, 0, 0], deltas[1, 0, 0] = 1.0, -1.0  # the second shape undoes the first
    lod = rc.crowd.LevelOfDetail(rc.BlendshapeRig(np.zeros((3, 3)), deltas), None, [[1.0, 1.0]])
    np.testing.assert_array_equal(lod.errors, [0.0, 1.0, 0.0])
    assert lod.prefix(1.0, CAMERA) == 0


def test_measured_errors_hold_between_frames_of_a_linear_rig(tolerance):
    neutral, deltas, _ = random_arrays(seed=3)
    rig = rc.BlendshapeRig(neutral, deltas)
    frames = random_weights(rig, 6, 3)
    lod = rc.crowd.LevelOfDetail(rig, random_order(rig), frames)
    between = np.random.default_rng(3).dirichlet(np.ones(6), 100) @ frames
    measured = rc.crowd.level_of_detail_errors(rig, lod.order, between).max
    assert (measured <= lod.errors * (1 + tolerance["float32"])).all()


def test_the_table_of_a_level_of_detail_cannot_be_changed():
    lod = rc.crowd.LevelOfDetail(random_rig())
    for table in (lod.errors, lod.order):
        with pytest.raises(ValueError, match="read-only"):
            table[0] = 0


def test_pixels_per_unit_is_that_of_a_pinhole(tolerance):
    camera = rc.crowd.Camera(field_of_view=90.0, image_height=1000)
    # At 45 degrees half the image is as high as the distance.
    np.testing.assert_allclose(camera.pixels_per_unit([1.0, 20.0]), [500.0, 25.0], rtol=tolerance["float64"])


def test_orders_and_clips_of_a_crowd_fit_together():
    rig = random_rig()
    order, clip = rc.crowd.importance_order(rig, "rms"), random_weights(rig, 8)
    lod = rc.crowd.LevelOfDetail(rig, order, clip)
    prefix = lod.prefix(np.geomspace(1, 1e4, 8), CAMERA)
    crowd = rc.crowd.Crowd(rig, [clip], order)
    found = crowd.evaluate(0, np.arange(8), prefix)
    error = np.linalg.norm(found - rig.evaluate(clip), axis=2).max(axis=1)
    assert (error <= lod.errors[prefix] + 1e-5).all()


def test_errors_of_several_clips_are_those_of_all_their_frames():
    rig = random_rig()
    weights = random_weights(rig, 9)
    several = rc.crowd.LevelOfDetail(rig, None, [weights[:4], weights[4:]])
    np.testing.assert_array_equal(several.errors, rc.crowd.LevelOfDetail(rig, None, weights).errors)
    assert repr(several).endswith("measured on 9 frames>")


@pytest.mark.parametrize(
    ("distance", "pixels", "message"),
    [
        ([1.0, 0.0], 1.0, r"prefix: distance is 0.0 for head 1; it must be above 0"),
        (-3.0, 1.0, r"prefix: distance is -3.0; it must be above 0"),
        ([np.nan], 1.0, r"prefix: distance is nan for head 0; it must be finite"),
        (1.0, 0.0, r"prefix: pixels is 0.0; it must be a finite number above 0"),
        (1.0, -2, r"prefix: pixels is -2"),
        (1.0, np.nan, r"prefix: pixels is nan"),
        (1.0, np.inf, r"prefix: pixels is inf"),
    ],
)
def test_bad_distances_and_pixels_are_refused(distance, pixels, message):
    lod = rc.crowd.LevelOfDetail(random_rig())
    with pytest.raises(ValueError, match=message):
        lod.prefix(distance, CAMERA, pixels)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rc.crowd.Camera(0.0, 100), r"Camera: field_of_view is 0.0; it must be .* below 180"),
        (lambda: rc.crowd.Camera(180.0, 100), r"Camera: field_of_view is 180.0"),
        (lambda: rc.crowd.Camera(40.0, 0), r"Camera: image_height is 0"),
        (lambda: rc.crowd.Camera(np.nan, 100), r"Camera: field_of_view is nan"),
        (lambda: rc.crowd.LevelOfDetail(random_rig(), [1, 2]), r"LevelOfDetail: order is int64 \(2,\)"),
        (lambda: rc.crowd.LevelOfDetail(random_rig(), None, np.zeros((2, 3))), r"LevelOfDetail: weights is"),
        (lambda: rc.crowd.LevelOfDetail(random_rig(), None, np.full((2, 7), np.inf)), r"weights is not finite"),
        (lambda: rc.crowd.LevelOfDetail(random_rig()).prefix(1.0, 40.0), r"prefix: camera is a float; it must be"),
        (lambda: rc.crowd.LevelOfDetail(random_rig()).screen_error(9, 1.0, CAMERA), r"prefix is 9; .* from 0 to 7"),
    ],
)
def test_bad_cameras_orders_and_weights_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
