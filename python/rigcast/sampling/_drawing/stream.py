"""Random numbers whose bytes stay the same across NumPy versions."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray


class Stream:
    """A source of uniform numbers, a function of a seed and a path of indices alone.

    Only ``SeedSequence`` and the raw 64-bit output of ``PCG64`` are used. NumPy guarantees both to stay as
    they are, which it does not for the methods of ``Generator``.
    """

    def __init__(self, seed: int, *path: int) -> None:
        self._seed, self._path = seed, path
        self._bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=path))

    def child(self, index: int) -> Stream:
        """An independent stream of its own."""
        return Stream(self._seed, *self._path, index)

    def uniform(self, *shape: int) -> NDArray[np.float64]:
        """The next numbers in the open interval (0, 1), multiples of 2^-53."""
        raw = self._bits.random_raw(math.prod(shape)).reshape(shape)
        return np.asarray(((raw >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52)


def normal_quantile(q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standard normal z with P(Z <= z) = 1/2 + q, for q in (-1/2, 1/2); z(-q) = -z(q) to the last bit.

    Both tails are computed as lower ones, whose probability 1/2 - |q| has no rounding error where it is small:
    the relative error is below 1e-15 except near 0, where the absolute error is below 1e-15.
    """
    quantile = NormalDist().inv_cdf  # Wichura 1988, algorithm AS 241, one number at a time: about 0.15 us each
    lower = [quantile(p) for p in (0.5 - np.abs(q)).ravel().tolist()]
    size: NDArray[np.float64] = np.reshape(lower, np.shape(q))
    return np.copysign(size, q, out=size)
