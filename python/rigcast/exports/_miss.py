"""Distances of vertices from where they should be, gathered over frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._shown import one_line

QUANTILE = 0.999


@one_line
@dataclass(frozen=True)
class VertexMiss:
    """Distances of vertices from a model's, over all vertices and frames, in millimeters.

    Attributes
    ----------
    mean : float
    p999 : float
        99.9 % of the distances are at most this.
    worst : float

    Examples
    --------
    >>> rc.exports.VertexMiss(0.1, 0.5, 2.0).within(0.5)
    True
    """

    mean: float
    p999: float
    worst: float

    def within(self, millimeters: float) -> bool:
        """True if 99.9 % of the distances are at most ``millimeters``."""
        return self.p999 <= millimeters

    def figures(self) -> dict[str, float]:
        """The numbers by name, as files and JSON hold them."""
        return {"mean_mm": self.mean, "p999_mm": self.p999, "worst_mm": self.worst}

    def words(self) -> str:
        """``0.1 mm on average, 0.5 mm for 99.9 % of all vertices and frames, 2 mm at most``."""
        return (
            f"{self.mean:.3g} mm on average, {self.p999:.3g} mm for 99.9 % of all vertices and frames, "
            f"{self.worst:.3g} mm at most"
        )


class MissSum:
    """Gathers distances of some frames at a time; of the quantile it keeps the largest distances alone.

    Parameters
    ----------
    count : int, optional
        Distances in all; needed for the quantile.
    """

    def __init__(self, count: int = 1) -> None:
        self.worst, self._sum, self._count = 0.0, 0.0, 0
        self._lower, self._share = divmod(QUANTILE * (count - 1), 1.0)
        self._kept = max(1, count - int(self._lower))
        self._largest = np.zeros(0, np.float32)

    def add(self, truth: NDArray[np.float32], found: NDArray[np.float32]) -> None:
        """Vertices (t, V, 3) as they should be, and as they are."""
        gaps = np.linalg.norm(truth - found, axis=2).reshape(-1)
        self.worst = max(self.worst, float(gaps.max(initial=0.0)))
        self._sum, self._count = self._sum + float(gaps.sum(dtype=np.float64)), self._count + gaps.size
        both = np.concatenate([self._largest, gaps])
        self._largest = both if len(both) <= self._kept else np.partition(both, -self._kept)[-self._kept :]

    @property
    def mean(self) -> float:
        """Over all that were added."""
        return self._sum / max(1, self._count)

    def in_millimeters(self, meters_per_unit: float) -> VertexMiss:
        """The figures, once all distances were added."""
        ends = np.sort(self._largest)[:2].astype(np.float64)
        p999 = ends[0] + self._share * (ends[-1] - ends[0])
        return VertexMiss(*(1e3 * meters_per_unit * float(value) for value in (self.mean, p999, self.worst)))
