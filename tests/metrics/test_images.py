"""Differences of pictures against scikit-image and the definitions."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc


def pictures(seed, shape=(40, 53)):
    """Two smooth pictures that are alike in places, 0 to 255."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0 : shape[0], 0 : shape[1]]
    first = 127 + 90 * np.sin(x / rng.uniform(3, 9)) * np.cos(y / rng.uniform(3, 9))
    return first, np.clip(first + rng.normal(0, 40, shape) * (x > shape[1] / 3), 0, 255)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("data_range", [255.0, 1.0])
def test_ssim_matches_scikit_image(seed, data_range, tolerance):
    metrics = pytest.importorskip("skimage.metrics", reason="scikit-image is not installed")
    a, b = (data_range / 255 * picture for picture in pictures(seed))
    # The parameters with which scikit-image says to match Wang et al. 2004.
    expected = metrics.structural_similarity(
        a, b, data_range=data_range, gaussian_weights=True, sigma=1.5, use_sample_covariance=False
    )
    found = rc.metrics.structural_similarity(a, b, data_range=data_range)
    np.testing.assert_allclose(found, expected, rtol=tolerance["gram"])  # variances are differences of squares
    assert 0 < found < 1


def test_ssim_matches_the_definition_window_by_window(tolerance):
    a, b = pictures(3, (13, 14))
    step = np.arange(-5, 6)
    window = np.exp(-(step[:, None] ** 2 + step**2) / (2 * 1.5**2))
    window /= window.sum()
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    values = []
    for i in range(3):
        for j in range(4):
            x, y = a[i : i + 11, j : j + 11], b[i : i + 11, j : j + 11]
            mx, my = (window * x).sum(), (window * y).sum()
            sx, sy = (window * (x - mx) ** 2).sum(), (window * (y - my) ** 2).sum()
            sxy = (window * (x - mx) * (y - my)).sum()
            values.append((2 * mx * my + c1) * (2 * sxy + c2) / ((mx**2 + my**2 + c1) * (sx + sy + c2)))
    found = rc.metrics.structural_similarity(a, b)
    np.testing.assert_allclose(found, np.mean(values), rtol=tolerance["gram"])


def test_the_same_picture_differs_by_nothing():
    a = pictures(0)[0].astype(np.uint8)
    assert rc.metrics.structural_similarity(a, a) == 1.0
    assert rc.metrics.image_mse(a, a) == 0.0


def test_mse_is_the_mean_of_squares_and_bytes_do_not_wrap():
    a, b = np.zeros((4, 5), np.uint8), np.full((4, 5), 200, np.uint8)
    b[0] = 0
    assert rc.metrics.image_mse(a, b) == rc.metrics.image_mse(b, a) == 0.75 * 200**2


def test_grey_in_colors_is_grey(tolerance):
    a, b = pictures(1)
    colored = [np.repeat(picture[..., None], 3, axis=2) for picture in (a, b)]
    for measure in (rc.metrics.image_mse, rc.metrics.structural_similarity):
        np.testing.assert_allclose(measure(*colored), measure(a, b), rtol=tolerance["gram"])


@pytest.mark.parametrize("measure", [rc.metrics.image_mse, rc.metrics.structural_similarity])
@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (
            np.zeros((20, 20)),
            np.zeros((20, 21)),
            r"approximation is of \(20, 21\) pixels; it must be of \(20, 20\) pixels",
        ),
        (np.zeros((20, 20, 4)), np.zeros((20, 20)), r"truth is float64 \(20, 20, 4\)"),
        (np.zeros((0, 20)), np.zeros((0, 20)), r"truth is float64 \(0, 20\)"),
        (np.zeros((20, 20)), np.full((20, 20), np.nan), r"approximation is not finite everywhere"),
    ],
)
def test_bad_pictures_are_refused(measure, a, b, message):
    with pytest.raises(ValueError, match=f"{measure.__name__}: {message}"):
        measure(a, b)


def test_ssim_refuses_what_no_window_fits_in():
    with pytest.raises(ValueError, match=r"at least 11"):
        rc.metrics.structural_similarity(np.zeros((10, 30)), np.zeros((10, 30)))
    with pytest.raises(ValueError, match=r"data_range is 0"):
        rc.metrics.structural_similarity(np.zeros((12, 30)), np.zeros((12, 30)), data_range=0)


@pytest.mark.parametrize("seed", range(3))
def test_the_uniform_window_is_scikit_image_s_default(seed, tolerance):
    metrics = pytest.importorskip("skimage.metrics", reason="scikit-image is not installed")
    a, b = pictures(seed)
    expected = metrics.structural_similarity(a, b, data_range=255.0)
    found = rc.metrics.structural_similarity(a, b, window="uniform")
    np.testing.assert_allclose(found, expected, rtol=tolerance["gram"])
    assert abs(found - rc.metrics.structural_similarity(a, b)) > tolerance["printed"]


def test_another_window_is_refused():
    with pytest.raises(ValueError, match="window"):
        rc.metrics.structural_similarity(*pictures(0), window="square")
