"""The error that a training is to reach: a statistic and a length."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from rigcast._validate import bad_argument
from rigcast.errors import ArgumentError

STATISTICS = ("mean", "p99", "max")
METERS = {"um": 1e-6, "µm": 1e-6, "mm": 1e-3, "cm": 1e-2, "dm": 0.1, "m": 1.0, "in": 0.0254, "ft": 0.3048}
EXAMPLE = "'p99 0.1mm'"


@dataclass(frozen=True)
class Goal:
    """A bound on the distance between a model's vertices and the rig's.

    Attributes
    ----------
    statistic : "mean", "p99" or "max"
        Over the vertices of fresh poses: the mean, the 99th percentile, or the largest.
    tolerance : float
        In the unit of the rig.

    Raises
    ------
    ValueError
        If the statistic is none of these, or the tolerance not a positive number.
    """

    statistic: str
    tolerance: float

    def __post_init__(self) -> None:
        if self.statistic not in STATISTICS:
            expected = " or ".join(f'"{name}"' for name in STATISTICS)
            raise bad_argument("body_until", "statistic", repr(self.statistic), expected)
        object.__setattr__(self, "tolerance", _positive(self.tolerance))


def parse_goal(text: str) -> tuple[str, float]:
    """The statistic and the length, in meters, of a text such as ``p99 0.1mm``.

    Raises
    ------
    ValueError
        If the text has another form, the statistic or the unit is unknown, or the length not positive.
    """
    parts = re.fullmatch(r"\s*([^\W\d_]\w*)\s+([-+]?[\d.]+(?:e[-+]?\d+)?)\s*([^\W\d_]*)\s*", text, re.IGNORECASE)
    if parts is None:
        raise ArgumentError("", "", f"{text!r} must be a statistic, a length and its unit, as {EXAMPLE}", "")
    statistic, number, unit = parts.groups()
    if statistic.lower() not in STATISTICS:
        known = f"{', '.join(STATISTICS[:-1])} or {STATISTICS[-1]}"
        raise ArgumentError("", "", f"{text!r}: the statistic {statistic!r} must be {known}", "")
    if unit not in METERS:
        got = f"the unit {unit!r}" if unit else "a length without unit"
        known = ", ".join(name for name in METERS if name.isascii())
        raise ArgumentError("", "", f"{text!r}: {got} must be {known}", "")
    try:
        length = float(number)
    except ValueError:
        raise ArgumentError("", "", f"{text!r}: the length {number!r} must be a number", "") from None
    if not 0.0 < length < math.inf:
        raise ArgumentError("", "", f"{text!r}: the length {number} must be above 0", "")
    return statistic.lower(), length * METERS[unit]


def _positive(value: Any) -> float:
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not 0.0 < float(value) < math.inf:
        raise bad_argument("body_until", "tolerance", repr(value), "a positive length in the unit of the rig")
    return float(value)
