"""The importance of getting a shape into an early expression (Carrigan 2020, section 3.2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.metrics._distortion import triangle_distortion, triangles

Floats = NDArray[Any]
Active = NDArray[np.bool_]


def displacement_strength(distances: Floats, active: Active) -> Floats:
    """Mean displacement of the active vertices over the largest of all shapes (equation 3.5): (K,) in [0, 1]."""
    count = np.maximum(active.sum(axis=1), 1)
    mean = np.einsum("kv,kv->k", distances, active, dtype=np.float64) / count
    return _over_largest(mean)


def distortion_strength(neutral: Floats, target: Floats, faces: NDArray[np.int32], active: Active) -> Floats:
    """Distortion between two neutrals, summed over the active triangles, over the largest sum (3.7): (K,) in [0, 1].

    A triangle is active if one of its vertices is. An undistorted triangle counts 0
    (:func:`rigcast.metrics.triangle_distortion`); the paper's own sum (3.6) has 2 there.
    """
    corners = triangles(faces)
    distortion = triangle_distortion(neutral, target, faces)
    touched = active[:, corners].any(axis=2)
    return _over_largest(touched @ distortion)


def similarities(neutral: Floats, shapes: Floats) -> Floats:
    """(K, K) cosines between shapes as vectors of displacements, those below 0 as 0."""
    rows = (shapes - neutral).reshape(len(shapes), -1)
    product = np.asarray(rows @ rows.T, np.float64)
    length = np.sqrt(np.diag(product))
    scale = np.outer(length, length)
    cosine = np.divide(product, scale, out=np.zeros_like(product), where=scale > 0.0)
    return np.asarray(np.maximum(cosine, 0.0))


@dataclass(frozen=True)
class Importance:
    """``lambda = alpha lambda_Dis + (1 - alpha) lambda_TD + beta lambda_U`` (equation 3.4).

    Attributes
    ----------
    fixed : (K,) float64
        The part that never changes: displacement and distortion.
    beta : float
    similar : (K, K) float64 or None
        :func:`similarities`; None where beta is 0.
    """

    fixed: Floats
    beta: float = 0.0
    similar: Floats | None = None

    @property
    def largest(self) -> float:
        """The upper bound of all importances: 1 + beta."""
        return 1.0 + self.beta

    def after(self, used: list[int], available: list[int]) -> Floats:
        """(K,) importance when the shapes ``used`` are packed already and ``available`` ones are left; others have 0.

        The last term is the shape's difference from the used ones (3.8): 1 minus its mean cosine with them, over the
        largest such mean of the available shapes; 0 for all before the first expression.
        """
        if self.similar is None or not used:
            return self.fixed
        mean = self.similar[np.ix_(available, used)].mean(axis=1)
        top = mean.max(initial=0.0)
        different = 1.0 - mean / top if top > 0.0 else np.ones_like(mean)
        importance = np.zeros_like(self.fixed)
        importance[available] = self.fixed[available] + self.beta * different
        return importance


def _over_largest(values: Floats) -> Floats:
    top = values.max(initial=0.0)
    return np.asarray(values / top if top > 0.0 else np.zeros_like(values), np.float64)
