"""Draws a chart per benchmark page where it says more than the table: ``python -m docs.figures.draw_benchmarks``.

The numbers are those of the tables, read between their marks; run it again after a benchmark wrote one. Writes
benchmark_*.svg.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl
from benchmarks.written_tables import WrittenTable
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rigcast.plot._colors import ACCENT, QUIET

FOLDER = Path(__file__).resolve().parent


def bars(axes: Axes, names: Sequence[str], values: Sequence[float], label: str, ours: str = "") -> None:
    """Horizontal bars, the first on top; names that begin with ``ours`` in the accent's color."""
    places = range(len(names), 0, -1)
    colors = [ACCENT if ours and name.startswith(ours) else QUIET for name in names]
    axes.barh(list(places), values, color=colors, height=0.7)
    axes.set_yticks(list(places), list(names))
    for place, value in zip(places, values, strict=True):
        axes.annotate(f"{value:g}", (value, place), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8)
    axes.set_xlabel(label)
    axes.margins(x=0.12)


def learned_bodies(axes: Axes) -> None:
    table = WrittenTable("accuracy")
    bars(axes, table.names(), table.numbers("random"), "mean error on random poses, mm", "learned")


def deformation_maps(axes: Axes) -> None:
    table = WrittenTable("accuracy of deformation maps")
    rows = range(5)
    names = [table.cell("performance", "model", nth=row) for row in rows]
    bars(
        axes,
        names,
        [table.number("performance", "mean", nth=row) for row in rows],
        "mean error on the performance, mm",
        "refined",
    )


def differential_subspace(axes: Axes) -> None:
    table = WrittenTable("accuracy of differential subspaces")
    rows = range(5)
    names = [table.cell("performance", "method", nth=row).split(", driven")[0] for row in rows]
    bars(
        axes,
        names,
        [table.number("performance", "mean", nth=row) for row in rows],
        "mean error on the performance, mm",
        "differential",
    )


def inverse_rig(axes: Axes) -> None:
    table, head = WrittenTable("inverse figures"), "ours in a shot"
    peers = [row for row in table.names() if table.cell(row, head).strip()]
    names = [row.replace("`", "") + (" (at least)" if ">" in table.cell(row, head) else "") for row in peers]
    bars(axes, names, [table.number(row, head) for row in peers], "ours in a shot is so many times faster")
    axes.set_xscale("log")


def inverse_rig_mismatch(axes: Axes) -> None:
    table = WrittenTable("inverse mismatch")
    for row in table.names()[1:-1]:
        ours = row.endswith("ours")
        x, y = table.number(row, "weights > 0"), table.number(row, "95th")
        axes.plot([x], [y], "o", color=ACCENT if ours else QUIET, markersize=7 if ours else 4)
        if row == "pairs: ours" or y > 0.023:
            label = "ours" if ours else row.split(", ")[0]
            axes.annotate(label, (x, y), xytext=(7, 3), textcoords="offset points", fontsize=8)
    axes.set(xlabel="weights above 0", ylabel="95th percentile of the error, cm", xlim=(10, 55), yscale="log")


def packed_examples(axes: Axes) -> None:
    table, counts = WrittenTable("packed examples"), (3, 5, 10)
    for row, style in (
        ("packing, optimal", "-o"),
        ("packing, greedy", "-s"),
        ("filled at random", "-^"),
        ("most important single", "-v"),
    ):
        values = [table.number(row, f"{count} examples") for count in counts]
        axes.plot(counts, values, style, color=ACCENT if row == "packing, optimal" else None, label=row, markersize=4)
    axes.set(xlabel="scanned expressions", ylabel="mean error, mm", ylim=(0, None), xticks=counts)
    axes.legend(frameon=False, fontsize=8)


def latent_spaces(axes: Axes) -> None:
    table, row = WrittenTable("held out"), "one sparse space"
    columns = ("latent space", "3 components", "6", "10", "20", "nearest frame")
    names = [f"{column} components" if column.isdigit() else column for column in columns]
    names[0] = "latent space of 3 dimensions"
    bars(
        axes, names, [table.number(row, column) for column in columns], "RMS distance of held-out frames, mm", "latent"
    )


def transfer(axes: Axes) -> None:
    table = WrittenTable("transfer figures")
    rows = [("its head alone", n) for n in range(3)] + [("the same", n) for n in range(3)]
    names = [table.cell(row, "peer", nth=nth) for row, nth in rows]
    bars(
        axes,
        names,
        [table.number(row, "ours is faster", nth=nth) for row, nth in rows],
        "265 shapes are so many times faster",
    )


# Pages whose rows compare on one scale; other tables say more than a chart of theirs, or have one.
CHARTS: tuple[Callable[[Axes], None], ...] = (
    learned_bodies,
    deformation_maps,
    differential_subspace,
    inverse_rig,
    inverse_rig_mismatch,
    packed_examples,
    latent_spaces,
    transfer,
)


def main() -> None:
    """Write all charts as SVG, without the time, so that equal charts are equal files."""
    mpl.rcParams |= {"svg.hashsalt": "rigcast", "svg.fonttype": "path", "font.size": 9}
    for chart in CHARTS:
        figure = Figure(figsize=(7.2, 3.0), layout="constrained", facecolor="white")
        axes = figure.add_subplot()
        axes.spines[["top", "right"]].set_visible(False)
        chart(axes)
        path = FOLDER / f"benchmark_{chart.__name__}.svg"
        figure.savefig(path, metadata={"Date": None})
        print(path.name, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
