"""The least activation of a shape that people tell from the neutral face."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rigcast._shown import one_line
from rigcast._validate import bad_argument, shown
from rigcast.perception._posthoc import complete_cells, studentized, tukey_p
from rigcast.perception._table import Columns, Table


@one_line
@dataclass(frozen=True)
class Visibility:
    """A shape.

    Attributes
    ----------
    shape : str
    threshold : float or None
        The least activation at which, and above which, it is told from neutral; None if it never is.
    p : dict of float to float
        Probability of the difference by chance at each activation.
    """

    shape: str
    threshold: float | None
    p: dict[float, float]


def visibility(
    table: Table, value: str, person: str, *, shape: str, activation: str, neutral: str, alpha: float = 0.05
) -> list[Visibility]:
    """Thresholds of visibility from ratings (Carrigan 2020, section 5.1.3).

    Each shape at each activation is compared with the neutral face at the same activation, by Tukey's test over all
    cells of shape and activation, as :func:`posthoc` does.

    Parameters
    ----------
    table, value, person
        As for :func:`anova`.
    shape, activation : str
        Columns; activations are numbers.
    neutral : str
        The level of ``shape`` that is the neutral face, which has answers at each activation, too.
    alpha : float

    Returns
    -------
    list of Visibility
        Of the other shapes, by name.

    Raises
    ------
    ValueError
        If a column is wrong or there is no neutral.
    """
    columns = Columns("visibility", table)
    columns.numbers("activation", activation)
    shapes, levels = columns.factor("shape", shape), columns.factor("activation", activation)
    if neutral not in shapes.levels:
        raise bad_argument("visibility", "neutral", shown(neutral), f"one of {', '.join(shapes.levels)}")
    values, cells = complete_cells("visibility", table, value, person, [shape, activation])
    others = [name for name in shapes.levels if name != neutral]
    pairs = [(cells.index(f"{neutral}, {a}"), cells.index(f"{name}, {a}")) for name in others for a in levels.levels]
    first, second = np.array(pairs, np.intp).T
    q, _, df = studentized(values, first, second)
    found = tukey_p(q, len(cells), df).reshape(len(others), len(levels))
    result = []
    for name, row in zip(others, found.tolist(), strict=True):
        p = dict(zip(map(float, levels.levels), row, strict=True))
        told = np.array([p[level] < alpha for level in sorted(p)])
        first = len(told) - int(np.argmin(told[::-1])) if not told.all() else 0
        result.append(Visibility(name, sorted(p)[first] if first < len(told) else None, p))
    return result
