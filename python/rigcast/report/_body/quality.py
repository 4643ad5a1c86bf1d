"""Steps of the quality that a program can choose at run time, measured on held-out poses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._core import Deformer
from rigcast.metrics import normal_angle
from rigcast.report._body.heldout import HeldOutPoses
from rigcast.report._body.measure import in_millimeters
from rigcast.report._body.timing import median_seconds

LEAST = 1e-4  # millimeters

Distances = NDArray[np.float32]


@dataclass(frozen=True)
class QualityStep:
    """One step of the quality.

    Attributes
    ----------
    name, how : str
        The step, and the call that plays it.
    mean, max : float
        Millimeters.
    normals : float
        Degrees.
    milliseconds : float
        One pose, one thread.
    """

    name: str
    how: str
    mean: float
    max: float
    normals: float
    milliseconds: float

    def figures(self) -> dict[str, float]:
        """All numbers by name."""
        return {
            "mean_mm": self.mean,
            "max_mm": self.max,
            "normals_degrees": self.normals,
            "milliseconds": self.milliseconds,
        }


class StepMeasurer:
    """Measures calls of a model against the truth in millimeters."""

    def __init__(self, model: Deformer, truth: HeldOutPoses) -> None:
        self.model, self.truth, self.exact = model, truth, in_millimeters(model, truth.vertices)

    def distances(self, call: Callable[..., NDArray[np.float32]]) -> Distances:
        """Distances (T, V) of a call from the truth."""
        return _core.vertex_distances(in_millimeters(self.model, call(self.truth.poses)), self.exact)

    def step(self, name: str, how: str, call: Callable[..., NDArray[np.float32]]) -> QualityStep:
        """Measure ``call(poses, threads=1, out=array)``."""
        poses = self.truth.poses
        found = in_millimeters(self.model, call(poses))
        turn, into = iter(range(10**9)), np.empty(self.exact.shape[1:], np.float32)
        seconds = median_seconds(lambda: call(poses[next(turn) % len(poses)], threads=1, out=into))
        angle = normal_angle(self.exact, found, self.model.faces).mean
        off = mean_and_largest(_core.vertex_distances(found, self.exact))
        return QualityStep(name, how, *off, angle, 1e3 * seconds)


def mean_and_largest(values: NDArray[np.floating[Any]]) -> tuple[float, float]:
    """Mean and largest of millimeters; what is below a tenth of a micrometer is rounding, and 0. NaN of none."""
    if not values.size:
        return np.nan, np.nan
    mean, most = float(values.mean(dtype=np.float64)), float(values.max())
    return (mean if mean > LEAST else 0.0), (most if most > LEAST else 0.0)
