"""Generalized linear models of ratings, fitted by iteratively reweighted least squares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._extras import require
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, shown
from rigcast.errors import NumericalError
from rigcast.perception._design import Design, design_of
from rigcast.perception._families import FAMILIES, LINKS, Family, Link
from rigcast.perception._table import Columns, Table

Float64 = NDArray[np.float64]
Choice = TypeVar("Choice")
STEPS, HALVINGS = 100, 60
EVEN = 1e5  # largest over smallest weight up to which normal equations keep eleven digits
SEPARATED = 1e-7  # a fitted share this near to 0 or 1 belongs to a coefficient that grows without end
UNDER, OVER = 0.8, 1.25  # dispersion of Poisson counts beyond which errors are said to be wrong


@one_line
@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model.

    Attributes
    ----------
    names : list of P str
        Columns of the model.
    coefficients, errors : (P,) float64
        Standard errors are by the family's own dispersion, 1 for Poisson; with ``clusters`` they are the sandwich's.
    covariance : (P, P) float64
    dropped : list of str
        Columns that follow from others and have no coefficient.
    mu : (rows,) float64
        Fitted means.
    deviance, log_likelihood, aic : float
    df_residual : int
    dispersion : float
        Pearson's chi-squared per degree of freedom; Poisson counts have 1.
    terms : dict of str to (P,) bool
        Columns of each term.
    family, link : str
    steps : int
    warnings : list of str
        What keeps the errors from being what they seem.
    """

    names: list[str]
    coefficients: Float64
    errors: Float64
    covariance: Float64
    dropped: list[str]
    mu: Float64
    deviance: float
    log_likelihood: float
    aic: float
    df_residual: int
    dispersion: float
    terms: dict[str, NDArray[np.bool_]]
    family: str
    link: str
    steps: int
    warnings: list[str] = field(default_factory=list)

    def __getitem__(self, name: str) -> float:
        """The coefficient of a column."""
        if name not in self.names:
            raise bad_argument("Fit", "name", shown(name), f"one of {', '.join(self.names)}")
        return float(self.coefficients[self.names.index(name)])

    @property
    def z(self) -> Float64:
        """(P,) coefficients in standard errors."""
        return np.asarray(self.coefficients / self.errors)

    @property
    def p(self) -> Float64:
        """(P,) probabilities of such coefficients or larger ones by chance (normal)."""
        stats = require("scipy.stats", extra="perception", purpose="probabilities")
        return np.asarray(2.0 * stats.norm.sf(np.abs(self.z)))

    def __repr__(self) -> str:
        return f"<rigcast.perception.Fit: {self.family}, {self.link}, {len(self.names)} columns, AIC {self.aic:.1f}>"


