"""Measures of the difference between two pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._validate import Arguments, bad_argument

Float64 = NDArray[np.float64]

# Wang et al. 2004, section III.C: a Gaussian window of 11 x 11 pixels, and the constants against weak denominators.
WINDOW, DEVIATION, K1, K2 = 11, 1.5, 0.01, 0.03
UNIFORM = 7  # pixels of the other window's side: scikit-image's default
WINDOWS = ("gaussian", "uniform")
LUMA = (0.299, 0.587, 0.114)  # of red, green and blue: ITU-R BT.601


def image_mse(truth: ArrayLike, approximation: ArrayLike) -> float:
    """Mean squared difference of two pictures' luminance (Carrigan 2020, equation 4.3).

    Parameters
    ----------
    truth, approximation : (h, w) or (h, w, 3)
        Values from 0 to 255; colors are weighted as ITU-R BT.601 does.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the pictures differ in size, are empty, are no pictures or hold a value that is not finite.

    Examples
    --------
    >>> round(float(rc.metrics.image_mse(np.zeros((8, 8, 3)), np.full((8, 8, 3), 0.5))), 6)
    0.25
    """
    first, second = _pair("image_mse", truth, approximation, smallest=1)
    return float(np.square(first - second).mean())


def structural_similarity(
    truth: ArrayLike, approximation: ArrayLike, *, data_range: float = 255.0, window: str = "gaussian"
) -> float:
    """Mean structural similarity index (SSIM) of two pictures' luminance.

    Wang, Bovik, Sheikh and Simoncelli, "Image quality assessment: from error visibility to structural similarity",
    2004, equations 13 to 17, with their constants (K1 0.01, K2 0.03): the mean over all windows that lie inside the
    picture.

    Parameters
    ----------
    truth, approximation : (h, w) or (h, w, 3)
        At least 11 x 11 pixels; colors are weighted as ITU-R BT.601 does.
    data_range : float
        Distance of the darkest to the brightest possible value.
    window : str
        "gaussian": theirs, 11 x 11 with deviation 1.5. "uniform": 7 x 7 with variances of samples, the default of
        scikit-image, which Carrigan 2020 used.

    Returns
    -------
    float
        1 where the pictures are the same, smaller else; at least -1.

    Raises
    ------
    ValueError
        If the pictures differ in size, are too small, are no pictures or hold a value that is not finite, or
        ``data_range`` is not above 0, or the window is another.

    Examples
    --------
    >>> image = np.random.default_rng(0).uniform(0, 1, (16, 16))
    >>> float(round(rc.metrics.structural_similarity(image, image), 3))
    1.0
    """
    x, y = _pair("structural_similarity", truth, approximation, smallest=WINDOW)
    check = Arguments("structural_similarity")
    check.number("data_range", data_range, above=0.0)
    if window not in WINDOWS:
        raise check.wrong("window", repr(window), "one of: " + ", ".join(WINDOWS))
    c1, c2 = (K1 * data_range) ** 2, (K2 * data_range) ** 2
    taps = _taps(window)
    unbiased = len(taps) ** 2 / (len(taps) ** 2 - 1.0) if window == "uniform" else 1.0
    mean_x, mean_y = _window_mean(x, taps), _window_mean(y, taps)
    variance_x = unbiased * (_window_mean(x * x, taps) - mean_x * mean_x)
    variance_y = unbiased * (_window_mean(y * y, taps) - mean_y * mean_y)
    covariance = unbiased * (_window_mean(x * y, taps) - mean_x * mean_y)
    above = (2.0 * mean_x * mean_y + c1) * (2.0 * covariance + c2)
    below = (mean_x * mean_x + mean_y * mean_y + c1) * (variance_x + variance_y + c2)
    return float((above / below).mean())


def _taps(window: str) -> Float64:
    """The window along one axis, of sum 1."""
    if window == "uniform":
        return np.full(UNIFORM, 1.0 / UNIFORM)
    steps = np.arange(WINDOW) - WINDOW // 2
    taps = np.exp(-0.5 * np.square(steps / DEVIATION))
    return np.asarray(taps / taps.sum())


def _window_mean(image: Float64, taps: Float64) -> Float64:
    """Mean under the window, one axis after the other, at every place where the window fits."""
    rows, columns = image.shape[0] - len(taps) + 1, image.shape[1] - len(taps) + 1
    down = sum(tap * image[i : i + rows] for i, tap in enumerate(taps))
    return np.asarray(sum(tap * down[:, i : i + columns] for i, tap in enumerate(taps)))


def pixels_of(function: str, truth: ArrayLike, approximation: ArrayLike, smallest: int = 1) -> tuple[Float64, Float64]:
    """Two checked pictures, each (h, w) or (h, w, 3)."""
    exact = _pixels(function, "truth", truth, smallest)
    other = _pixels(function, "approximation", approximation, smallest)
    if exact.shape[:2] != other.shape[:2]:
        expected = f"of {exact.shape[:2]} pixels, as truth is"
        raise bad_argument(function, "approximation", f"of {other.shape[:2]} pixels", expected)
    return exact, other


def _pair(function: str, truth: ArrayLike, approximation: ArrayLike, smallest: int) -> tuple[Float64, Float64]:
    """The luminance of two pictures."""
    exact, other = pixels_of(function, truth, approximation, smallest)
    return _luminance(exact), _luminance(other)


def _luminance(image: Float64) -> Float64:
    return image @ np.array(LUMA) if image.ndim == 3 else image


def _pixels(function: str, argument: str, image: ArrayLike, smallest: int) -> Float64:
    must = f"pixels (h, w) or (h, w, 3), h and w at least {smallest}"
    check = Arguments(function)
    wide = check.numbers(argument, image, "h w", "h w 3", must=must)
    if min(wide.shape[:2]) < smallest:
        raise check.wrong(argument, f"{wide.dtype} {wide.shape}", must)
    return wide
