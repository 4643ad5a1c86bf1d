"""Distributions of ratings and choices, and links between their means and linear models."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._validate import bad_argument

Float64 = NDArray[np.float64]
_log_gamma = np.frompyfunc(math.lgamma, 1, 1)


class Family:
    """A distribution with a mean.

    Attributes
    ----------
    name : str
    links : tuple of str
        That go with it; the first is used unless another one is given.
    fixed : bool
        True if its dispersion is 1.
    counts : bool
        True for counts, of which the dispersion tells whether that is so.
    """

    name = ""
    links: tuple[str, ...] = ("identity", "log", "sqrt")
    fixed = True
    counts = False

    def check(self, function: str, column: str, y: Float64) -> None:
        """Raise ValueError for values that it cannot have."""

    def start(self, y: Float64, weights: Float64) -> Float64:
        """Means to begin with."""
        raise NotImplementedError

    def valid(self, mu: Float64) -> bool:
        """True for means that it can have."""
        return bool(np.isfinite(mu).all())

    def variance(self, mu: Float64) -> Float64:
        """Variance at a mean, over the dispersion."""
        raise NotImplementedError

    def deviance(self, y: Float64, mu: Float64, weights: Float64) -> float:
        """Twice the fall of the log-likelihood from its largest possible value, times the dispersion."""
        raise NotImplementedError

    def log_likelihood(self, y: Float64, mu: Float64, weights: Float64) -> float:
        """At the dispersion of largest likelihood."""
        raise NotImplementedError


class Poisson(Family):
    """Counts; also values between whole numbers, by the gamma function."""

    name = "poisson"
    counts = True

    def check(self, function: str, column: str, y: Float64) -> None:
        if not (y >= 0).all():
            raise bad_argument(
                function, f"table[{column!r}]", f"{y.min():g} somewhere", "at least 0: counts or ratings"
            )

    def start(self, y: Float64, weights: Float64) -> Float64:
        return np.asarray(np.maximum(y, 0.0) + 0.1)

    def valid(self, mu: Float64) -> bool:
        return bool(np.isfinite(mu).all() and (mu > 0).all())

    def variance(self, mu: Float64) -> Float64:
        return mu

    def deviance(self, y: Float64, mu: Float64, weights: Float64) -> float:
        ratio = np.where(y > 0, y, 1.0) / mu
        return float(2.0 * (weights * (np.where(y > 0, y * np.log(ratio), 0.0) - (y - mu))).sum())

    def log_likelihood(self, y: Float64, mu: Float64, weights: Float64) -> float:
        gamma = np.asarray(_log_gamma(y + 1.0), np.float64)
        return float((weights * (y * np.log(mu) - mu - gamma)).sum())


class Gaussian(Family):
    """Normal deviations of one variance."""

    name = "gaussian"
    fixed = False

    def start(self, y: Float64, weights: Float64) -> Float64:
        return np.asarray(y.copy())

    def variance(self, mu: Float64) -> Float64:
        return np.ones_like(mu)

    def deviance(self, y: Float64, mu: Float64, weights: Float64) -> float:
        return float((weights * (y - mu) ** 2).sum())

    def log_likelihood(self, y: Float64, mu: Float64, weights: Float64) -> float:
        count = float(weights.sum())
        spread = max(self.deviance(y, mu, weights) / count, 1e-300)
        return -0.5 * count * (math.log(2.0 * math.pi * spread) + 1.0)


class Binomial(Family):
    """Shares from 0 to 1: choices of one of two, or their means with weights that say of how many."""

    name = "binomial"
    links = ("logit",)

    def check(self, function: str, column: str, y: Float64) -> None:
        if not ((y >= 0) & (y <= 1)).all():
            got = f"{y.min():g} to {y.max():g}"
            raise bad_argument(function, f"table[{column!r}]", got, "from 0 to 1: choices or shares of them")

    def start(self, y: Float64, weights: Float64) -> Float64:
        return np.asarray((weights * y + 0.5) / (weights + 1.0))

    def valid(self, mu: Float64) -> bool:
        return bool(((mu > 0) & (mu < 1)).all())

    def variance(self, mu: Float64) -> Float64:
        return np.asarray(mu * (1.0 - mu))

    def deviance(self, y: Float64, mu: Float64, weights: Float64) -> float:
        chosen = np.where(y > 0, y * np.log(np.where(y > 0, y, 1.0) / mu), 0.0)
        other = np.where(y < 1, (1.0 - y) * np.log(np.where(y < 1, 1.0 - y, 1.0) / (1.0 - mu)), 0.0)
        return float(2.0 * (weights * (chosen + other)).sum())

    def log_likelihood(self, y: Float64, mu: Float64, weights: Float64) -> float:
        """Of single choices, without the number of their orders."""
        return float((weights * (y * np.log(mu) + (1.0 - y) * np.log(1.0 - mu))).sum())


@dataclass(frozen=True)
class Link:
    """A function of the mean that a linear model gives, its inverse, its derivative, and where that is valid."""

    name: str
    of: Callable[[Float64], Float64]
    back: Callable[[Float64], Float64]
    slope: Callable[[Float64], Float64]
    valid: Callable[[Float64], bool]


def _any(_eta: Float64) -> bool:
    return True


LINKS = {
    "identity": Link("identity", lambda mu: mu, lambda eta: eta, np.ones_like, _any),
    "log": Link(
        "log",
        lambda mu: np.log(np.maximum(mu, 1e-300)),
        lambda eta: np.exp(np.minimum(eta, 700.0)),
        lambda mu: 1.0 / mu,
        _any,
    ),
    "sqrt": Link(
        "sqrt",
        lambda mu: np.sqrt(np.maximum(mu, 0.0)),
        lambda eta: eta**2,
        lambda mu: 0.5 / np.sqrt(np.maximum(mu, 1e-300)),
        lambda eta: bool((eta > 0).all()),
    ),
    "logit": Link(
        "logit",
        lambda mu: np.log(np.clip(mu, 1e-300, None) / np.clip(1.0 - mu, 1e-300, None)),
        lambda eta: 1.0 / (1.0 + np.exp(np.clip(-eta, -700.0, 700.0))),
        lambda mu: 1.0 / (mu * (1.0 - mu)),
        _any,
    ),
}
FAMILIES: dict[str, Family] = {family.name: family for family in (Poisson(), Gaussian(), Binomial())}
