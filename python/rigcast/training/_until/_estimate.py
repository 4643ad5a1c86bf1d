"""The error of a model on fresh poses: a statistic and an upper confidence bound on it.

Vertices of one pose err together, so the pose is the unit: T poses are T independent draws, whatever the number of
vertices.

- Mean: the mean over poses of a pose's mean error.
- p99: an error e is above the 99th percentile of all vertices exactly if the mean over poses of the share of vertices
  beyond e is at most 1 %. The bound is the smallest e for which the upper bound of that mean is.
- Max: poses that nobody sampled may err more. The bound is one on the 99th percentile of a pose's largest error, by
  the order statistics of T poses (Wilks 1941): with T = 299, the largest of all is a 95 % bound.

Upper bounds of means are those of the t distribution with Hall's correction for skewness (Hall 1983, one-sided): few
poses hold most of the large errors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST_BEYOND = 5  # poses with a vertex beyond a percentile: fewer say nothing of their share by its deviation
PERCENTILE = 0.99  # of the vertices ("p99"), and of the poses whose largest error "max" bounds
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """The error on fresh poses.

    Attributes
    ----------
    value : float
        The statistic of these poses.
    bound : float
        Upper bound of the statistic of all poses of the sampler; infinite if there are too few poses to say.
    poses : int
    """

    value: float
    bound: float
    poses: int


def estimate(errors: NDArray[np.floating[Any]], statistic: str, risk: float) -> Estimate:
    """The statistic of vertex errors (T, V) of T fresh poses, and its bound, which fails with probability ``risk``."""
    count = len(errors)
    if statistic == "mean":
        means = errors.mean(axis=1, dtype=np.float64)
        return Estimate(float(means.mean()), upper_mean(means, risk), count)
    if statistic == "max":
        largest = np.sort(errors.max(axis=1).astype(np.float64))
        rank = bounding_rank(count, PERCENTILE, risk)
        return Estimate(float(largest[-1]), float(largest[rank]) if rank < count else math.inf, count)
    return Estimate(float(np.quantile(errors, PERCENTILE)), upper_percentile(errors, PERCENTILE, risk), count)


def upper_mean(values: Array, risk: float) -> float:
    """An upper bound of the mean that T independent values (T,) come from."""
    count = len(values)
    if count < 2:
        return math.inf
    mean, deviation = float(values.mean()), float(values.std(ddof=1))
    if deviation == 0.0:
        return mean
    skewness = float((((values - mean) / deviation) ** 3).mean())
    t = student_quantile(1.0 - risk, count - 1)
    correction = max(skewness, 0.0) * (1.0 + 2.0 * t * t) / (6.0 * math.sqrt(count))
    return mean + deviation / math.sqrt(count) * (t + correction)


def upper_percentile(errors: NDArray[np.floating[Any]], share: float, risk: float) -> float:
    """An upper bound of the ``share`` quantile of the vertex errors (T, V); infinite if the poses are too few."""
    count, allowed = len(errors), 1.0 - share
    ordered = np.sort(errors.ravel())
    lowest, highest = int(share * (len(ordered) - 1)), len(ordered) - 1
    while lowest < highest:
        middle = (lowest + highest) // 2
        beyond = (errors > ordered[middle]).mean(axis=1, dtype=np.float64)
        lowest, highest = (lowest, middle) if upper_mean(beyond, risk) <= allowed else (middle + 1, highest)
    if (errors > ordered[highest]).any(axis=1).sum() >= LEAST_BEYOND:
        return float(ordered[highest])
    return float(ordered[-1]) if 1.0 - risk ** (1.0 / count) <= allowed else math.inf


def bounding_rank(count: int, share: float, risk: float) -> int:
    """The lowest rank (from 0) of T ordered values that is above their ``share`` quantile but for ``risk``; or T."""
    below = 0.0  # P(at most ``rank`` of the values lie below the quantile)
    for rank in range(count):
        log_term = math.lgamma(count + 1) - math.lgamma(rank + 1) - math.lgamma(count - rank + 1)
        below += math.exp(log_term + rank * math.log(share) + (count - rank) * math.log1p(-share))
        if below >= 1.0 - risk:
            return rank
    return count


def student_quantile(probability: float, freedom: int) -> float:
    """Quantile of Student's t distribution (Abramowitz & Stegun 1964, 26.7.5): to 0.1 % from 15 degrees of freedom."""
    z, n = NormalDist().inv_cdf(probability), freedom
    terms = (
        (z**3 + z) / 4.0,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96.0,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384.0,
    )
    return float(z + sum(term / n ** (power + 1) for power, term in enumerate(terms)))