def glm(
    table: Table,
    value: str,
    formula: str,
    *,
    family: str = "poisson",
    link: str | None = None,
    reference: dict[str, str] | None = None,
    weights: ArrayLike | None = None,
    quasi: bool = False,
    clusters: str | None = None,
    tolerance: float = 1e-12,
) -> Fit:
    """Fit a generalized linear model (Nelder and Wedderburn 1972) by iteratively reweighted least squares.

    A step that would give a mean at which the family is not defined, or a larger deviance, is halved until it does not
    (identity link: means must stay above 0).

    Parameters
    ----------
    table : mapping of names to columns, or a data frame
    value : str
        The column that is explained: ratings, response times.
    formula : str
        Terms: ``"rms * shape"`` has one line per shape (Carrigan 2020, equation 5.6), ``"rms * shape * character"`` one
        per shape and character (5.5). ``:`` is an interaction, ``factor(a)`` makes a column of numbers a factor. An
        intercept is always there.
    family : {"poisson", "gaussian", "binomial"}
        Binomial: choices, 0 or 1, or shares of ``weights`` choices (logistic regression).
    link : {"identity", "log", "sqrt", "logit"}, optional
        Default: identity; binomial takes logit alone.
    reference : dict, optional
        The level of each factor that others are differences to; default the first.
    weights : (rows,), optional
        How often each row was seen, > 0.
    quasi : bool
        Multiply the covariance by the dispersion: for ratings, which vary less than counts (or more).
    clusters : str, optional
        A column, such as the person: errors that allow answers of one cluster to resemble each other (Liang and Zeger
        1986, with the factor G / (G - 1)).
    tolerance : float
        Relative change of the deviance that ends the fit.

    Returns
    -------
    Fit

    Raises
    ------
    ValueError
        If a column, term or option is wrong, or the values do not belong to the family.
    rigcast.NumericalError
        If the fit does not converge.

    Examples
    --------
    >>> table = {"rating": [1, 2, 2, 4, 3, 6], "shape": list("aaabbb"), "rms": [0, 1, 2, 0, 1, 2]}
    >>> fit = rc.perception.glm(table, "rating", "rms * shape")
    >>> fit.names
    ['(Intercept)', 'rms', 'shape[b]', 'rms:shape[b]']
    >>> round(fit["rms"], 3)
    0.556
    """
    check, columns = Arguments("glm"), Columns("glm", table)
    kind = _choice(check, "family", family, FAMILIES)
    bend = _choice(check, "link", link or kind.links[0], {name: LINKS[name] for name in kind.links})
    y = columns.numbers("value", value)
    kind.check("glm", value, y)
    design = design_of(columns, formula, reference)
    given = np.ones(len(y)) if weights is None else check.numbers("weights", weights, f"{len(y)}")
    if not (given > 0).all():
        raise check.wrong("weights", "not above 0 somewhere", "above 0")
    if design.matrix.shape[1] >= len(y):
        got = f"of {len(y)} rows and {design.matrix.shape[1]} columns"
        raise bad_argument("glm", "formula", got, "one with fewer columns than rows")
    owners = None if clusters is None else columns.factor("clusters", clusters).codes
    if owners is not None and not owners.any():
        raise bad_argument("glm", f"table[{clusters!r}]", "of one cluster", "of two clusters at least")
    beta, steps = _iterate(design.matrix, y, given, kind, bend, check.number("tolerance", tolerance, above=0.0))
    return _fit(design, y, given, beta, steps, kind, bend, quasi, owners)


def _iterate(
    matrix: Float64, y: Float64, weights: Float64, family: Family, link: Link, tolerance: float
) -> tuple[Float64, int]:
    """Coefficients (P,) and the number of steps."""
    basis, corner = np.linalg.qr(matrix)  # weighted normal equations of orthonormal columns keep their digits
    mu = family.start(y, weights)
    beta: Float64 | None = None
    deviance = np.inf
    for step in range(1, STEPS + 1):
        slope = link.slope(mu)
        own = weights / (family.variance(mu) * slope**2)
        target = link.of(mu) + (y - mu) * slope
        full = np.linalg.solve(corner, _weighted(basis, own, target))
        beta, mu, now = _halved(matrix, y, weights, family, link, beta, full, deviance)
        if abs(deviance - now) <= tolerance * (abs(now) + 0.1):
            return beta, step
        deviance = now
    raise NumericalError(f"glm: no convergence in {STEPS} steps")


def _weighted(basis: Float64, weights: Float64, target: Float64) -> Float64:
    """Coefficients of the weighted least squares; by the slower decomposition where weights differ by too much."""
    weighted = weights[:, None] * basis
    if weights.max() <= EVEN * weights.min():
        return np.asarray(np.linalg.solve(basis.T @ weighted, weighted.T @ target), np.float64)
    root = np.sqrt(weights)
    return np.asarray(np.linalg.lstsq(root[:, None] * basis, root * target, rcond=None)[0], np.float64)


def _halved(
    matrix: Float64,
    y: Float64,
    weights: Float64,
    family: Family,
    link: Link,
    before: Float64 | None,
    full: Float64,
    deviance: float,
) -> tuple[Float64, Float64, float]:
    """The step to ``full``, halved until means are valid and the deviance does not rise."""
    beta = full
    for _ in range(HALVINGS):
        mu = link.back(matrix @ beta)
        if family.valid(mu) and link.valid(matrix @ beta):
            now = family.deviance(y, mu, weights)
            if now <= deviance * (1.0 + 1e-12) + 1e-12:
                return beta, mu, now
        if before is None:
            before = _inside(matrix, y, link)
        beta = 0.5 * (beta + before)
    assert before is not None
    return before, link.back(matrix @ before), deviance


