"""Rankings of several methods, with ties and gaps, as strengths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, shown
from rigcast.metrics import bradley_terry

Float64 = NDArray[np.float64]
UNRANKED = ("between", "unknown")


@one_line
@dataclass(frozen=True, eq=False)
class Strengths:
    """Strengths of preference.

    Attributes
    ----------
    names : list of N str
    strengths : (N,) float64
        Of sum 1: i is preferred to j with probability ``s_i / (s_i + s_j)``.
    interval : (N, 2) float64
        95 % of the strengths of resampled rankings; NaN if hardly any resample has finite strengths.
    wins : (N, N) float64
        A tie is half a win of both.
    """

    names: list[str]
    strengths: Float64
    interval: Float64
    wins: Float64


def wins_of(
    rankings: Sequence[Mapping[str, float]], names: Sequence[str], *, unranked: str = "between"
) -> NDArray[np.float64]:
    """Count how often each method was preferred to each other.

    Parameters
    ----------
    rankings : sequence of mappings
        Name to rank of one answer: smaller is better, equal ranks are ties; who names only best and worst gives two.
    names : sequence of N str
    unranked : {"between", "unknown"}
        Methods without a rank lie between the best and the worst that have one, or are compared with none.

    Returns
    -------
    (N, N) float64
        ``wins[i, j]``: i before j.

    Raises
    ------
    ValueError
        If a name is unknown, or a rank is no number.
    """
    check = Arguments("wins_of")
    listed = check.names("names", list(names))
    if unranked not in UNRANKED:
        raise check.wrong("unranked", shown(unranked), "between or unknown")
    place = {name: i for i, name in enumerate(listed)}
    wins = np.zeros((len(listed), len(listed)))
    for number, ranking in enumerate(rankings):
        ranks = np.full(len(listed), np.nan)
        for name, rank in ranking.items():
            if name not in place:
                raise bad_argument("wins_of", f"rankings[{number}]", shown(name), f"one of {', '.join(listed)}")
            ranks[place[name]] = check.number(f"rankings[{number}][{name!r}]", rank)
        wins += _pairs(ranks, unranked == "between")
    return wins


def _pairs(ranks: Float64, between: bool) -> Float64:
    known = np.isfinite(ranks)
    with np.errstate(invalid="ignore"):
        wins = (ranks[:, None] < ranks).astype(np.float64) + 0.5 * (ranks[:, None] == ranks)
    if between and known.any() and not known.all():
        low, high = np.nanmin(ranks), np.nanmax(ranks)
        if low < high:
            wins[np.ix_(ranks == low, ~known)] = 1.0
            wins[np.ix_(~known, ranks == high)] = 1.0
    np.fill_diagonal(wins, 0.0)
    return np.asarray(wins)


def strengths_of(
    rankings: Sequence[Mapping[str, float]],
    names: Sequence[str],
    *,
    unranked: str = "between",
    resamples: int = 1000,
    seed: int = 0,
) -> Strengths:
    """Strengths of methods from rankings (Bradley and Terry 1952), with intervals by resampling answers.

    Parameters
    ----------
    rankings, names, unranked
        See :func:`wins_of`.
    resamples : int
        0: no interval.
    seed : int

    Raises
    ------
    ValueError
        If some methods never win or never lose, so that no finite strengths are best.
    """
    check = Arguments("strengths_of")
    each = np.array([wins_of([ranking], names, unranked=unranked) for ranking in rankings])
    if not len(each):
        raise bad_argument("strengths_of", "rankings", "empty", "at least one answer")
    wins = each.sum(axis=0)
    best = bradley_terry(wins)
    random = np.random.default_rng(check.whole("seed", seed))
    found = []
    for _ in range(check.whole("resamples", resamples, most=1_000_000)):
        drawn = each[random.integers(0, len(each), len(each))].sum(axis=0)
        try:
            found.append(bradley_terry(drawn, tolerance=1e-6))
        except ValueError:  # a method that never lost in this sample
            continue
    interval = np.full((len(best), 2), np.nan)
    if 2 * len(found) > resamples > 0:
        interval = np.percentile(np.array(found), [2.5, 97.5], axis=0).T
    return Strengths(list(names), best, interval, wins)
