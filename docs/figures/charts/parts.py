"""Parts of the charts of benchmarks: bars, dots and lines with their goals, large enough for a narrow window."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import LogLocator

from rigcast.plot._colors import ACCENT, INK, QUIET, SERIES

WIDTH = 6.4  # inches: letters of 11 points are 9 pixels high in a window of 420
MISSED = SERIES[1]
LETTERS = 31  # of a line of a name
HALF = 0.36  # of a bar's height
ROOM, ROOM_WITH_WORD = 0.14, 0.27  # of the axes' width, for a number
GOAL_LINE = {"color": INK, "linewidth": 1.0, "linestyle": (0, (4, 2.5))}
HALO = withStroke(linewidth=2.5, foreground="white")  # of goals across bars


@dataclass(frozen=True)
class Bar:
    """A value of a chart; ``goal`` is that of this bar, ``text`` stands in place of the number."""

    name: str
    value: float
    ours: bool = True
    goal: float | None = None
    text: str = ""


@dataclass(frozen=True)
class Scale:
    """The axis of values: its label with the unit, whether larger is better, and the bars' start if logarithmic."""

    label: str
    more_is_better: bool = False
    logarithmic_from: float | None = None

    def end_of(self, row: Bar) -> float:
        """The right end of a bar."""
        return max(row.value, self.logarithmic_from or 0.0)

    def missed(self, value: float, goal: float | None) -> bool:
        """Returns true if a value does not reach its goal."""
        return goal is not None and (value < goal if self.more_is_better else value > goal)


def number(value: float) -> str:
    """A value as it stands at its bar or tick."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:g}"


def wrapped(name: str) -> str:
    """A name on as few lines as it needs, of nearly one length."""
    lines = len(textwrap.wrap(name, LETTERS))
    widths = (width for width in range(LETTERS // 2, LETTERS + 1) if len(textwrap.wrap(name, width)) == lines)
    return name if "\n" in name else textwrap.fill(name, next(widths))


def axes_of(figure: Figure, rows: Sequence[str]) -> Axes:
    """Axes with a name per row, the first on top, in a figure that is as high as the names need."""
    names = [wrapped(row) for row in rows]
    row_height = 0.43 if any("\n" in name for name in names) else 0.31
    figure.set_size_inches(WIDTH, row_height * len(rows) + 0.8)
    axes = figure.add_subplot()
    axes.set_yticks(range(len(rows), 0, -1), names)
    axes.set_ylim(0.4, len(rows) + 0.6)
    axes.tick_params(axis="y", length=0, pad=7)
    axes.spines[["top", "right", "left"]].set_visible(False)
    return axes


def scaled(axes: Axes, scale: Scale) -> None:
    """The axis of values; plain numbers on a logarithmic one."""
    axes.set_xlabel(scale.label)
    if scale.logarithmic_from is None:
        axes.set_xlim(left=0.0)
    else:
        axes.set_xscale("log")
        least, most = axes.get_xlim()
        axes.xaxis.set_major_locator(LogLocator(base=100.0 if most > 10_000.0 * least else 10.0))
        axes.xaxis.set_major_formatter(lambda value, _: number(value))


def bars(figure: Figure, rows: Sequence[Bar | str], scale: Scale) -> None:
    """Horizontal bars, ours in the accent's color; a row of text alone is the heading of those below it."""
    axes = axes_of(figure, [row if isinstance(row, str) else row.name for row in rows])
    start, values = scale.logarithmic_from or 0.0, [row for row in rows if isinstance(row, Bar)]
    for place, label, row in zip(axes.get_yticks(), axes.get_yticklabels(), rows, strict=True):
        if isinstance(row, str):
            label.set_fontweight("bold")
            continue
        color = ACCENT if row.ours else QUIET
        axes.barh(place, row.value - start, left=start, color=color, alpha=1.0 if row.ours else 0.7, height=2 * HALF)
        goal_mark(axes, row.goal, place)
    if start:
        axes.axvline(start, color=INK, linewidth=0.8)
    scaled(axes, scale)
    decimals = 0 if scale.more_is_better else max(len(number(row.value).partition(".")[2]) for row in values)
    inside = any(stands_between(axes, row, scale, ROOM) for row in values if not scale.missed(row.value, row.goal))
    for place, row in zip(axes.get_yticks(), rows, strict=True):
        if isinstance(row, Bar):
            text = row.text or (number(row.value) if scale.more_is_better else f"{row.value:.{decimals}f}")
            write_value(axes, row, text, place, scale, inside)
    goals = {row.goal for row in values} - {None}
    if goals:
        explain_goals(axes, f"goal: {goals.pop():.3g}" if len(goals) == 1 else "goal")


def write_value(axes: Axes, row: Bar, text: str, place: float, scale: Scale, inside: bool) -> None:
    """A bar's number: behind its end, or inside before a goal; behind the goal if that is missed and near."""
    end, missed = scale.end_of(row), scale.missed(row.value, row.goal)
    style = {"textcoords": "offset points", "va": "center"}
    if inside and not missed and (row.goal or 0.0) > end:
        axes.annotate(text, (end, place), xytext=(-4, 0), ha="right", color="white", **style)
        return
    if missed and stands_between(axes, row, scale, ROOM_WITH_WORD):
        end = max(end, row.goal or 0.0)
    text, color = (f"{text}, missed", MISSED) if missed else (text, INK)
    axes.annotate(text, (end, place), xytext=(5, 0), color=color, **style)


def stands_between(axes: Axes, row: Bar, scale: Scale, room: float) -> bool:
    """Returns true if a bar's goal lies behind its end and leaves less room between than a number needs (a share)."""
    end = scale.end_of(row)
    if row.goal is None or row.goal < end:
        return False
    first, last = axes.transAxes.inverted().transform(axes.transData.transform([(end, 0.0), (row.goal, 0.0)]))[:, 0]
    return bool(last - first < room)


def goal_mark(axes: Axes, goal: float | None, place: float) -> None:
    """A dashed line across one row."""
    if goal is not None:
        axes.plot([goal, goal], [place - 0.5, place + 0.5], path_effects=[HALO], **GOAL_LINE)


def explain_goals(axes: Axes, words: str = "goal") -> None:
    """The meaning of dashed lines, above the axes."""
    axes.plot([], [], label=words, **GOAL_LINE)
    legend_above(axes)


def legend_above(axes: Axes) -> None:
    """A legend over the axes, at their right."""
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, frameon=False, borderaxespad=0.1)


def plain_axes(figure: Figure, height: float) -> Axes:
    """Axes without a frame, of a height in inches."""
    figure.set_size_inches(WIDTH, height)
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return axes
