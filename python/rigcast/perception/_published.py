"""The published model of how different a face looks (Carrigan 2020, chapter 5), with what is doubtful about it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, shown

Float64 = NDArray[np.float64]
INTERCEPT, INTERCEPT_ERROR = 1.4216667, 0.0486769  # of the neutral face: 853 / 600
PEOPLE, CHARACTERS = 20, 6
ACTIVATIONS = (0.2, 0.4, 0.6, 0.8, 1.0)
LEAST = 0.2  # of a unit's full metric: the smallest that was shown
EXCHANGED = ("Frown", "Eyebrows_Up")  # whose metrics lie outside of the bounds of table 5.13, and inside if exchanged
TRIALS = PEOPLE * CHARACTERS  # of a unit at one activation


@one_line
@dataclass(frozen=True)
class Unit:
    """An action unit.

    Attributes
    ----------
    name : str
    intercept, slope : float
        Of ratings over the metric.
    full : float
        The metric at activation 1, in the thesis's unit: sum over the vertices of its mesh.
    intercept_error, slope_error : float
        As printed: of the differences to the neutral's intercept and to Smile's slope, of Smile's slope itself.
    threshold : float
        The least activation that people told from neutral (section 5.1.3).
    """

    name: str
    intercept: float
    slope: float
    full: float
    intercept_error: float
    slope_error: float
    threshold: float


#: Action units by name (Carrigan 2020, tables 5.11 and 5.12): ``full`` follows from both, since the mean rating of
#: a unit is its line at its mean metric.
UNITS = {
    unit.name: unit
    for unit in (
        Unit("Mouth_Open", 4.3463110, 0.0047809, 566.0, 0.2261913, 0.0010812, 0.2),
        Unit("Lips_Protrude", 0.8482128, 0.0132576, 339.7, 0.1526630, 0.0011687, 0.4),
        Unit("Cheeks_Puffed", 0.8416541, 0.0094908, 338.6, 0.1402300, 0.0011175, 0.6),
        Unit("Smile_Lips_Closed", 1.1422133, 0.0159118, 318.2, 0.1667462, 0.0008862, 0.4),
        Unit("Cheek_Inhaled", 0.6214872, 0.0163043, 267.7, 0.1436953, 0.0012747, 0.4),
        Unit("Eyes_Closed", 3.3116382, 0.0121884, 258.2, 0.2071724, 0.0015423, 0.2),
        Unit("Frown", 0.8241583, 0.0107540, 216.3, 0.1303547, 0.0013076, 0.8),
        Unit("Eyebrows_Up", 0.9144169, 0.0432042, 102.1, 0.1540199, 0.0026938, 0.4),
        Unit("Mouth_Frown", 0.7302495, 0.0325564, 93.7, 0.1345563, 0.0025212, 0.6),
        Unit("Eyes_Opened", 0.7098808, 0.1063925, 38.2, 0.1439472, 0.0064230, 0.4),
        Unit("Nostrils_Dilated", 1.2491647, 0.0252237, 35.1, 0.1292436, 0.0055673, 1.0),
    )
}
CAVEATS = [
    "fitted to one mesh's sums over vertices: values of another mesh, unit or density mean nothing to it",
    "one line per unit: the unit's name carries most of the answer, so orders of units by it are circular",
    "20 people, ratings from 1 to 9 that vary less than the Poisson counts that the errors assume",
    "the metrics of Frown and Eyebrows_Up are very likely exchanged in the source (tables 5.11 and 5.13 contradict)",
]


@one_line
@dataclass(frozen=True, eq=False)
class Predicted:
    """Ratings, and what to think of them.

    Attributes
    ----------
    ratings : (M,) float64
        From 1, no difference, to 9, extremely different.
    exchanged : (M,) float64 or None
        By the other of the two brow units, if the unit is one of them.
    outside : (M,) bool
        Metrics beyond those that were shown: .2 to 1 times the unit's full one.
    caveats : list of str
    """

    ratings: Float64
    exchanged: Float64 | None
    outside: NDArray[np.bool_]
    caveats: list[str]


def published_rating(unit: str, metric: ArrayLike) -> Predicted:
    """Predict how different a face looks from neutral, by published lines (Carrigan 2020, equation 5.6, table 5.11).

    Parameters
    ----------
    unit : str
        A name of ``UNITS``, or "Neutral".
    metric : (M,) or a number
        Sum of ``sqrt(v.v / 3)`` over the vertices of the thesis's mesh, 0 or more.

    Returns
    -------
    Predicted

    Raises
    ------
    ValueError

    Examples
    --------
    >>> rc.perception.published_rating("Eyes_Closed", [154.9]).ratings.round(2)
    array([5.2])
    """
    x = np.atleast_1d(Arguments("published_rating").numbers("metric", metric, "", "M"))
    if not (x >= 0).all():
        raise bad_argument("published_rating", "metric", f"{x.min():g} somewhere", "at least 0")
    if unit == "Neutral":
        return Predicted(np.full(len(x), INTERCEPT), None, x > 0, CAVEATS)
    if unit not in UNITS:
        raise bad_argument("published_rating", "unit", shown(unit), f"Neutral or one of {', '.join(UNITS)}")
    line = UNITS[unit]
    other = None
    if unit in EXCHANGED:
        twin = UNITS[EXCHANGED[1 - EXCHANGED.index(unit)]]
        other = np.asarray(line.intercept + line.slope * line.full / twin.full * x)
    outside = (x < LEAST * line.full) | (x > line.full)
    return Predicted(np.asarray(line.intercept + line.slope * x), other, np.asarray(outside), CAVEATS)


def published_design() -> dict[str, NDArray[np.generic]]:
    """The table of the rating study in expectation: one row per unit and activation, 120 trials each.

    Returns
    -------
    dict
        Columns ``unit``, ``activation``, ``rms``, ``rating`` (its expectation) and ``trials``, for
        ``glm(table, "rating", "rms * unit", weights=table["trials"], reference={"unit": "Neutral"})``.
    """
    rows = [("Neutral", level, 0.0, INTERCEPT) for level in ACTIVATIONS]
    for unit in UNITS.values():
        rows += [(unit.name, a, a * unit.full, unit.intercept + unit.slope * a * unit.full) for a in ACTIVATIONS]
    names, levels, metrics, ratings = zip(*rows, strict=True)
    return {
        "unit": np.array(names),
        "activation": np.array(levels),
        "rms": np.array(metrics),
        "rating": np.array(ratings),
        "trials": np.full(len(rows), float(TRIALS)),
    }
