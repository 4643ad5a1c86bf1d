"""The perceptual difference of pictures: against loops over pixels, and what a person sees and does not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rigcast as rc
from rigcast.metrics._perceptual import LEVELS, TAPS, _elevation, _pyramid, _threshold


def gray(luminance, white=100.0, shape=(16, 20)):
    """A picture of one luminance in cd / m^2."""
    return np.full(shape, 255.0 * (luminance / white) ** (1 / 2.2))


def mirrored(i, count):
    while not 0 <= i < count:
        i = -i if i < 0 else 2 * (count - 1) - i
    return i


def slow_pyramid(image):
    levels = [image]
    for level in range(1, LEVELS):
        last, made = levels[-1], np.zeros(image.shape)
        for y in range(image.shape[0]):
            for x in range(image.shape[1]):
                for a, dy in zip(TAPS, range(-2, 3), strict=True):
                    for b, dx in zip(TAPS, range(-2, 3), strict=True):
                        near = (mirrored(y + dy * 2 ** (level - 1), image.shape[0]),)
                        near += (mirrored(x + dx * 2 ** (level - 1), image.shape[1]),)
                        made[y, x] += a * b * last[near]
        levels.append(made)
    return levels


def test_levels_are_blurred_with_taps_twice_as_far_apart(tolerance):
    image = np.random.default_rng(0).uniform(0, 100, (9, 7))
    for found, expected in zip(_pyramid(image), slow_pyramid(image), strict=True):
        np.testing.assert_allclose(found, expected, rtol=tolerance["gram"])


def slow_elevation(first, second, adapted, highest, y, x):
    """Yee 2004, section 2.3, at one pixel."""

    def sensitivity(frequency, luminance):
        a = 440 * (1 + 0.7 / luminance) ** -0.2
        b = 0.3 * (1 + 100 / luminance) ** 0.15
        return a * frequency * math.exp(-b * frequency) * math.sqrt(1 + 0.06 * math.exp(b * frequency))

    total, weighted = 1e-5, 0.0
    for level in range(LEVELS - 2):
        detail = max(abs(part[level][y, x] - part[level + 1][y, x]) for part in (first, second))
        contrast = detail / max(abs(first[level + 2][y, x]), abs(second[level + 2][y, x]), 1e-5)
        frequency = highest / 2**level
        masked = (1 + (0.0153 * (392.498 * contrast * sensitivity(frequency, adapted[y, x])) ** 0.7) ** 4) ** 0.25
        weighted += contrast * sensitivity(3.248, 100) / sensitivity(frequency, 100) * masked
        total += contrast
    return min(max(weighted / total, 1.0), 10.0)


def test_contrast_raises_the_threshold_as_published(tolerance):
    rng = np.random.default_rng(1)
    first, second = (_pyramid(rng.uniform(5, 80, (8, 9))) for _ in range(2))
    adapted = rng.uniform(5, 80, (8, 9))
    found = _elevation(first, second, adapted, 6.0)
    expected = [[slow_elevation(first, second, adapted, 6.0, y, x) for x in range(9)] for y in range(8)]
    np.testing.assert_allclose(found, expected, rtol=tolerance["gram"])
    assert 1.0 < found.max() <= 10.0


@pytest.mark.parametrize(
    ("luminance", "log"),
    [
        (1e-5, -2.86),
        (1e-3, (0.405 * -3 + 1.6) ** 2.18 - 2.86),
        (0.1, -1.395),
        (10.0, (0.249 + 0.65) ** 2.7 - 0.72),
        (1000.0, 1.745),
    ],
)
def test_the_threshold_is_that_of_the_eye(luminance, log, tolerance):
    assert float(_threshold(np.array(luminance))) == pytest.approx(10**log, rel=tolerance["gram"])


@pytest.mark.parametrize(("share", "seen"), [(0.9, 0.0), (1.1, 1.0)])
def test_a_flat_difference_is_seen_above_the_threshold(share, seen):
    dark = 90.0
    step = share * 10 ** (math.log10(dark) - 1.255)
    assert rc.metrics.perceptual_difference(gray(dark), gray(dark + step)) == seen


def test_contrast_hides_a_difference():
    noise = np.random.default_rng(2).uniform(-40, 40, (40, 40))
    flat, busy = np.full((40, 40), 128.0), 128.0 + noise
    assert rc.metrics.perceptual_difference(flat, flat + 14.0) == 1.0
    assert rc.metrics.perceptual_difference(busy, busy + 14.0) < 0.5


def test_color_is_seen_in_the_light_only():
    red, green = np.zeros((12, 12, 3)), np.zeros((12, 12, 3))
    red[..., 0] = 255.0
    green[..., 1] = 255.0 * (0.2126 / 0.7152) ** (1 / 2.2)  # of the same luminance
    assert rc.metrics.perceptual_difference(red, green) == 1.0
    assert rc.metrics.perceptual_difference(red, green, white=0.05) == 0.0


def test_the_same_picture_differs_nowhere_and_order_does_not_matter():
    rng = np.random.default_rng(3)
    a, b = rng.uniform(0, 255, (2, 20, 24, 3))
    assert rc.metrics.perceptual_difference(a, a) == 0.0
    assert rc.metrics.perceptual_difference(a, b) == rc.metrics.perceptual_difference(b, a) > 0.0


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"field_of_view": 180.0}, "field_of_view"),
        ({"white": 0.0}, "white"),
        ({"gamma": -1.0}, "gamma"),
        ({"approximation": np.zeros((3, 4))}, "approximation"),
    ],
)
def test_bad_input_is_named(given, told):
    arguments = {"truth": np.zeros((4, 4)), "approximation": np.zeros((4, 4))} | given
    with pytest.raises(ValueError, match=rf"perceptual_difference: {told}"):
        rc.metrics.perceptual_difference(**arguments)