def _inside(matrix: Float64, y: Float64, link: Link) -> Float64:
    """Coefficients of the constant mean, which is valid: the intercept is the first column."""
    beta = np.zeros(matrix.shape[1])
    beta[0] = link.of(np.array([max(float(y.mean()), 1e-3)]))[0]
    return beta


def _fit(
    design: Design,
    y: Float64,
    weights: Float64,
    beta: Float64,
    steps: int,
    family: Family,
    link: Link,
    quasi: bool,
    owners: NDArray[np.intp] | None,
) -> Fit:
    matrix = design.matrix
    mu = link.back(matrix @ beta)
    information = weights / (family.variance(mu) * link.slope(mu) ** 2)
    inverse = np.linalg.inv(matrix.T @ (information[:, None] * matrix))
    df = round(float(weights.sum())) - len(beta)
    dispersion = float((weights * (y - mu) ** 2 / family.variance(mu)).sum() / df)
    scale = dispersion if quasi or not family.fixed else 1.0
    covariance = scale * inverse
    if owners is not None:
        score = matrix * (information * (y - mu) * link.slope(mu))[:, None]
        covariance = _sandwich(inverse, score, owners)
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))  # rounding may leave a variance of 0 below it
    deviance = family.deviance(y, mu, weights)
    likelihood = family.log_likelihood(y, mu, weights)
    return Fit(
        design.names, beta, errors, covariance, design.dropped, mu, deviance, likelihood,
        -2.0 * likelihood + 2.0 * (len(beta) + (not family.fixed)), df, dispersion,
        dict(zip(design.terms, design.term_columns, strict=True)), family.name, link.name, steps,
        _warnings(design, family, quasi, owners, dispersion, mu),
    )  # fmt: skip


def _sandwich(inverse: Float64, score: Float64, owners: NDArray[np.intp]) -> Float64:
    count = int(owners.max()) + 1
    sums = np.zeros((count, score.shape[1]))
    np.add.at(sums, owners, score)
    return np.asarray(count / (count - 1) * inverse @ (sums.T @ sums) @ inverse)


def _warnings(
    design: Design, family: Family, quasi: bool, owners: NDArray[np.intp] | None, dispersion: float, mu: Float64
) -> list[str]:
    found = []
    if design.dropped:
        found.append(f"columns that follow from others are left out: {', '.join(design.dropped)}")
    if family.fixed and not quasi and owners is None:
        if family.counts and dispersion < UNDER:
            found.append(
                f"dispersion {dispersion:.2f}: these ratings vary less than counts, so errors are too large; "
                "quasi=True scales them"
            )
        if family.counts and dispersion > OVER:
            found.append(
                f"dispersion {dispersion:.2f}: more than counts have, so errors are too small; quasi=True scales them"
            )
        found.append("answers of one person count as independent; clusters=COLUMN allows that they are not")
    if not family.counts and family.fixed and min(mu.min(), 1.0 - mu.max()) < SEPARATED:
        found.append("some choices are foretold with certainty: their coefficients have no finite value")
    return found


def compare(smaller: Fit, larger: Fit) -> tuple[float, int, float]:
    """Test whether a larger model explains more than one inside of it, by their deviances.

    Parameters
    ----------
    smaller, larger : Fit
        Of the same values and family.

    Returns
    -------
    statistic, df, p
        The fall of the deviance over the larger model's scale (1 for Poisson); chi-squared with ``df`` degrees.

    Raises
    ------
    ValueError
        If the second does not have more columns than the first, or they are of other data.
    """
    df = smaller.df_residual - larger.df_residual
    if df <= 0 or len(smaller.mu) != len(larger.mu) or smaller.family != larger.family:
        raise bad_argument(
            "compare", "larger", repr(larger), "a model of the same values with more columns than smaller"
        )
    stats = require("scipy.stats", extra="perception", purpose="probabilities")
    scale = larger.deviance / larger.df_residual if larger.family == "gaussian" else 1.0
    statistic = (smaller.deviance - larger.deviance) / scale
    return statistic, df, float(stats.chi2.sf(max(statistic, 0.0), df))


def _choice(check: Arguments, argument: str, value: str, known: Mapping[str, Choice]) -> Choice:
    if value not in known:
        raise check.wrong(argument, shown(value), f"one of {', '.join(known)}")
    return known[value]
