"""Random numbers whose bytes stay the same across NumPy versions."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

# Wichura 1988, "Algorithm AS 241: The percentage points of the normal distribution", PPND16: numerator and
# denominator of three rational functions, highest power first.
CENTRE = (
    (2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
     13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608),
    (5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
     5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0),
)  # fmt: skip
NEAR_TAIL = (
    (7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
     3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734),
    (1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
     0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0),
)  # fmt: skip
FAR_TAIL = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
     0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772),
    (2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
     0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0),
)  # fmt: skip


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
    """Standard normal z with P(Z <= z) = 1/2 + q, for q in (-1/2, 1/2); relative error about 1e-16.

    Sums, products, quotients and square roots are exact to the last bit on every machine; logarithms are
    taken one by one from the C library, because NumPy's own differ between versions and instruction sets.
    """
    q = np.asarray(q, np.float64)
    z = np.empty_like(q)
    center = np.abs(q) <= 0.425
    inner = q[center]
    z[center] = inner * _ratio(CENTRE, 0.180625 - inner * inner)
    outer = q[~center]
    logs = np.array([math.log(p) for p in (0.5 - np.abs(outer)).tolist()], np.float64)
    r = np.sqrt(-logs)
    tail = np.where(r <= 5.0, _ratio(NEAR_TAIL, r - 1.6), _ratio(FAR_TAIL, r - 5.0))
    z[~center] = np.where(outer < 0.0, -tail, tail)
    return z


def _ratio(coefficients: tuple[tuple[float, ...], tuple[float, ...]], x: NDArray[np.float64]) -> NDArray[np.float64]:
    values = []
    for polynomial in coefficients:
        value = np.full_like(x, polynomial[0])
        for coefficient in polynomial[1:]:
            value = value * x + coefficient
        values.append(value)
    return np.asarray(values[0] / values[1])
