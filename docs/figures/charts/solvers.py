"""Charts of solvers: how many times as fast as their peers, and what their results miss by."""

from __future__ import annotations

import numpy as np
from benchmarks.written_tables import WrittenTable, missed_cells
from docs.figures.charts import parts
from docs.figures.charts.parts import Bar, Scale
from matplotlib.figure import Figure

from rigcast.plot._colors import ACCENT, INK, QUIET, SERIES

MARKERS = {"shapes alone": "D", "linear": "s", "pairs": "o"}  # of fitted models
PLACES = {  # of labels, in points from their dots
    "Cet": (7, -5, "left"),
    "Cet-loc": (7, -6, "left"),
    "ours": (-3, -15, "left"),
    "MM from Cet, paper's steps": (2, -15, "left"),
    "MM from Cet, released": (28, -15, "right"),
}


def inverse_rig(figure: Figure) -> None:
    table, head = WrittenTable("inverse figures"), "ours in a shot"
    rows = []
    for name in table.names():
        cell, goal = table.cell(name, head), table.cell(name, "goal")
        if not cell or name.startswith("our"):
            continue
        value, least = table.number(name, head), table.number(name, "goal") if goal else None
        rows.append(Bar(name.replace("`", ""), value, goal=least, text=cell.removesuffix(" x")))
    parts.bars(figure, rows, Scale("ours in a shot is so many times as fast", True, 1.0))


def inverse_rig_mismatch(figure: Figure) -> None:
    """Error over the number of weights above zero, a point per method; those of linear models have no label."""
    table = WrittenTable("inverse mismatch")
    axes = parts.plain_axes(figure, 3.7)
    for row in table.names()[1:-1]:
        ours = row.endswith("ours")
        x, y = table.number(row, "weights > 0"), 10.0 * table.number(row, "95th")
        model, method = row.split(": ")
        color = ACCENT if ours else QUIET
        axes.plot([x], [y], MARKERS[model], color=color, markersize=8 if ours else 6)
        if model != "linear":
            label = ", ".join(method.split(", ")[:2]).removesuffix(" code")
            right, up, side = PLACES.get(label, (4, 5, "left"))
            at = {"xytext": (right, up), "textcoords": "offset points", "ha": side}
            axes.annotate(label, (x, y), color=ACCENT if ours else INK, **at)
    for model, marker in MARKERS.items():
        axes.plot([], [], marker, color=QUIET, label=model)
    axes.legend(loc="upper left", frameon=False, title="fitted model", alignment="left")
    axes.set(xlabel="weights above 0", ylabel="95th percentile of the error, mm", xlim=(10, 52), yscale="log")
    axes.set_ylim(0.055, 1.0)
    axes.set_yticks((0.1, 0.2, 0.5, 1.0), ("0.1", "0.2", "0.5", "1"))
    axes.minorticks_off()


def inverse_kinematics(figure: Figure) -> None:
    table, rows = WrittenTable("iterative solves"), list[Bar | str]()
    for name, goal in zip(table.names(), (100.0, 10.0, 10.0), strict=True):
        one, batch = (table.number(name, "ratio", which=which) for which in (0, 1))
        rows += [name, Bar("a frame per call", one, goal=goal), Bar("whole clip in one call", batch, goal=goal)]
    parts.bars(figure, rows, Scale("ours is so many times as fast", True, 1.0))


def packing(figure: Figure) -> None:
    """A row per peer and task, a dot per face."""
    table, scale = WrittenTable("packing figures"), Scale("ours is so many times as fast, a dot per face", True, 1.0)
    peers = ("CBC, raw rows", "HiGHS, maximal rows (20", "HiGHS, raw rows", "HiGHS, maximal rows (40")
    names = [
        f"{task}:\n{peer.split(' (')[0]}"
        for task, peer in zip(("first expression",) * 2 + ("whole sequence",) * 2, peers, strict=True)
    ]
    axes = parts.axes_of(figure, names)
    for place, peer in zip(axes.get_yticks(), peers, strict=True):
        head = next(head for head in table.heads() if head.startswith(peer))
        goal, values = float(head.split("(")[1].split()[0]), table.numbers(peer)
        for height, value in zip(np.linspace(0.3, -0.3, len(values)), values, strict=True):
            color, marker = (parts.MISSED, "X") if scale.missed(value, goal) else (ACCENT, "o")
            axes.plot([value], [place + height], marker, color=color, markersize=6, mew=0)
        parts.goal_mark(axes, goal, float(place))
        missed = missed_cells(values, goal)
        text, color = (f"missed by {missed} of {len(values)}", parts.MISSED) if missed else ("met by all", INK)
        at = {"xytext": (10, 0), "textcoords": "offset points", "va": "center"}
        axes.annotate(text, (max(values), place), color=color, **at)
    parts.scaled(axes, scale)
    parts.explain_goals(axes)


def packed_examples(figure: Figure) -> None:
    """Error over the number of scans, a line per way to choose them; the dashed one is a plain copy's."""
    table, counts = WrittenTable("packed examples"), (3, 5, 10)
    axes = parts.plain_axes(figure, 4.1)
    rows = ("packing, optimal", "packing, greedy", "filled at random", "most important single units")
    without, copied = table.said(r"without examples ([\d.]+)"), table.said(r"a plain copy, ([\d.]+) mm")
    for row, marker, color in zip(rows, "os^v", (ACCENT, *SERIES[2:4], SERIES[6]), strict=True):
        values = [table.number(row, f"{count} examples") for count in counts]
        axes.plot((0, *counts), (without, *values), f"-{marker}", color=color, label=row, markersize=6)
    axes.axhline(copied, color=QUIET, linewidth=1.0, linestyle=":", label="plain copy of the offsets")
    axes.set(xlabel="scanned expressions", ylabel="mean error, mm", ylim=(0, 0.7), xticks=(0, *counts))
    figure.legend(loc="outside upper left", ncols=2, frameon=False)


def transfer(figure: Figure) -> None:
    table, rows = WrittenTable("transfer figures"), list[Bar | str]()
    for heading, job, count in (
        ("peers that factor once", "its head alone", 3),
        ("peers that factor per shape", "the same", 3),
    ):
        rows.append(heading)
        for nth in range(count):
            goal = table.number(job, "goal", nth=nth) if table.cell(job, "goal", nth=nth) else None
            name = table.cell(job, "peer", nth=nth).split(",")[0]
            rows.append(Bar(name, table.number(job, "ours is faster", nth=nth), goal=goal))
    parts.bars(figure, rows, Scale("265 shapes are transferred so many times as fast", True))
