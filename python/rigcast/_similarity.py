"""The fit of a similarity, or one with a reflection, between matched points.

A residual is the rms distance that the best similarity leaves, over the rms distance of the points from their mean, in
[0, 1]. Mirrored input (a selfie video, a left-handed program) has a large residual and a small one with a reflection.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

BETTER = 0.5  # of the residual as given: the most that a case may keep to explain it
NOTICED = 0.02  # residual: below, there is nothing to explain
FRAMES = 32  # of a shot that are compared, evenly spread


def best_turn(source: NDArray[Any], target: NDArray[Any], *, mirrored: bool = False) -> tuple[Float64, float]:
    """The rotation (D, D), or rotation and reflection, that takes points (N, D) nearest, and its residual.

    Umeyama 1991. Of flat points both are equally good.
    """
    a, b = centered(source), centered(target)
    u, s, vt = np.linalg.svd(b.T @ a)
    sign = np.ones(len(s))
    sign[-1] = np.sign(np.linalg.det(u @ vt)) * (-1.0 if mirrored else 1.0)
    power = np.square(a).sum() * np.square(b).sum()
    explained = (s * sign).sum() ** 2 / power if power > 0.0 else 1.0
    return u @ np.diag(sign) @ vt, float(np.sqrt(max(0.0, 1.0 - explained)))


def residual(source: NDArray[Any], target: NDArray[Any], *, mirrored: bool = False) -> float:
    """That of the best similarity between points (N, D)."""
    return best_turn(source, target, mirrored=mirrored)[1]


def is_mirrored(source: NDArray[Any], targets: NDArray[Any]) -> bool:
    """True if most frames of targets (T, N, D) are mirror images of the source (N, D), as far as it has depth.

    At most 32 frames are compared. A mirror image is one where a reflection leaves less than half of the residual.
    """
    found = [_fits_mirrored(source, targets[t]) for t in compared_frames(len(targets))]
    return 2 * sum(found) > len(found)


def compared_frames(count: int) -> NDArray[np.int64]:
    """At most 32 of so many frames, evenly spread."""
    return np.unique(np.linspace(0, max(count - 1, 0), min(FRAMES, count)).round().astype(np.int64))


def _fits_mirrored(source: NDArray[Any], target: NDArray[Any]) -> bool:
    given = residual(source, target)
    return given > NOTICED and residual(source, target, mirrored=True) < BETTER * given


def centered(points: NDArray[Any]) -> Float64:
    """The points without their mean."""
    return np.asarray(points - points.mean(axis=0, dtype=np.float64), np.float64)
