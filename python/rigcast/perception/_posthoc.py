"""Means compared in pairs, after an analysis of variance says that some differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._extras import require
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, shown
from rigcast.perception._anova import contrasts
from rigcast.perception._table import Table, cells_of

Float64 = NDArray[np.float64]


@one_line
@dataclass(frozen=True)
class LevelPair:
    """Two levels: means ``first`` and ``second``, the studentized difference q, and p corrected for all pairs."""

    first: str
    second: str
    difference: float
    q: float
    p: float


@one_line
@dataclass(frozen=True, eq=False)
class PostHoc:
    """LevelPairs of all levels in pairs.

    Attributes
    ----------
    levels : list of L str
        By rising mean.
    means : (L,) float64
    pairs : list of LevelPair
    groups : list of lists of str
        The largest sets of neighboring levels that are not told apart at ``alpha``.
    mean_square_error : float
    df_error : int
    method : str
    """

    levels: list[str]
    means: Float64
    pairs: list[LevelPair]
    groups: list[list[str]]
    mean_square_error: float
    df_error: int
    method: str

    def p(self, first: str, second: str) -> float:
        """The probability of so large a difference of two levels by chance."""
        for pair in self.pairs:
            if {pair.first, pair.second} == {first, second}:
                return pair.p
        raise bad_argument("PostHoc.p", "first, second", f"{first!r}, {second!r}", f"two of {', '.join(self.levels)}")


def posthoc(
    table: Table,
    value: str,
    person: str,
    *,
    factor: str | Sequence[str],
    method: str = "tukey",
    alpha: float = 0.05,
) -> PostHoc:
    """Compare the levels of a factor within people, or the cells of several, in pairs.

    The studentized difference ``q = |m_i - m_j| / sqrt(MSE / N)``, with the mean square of the interaction of the
    factor with people as error, is compared with the range of all L means (Tukey 1953), or of as many as lie between
    the two (Newman 1939, Keuls 1952: more power, and more than ``alpha`` for some of many true equalities). People
    without an answer in some cell are left out.

    Parameters
    ----------
    table, value, person
        As for :func:`anova`.
    factor : str, or list of str
        Several factors: their cells, named ``smile, 60``.
    method : {"tukey", "newman-keuls"}
    alpha : float
        For ``groups``.

    Returns
    -------
    PostHoc

    Raises
    ------
    ValueError
    """
    if method not in ("tukey", "newman-keuls"):
        raise bad_argument("posthoc", "method", shown(method), "tukey or newman-keuls")
    Arguments("posthoc").number("alpha", alpha, above=0.0, below=1.0)
    names = [factor] if isinstance(factor, str) else list(factor)
    values, levels = complete_cells("posthoc", table, value, person, names)
    order = np.argsort(values.mean(axis=0), kind="stable")
    return _compared(values[:, order], [levels[i] for i in order], method, alpha)


def complete_cells(
    function: str, table: Table, value: str, person: str, names: Sequence[str]
) -> tuple[Float64, list[str]]:
    """Values (N, L) of people with answers in all cells of some factors, and the names of the cells.

    Raises
    ------
    ValueError
        If there are fewer than two such people.
    """
    cells = cells_of(function, table, value, person, names)
    values = cells.values[cells.complete].reshape(int(cells.complete.sum()), -1)
    if len(values) < 2:
        raise bad_argument(function, "table", "complete for fewer than two people", "complete for two people at least")
    return values, [", ".join(names) for names in _cells([factor.levels for factor in cells.factors])]


def studentized(values: Float64, first: NDArray[np.intp], second: NDArray[np.intp]) -> tuple[Float64, float, int]:
    """Differences of the means of columns (N, L), second less first, over their standard error; its square and df."""
    people, count = values.shape
    z = values @ contrasts(count)
    df = (people - 1) * (count - 1)
    error = float(np.square(z - z.mean(axis=0)).sum()) / df
    means = values.mean(axis=0)
    apart = means[second] - means[first]
    q = np.where(apart == 0.0, 0.0, np.copysign(np.inf, apart))  # of people who agree to the last digit
    np.divide(apart, np.sqrt(error / people), out=q, where=error > 0.0)
    return q, error, df


def tukey_p(q: Float64, spans: Any, df: int) -> Float64:
    """Probabilities of so large studentized ranges of ``spans`` means."""
    stats = require("scipy.stats", extra="perception", purpose="probabilities of ranges")
    return np.asarray(stats.studentized_range.sf(np.abs(q), spans, df))


def _cells(levels: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    result: list[tuple[str, ...]] = [()]
    for names in levels:
        result = [(*row, name) for row in result for name in names]
    return result


def _compared(values: Float64, levels: list[str], method: str, alpha: float) -> PostHoc:
    count, means = values.shape[1], values.mean(axis=0)
    first, second = np.triu_indices(count, 1)
    q, error, df = studentized(values, first, second)
    p = tukey_p(q, np.full(len(q), count) if method == "tukey" else second - first + 1, df)
    told = np.zeros((count, count))
    told[first, second] = p
    if method == "newman-keuls":  # what lies inside of a range that is not told apart is not told apart
        for span in range(count - 1, 0, -1):
            for i in range(count - span):
                outer = [told[i - 1, i + span]] if i else []
                outer += [told[i, i + span + 1]] if i + span + 1 < count else []
                told[i, i + span] = max([told[i, i + span], *outer])
    pairs = [
        LevelPair(levels[i], levels[j], float(means[j] - means[i]), float(value), float(told[i, j]))
        for i, j, value in zip(first.tolist(), second.tolist(), q, strict=True)
    ]
    return PostHoc(levels, means, pairs, _groups(levels, told, alpha), error, df, method)


def _groups(levels: list[str], told: Float64, alpha: float) -> list[list[str]]:
    groups, end = [], 0
    for i in range(len(levels)):
        last = max([i, *(j for j in range(i + 1, len(levels)) if told[i, j] > alpha)])
        if last >= end:
            groups.append(levels[i : last + 1])
            end = last + 1
    return groups


def single_t(values: ArrayLike, against: float = 0.0) -> tuple[float, int, float]:
    """Test one mean against a number (Student 1908).

    Parameters
    ----------
    values : (N,)
        One per person: a share of answers, a difference.
    against : float
        For instance .5, guessing between two.

    Returns
    -------
    t, df, p
        Two-sided.

    Raises
    ------
    ValueError
        If there are fewer than two values.
    """
    given = Arguments("single_t").numbers("values", values, "N")
    if len(given) < 2:
        raise bad_argument("single_t", "values", f"of {len(given)}", "of two people at least")
    stats = require("scipy.stats", extra="perception", purpose="probabilities")
    spread = float(given.std(ddof=1)) / np.sqrt(len(given))
    apart = float(given.mean()) - against
    t = apart / spread if spread > 0.0 else float(np.copysign(np.inf, apart)) if apart else 0.0
    return float(t), len(given) - 1, float(2.0 * stats.t.sf(abs(t), len(given) - 1))
