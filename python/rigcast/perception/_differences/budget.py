"""Budgets of what people may see: pixels on the screen, or JOD."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, shown
from rigcast.perception._differences.viewing import Viewing

FORM = re.compile(r"\s*([0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?)\s*(px|jod)(?:\s+at\s+([0-9]*\.?[0-9]+)\s*m)?\s*")
MUST = 'a text such as "1px", "1px at 2m" or "0.5 jod at 2m"'


@one_line
@dataclass(frozen=True)
class VisualBudget:
    """The largest difference that may be seen, and the viewer.

    Parameters
    ----------
    amount : float
        Above 0.
    unit : str
        "px": the largest distance on the screen (:func:`screen_motion`); "jod": quality (:func:`jod_loss`).
    viewing : Viewing

    Raises
    ------
    ValueError
        If the amount is not above 0, or the unit is another.

    Examples
    --------
    >>> rc.perception.VisualBudget.of("1px at 3m")
    <VisualBudget: amount 1, unit 'px', viewing Viewing>
    """

    amount: float
    unit: str = "px"
    viewing: Viewing = field(default_factory=Viewing)

    def __post_init__(self) -> None:
        Arguments("VisualBudget").number("amount", self.amount, above=0.0)
        if self.unit not in ("px", "jod"):
            raise bad_argument("VisualBudget", "unit", shown(self.unit), "px or jod")

    @classmethod
    def of(cls, text: str, viewing: Viewing | None = None) -> VisualBudget:
        """Read a budget: an amount, px or jod, and optionally the distance in meters.

        Parameters
        ----------
        text : str
            "1px", "1px at 2m", "0.5 jod".
        viewing : Viewing, optional
            The viewer; a distance in the text comes before its own.

        Raises
        ------
        ValueError
            If the text says nothing of the kind.
        """
        found = FORM.fullmatch(text.lower()) if isinstance(text, str) else None
        if found is None or float(found[1]) <= 0.0 or (found[3] is not None and float(found[3]) <= 0.0):
            raise bad_argument("VisualBudget.of", "text", shown(text), MUST)
        seen = viewing or Viewing()
        if found[3] is not None:
            seen = replace(seen, distance=float(found[3]))
        return cls(float(found[1]), found[2], seen)

    def __str__(self) -> str:
        return f"{self.amount:g} {self.unit} at {self.viewing.distance:g} m"
