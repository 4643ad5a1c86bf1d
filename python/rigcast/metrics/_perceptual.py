"""The number of pixels of two pictures that a person would tell apart (Yee 2004)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._validate import Arguments
from rigcast.metrics._images import pixels_of

Float64 = NDArray[np.float64]

LEVELS = 8  # of the pyramid; contrast is known of all but the last two
TAPS = (0.05, 0.25, 0.4, 0.25, 0.05)  # Burt & Adelson 1983
SMALLEST = 1e-5  # luminance and contrast that are divided by
MOST_ELEVATION = 10.0
REFERENCE = 100.0  # cd / m^2, and the frequency of the highest sensitivity there, in cycles per degree
PEAK = 3.248
# Linear sRGB to XYZ (IEC 61966-2-1), and its white.
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = TO_XYZ.sum(axis=1)


def perceptual_difference(
    truth: ArrayLike,
    approximation: ArrayLike,
    *,
    field_of_view: float = 45.0,
    white: float = 100.0,
    gamma: float = 2.2,
) -> float:
    """Share of the pixels at which a person would see two pictures differ.

    A difference in luminance is visible above the eye's threshold at the luminance that it is adapted to (Ward Larson
    et al. 1997), raised by up to 10 where the pictures have contrast at frequencies to which the eye is less sensitive
    (Barten 1989) or that hide others (Daly 1993): Yee 2004, sections 2.1 to 2.4. A difference in color counts where
    that in luminance does not. Contrast is that of a Laplacian pyramid, kept at full resolution.

    Parameters
    ----------
    truth, approximation : (h, w) or (h, w, 3)
        Values from 0 to 255; without color both are gray.
    field_of_view : float
        Degrees that the width of the pictures takes of the viewer's sight.
    white : float
        Luminance of 255 in cd / m^2.
    gamma : float
        Of the display.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    ValueError
        If the pictures differ in size, are empty, are no pictures or hold a value that is not finite, or a setting is
        not above 0, or ``field_of_view`` not below 180.

    Examples
    --------
    >>> black, gray = np.zeros((32, 32)), np.full((32, 32), 60.0)
    >>> rc.metrics.perceptual_difference(black, black), rc.metrics.perceptual_difference(black, gray)
    (0.0, 1.0)
    """
    check = Arguments("perceptual_difference")
    degrees = check.number("field_of_view", field_of_view, above=0.0, below=180.0)
    white, gamma = (check.number(name, value, above=0.0) for name, value in (("white", white), ("gamma", gamma)))
    pictures = [_seen(image, gamma) for image in pixels_of("perceptual_difference", truth, approximation)]
    first, second = (_pyramid(white * xyz[..., 1]) for xyz in pictures)
    span = 2.0 * math.degrees(math.tan(math.radians(0.5 * degrees)))  # of the picture, in degrees of its middle
    per_degree = len(first[0][0]) / span  # pixels
    level = _level_of(per_degree)
    adapted = np.maximum(0.5 * (first[level] + second[level]), SMALLEST)
    elevation = _elevation(first, second, adapted, 0.5 * per_degree)
    visible = np.abs(first[0] - second[0]) > elevation * _threshold(adapted)
    colors = [_opponents(xyz) for xyz in pictures]
    dim = np.square(np.clip(adapted / 10.0, 0.0, 1.0))  # cones see less below 10 cd / m^2
    visible |= np.square(colors[0] - colors[1]).sum(axis=-1) * dim > elevation
    return float(visible.mean())


def _seen(image: Float64, gamma: float) -> Float64:
    """Pixels (h, w, 3) in XYZ, white has the luminance 1."""
    color = image if image.ndim == 3 else np.repeat(image[..., None], 3, axis=2)
    return np.asarray(np.power(np.clip(color / 255.0, 0.0, None), gamma) @ TO_XYZ.T)


def _opponents(xyz: Float64) -> Float64:
    """a and b of CIE L*a*b* (h, w, 2)."""
    share = xyz / WHITE
    curve = np.where(share > (6 / 29) ** 3, np.cbrt(share), share * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.stack([500.0 * (curve[..., 0] - curve[..., 1]), 200.0 * (curve[..., 1] - curve[..., 2])], axis=-1)


def _pyramid(luminance: Float64) -> list[Float64]:
    """The picture, blurred again and again with taps twice as far apart; borders are mirrored."""
    levels = [luminance]
    for level in range(1, LEVELS):
        levels.append(_blurred(_blurred(levels[-1], 2 ** (level - 1)).T, 2 ** (level - 1)).T)
    return levels


def _blurred(rows: Float64, step: int) -> Float64:
    """Along the first axis."""
    count = len(rows)
    period = max(2 * (count - 1), 1)
    total = np.zeros_like(rows)
    for tap, offset in zip(TAPS, range(-2, 3), strict=True):
        place = np.abs(np.arange(count) + offset * step) % period
        total += tap * rows[np.minimum(place, period - place)]
    return total


def _level_of(per_degree: float) -> int:
    """The level whose blur spans a degree."""
    return min(math.ceil(math.log2(max(per_degree, 1.0))), LEVELS - 1)


def _elevation(first: list[Float64], second: list[Float64], adapted: Float64, highest: float) -> Float64:
    """The factor by which contrast raises the threshold (h, w), 1 to 10, given the finest level's cycles per degree."""
    most = _sensitivity(PEAK, np.array(REFERENCE))
    total, weighted = np.full(adapted.shape, SMALLEST), np.zeros(adapted.shape)
    for level in range(LEVELS - 2):
        frequency = highest / 2**level
        detail = [np.abs(part[level] - part[level + 1]) for part in (first, second)]
        around = np.maximum(np.abs(first[level + 2]), np.abs(second[level + 2]))
        contrast = np.maximum(*detail) / np.maximum(around, SMALLEST)
        rare = most / _sensitivity(frequency, np.array(REFERENCE))
        weighted += contrast * rare * _masking(contrast * _sensitivity(frequency, adapted))
        total += contrast
    return np.asarray(np.clip(weighted / total, 1.0, MOST_ELEVATION))


def _sensitivity(frequency: float, luminance: Float64) -> Float64:
    """The eye's contrast sensitivity (Barten 1989); cycles per degree, cd / m^2."""
    height = 440.0 * np.power(1.0 + 0.7 / luminance, -0.2)
    fall = 0.3 * np.power(1.0 + 100.0 / luminance, 0.15) * frequency
    return np.asarray(height * frequency * np.exp(-fall) * np.sqrt(1.0 + 0.06 * np.exp(fall)))


def _masking(contrast: Float64) -> Float64:
    """The factor by which contrast hides contrast (Daly 1993)."""
    return np.power(1.0 + np.power(0.0153 * np.power(392.498 * contrast, 0.7), 4), 0.25)


def _threshold(luminance: Float64) -> Float64:
    """The smallest difference that is seen at a luminance, in cd / m^2 (Ward Larson et al. 1997)."""
    log = np.log10(luminance)
    pieces = [
        np.full(log.shape, -2.86),
        np.power(np.maximum(0.405 * log + 1.6, 0.0), 2.18) - 2.86,
        log - 0.395,
        np.power(np.maximum(0.249 * log + 0.65, 0.0), 2.7) - 0.72,
        log - 1.255,
    ]
    return np.asarray(10.0 ** np.choose(np.searchsorted([-3.94, -1.44, -0.0184, 1.9], log), pieces))
