"""A model's statement of its own error, compared with the errors on the poses of the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rigcast._pages.svg import svg
from rigcast.plot._colors import ACCENT, QUIET, SERIES
from rigcast.plot._drawing import figure, legend, plain_numbers
from rigcast.report._body.assess import Assessment


@dataclass(frozen=True)
class BoundRow:
    """The error bound on a set of poses: the shares of vertices inside it, of poses out of range; width in mm."""

    title: str
    poses: int
    coverage: float
    width: float
    flagged: float


@dataclass(frozen=True)
class Contract:
    """Values of the template for a model that states a bound, or an error that it was trained to.

    Attributes
    ----------
    rows : list of BoundRow
        For each set of poses; empty without a bound.
    stated : dict
        The model's metadata entry ``bound``, empty without one.
    until : dict
        Its entry ``until``, empty without one.
    curve : str
        Error against poses as SVG; empty without ``until``.
    """

    rows: list[BoundRow]
    stated: dict[str, Any]
    until: dict[str, Any]
    curve: str

    def figures(self) -> dict[str, object]:
        """All numbers by name."""
        rows = {
            row.title: {"coverage": row.coverage, "mean_width_mm": row.width, "out_of_range": row.flagged}
            for row in self.rows
        }
        return {"error_bound": rows, "until": self.until}


def contract(numbers: Assessment) -> Contract | None:
    """The contract of the report's subject; None for a model that states nothing."""
    model = numbers.subject.model
    stated, until = (model.metadata.get(name, {}) for name in ("bound", "until"))
    if not stated and not until:
        return None
    to_millimeters = 1000.0 * model.meters_per_unit
    rows = []
    for truth, results in zip(numbers.truths if stated else [], numbers.accuracy, strict=False):
        width = to_millimeters * model.error_bound(truth.poses).astype(np.float64)
        inside = float((results[0].distances <= width).mean())
        flagged = float(model.out_of_range(truth.poses).mean())
        rows.append(BoundRow(truth.title, len(truth.poses), inside, float(width.mean()), flagged))
    return Contract(rows, stated, until, curve(until, to_millimeters) if until else "")


def curve(until: dict[str, Any], to_millimeters: float) -> str:
    """The error of every round against the poses that it had learned from, with its bound and the goal; logarithmic."""
    rounds = until["rounds"]
    canvas, (axis,) = figure(1, 1, (10.4, 3.4))
    poses = [entry["poses"] for entry in rounds]
    values = [to_millimeters * entry["value"] for entry in rounds]
    bounds = [np.nan if entry["bound"] is None else to_millimeters * entry["bound"] for entry in rounds]
    goal = to_millimeters * until["tolerance"]
    axis.plot(poses, values, "o-", color=ACCENT, linewidth=2.2, label=f"{until['statistic']} of fresh poses")
    axis.plot(poses, bounds, "v--", color=SERIES[1], linewidth=1.2, label="upper bound")
    axis.axhline(goal, color=QUIET, linewidth=1.2, linestyle=":", label="asked for")
    axis.set(yscale="log", xlabel="poses learned from", ylabel="vertex error, mm")
    shown = [goal, *values, *(bound for bound in bounds if np.isfinite(bound))]
    axis.set_ylim(0.8 * min(shown), 1.25 * max(shown))
    axis.set_xlim(0.0, 1.06 * max(poses))
    plain_numbers(axis.yaxis)
    legend(canvas, axis, 3)
    return svg(canvas, "until")
