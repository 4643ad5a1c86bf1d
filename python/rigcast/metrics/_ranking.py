"""Rankings from comparisons in pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._validate import Arguments, bad_argument
from rigcast.errors import NumericalError


def bradley_terry(wins: ArrayLike, *, tolerance: float = 1e-12, max_iterations: int = 100_000) -> NDArray[np.float64]:
    """Strengths of N contestants from how often each was preferred to each other.

    The most likely strengths when i beats j with probability ``s_i / (s_i + s_j)`` (Bradley and Terry 1952), by the
    iteration ``s_i <- sum_j S_ij / sum_j ((S_ij + S_ji) / (s_i + s_j))``, scaled to sum 1 after every step (Hunter
    2004; Rackovic et al. 2022, section 5.5).

    Parameters
    ----------
    wins : array_like, shape (N, N)
        ``wins[i, j]`` counts how often i was preferred to j: >= 0; the diagonal is not read.
    tolerance : float
        Ends when no strength changes by more than this part of itself.

    Returns
    -------
    (N,) float64
        Of sum 1, all above 0.

    Raises
    ------
    ValueError
        If ``wins`` is no such matrix, or has no finite best strengths: some group of contestants never beat anyone
        outside it. That is so where contestants were never compared, directly or through others, and where one lost
        or won all its comparisons. The message names such a group.
    rigcast.NumericalError
        If ``max_iterations`` did not suffice.

    Examples
    --------
    >>> wins = np.array([[0, 3, 4], [1, 0, 3], [0, 1, 0]])  # wins[i, j]: how often i was preferred to j
    >>> rc.metrics.bradley_terry(wins).round(2)
    array([0.77, 0.19, 0.04])
    """
    counts = np.array(Arguments("bradley_terry").numbers("wins", wins, "N+ N", finite=False))
    np.fill_diagonal(counts, 0.0)
    if not (np.isfinite(counts).all() and (counts >= 0).all()):
        raise bad_argument("bradley_terry", "wins", "negative or not finite somewhere", "counts >= 0")
    _check_connected(counts)
    won, met = counts.sum(axis=1), counts + counts.T
    strength = np.full(len(counts), 1.0 / len(counts))
    if len(counts) == 1:
        return strength
    for _ in range(max_iterations):
        before = strength
        strength = won / (met / (before[:, None] + before)).sum(axis=1)
        strength /= strength.sum()
        if (np.abs(strength - before) <= tolerance * strength).all():
            return np.asarray(strength)
    raise NumericalError(f"bradley_terry: no convergence in {max_iterations} iterations")


def _check_connected(counts: NDArray[np.float64]) -> None:
    """Everyone must reach everyone else along wins (Ford 1957)."""
    reached = (counts > 0) | np.eye(len(counts), dtype=bool)
    for k in range(len(counts)):
        reached |= reached[:, k : k + 1] & reached[k]
    if not reached.all():
        poorest = int(reached.sum(axis=1).argmin())
        group = ", ".join(map(str, np.flatnonzero(reached[poorest])))
        got = f"without a win of {group} over any of the others"
        raise bad_argument("bradley_terry", "wins", got, "such that every group beats the rest at least once")
