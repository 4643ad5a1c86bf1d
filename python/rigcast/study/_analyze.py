"""Statistics of a study's answers: the tests of each protocol."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require
from rigcast._validate import bad_argument, shown
from rigcast.errors import NumericalError
from rigcast.perception import (
    Anova,
    Visibility,
    anova,
    glm,
    posthoc,
    single_t,
    strengths_of,
    visibility,
)
from rigcast.study._checks import Findings, findings, without
from rigcast.study._foretold import foretold
from rigcast.study._results import CellMean, Preference, StudyAnalysis
from rigcast.study._table import PERSON, RANK, StudyAnswers

Float64 = NDArray[np.float64]
Result = TypeVar("Result")
WITHIN = ("unit", "activation", "character")
NEUTRAL = "Neutral"
LOW_CAP = 0.5  # of epsilon: what Greenhouse and Geisser's correction cannot exceed for these terms
CONFIDENCE = 0.975
UNDER = 0.8  # dispersion of ratings below which the page explains it
SIGNIFICANT = 0.05


def analyze(
    answers: StudyAnswers, *, within: Sequence[str] = (), exclude: Sequence[str] = (), seed: int = 0
) -> StudyAnalysis:
    """Analyze the answers of a study by the tests of its protocol.

    Ratings: analysis of variance within people, Tukey's test of units, a Poisson model of ratings over activation
    (Carrigan 2020, section 5.1). Choices: each person's share of choices against guessing, by unit and over all
    (section 3.1). Rankings: strengths of methods (Bradley and Terry 1952).

    Parameters
    ----------
    answers : StudyAnswers
    within : sequence of str
        Factors; default unit, activation and character, as far as they vary.
    exclude : sequence of str
        People to leave out. Nobody is left out without being named.
    seed : int
        Of resampled rankings.

    Returns
    -------
    StudyAnalysis

    Raises
    ------
    ValueError
        If there are no answers, or a name is unknown.

    Examples
    --------
    >>> plan = rc.study.StudyPlan("smiles", [rc.study.NamedExpression("Smile", {"mouthSmileLeft": 1.0})])
    >>> made = rc.study.make_rating("analyzed", {"face": rc.faces.example()}, plan)
    >>> result = rc.study.analyze(rc.study.rehearse(made, people=8, seed=3))
    >>> result.anova["activation"].df
    4
    """
    if not len(answers):
        raise bad_argument("analyze", "answers", "empty", "the answers of at least one person")
    for name in within:
        if name not in answers.facts:
            raise bad_argument("analyze", "within", shown(name), f"one of {', '.join(answers.facts)}")
    table = without(answers, exclude) if exclude else answers
    if not len(table):
        raise bad_argument("analyze", "exclude", "everybody", "some of the people")
    found = findings(table)
    factors = [
        name
        for name in (within or WITHIN)
        if name in table.facts and len(np.unique(np.asarray(table.columns[name]))) > 1
    ]
    tests = {"rating": _ratings, "choice": _choices, "ranking": _rankings}[table.protocol]
    return dataclasses.replace(tests(table, factors, found, seed), measures=foretold(table))


class _Attempts:
    """Runs tests; one that a design does not allow becomes a warning."""

    def __init__(self, warnings: list[str]) -> None:
        self._warnings = warnings

    def attempt(self, what: str, test: Callable[[], Result]) -> Result | None:
        """The result of a test, or None."""
        try:
            return test()
        except (ValueError, NumericalError) as error:
            self._warnings.append(f"{what}: {error}")
            return None


def _ratings(table: StudyAnswers, factors: list[str], found: Findings, _: int) -> StudyAnalysis:
    notes = _Attempts(found.study)
    columns = dict(table.columns)
    clusters = PERSON if len(np.unique(np.asarray(columns[PERSON]))) > 1 else None
    by = [name for name in ("unit", "activation") if name in factors]
    result = (
        notes.attempt("no analysis of variance", lambda: _anova(columns, "rating", factors, found)) if factors else None
    )
    groups = None
    if "unit" in factors:
        groups = notes.attempt("units are not compared", lambda: posthoc(columns, "rating", PERSON, factor="unit"))
    fit = time = None
    if "activation" in factors:
        formula = "activation * unit" if "unit" in factors else "activation"
        fit = notes.attempt("no model of ratings", lambda: glm(columns, "rating", formula, clusters=clusters))
    if fit is not None and fit.dispersion < UNDER:
        found.study.append(
            f"dispersion {fit.dispersion:.2f}: ratings vary less than counts do, as ratings from 1 to 9 must; the "
            "errors of the model are those of answers clustered by person, which allow for it"
        )
    if "rt" in columns and np.isfinite(np.asarray(columns["rt"], np.float64)).all():
        time = notes.attempt(
            "no model of response times", lambda: glm(columns, "rt", "rating", family="gaussian", clusters=clusters)
        )
    thresholds: list[Visibility] = []
    if {"unit", "activation"} <= set(factors) and NEUTRAL in np.asarray(columns["unit"]).tolist():
        seen = notes.attempt(
            "no thresholds",
            lambda: visibility(columns, "rating", PERSON, shape="unit", activation="activation", neutral=NEUTRAL),
        )
        thresholds = seen or []
    means = cell_means(table, "rating", by)
    return StudyAnalysis(table, means, found, result, groups, fit, time, thresholds)


def _choices(table: StudyAnswers, factors: list[str], found: Findings, _: int) -> StudyAnalysis:
    notes = _Attempts(found.study)
    first = (np.asarray(table.columns["chosen"]) == table.methods[0]).astype(np.float64)
    columns = {**table.columns, "share": first}
    shares = StudyAnswers(table.protocol, columns, table.facts, table.methods, table.expected)
    result = groups = left = None
    by = [name for name in factors if name == "unit"]
    if by:
        result = notes.attempt("no analysis of variance", lambda: _anova(columns, "share", by, found))
        groups = notes.attempt(
            "units are not compared", lambda: posthoc(columns, "share", PERSON, factor="unit", method="newman-keuls")
        )
    names = np.asarray(columns["unit"]).astype(str) if by else np.zeros(len(table), np.str_)
    cells = {
        "": np.ones(len(table), np.bool_),
        **{name: names == name for name in (np.unique(names).tolist() if by else [])},
    }
    preferences = []
    for cell, rows in cells.items():
        test = functools.partial(_preference, cell, first, columns, rows)
        made = notes.attempt(f"{cell or 'the preference'} is not tested", test)
        preferences += [made] if made else []
    if "side" in columns:
        is_left = (np.asarray(columns["side"]) == "left").astype(np.float64)
        left = notes.attempt(
            "sides are not tested", lambda: _preference("left", is_left, columns, np.ones(len(table), np.bool_))
        )
        if left is not None and left.p < SIGNIFICANT:
            found.study.append(f"the left one was chosen in {left.share:.0%} of the answers, whatever stood there")
    return StudyAnalysis(
        table, cell_means(shares, "share", by), found, result, groups, preferences=preferences, left=left
    )


def _rankings(table: StudyAnswers, factors: list[str], found: Findings, seed: int) -> StudyAnalysis:
    notes = _Attempts(found.study)
    ranks = np.stack([np.asarray(table.columns[RANK + method], np.float64) for method in table.methods], axis=1)
    rankings = [
        {method: float(rank) for method, rank in zip(table.methods, row, strict=True) if np.isfinite(rank)}
        for row in ranks
    ]
    strengths = notes.attempt("no strengths", lambda: strengths_of(rankings, list(table.methods), seed=seed))
    found.study.append(
        "intervals of strengths resample answers; those of one person are alike, so they are rather too narrow"
    )
    means = []
    for i, method in enumerate(table.methods):
        own = StudyAnswers(
            table.protocol,
            {
                PERSON: np.asarray(table.columns[PERSON])[np.isfinite(ranks[:, i])],
                "rank": ranks[np.isfinite(ranks[:, i]), i],
            },
            [],
        )
        means += [CellMean((method,), m.mean, m.half, m.people) for m in cell_means(own, "rank", [])]
    return StudyAnalysis(table, means, found, strengths=strengths)


def _anova(columns: dict[str, NDArray[np.generic]], value: str, factors: Sequence[str], found: Findings) -> Anova:
    """The analysis of variance; with missing cells of all people, the mixed model in place of the listwise one."""
    try:
        result = anova(columns, value, PERSON, within=factors)
    except ValueError:
        result = anova(columns, value, PERSON, within=factors, missing="mixed")
        found.study.append(
            "too few people answered in all cells: a mixed model takes all answers, with spherical errors"
        )
    low = [row.term for row in result.rows if np.isfinite(row.cap) and row.cap < LOW_CAP]
    if low:
        found.study.append(
            f"epsilon of {', '.join(low)} cannot exceed its cap with {result.people} people, whatever the truth is: "
            "Huynh and Feldt's correction is used there"
        )
    found.study.extend(note for note in result.notes if note not in found.study)
    return result


def _preference(
    cell: str, chosen: Float64, columns: dict[str, NDArray[np.generic]], rows: NDArray[np.bool_]
) -> Preference:
    shares = person_means(np.asarray(columns[PERSON])[rows], chosen[rows])
    t, df, p = single_t(shares, 0.5)
    spread = float(shares.std(ddof=1))
    apart = float(shares.mean()) - 0.5
    d = apart / spread if spread > 0.0 else float(np.copysign(np.inf, apart)) if apart else 0.0
    return Preference(cell, float(shares.mean()), _half(shares), t, df, p, d)


def cell_means(table: StudyAnswers, value: str, by: Sequence[str]) -> list[CellMean]:
    """Means over people of their means in each cell, with intervals of Student's t."""
    persons, values = np.asarray(table.columns[PERSON]), np.asarray(table.columns[value], np.float64)
    keys = [np.asarray(table.columns[name]) for name in by]
    cells = sorted(set(zip(*(key.tolist() for key in keys), strict=True))) if keys else [()]
    found = []
    for cell in cells:
        rows = np.ones(len(values), np.bool_)
        for key, entry in zip(keys, cell, strict=True):
            rows &= key == entry
        means = person_means(persons[rows], values[rows])
        names = tuple(f"{entry:g}" if isinstance(entry, float) else str(entry) for entry in cell)
        found.append(CellMean(names, float(means.mean()), _half(means), len(means)))
    return found


def person_means(persons: NDArray[np.generic], values: Float64) -> Float64:
    """The mean of each person's values, by the order of their names."""
    _, codes = np.unique(persons, return_inverse=True)
    return np.asarray(np.bincount(codes, values) / np.bincount(codes))


def _half(values: Float64) -> float:
    """Half the width of the 95 % interval of a mean; NaN for one person."""
    if len(values) < 2:
        return float("nan")
    stats = require("scipy.stats", extra="perception", purpose="intervals")
    return float(stats.t.ppf(CONFIDENCE, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))
