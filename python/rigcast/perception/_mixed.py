"""A linear model with a random intercept per person, for designs with cells that some did not answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._validate import bad_argument

Float64 = NDArray[np.float64]
LEAST, MOST = -12.0, 12.0  # logarithms of the quotient of variances
STEPS = 80  # of the golden section


@dataclass(frozen=True)
class MixedTerms:
    """F tests: (F, df, df of the error) of each block; variances of people and of the rest."""

    tests: list[tuple[float, int, int]]
    person: float
    rest: float


def mixed_terms(values: Float64, blocks: Sequence[Float64]) -> MixedTerms:
    """Fit ``y = X b + u_person + e`` by REML, and test blocks of columns of X.

    With q the quotient of the variances of u and e, n_i answers of person i, and s_i the sum of the person's rows,

        X' V^-1 X = X'X - sum_i q / (1 + n_i q) s_i s_i'

    and q is that of the largest restricted likelihood (Patterson and Thompson 1971).

    Parameters
    ----------
    values : (N, cells)
        NaN where there is no answer.
    blocks : list of (cells, d)
        Columns of the terms, orthonormal and orthogonal to the constant.

    Raises
    ------
    ValueError
        If a cell has no answer of anybody, or there are not more answers than unknowns.
    """
    people, cells = values.shape
    there = np.isfinite(values)
    if not there.any(axis=0).all():
        got = f"without any answer in {int((~there.any(axis=0)).sum())} of {cells} cells"
        raise bad_argument("anova", "table", got, "such that each cell has an answer")
    design = np.concatenate([np.full((cells, 1), cells**-0.5), *blocks], axis=1)
    rest_df = int(there.sum()) - design.shape[1] - (people - 1)
    if rest_df < 1:
        raise bad_argument("anova", "table", f"of {int(there.sum())} answers", "of more answers than cells and people")
    model = _Model(np.where(there, values, 0.0), there.astype(np.float64), design)
    quotient = np.exp(_smallest(model.loss))
    beta, inverse, variance = model.solve(quotient)
    tests, first = [], 1
    for block in blocks:
        columns = slice(first, first + block.shape[1])
        first += block.shape[1]
        part = beta[columns]
        f = float(part @ np.linalg.solve(inverse[columns, columns], part)) / (block.shape[1] * variance)
        tests.append((f, block.shape[1], rest_df))
    return MixedTerms(tests, quotient * variance, variance)


class _Model:
    """Normal equations of all people for any quotient of variances."""

    def __init__(self, values: Float64, there: Float64, design: Float64) -> None:
        self.counts = there.sum(axis=1)
        self.sums = there @ design  # (N, P)
        self.totals = values.sum(axis=1)
        self.gram = design.T @ (there.sum(axis=0)[:, None] * design)
        self.right = design.T @ values.sum(axis=0)
        self.square = float(np.square(values).sum())
        self.free = float(self.counts.sum()) - design.shape[1]

    def _equations(self, quotient: float) -> tuple[Float64, Float64, float]:
        shrink = quotient / (1.0 + self.counts * quotient)
        left = self.gram - (self.sums * shrink[:, None]).T @ self.sums
        right = self.right - self.sums.T @ (shrink * self.totals)
        return left, right, self.square - float(shrink @ np.square(self.totals))

    def solve(self, quotient: float) -> tuple[Float64, Float64, float]:
        """Coefficients, inverse of the normal matrix, and variance of the rest."""
        left, right, square = self._equations(quotient)
        inverse = np.linalg.inv(left)
        beta = inverse @ right
        return np.asarray(beta), np.asarray(inverse, np.float64), (square - float(right @ beta)) / self.free

    def loss(self, logarithm: float) -> float:
        """-2 times the restricted log-likelihood, but for constants."""
        quotient = float(np.exp(logarithm))
        left, right, square = self._equations(quotient)
        rest = max(square - float(right @ np.linalg.solve(left, right)), 1e-300)
        determinant = float(np.linalg.slogdet(left)[1])
        people = float(np.log1p(self.counts * quotient).sum())
        return float(self.free * np.log(rest) + determinant + people)


def _smallest(function: Callable[[float], float]) -> float:
    """The place of the least value of a function with one minimum (golden section)."""
    low, high = LEAST, MOST
    share = (5.0**0.5 - 1.0) / 2.0
    first, second = high - share * (high - low), low + share * (high - low)
    at_first, at_second = function(first), function(second)
    for _ in range(STEPS):
        if at_first < at_second:
            high, second, at_second = second, first, at_first
            first = high - share * (high - low)
            at_first = function(first)
        else:
            low, first, at_first = first, second, at_second
            second = low + share * (high - low)
            at_second = function(second)
    return 0.5 * (low + high)
