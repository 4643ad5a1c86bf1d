"""Points before the camera as they are observed, and derivatives of these."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]


@dataclass(frozen=True)
class Projection:
    """A pinhole camera, or the scale of points in space.

    Attributes
    ----------
    focal : float
        In pixels; of points in space the scale to their unit.
    center : (float, float)
        Of the image, in pixels.
    axes : int
        2 in images, 3 in space.
    """

    focal: float
    center: tuple[float, float]
    axes: int

    @property
    def camera(self) -> Float64:
        """The three numbers that the engine takes."""
        return np.array([self.focal, *self.center])

    def project(self, placed: Float64) -> Float64:
        """Observed points (U, D) of positions (U, 3) before the camera."""
        if self.axes == 3:
            return np.asarray(self.focal * placed)
        return np.asarray(np.array(self.center) + self.focal * placed[:, :2] / placed[:, 2:])

    def slopes(self, placed: Float64) -> Float64:
        """(U, D, 3) derivatives of what is observed along the camera's axes."""
        if self.axes == 3:
            return np.tile(self.focal * np.eye(3), (len(placed), 1, 1))
        slopes = np.zeros((len(placed), 2, 3))
        slopes[:, 0, 0] = slopes[:, 1, 1] = self.focal / placed[:, 2]
        slopes[:, :, 2] = -self.focal * placed[:, :2] / placed[:, 2:] ** 2
        return slopes


def head_columns(placed: Float64, pose: Float64) -> Float64:
    """(U, 3, 6) derivatives of places before the camera along a rotation vector and a translation of the head."""
    around = placed - pose[:, 3]
    columns = np.zeros((len(placed), 3, 6))
    columns[:, :, 3:] = np.eye(3)
    for k in range(3):
        columns[:, :, k] = np.cross(np.eye(3)[k], around)
    return columns


def without_head(columns: Float64, miss: Float64, head: Float64) -> tuple[Float64, Float64]:
    """Columns (N, M) and differences (N,) less what a motion of the head (N, 6) explains of them."""
    basis, _ = np.linalg.qr(head)
    return columns - basis @ (basis.T @ columns), miss - basis @ (basis.T @ miss)
