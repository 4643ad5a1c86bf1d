"""Coordinates of controls in which straight lines and averages make sense, scaled by what they do to the mesh."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.synthesis._clips.rotations import Rotations

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]


class Coordinates:
    """Controls (T, N) as differences from their mean (T, N), and back.

    A plain control's coordinate is its difference from the mean. The three coordinates of a rotation are the rotation
    vector, in degrees, of ``R_mean^-1 R``: where the middle angle passes 90 degrees, Euler angles jump and these do
    not.

    Parameters
    ----------
    rotations : Rotations
    mean : (N,) array
        Mean of the plain controls; unused at columns of rotations.
    mean_rotations : (R, 3, 3) array
    limits : (N, 2) array
    """

    def __init__(self, rotations: Rotations, mean: Float64, mean_rotations: Float64, limits: Float64) -> None:
        self.rotations, self.limits = rotations, limits
        self.mean, self.mean_rotations = mean, mean_rotations

    @classmethod
    def around(cls, controls: NDArray[np.floating[Any]], rotations: Rotations, limits: Float64) -> Coordinates:
        """Around the mean of frames (T, N)."""
        return cls(rotations, np.asarray(controls, np.float64).mean(axis=0), rotations.mean(controls), limits)

    def of(self, controls: NDArray[np.floating[Any]]) -> Float64:
        """(T, N) coordinates of controls."""
        return np.asarray(self._engine.of(controls))

    def unclipped(self, coordinates: Float64) -> Float64:
        """(T, N) controls of coordinates, inside the limits or not."""
        return np.asarray(self._engine.unclipped(coordinates))

    @functools.cached_property
    def _engine(self) -> _core.ControlCoordinates:
        turned = self.rotations
        return _core.ControlCoordinates(turned.columns, turned.orders, self.limits, self.mean, self.mean_rotations)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_engine"}  # which is made again

    def controls(self, coordinates: Float64) -> Float32:
        """(T, N) controls of coordinates, clipped to the limits."""
        return self.clipped(self.unclipped(coordinates))

    def clipped(self, controls: Float64) -> Float32:
        """Controls inside the limits, as float32: rounding leads out of them nowhere."""
        low, high = self.limits.astype(np.float32).T
        return np.clip(np.asarray(controls, np.float32), low, high)

    def largest_turn(self, coordinates: Float64) -> float:
        """Degrees between the mean rotation of a joint and the one farthest from it: near 180, vectors jump."""
        if not len(self.rotations) or not len(coordinates):
            return 0.0
        return float(np.linalg.norm(coordinates[:, self.rotations.columns], axis=-1).max())
