"""Clusters of errors on a texture: weighted k-means, and the elbow that says how many (Bailey 2020, section 3.3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

MOST_CLUSTERS = 10  # that the elbow is sought among
ROUNDS = 50  # of k-means


def clusters(uvs: Float64, weights: Float64, count: int) -> Float64:
    """Centers (at most ``count``, 2) of weighted k-means.

    Starts are the point of largest weight, then the points of largest weighted squared distance. Sums go from vertex
    to vertex, so that the bytes are those of every machine.
    """
    centers = uvs[[int(weights.argmax())]]
    gap = np.square(uvs - centers[0]).sum(axis=1)
    while len(centers) < count and (weights * gap).max() > 0.0:
        centers = np.concatenate([centers, uvs[[int((weights * gap).argmax())]]])
        gap = np.minimum(gap, np.square(uvs - centers[-1]).sum(axis=1))
    label = np.full(len(uvs), -1)
    for _ in range(ROUNDS):
        nearest = nearest_center(uvs, centers)
        if (nearest == label).all():
            break
        label = nearest
        mass = np.bincount(label, weights, len(centers))
        sums = np.stack([np.bincount(label, weights * uvs[:, axis], len(centers)) for axis in range(2)], axis=1)
        centers = np.where(mass[:, None] > 0.0, sums / np.where(mass > 0.0, mass, 1.0)[:, None], centers)
    return centers


def nearest_center(uvs: Float64, centers: Float64) -> NDArray[np.intp]:
    """The number of the center nearest to each of the coordinates (M, 2)."""
    gaps = np.stack([np.square(uvs - center).sum(axis=1) for center in centers])
    return np.asarray(gaps.argmin(axis=0))


def elbow(costs: list[float]) -> int:
    """The place of the elbow of falling costs: farthest below the line from the first to the lowest, scaled to 1."""
    fallen = np.array(costs)
    low = fallen.min()
    if len(costs) < 3 or not fallen[0] > low:
        return 0
    along = np.arange(len(costs)) / (len(costs) - 1.0)
    return int((along + (fallen - low) / (fallen[0] - low)).argmin())


def spread(uvs: Float64, weights: Float64, centers: Float64) -> float:
    """The weighted sum of squared distances from the nearest centers, the same on every machine."""
    gaps = np.square(uvs - centers[nearest_center(uvs, centers)]).sum(axis=1)
    return float(np.cumsum(weights * gaps)[-1])
