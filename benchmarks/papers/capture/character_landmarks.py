"""Landmarks of pictures of one character: ridge regression on principal components of its renders' pixels.

In place of the published network of Feng et al.: camera, light and character are constant, and the renders' labels are
exact. Whoever has a better detector replaces this module.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers.capture.helmet import HelmetShot

COMPONENTS, RIDGE = 200, 10.0
KERNEL = (0.25, 0.5, 0.25)  # of the second half of the pictures: transferred ones are blurred

Float64 = NDArray[np.float64]


class CharacterLandmarks:
    """A map from pictures (T, H, H, 3) of the character to landmarks (T, 68, 2) in pixels.

    Parameters
    ----------
    renders : HelmetShot
        Of the character, with exact labels.
    """

    def __init__(self, renders: HelmetShot) -> None:
        pictures = renders.recording.pictures
        pixels = np.concatenate([_pixels(pictures), _pixels(_blurred(pictures))])
        self._mean = pixels.mean(axis=0)
        pixels -= self._mean
        some = pixels[::2]
        squares, vectors = np.linalg.eigh((some @ some.T).astype(np.float64))
        chosen = vectors[:, -COMPONENTS:] / np.sqrt(np.maximum(squares[-COMPONENTS:], 1e-9))
        self._basis = (some.T @ chosen).astype(np.float32)
        known = (pixels @ self._basis).astype(np.float64)
        points = renders.exact.reshape(len(renders.exact), -1)
        self._points = points.mean(axis=0)
        wanted = np.concatenate([points, points]) - self._points
        ridged = known.T @ known + RIDGE * np.eye(known.shape[1])
        self._weights = np.linalg.solve(ridged, known.T @ wanted)

    def of(self, pictures: NDArray[np.uint8]) -> Float64:
        """Landmarks of pictures."""
        features = ((_pixels(pictures) - self._mean) @ self._basis).astype(np.float64)
        return np.asarray((features @ self._weights + self._points).reshape(len(pictures), -1, 2))


def _pixels(pictures: NDArray[np.number]) -> NDArray[np.float32]:
    return pictures.reshape(len(pictures), -1).astype(np.float32) / np.float32(255.0)


def _blurred(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Pictures whose border is black."""
    result = pictures.astype(np.float32)
    for axis in (1, 2):
        result = sum(share * np.roll(result, step, axis) for share, step in zip(KERNEL, (-1, 0, 1), strict=True))
    return np.asarray(result, np.float32)
