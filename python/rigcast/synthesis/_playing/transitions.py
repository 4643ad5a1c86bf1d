"""From one stretch of controls to another: blended, or with the difference decaying (inertialized)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.rotation_vectors import rotation_vectors, rotations_of
from rigcast.synthesis._clips.rotations import Rotations

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]


def smooth_shares(count: int) -> Float64:
    """Shares (n,) of the second stretch in the frames of a blend: from near 0 to near 1 (Kovar et al. 2002)."""
    place = np.arange(1, count + 1) / (count + 1)
    return np.asarray(place**2 * (3.0 - 2.0 * place))


class Mixer:
    """Mixes controls of a synthesizer: joints as rotations, everything else linearly.

    Parameters
    ----------
    columns : (R, 3) int array
        Controls that are Euler angles.
    orders : list of R str
    limits : (N, 2) array
    """

    def __init__(self, columns: NDArray[np.int32], orders: list[str], limits: NDArray[np.float32]) -> None:
        self.rotations, self.limits = Rotations(columns, orders), np.asarray(limits, np.float64)

    def blended(self, first: Float32, second: Float32, shares: Float64) -> Float64:
        """(T, N) controls between two: ``R_1 exp(share log(R_1^T R_2))`` for joints (slerp)."""
        a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
        result = a + shares[:, None] * (b - a)
        if len(self.rotations):
            start = self.rotations.matrices(a)
            turn = rotation_vectors(np.swapaxes(start, -1, -2) @ self.rotations.matrices(b))
            turned = start @ rotations_of(shares[:, None, None] * turn)
            self.rotations.write_angles(result, turned, self.limits, continuous=False)
        return result

    def difference(self, first: Float32, second: Float32) -> Float64:
        """(T, N) what turns the second controls into the first: in the columns of joints rotation vectors, radians."""
        a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
        result = a - b
        if len(self.rotations):
            turned = self.rotations.matrices(a) @ np.swapaxes(self.rotations.matrices(b), -1, -2)
            result[:, self.rotations.columns] = rotation_vectors(turned)
        return result

    def shifted(self, controls: NDArray[np.floating[Any]], offsets: Float64) -> Float64:
        """(T, N) controls with differences added, the inverse of :meth:`difference`."""
        base = np.asarray(controls, np.float64)
        result = base + offsets
        if len(self.rotations):
            turn = rotations_of(offsets[:, self.rotations.columns])
            self.rotations.write_angles(result, turn @ self.rotations.matrices(base), self.limits, continuous=False)
        return result

    def clipped(self, controls: NDArray[np.floating[Any]]) -> Float32:
        """Controls inside the limits, as float32."""
        low, high = self.limits.astype(np.float32).T
        return np.clip(np.asarray(controls, np.float32), low, high)


@dataclass(frozen=True, eq=False)
class Decay:
    """A difference that decays to nothing over some frames (inertialization, Bollo 2018).

    The quintic that has the difference and its rate of change at ``begin`` and is at rest at 0 after ``frames``.

    Attributes
    ----------
    begin : int
        Frame at which the difference is whole: the last one before the jump.
    offset, rate : (N,) float64
        Difference, and its change per frame.
    frames : int
    """

    begin: int
    offset: Float64
    rate: Float64
    frames: int

    def at(self, frames: NDArray[np.int64]) -> Float64:
        """(T, N) differences at frames (T,)."""
        s = np.clip((frames - self.begin) / self.frames, 0.0, 1.0)[:, None]
        place = 1.0 - 10.0 * s**3 + 15.0 * s**4 - 6.0 * s**5
        slope = self.frames * (s - 6.0 * s**3 + 8.0 * s**4 - 3.0 * s**5)
        return np.asarray(place * self.offset + slope * self.rate)

    @classmethod
    def across(cls, mixer: Mixer, begin: int, before: Float32, after: Float32, frames: int) -> Decay:
        """Of the jump from rows ``before`` (2, N), the last shown, to ``after`` (2, N), at ``begin`` and one later."""
        offset = mixer.difference(before[1:], after[:1])[0]
        rate = mixer.difference(before[1:], before[:1])[0] - mixer.difference(after[1:], after[:1])[0]
        return cls(begin, offset, rate, frames)
