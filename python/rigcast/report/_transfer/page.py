"""The page of a transfer: its numbers in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rigcast._pages import words
from rigcast._pages.facts import Fact, rig_facts
from rigcast._pages.svg import svg
from rigcast._pages.template import KeyFigure, fill
from rigcast.plot import _colors as colors
from rigcast.plot._drawing import figure, legend
from rigcast.report._character import LiveCharacter, live_character
from rigcast.report._transfer.fit import fit_advice
from rigcast.report._transfer.gallery import TransferGallery
from rigcast.report._transfer.measured import MeasuredTransfer
from rigcast.transfer import empty_shapes

WORST_SHAPES = 4  # that have a button
BARS = 60  # shapes in the chart: the worst ones


@dataclass(frozen=True)
class Entry:
    """One line of the table."""

    name: str
    error: float
    copy: float
    largest: float
    stretch: float
    flipped: int
    source_crossings: int
    free_crossings: int | None
    new_crossings: int


def render_transfer(measured: MeasuredTransfer, pictures: TransferGallery, name: str) -> str:
    """The HTML text."""
    context: dict[str, Any] = {
        "name": words.title(name),
        "answer": _answer(measured),
        "verdicts": _verdicts(measured),
        "live_text": "Both faces at the same weights: drag the target, and the source follows.",
        "stretch_ticks": ["0 %", "41 %", "≥ 100 %"],
        "summary": _summary(measured),
        "key_figures": _key_figures(measured),
        "warnings": _warnings(measured),
        "advice": fit_advice(measured),
        "measured": measured,
        "judged": len(measured.judged),
        "gallery": pictures,
        "live": _live(measured),
        "chart": _chart(measured) if len(measured.judged) else "",
        "entries": entries(measured),
        "groups": [
            ("Source", rig_facts(measured.source)),
            ("Target", [*rig_facts(measured.target), *_facts(measured)]),
        ],
    }
    return fill("transfer.html", context)


def entries(measured: MeasuredTransfer) -> list[Entry]:
    """All expressions, the worst first."""
    doubt, judged = measured.quality, set(measured.judged.tolist())
    free = measured.free_crossings
    return [
        Entry(
            measured.names[n],
            float(measured.errors[n]),
            float(measured.copy_errors[n]),
            float(measured.distances(n).max()) if n in judged else np.nan,
            100.0 * float(np.expm1(np.percentile(np.nan_to_num(doubt.distortion[n]), 99))),
            int(doubt.flipped[n].sum()),
            int(measured.source_crossings[n]),
            None if free is None else int(free[n]),
            int(doubt.new_crossings[n]),
        )
        for n in measured.order()
    ]


def _live(measured: MeasuredTransfer) -> LiveCharacter | str:
    """Both faces in each shape of the target, one after another."""
    shapes = measured.target.num_shapes
    worst = [int(n) for n in measured.order() if n < shapes][:WORST_SHAPES]
    stops = {measured.names[n]: n for n in worst}
    return live_character(stops, measured.target, measured.source, poses=np.eye(shapes), fps=1.0)


def _answer(measured: MeasuredTransfer) -> list[str]:
    """The distance from the true shapes, else the number of doubtful expressions; then that of a copy."""
    if not len(measured.judged):
        return [_doubts(measured)]
    mean, copy = float(np.nanmean(measured.errors)), float(np.nanmean(measured.copy_errors))
    largest = max(float(measured.distances(n).max()) for n in measured.judged)
    first = (
        f"The transferred shapes are within {words.within(mean)} of the true ones on average, "
        f"{words.within(largest)} at worst."
    )
    if mean < copy:
        return [first, f"Copying the source's offsets as they are would miss by {words.length(copy)}."]
    return [first, f"Copying the source's offsets as they are does better here ({words.length(copy)})."]


def _doubts(measured: MeasuredTransfer) -> str:
    doubt, count = measured.quality, len(measured.names)
    crossed, flipped = doubt.new_crossings > 0, doubt.flipped.sum(axis=1) > 0
    depth = words.length(measured.least_depth)
    poor = int((crossed | flipped).sum())
    if not poor:
        none = f"no face cuts through another deeper than {depth}, and none is flipped"
        return f"Nothing to look at in {words.plural(count, 'expression')}: {none}."
    parts = []
    if crossed.any():
        deepest = words.length(measured.deepest)
        parts.append(f"{int(crossed.sum())} with faces that cut through others deeper than {depth} ({deepest} at most)")
    if flipped.any():
        parts.append(f"{int(flipped.sum())} with faces that lie the wrong way round")
    return f"{poor} of {words.plural(count, 'expression')} need a look: {', '.join(parts)}."


def _verdicts(measured: MeasuredTransfer) -> list[str]:
    """With true shapes, the doubtful places come after the distances."""
    return [_doubts(measured)] if len(measured.judged) else []


def _summary(measured: MeasuredTransfer) -> str:
    count = measured.target.num_shapes
    more = len(measured.names) - count
    shapes = words.plural(count, "shape") + (f" and {words.plural(more, 'combination')}" if more else "")
    text = f"{shapes} of {measured.source.metadata.get('name') or 'a rig'}, for a face of "
    text += words.plural(len(measured.neutral), "vertex")
    if len(measured.judged):
        return f"{text}, compared with {words.plural(len(measured.judged), 'true shape')}."
    return f"{text}. There are no true shapes to compare with: the numbers say where to look."


def _key_figures(measured: MeasuredTransfer) -> list[KeyFigure]:
    doubt = measured.quality
    result = []
    if measured.match is None and not len(measured.judged):
        result.append(KeyFigure(f"{len(measured.names):,}", "", "expressions", "shapes and combinations, transferred"))
    if (match := measured.match) is not None:
        away = words.figure(measured.millimeters * match.mean_distance)
        result.append(
            KeyFigure(f"{100.0 * match.coverage:.0f}", "%", "of the vertices matched", f"{away} mm away on average")
        )
    if len(measured.judged):
        mean, copy = float(np.nanmean(measured.errors)), float(np.nanmean(measured.copy_errors))
        largest = max(float(measured.distances(n).max()) for n in measured.judged)
        result.append(KeyFigure(words.millimeters(mean), "mm", "mean error", f"plain copies: {words.figure(copy)} mm"))
        result.append(KeyFigure(words.millimeters(largest), "mm", "largest error", "over all shapes and vertices"))
    free = measured.free_crossings
    before = "" if free is None else f"without contacts {free.sum():,}; "
    where = f"new crossings deeper than {words.length(measured.least_depth)}"
    where += "" if measured.contacts is None else ", at lips and lids"
    hit = int((doubt.new_crossings > 0).sum())
    own = f"{before}in {hit} of {len(measured.names)} expressions"
    own += f"; {words.length(measured.deepest)} at most" if hit else ""
    result.append(KeyFigure(f"{doubt.new_crossings.sum():,}", "", where, own))
    flipped = int((doubt.flipped.sum(axis=1) > 0).sum())
    result.append(
        KeyFigure(f"{doubt.flipped.sum():,}", "", "flipped faces", f"in {flipped} of {len(measured.names)} expressions")
    )
    return result


def _warnings(measured: MeasuredTransfer) -> list[str]:
    empty = empty_shapes(measured.target)
    empty_lines = [f"Empty, these shapes move nothing of the target: {', '.join(empty)}."] * bool(empty)
    if not len(measured.judged):
        return empty_lines
    mean, copy = float(np.nanmean(measured.errors)), float(np.nanmean(measured.copy_errors))
    if mean <= copy:
        return empty_lines
    return [
        *empty_lines,
        "Plain copies of the source's offsets are nearer to the true shapes than transferred ones. That is so where "
        "the true shapes were made from the source's, or where the faces differ little.",
    ]


def _chart(measured: MeasuredTransfer) -> str:
    """Errors of all shapes, the worst first, transferred and copied."""
    order = [n for n in measured.order() if np.isfinite(measured.errors[n])][:BARS]
    canvas, (axis,) = figure(1, 1, (11.0, 3.6))
    places = np.arange(len(order))
    axis.bar(places - 0.2, measured.errors[order], 0.4, color=colors.SERIES[0], label="transferred")
    axis.bar(places + 0.2, measured.copy_errors[order], 0.4, color=colors.SERIES[4], label="plain copy")
    axis.set_xticks(places, [measured.names[n] for n in order], rotation=60, ha="right", fontsize=8)
    axis.grid(visible=False, axis="x")
    axis.set_xlim(-0.7, len(order) - 0.3)
    axis.set_ylabel("mean error, mm")
    legend(canvas, axis, 2)
    return svg(canvas, "shapes")


def _facts(measured: MeasuredTransfer) -> list[Fact]:
    pairs = "off" if measured.contacts is None else words.plural(len(measured.contacts), "pair")
    unit = f"1 unit = {float(measured.target.meters_per_unit):g} m, {measured.target.up_axis} up"
    return [Fact("contacts", pairs), Fact("unit", unit)]
