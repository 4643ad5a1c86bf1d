"""Analysis of variance within people, by orthonormal contrasts, with corrections for unequal correlations."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require
from rigcast._shown import one_line
from rigcast._validate import bad_argument, shown
from rigcast.perception._mixed import mixed_terms
from rigcast.perception._table import Cells, Factor, Table, cells_of

Float64 = NDArray[np.float64]
CORRECTIONS = ("auto", "none", "greenhouse-geisser", "huynh-feldt")
NEAR_SPHERICAL = 0.75  # epsilon above which Greenhouse-Geisser is too strict (Girden 1992)


@one_line
@dataclass(frozen=True)
class AnovaRow:
    """One term.

    Attributes
    ----------
    term : str
        ``shape:activation`` is an interaction.
    df, df_error : float
        Degrees of freedom, before correction.
    f, p : float
        p by corrected degrees.
    greenhouse_geisser, huynh_feldt : float
        Estimates of epsilon; 1 is sphericity. Both 1 for one degree of freedom.
    cap : float
        The largest Greenhouse-Geisser epsilon that so few people can give: min(1, (N - 1) / df). Where it is far below
        1 that correction rejects nothing.
    correction : str
        "none", "greenhouse-geisser" or "huynh-feldt".
    epsilon : float
        By which both degrees were multiplied.
    p_uncorrected : float
    eta_squared : float
        Partial.
    """

    term: str
    df: float
    df_error: float
    f: float
    p: float
    greenhouse_geisser: float
    huynh_feldt: float
    cap: float
    correction: str
    epsilon: float
    p_uncorrected: float
    eta_squared: float


@one_line
@dataclass(frozen=True)
class Anova:
    """A table of terms.

    Attributes
    ----------
    rows : list of AnovaRow
    people : int
        Those that were analyzed.
    method : str
        "within-subject" or "mixed model (REML)".
    notes : list of str
        What was left out or is assumed.
    """

    rows: list[AnovaRow]
    people: int
    method: str
    notes: list[str] = field(default_factory=list)

    def __getitem__(self, term: str) -> AnovaRow:
        """The row of a term, its factors in any order."""
        for row in self.rows:
            if set(row.term.split(":")) == set(term.split(":")):
                return row
        raise bad_argument("Anova", "term", shown(term), f"one of {', '.join(row.term for row in self.rows)}")

    def __str__(self) -> str:
        head = ("term", "df", "F", "p", "epsilon (cap)", "correction", "partial eta^2")
        lines = [head, *(_words(row) for row in self.rows)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        text = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
        ]
        return "\n".join([*text, f"{self.people} people, {self.method}", *self.notes])


def anova(
    table: Table,
    value: str,
    person: str,
    *,
    within: Sequence[str],
    correction: str = "auto",
    missing: str = "listwise",
) -> Anova:
    """Analysis of variance for repeated measures: every person has answered in every cell of a design.

    For a term with orthonormal contrasts C of d columns, and Z = Y C the contrasts of N people::

        F = N |mean Z|^2 / d / (sum |Z - mean Z|^2 / (d (N - 1)))

    which is the quotient of mean squares of the term and of its interaction with people. Where people differ in how
    they answer to the levels, both degrees of freedom are multiplied by an estimate of epsilon = tr(S)^2 / (d tr(S^2)),
    S the covariance of Z (Greenhouse and Geisser 1959), or by Huynh and Feldt's (1976) of less bias,
    (N d epsilon - 2) / (d (N - 1 - d epsilon)) and at most 1. Answers of a person in one cell are averaged.

    Parameters
    ----------
    table : mapping of names to columns, or a data frame
        One row per answer.
    value, person : str
        Columns.
    within : list of str
        Columns of the factors.
    correction : {"auto", "none", "greenhouse-geisser", "huynh-feldt"}
        auto: Huynh and Feldt's where epsilon is above .75 or the term has N - 1 degrees or more, of which so few people
        cannot tell epsilon; else Greenhouse and Geisser's.
    missing : {"listwise", "mixed"}
        What is done about people without answers in some cells: they are left out, or all answers go into a linear
        model with a random intercept per person, fitted by REML, whose F tests pool the errors of all terms (spherical
        by assumption).

    Returns
    -------
    Anova

    Raises
    ------
    ValueError
        If a column is wrong, or fewer than two people are left.

    Examples
    --------
    >>> table = {"person": list("aabbcc"), "sex": list("fmfmfm"), "rating": [3, 5, 2, 5, 4, 5]}
    >>> result = rc.perception.anova(table, "rating", "person", within=["sex"])
    >>> row = result["sex"]
    >>> row.df, row.df_error, round(row.f, 2)
    (1, 2, 12.0)
    """
    if correction not in CORRECTIONS:
        raise bad_argument("anova", "correction", shown(correction), f"one of {', '.join(CORRECTIONS)}")
    if missing not in ("listwise", "mixed"):
        raise bad_argument("anova", "missing", shown(missing), "listwise or mixed")
    cells = cells_of("anova", table, value, person, within)
    whole = cells.complete
    if missing == "mixed" and not whole.all():
        return _mixed_anova(cells)
    notes = []
    if not whole.all():
        out = [name for name, keep in zip(cells.people, whole, strict=True) if not keep]
        notes.append(f"left out, for cells without an answer: {', '.join(out)} ({len(out)} of {len(whole)} people)")
    if whole.sum() < 2:
        got = f"without an answer in some cell for {int((~whole).sum())} of {len(whole)} people"
        raise bad_argument("anova", "table", got, "complete for two people at least, or analyzed with missing='mixed'")
    return _within_anova(cells.values[whole], cells.factors, correction, notes)


def terms_of(factors: Sequence[Factor]) -> list[tuple[int, ...]]:
    """All terms of a factorial design as indices of factors, main effects first."""
    return [term for size in range(1, len(factors) + 1) for term in itertools.combinations(range(len(factors)), size)]


def contrasts(levels: int) -> Float64:
    """Orthonormal contrasts (L, L - 1): Helmert's."""
    matrix = np.zeros((levels, levels - 1))
    for j in range(levels - 1):
        matrix[: j + 1, j] = 1.0
        matrix[j + 1, j] = -(j + 1.0)
    return np.asarray(matrix / np.linalg.norm(matrix, axis=0))


