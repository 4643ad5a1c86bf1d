"""The number of people that a study needs, by simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._extras import require
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument
from rigcast.perception._anova import epsilon_used, scores, terms_of
from rigcast.perception._table import Factor
from rigcast.progress import Progress, ProgressOption, as_callback

Float64 = NDArray[np.float64]
MOST_RUNS = 1_000_000


@one_line
@dataclass(frozen=True, eq=False)
class Power:
    """The share of simulated studies that find a term.

    Attributes
    ----------
    people : list of int
    found : dict of str to (len(people),) float64
        By term.
    runs : int
    alpha : float
    """

    people: list[int]
    found: dict[str, Float64]
    runs: int
    alpha: float

    def needed(self, term: str, share: float = 0.8) -> int | None:
        """The fewest people with which at least ``share`` of the studies find a term; None if more are needed."""
        if term not in self.found:
            raise bad_argument("Power.needed", "term", repr(term), f"one of {', '.join(self.found)}")
        enough = [n for n, got in zip(self.people, self.found[term], strict=True) if got >= share]
        return min(enough, default=None)


def power(
    means: ArrayLike,
    factors: Mapping[str, Sequence[str]],
    people: int | Sequence[int],
    *,
    noise: float,
    person: float = 1.0,
    slopes: float = 0.0,
    limits: tuple[float, float] | None = None,
    runs: int = 1000,
    alpha: float = 0.05,
    seed: int = 0,
    progress: ProgressOption = None,
) -> Power:
    """Simulate studies with planted effects, and count how often :func:`anova` finds each term.

    A rating of person i in a cell is ``mean + person_i + slope_i (mean - mean of all) + noise``.

    Parameters
    ----------
    means : (L1, L2, ...)
        Expected ratings of all cells.
    factors : dict of names to levels
        In the order of the axes of ``means``.
    people : int or list of int
    noise, person, slopes : float
        Standard deviations: of one answer, of people's means, and of how strongly they answer to differences.
    limits : (low, high), optional
        Ratings are rounded to whole numbers and kept inside, as on a scale from 1 to 9.
    runs : int
    alpha : float
    seed : int
    progress : True or callable, optional

    Returns
    -------
    Power

    Raises
    ------
    ValueError

    Examples
    --------
    >>> found = rc.perception.power([3.0, 3.6], {"rig": ["old", "new"]}, [5, 40], noise=0.8, runs=200)
    >>> found.needed("rig")
    40
    """
    check = Arguments("power")
    expected = check.numbers("means", means, *(" ".join("ABCDEFGH"[:n]) for n in range(1, 9)))
    if tuple(map(len, factors.values())) != expected.shape or min(expected.shape) < 2:
        got = f"of {', '.join(f'{name}: {len(levels)}' for name, levels in factors.items())} levels"
        raise bad_argument(
            "power", "factors", got, f"one name per axis of means {expected.shape}, of 2 levels at least"
        )
    listed = [people] if isinstance(people, int) else list(people)
    for count in listed:
        check.whole("people", count, least=2, most=100_000)
    spread = [check.number(name, value, least=0.0) for name, value in _named(noise=noise, person=person, slopes=slopes)]
    check.whole("runs", runs, least=1, most=MOST_RUNS)
    check.number("alpha", alpha, above=0.0, below=1.0)
    random, tell = np.random.default_rng(check.whole("seed", seed)), as_callback(progress)
    named = [Factor(name, list(levels), np.zeros(0, np.intp)) for name, levels in factors.items()]
    terms = terms_of(named)
    labels = [":".join(named[i].name for i in term) for term in terms]
    found = {label: np.zeros(len(listed)) for label in labels}
    for column, count in enumerate(listed):
        for run in range(runs):
            values = _simulated(random, expected, count, spread, limits)
            for label, term in zip(labels, terms, strict=True):
                found[label][column] += _p(scores(values, term)) < alpha
            tell(Progress("simulating studies", column * runs + run + 1, len(listed) * runs))
    return Power(listed, {label: hits / runs for label, hits in found.items()}, runs, alpha)


def _named(**values: float) -> list[tuple[str, float]]:
    return list(values.items())


def _simulated(
    random: np.random.Generator,
    expected: Float64,
    people: int,
    spread: Sequence[float],
    limits: tuple[float, float] | None,
) -> Float64:
    noise, person, slopes = spread
    ones = (1,) * expected.ndim
    own = person * random.standard_normal((people, *ones))
    steeper = slopes * random.standard_normal((people, *ones)) * (expected - expected.mean())
    values = expected + own + steeper + noise * random.standard_normal((people, *expected.shape))
    return np.asarray(values if limits is None else np.clip(np.rint(values), *limits))


def _p(z: Float64) -> float:
    people, df = z.shape
    mean = z.mean(axis=0)
    apart = z - mean
    error = float(np.square(apart).sum())
    f = people * float(mean @ mean) * (people - 1) / error if error > 0.0 else np.inf
    epsilon = epsilon_used("auto", apart)
    special = require("scipy.special", extra="perception", purpose="probabilities")
    return float(special.fdtrc(epsilon * df, epsilon * df * (people - 1), f))
