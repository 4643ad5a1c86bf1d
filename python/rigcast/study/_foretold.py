"""Measures of the stimuli beside the answers: correlations, and models of the answers by each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rigcast._shown import one_line
from rigcast.errors import NumericalError
from rigcast.perception import Fit, glm
from rigcast.study._measures import MEASURE, MEASURES
from rigcast.study._table import PERSON, RANK, StudyAnswers

Float64 = NDArray[np.float64]
FEWEST = 3  # different stimuli that have a correlation


@one_line
@dataclass(frozen=True, eq=False)
class Foretold:
    """A measure beside the answers.

    Attributes
    ----------
    name : str
        Of the measure: ``screen_motion``.
    values, means : (cells,) float64
        The measure of each stimulus, and the mean answer: rating, share of choices of the first method, or rank. Of
        choices the measure is that of the first method less that of the second.
    correlation : float
        Pearson's, over the stimuli; NaN if there are fewer than three or all are alike.
    by_unit : dict of str to float
        Within each unit.
    fit : Fit or None
        Ratings: a Poisson line over the measure per unit (Carrigan 2020, equation 5.6). Choices: a logistic line. The
        lowest ``fit.aic`` explains the answers best. None for ranks, and where there is no such model.
    """

    name: str
    values: Float64
    means: Float64
    correlation: float
    by_unit: Mapping[str, float] = field(default_factory=dict)
    fit: Fit | None = None


def foretold(answers: StudyAnswers) -> list[Foretold]:
    """Compare each measure that a study stored with what people answered.

    Parameters
    ----------
    answers : StudyAnswers
        With columns ``measure_NAME``, or ``measure_NAME_METHOD``: what studies store that were made from rigs, or what
        a user added.

    Returns
    -------
    list of Foretold
        By their order in the table; empty without measures.

    Examples
    --------
    >>> plan = rc.study.StudyPlan("smiles", [rc.study.NamedExpression("Smile", {"mouthSmileLeft": 1.0})])
    >>> made = rc.study.make_rating("foretold", {"face": rc.faces.example()}, plan)
    >>> found = rc.study.foretold(rc.study.rehearse(made, people=8))
    >>> found[0].name, found[0].correlation > 0.9
    ('screen_motion', True)
    """
    found = []
    for name in _names(answers):
        rows = list(_rows(answers, name))
        x, y = (np.concatenate([row[k] for row in rows]) for k in (0, 1))
        known = np.isfinite(x) & np.isfinite(y)
        cells = np.concatenate([np.char.add(_cells(answers), f"|{k}") for k in range(len(rows))])[known]
        values, means, firsts = _means(x[known], y[known], cells)
        by_unit = {}
        if "unit" in answers.facts:
            units = np.tile(np.asarray(answers.columns["unit"]).astype(str), len(rows))[known][firsts]
            by_unit = {str(u): _pearson(values[units == u], means[units == u]) for u in np.unique(units)}
        fit = _fit(answers, x, known) if answers.protocol != "ranking" else None
        found.append(Foretold(name, values, means, _pearson(values, means), by_unit, fit))
    return found


def _names(answers: StudyAnswers) -> list[str]:
    """Measures of a table, known ones first, without the names of methods."""
    endings = sorted((f"_{method}" for method in answers.methods), key=len, reverse=True)
    unique: dict[str, None] = {}
    for column in answers.columns:
        if column.startswith(MEASURE):
            ending = next((end for end in endings if column.endswith(end)), "")
            unique[column[len(MEASURE) :].removesuffix(ending)] = None
    return sorted(unique, key=lambda name: list(MEASURES).index(name) if name in MEASURES else len(MEASURES))


def _rows(answers: StudyAnswers, name: str) -> Iterator[tuple[Float64, Float64]]:
    """The measure and the answer of each row; of rankings, for each method."""
    if answers.protocol == "rating":
        yield _column(answers, MEASURE + name), _column(answers, "rating")
        return
    each = [_column(answers, f"{MEASURE}{name}_{method}") for method in answers.methods]
    if answers.protocol == "choice":
        yield each[0] - each[1], (np.asarray(answers.columns["chosen"]) == answers.methods[0]).astype(np.float64)
        return
    for method, values in zip(answers.methods, each, strict=True):
        yield values, _column(answers, RANK + method)


def _column(answers: StudyAnswers, name: str) -> Float64:
    if name not in answers.columns:
        return np.full(len(answers), np.nan)
    return np.asarray(answers.columns[name], np.float64)


def _cells(answers: StudyAnswers) -> NDArray[np.str_]:
    """A name for what each row shows."""
    names = np.full(len(answers), "", np.str_)
    for fact in answers.facts:
        names = np.char.add(np.char.add(names, "|"), np.asarray(answers.columns[fact]).astype(str))
    return names


def _means(x: Float64, y: Float64, cells: NDArray[np.str_]) -> tuple[Float64, Float64, NDArray[np.intp]]:
    """Of each cell the mean measure, the mean answer, and a row of it."""
    _, firsts, codes, counts = np.unique(cells, return_index=True, return_inverse=True, return_counts=True)
    return np.bincount(codes, x) / counts, np.bincount(codes, y) / counts, firsts


def _pearson(x: Float64, y: Float64) -> float:
    if len(x) < FEWEST or np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])


def _fit(answers: StudyAnswers, x: Float64, known: NDArray[np.bool_]) -> Fit | None:
    """The model of the protocol; None where it cannot be fitted."""
    if not known.any():
        return None
    rating = answers.protocol == "rating"
    columns: dict[str, NDArray[np.generic]] = {"x": x[known], PERSON: np.asarray(answers.columns[PERSON])[known]}
    columns["y"] = (
        _column(answers, "rating")[known]
        if rating
        else (np.asarray(answers.columns["chosen"])[known] == answers.methods[0]).astype(np.float64)
    )
    if "unit" in answers.facts:
        columns["unit"] = np.asarray(answers.columns["unit"])[known]
    formula = "x * unit" if rating and len(np.unique(columns.get("unit", np.zeros(1)))) > 1 else "x"
    clusters = PERSON if len(np.unique(columns[PERSON])) > 1 else None
    try:
        return glm(columns, "y", formula, family="poisson" if rating else "binomial", clusters=clusters)
    except (ValueError, NumericalError):
        return None
