"""Landmarks of pictures of one character, learned on its renders alone.

In place of the published network of Feng et al.: ridge regression on principal components of pixels, or a small network
of heat maps. Camera, light and character are constant, and the renders' labels are exact.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.papers.capture.helmet import SIZE, HelmetShot
from rigcast._atomic_files import atomic_npz
from rigcast.capture import Cast
from rigcast.training import CaptureNetworkSettings
from rigcast.training._budget import budget_of
from rigcast.training._capture.descent import CaptureDescent, CaptureNet, Mirrored, normalized
from rigcast.training._capture.examples import CaptureExamples
from rigcast.training._capture.pipeline import mirrored_labels
from rigcast.training._descend import train

COMPONENTS, RIDGE = 200, 10.0
KERNEL = (0.25, 0.5, 0.25)  # of the second half of the pictures: transferred ones are blurred
STEPS, JUDGED = 1500, 200  # of the network; renders that it is not trained on
SMALL = CaptureNetworkSettings(width=16, hidden=8, batch=64, landmarks=1.0)

Float64 = NDArray[np.float64]


class Landmarks(Protocol):
    """Pictures of the character to landmarks."""

    def of(self, pictures: NDArray[np.uint8]) -> Float64:
        """Landmarks (T, P, 2) in pixels of pictures (T, H, H, 3); the first 68 are those of the cast."""


class RidgeLandmarks:
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


class HeatMapLandmarks:
    """A network of heat maps for landmarks (T, 70, 2) in pixels: the cast's, then both pupils.

    Parameters
    ----------
    cast : Cast
    renders : HelmetShot
        Of the character, with exact labels; the first shows it at rest.
    file : Path
        Where the trained weights are kept.

    Attributes
    ----------
    error : float
        Pixels, mean over renders that were not trained on, pupils behind lids among them.
    """

    def __init__(self, cast: Cast, renders: HelmetShot, file: Path) -> None:
        self._neutral = renders.recording.pictures[:1]
        labels = np.concatenate([renders.exact, renders.pupils], axis=1)
        if not file.exists():
            atomic_npz(file, _trained(cast, renders.recording.pictures, labels / SIZE))
        with np.load(file) as stored:
            self._weights = {name: torch.from_numpy(stored[name]) for name in stored.files}
        found = self.of(renders.recording.pictures[-JUDGED:])
        self.error = float(np.linalg.norm(found - labels[-JUDGED:], axis=2).mean())

    def of(self, pictures: NDArray[np.uint8]) -> Float64:
        """Landmarks of pictures."""
        net = CaptureNet(torch, self._weights)
        neutral = torch.from_numpy(np.repeat(self._neutral, len(pictures), axis=0).astype(np.float32))
        with torch.no_grad():
            maps = net.maps(*normalized(torch, torch.from_numpy(pictures.astype(np.float32)), neutral))
            return np.asarray(net.landmarks(*maps)[0].numpy(), np.float64) * SIZE


def _trained(cast: Cast, pictures: NDArray[np.uint8], points: Float64) -> dict[str, NDArray[np.float32]]:
    """Weights of a network, trained on renders and blurred ones."""
    budget = budget_of("capture_network", None, STEPS, 0, "cpu", 1, None, False, None)
    count = len(pictures)
    places = np.arange(2 * count)
    judged = places % count >= count - JUDGED
    rows = CaptureExamples(
        crops=np.concatenate([pictures, np.round(_blurred(pictures)).astype(np.uint8)]),
        neutral=np.zeros(2 * count, np.int64),
        weights=np.zeros((2 * count, 1), np.float32),
        points=np.concatenate([points, points]).astype(np.float32),
        moved=np.zeros((2 * count, 0), np.float32),
        training=places[~judged],
        held_out=places[judged],
    )
    sides = mirrored_labels(cast).landmarks
    swap = Mirrored(np.zeros(1, np.int64), np.concatenate([sides, len(sides) + np.array([1, 0])]))
    descent = CaptureDescent(rows, np.zeros((1, 1, 3)), swap, SMALL, budget)
    state, _ = train(descent, budget, lambda _: (f"{SIZE * descent.pixels:.3f} pixels", descent.pixels), run="landmarks")
    return dict(state.best)


def _pixels(pictures: NDArray[np.number]) -> NDArray[np.float32]:
    return pictures.reshape(len(pictures), -1).astype(np.float32) / np.float32(255.0)


def _blurred(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Pictures whose border is black."""
    result = pictures.astype(np.float32)
    for axis in (1, 2):
        result = sum(share * np.roll(result, step, axis) for share, step in zip(KERNEL, (-1, 0, 1), strict=True))
    return np.asarray(result, np.float32)
