"""Charts of a study's results, with 95 % intervals over people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rigcast._pages.svg import svg
from rigcast.plot._colors import ACCENT, INK, QUIET, SERIES
from rigcast.plot._drawing import figure, new_axes
from rigcast.study._results import StudyAnalysis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY = 7  # units from which on each has a chart of its own
BAR = {"fmt": "o", "color": ACCENT, "ecolor": ACCENT, "elinewidth": 1.6, "capsize": 3, "markersize": 6}


def result_chart(analysis: StudyAnalysis, axis: Axes | None = None) -> Axes:
    """Draw the main result of a study: mean ratings over activation, shares of choices, or strengths of methods.

    Bars are 95 % intervals: of Student's t over people, or of resampled answers for strengths.

    Parameters
    ----------
    analysis : StudyAnalysis
    axis : matplotlib axes, optional
        Default: that of a new pyplot figure.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    rigcast._extras.MissingExtra
        Without matplotlib.

    Examples
    --------
    >>> plan = rc.study.StudyPlan("smiles", [rc.study.NamedExpression("Smile", {"mouthSmileLeft": 1.0})])
    >>> made = rc.study.make_rating("drawn", {"face": rc.faces.example()}, plan)
    >>> axes = rc.study.result_chart(rc.study.analyze(rc.study.rehearse(made, people=8)))
    """
    chart: Any = new_axes(1, 1, (7.0, 3.4))[0] if axis is None else axis
    {"rating": _ratings, "choice": _shares, "ranking": _strengths}[analysis.answers.protocol](analysis, chart)
    result: Axes = chart
    return result


def main_chart(analysis: StudyAnalysis) -> str:
    """The main result as SVG: ratings of many units in a chart each."""
    units = list(dict.fromkeys(mean.cell[0] for mean in analysis.means if len(mean.cell) == 2))
    if analysis.answers.protocol != "rating" or len(units) < MANY:
        rows = {"choice": len(analysis.preferences), "ranking": len(analysis.answers.methods)}
        height = max(2.6, 0.8 + 0.36 * rows.get(analysis.answers.protocol, 6))
        canvas, axes = figure(1, 1, (10.4, height))
        result_chart(analysis, axes[0])
        return svg(canvas, "study-main")
    across = 4
    down = -(-len(units) // across)
    canvas, axes = figure(down, across, (10.4, 1.75 * down + 0.4), sharex=True, sharey=True)
    for axis, unit in zip(axes, units, strict=False):
        own = [mean for mean in analysis.means if mean.cell[0] == unit]
        axis.errorbar(
            [float(m.cell[1]) for m in own], [m.mean for m in own], yerr=np.nan_to_num([m.half for m in own]), **BAR
        )
        axis.set_title(unit.replace("_", " "), loc="left", fontsize=10)
        axis.set_ylim(0.5, 9.5)
        axis.set_yticks([1, 3, 5, 7, 9])
    for axis in axes[len(units) :]:
        axis.set_visible(False)
    canvas.supxlabel("activation", fontsize=10, color=INK)
    canvas.supylabel("mean rating", fontsize=10, color=INK)
    return svg(canvas, "study-main")


def people_chart(analysis: StudyAnalysis) -> str:
    """Answers of each participant as SVG: how they spread over the scale, or how often the left one was chosen."""
    table = analysis.answers
    persons = np.asarray(table.columns["person"])
    names = np.unique(persons)
    canvas, axes = figure(1, 2, (10.4, 2.8), width_ratios=[3, 2])
    if table.protocol == "rating":
        values = np.asarray(table.columns["rating"], np.float64)
        parts = [values[persons == name] for name in names]
        axes[0].boxplot(parts, widths=0.6, medianprops={"color": ACCENT}, flierprops={"markersize": 3})
        axes[0].set(xlabel="participant", ylabel="ratings", ylim=(0.5, 9.5))
        axes[0].set_xticks(_some(len(names)), [str(i) for i in _some(len(names))])
    else:
        counts = [int((persons == name).sum()) for name in names]
        axes[0].bar(np.arange(1, len(names) + 1), counts, color=ACCENT, width=0.7)
        axes[0].set(xlabel="participant", ylabel="answers")
    times = np.asarray(table.columns["rt"], np.float64) if "rt" in table.columns else np.zeros(0)
    times = times[np.isfinite(times)]
    if times.size:
        axes[1].hist(np.clip(times, 0.0, np.percentile(times, 99)), bins=30, color=ACCENT)
    axes[1].set(xlabel="response time, s", ylabel="answers")
    return svg(canvas, "study-people")


def measures_chart(analysis: StudyAnalysis) -> str:
    """Mean answers over each measure of what was shown, as SVG; empty without measures."""
    if not analysis.measures:
        return ""
    across = min(4, len(analysis.measures))
    down = -(-len(analysis.measures) // across)
    canvas, axes = figure(down, across, (10.4, 2.1 * down + 0.4), sharey=True)
    for axis, measure in zip(axes, analysis.measures, strict=False):
        axis.plot(measure.values, measure.means, "o", color=ACCENT, markersize=4, alpha=0.7)
        axis.set_title(measure.name.replace("_", " "), loc="left", fontsize=10)
    for axis in axes[len(analysis.measures) :]:
        axis.set_visible(False)
    first = next(iter(analysis.answers.methods), "")
    named = {"rating": "mean rating", "choice": f"share of {first}", "ranking": "mean rank"}
    canvas.supylabel(named[analysis.answers.protocol], fontsize=10, color=INK)
    return svg(canvas, "study-measures")


def _some(count: int) -> list[int]:
    return list(range(1, count + 1, max(1, -(-count // 20))))


def _ratings(analysis: StudyAnalysis, axis: Any) -> None:
    means = analysis.means
    if not means or len(means[0].cell) < 2:
        labels = [" ".join(mean.cell) or "all" for mean in means]
        axis.errorbar(labels, [m.mean for m in means], yerr=np.nan_to_num([m.half for m in means]), **BAR)
    else:
        units = list(dict.fromkeys(mean.cell[0] for mean in means))
        for place, unit in enumerate(units):
            own = [mean for mean in means if mean.cell[0] == unit]
            color = SERIES[place % len(SERIES)]
            look = {**BAR, "fmt": "o-", "color": color, "ecolor": color, "label": unit}
            axis.errorbar(
                [float(m.cell[1]) for m in own],
                [m.mean for m in own],
                yerr=np.nan_to_num([m.half for m in own]),
                **look,
            )
        if len(units) > 1:
            axis.legend(fontsize=9)
        axis.set_xlabel("activation")
    axis.set(ylabel="mean rating", ylim=(0.5, 9.5), yticks=[1, 3, 5, 7, 9])


def _shares(analysis: StudyAnalysis, axis: Any) -> None:
    first, second = analysis.answers.methods
    rows = [*reversed(analysis.preferences[1:]), *analysis.preferences[:1]]
    axis.axvline(0.5, color=QUIET, linewidth=1.0)
    for place, row in enumerate(rows):
        color = ACCENT if not row.cell else INK
        look = {**BAR, "color": color, "ecolor": color}
        axis.errorbar([row.share], [place], xerr=[[np.nan_to_num(row.half)]] * 2, **look)
    axis.set_yticks(range(len(rows)), [row.cell or "all" for row in rows])
    axis.set_ylim(-0.6, len(rows) - 0.4)
    axis.set(xlim=(0.0, 1.0), xlabel=f"share of choices of {first} over {second}")


def _strengths(analysis: StudyAnalysis, axis: Any) -> None:
    found = analysis.strengths
    if found is None:
        axis.set(xlabel="no strengths: a method always won or always lost")
        return
    order = np.argsort(found.strengths)
    for place, i in enumerate(order):
        low, high = found.interval[i]
        apart = np.nan_to_num([[found.strengths[i] - low], [high - found.strengths[i]]])
        axis.errorbar([found.strengths[i]], [place], xerr=np.maximum(apart, 0.0), **BAR)
    axis.set_yticks(range(len(order)), [found.names[i] for i in order])
    axis.set_ylim(-0.6, len(order) - 0.4)
    axis.set(xlim=(0.0, None), xlabel="strength of preference (sum 1)")