def scores(values: Float64, term: Sequence[int]) -> Float64:
    """Contrasts (N, d) of people for a term; other factors are averaged by a vector of length 1."""
    result = values
    for axis in range(values.ndim - 1):  # each step takes the first factor's axis and appends its contrasts
        levels = result.shape[1]
        basis = contrasts(levels) if axis in term else np.full((levels, 1), levels**-0.5)
        result = np.tensordot(result, basis, (1, 0))
    return result.reshape(len(values), -1)


def _within_anova(values: Float64, factors: Sequence[Factor], correction: str, notes: list[str]) -> Anova:
    rows = [_row(scores(values, term), _name(factors, term), correction) for term in terms_of(factors)]
    return Anova(rows, len(values), "within-subject", notes)


def _row(z: Float64, name: str, correction: str) -> AnovaRow:
    people, df = z.shape
    mean = z.mean(axis=0)
    apart = z - mean
    effect, error = people * float(mean @ mean), float(np.square(apart).sum())
    f = effect / df / (error / (df * (people - 1))) if error > 0.0 else np.inf
    gg, hf = _epsilons(apart, df)
    chosen = _choice(correction, gg, df, people)
    epsilon = {"none": 1.0, "greenhouse-geisser": gg, "huynh-feldt": hf}[chosen]
    stats = require("scipy.stats", extra="perception", purpose="probabilities")
    error_df = df * (people - 1)
    plain = float(stats.f.sf(f, df, error_df))
    p = float(stats.f.sf(f, epsilon * df, epsilon * error_df))
    cap = min(1.0, (people - 1) / df)
    return AnovaRow(name, df, error_df, f, p, gg, hf, cap, chosen, epsilon, plain, effect / (effect + error))


def epsilon_used(correction: str, apart: Float64) -> float:
    """The factor of the degrees of freedom, from deviations (N, d)."""
    people, df = apart.shape
    gg, hf = _epsilons(apart, df)
    return {"none": 1.0, "greenhouse-geisser": gg, "huynh-feldt": hf}[_choice(correction, gg, df, people)]


def _epsilons(apart: Float64, df: int) -> tuple[float, float]:
    """Greenhouse and Geisser's, and Huynh and Feldt's, from deviations (N, d)."""
    people = len(apart)
    gram = apart @ apart.T if people < df else apart.T @ apart  # both have the traces of (N - 1) S
    square = float(np.square(gram).sum())
    if df == 1 or square == 0.0:
        return 1.0, 1.0
    gg = float(np.trace(gram)) ** 2 / (df * square)
    below = df * (people - 1 - df * gg)
    hf = (people * df * gg - 2.0) / below if below > 0.0 else 1.0
    return gg, float(min(1.0, max(hf, gg)))


def _choice(correction: str, gg: float, df: int, people: int) -> str:
    if df == 1:
        return "none"
    if correction != "auto":
        return correction
    return "huynh-feldt" if gg > NEAR_SPHERICAL or df >= people - 1 else "greenhouse-geisser"


def _mixed_anova(cells: Cells) -> Anova:
    terms = terms_of(cells.factors)
    shapes = [len(factor) for factor in cells.factors]
    blocks = [_columns(shapes, term) for term in terms]
    found = mixed_terms(cells.values.reshape(len(cells.people), -1), blocks)
    stats = require("scipy.stats", extra="perception", purpose="probabilities")
    rows = []
    for term, (f, df, error_df) in zip(terms, found.tests, strict=True):
        p = float(stats.f.sf(f, df, error_df))
        eta = f * df / (f * df + error_df)
        rows.append(AnovaRow(_name(cells.factors, term), df, error_df, f, p, 1.0, 1.0, 1.0, "none", 1.0, p, eta))
    absent = int((cells.counts == 0).sum())
    notes = [
        f"{absent} of {cells.counts.size} cells have no answer: linear model with a random intercept per person "
        f"(variance {found.person:.3g}, rest {found.rest:.3g}), REML; errors of all terms pooled, spherical by "
        "assumption"
    ]
    return Anova(rows, len(cells.people), "mixed model (REML)", notes)


def _columns(shapes: Sequence[int], term: Sequence[int]) -> Float64:
    """The columns (cells, d) of a term."""
    result: Float64 = np.ones((1, 1))
    for axis, levels in enumerate(shapes):
        part = contrasts(levels) if axis in term else np.full((levels, 1), levels**-0.5)
        result = np.asarray(np.kron(result, part), np.float64)
    return result


def _name(factors: Sequence[Factor], term: Sequence[int]) -> str:
    return ":".join(factors[i].name for i in term)


def _words(row: AnovaRow) -> tuple[str, ...]:
    degrees = f"{row.epsilon * row.df:.4g}, {row.epsilon * row.df_error:.5g}"
    cap = f" ({row.cap:.3g})" if row.cap < 1.0 else ""
    used = row.greenhouse_geisser if row.correction != "huynh-feldt" else row.huynh_feldt
    return (
        row.term,
        degrees,
        f"{row.f:.4g}",
        f"{row.p:.3g}",
        f"{used:.3g}{cap}",
        row.correction,
        f"{row.eta_squared:.2f}",
    )
