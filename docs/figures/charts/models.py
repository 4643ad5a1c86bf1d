"""Charts of learned models: errors in millimeters beside other methods and goals."""

from __future__ import annotations

from benchmarks.systems.synthesis.held_out import GOAL as SHARE_OF_COMPONENTS
from benchmarks.written_tables import WrittenTable
from docs.figures.charts import parts
from docs.figures.charts.parts import Bar, Scale
from matplotlib.figure import Figure

from rigcast.plot._colors import ACCENT, INK, QUIET

TIMES_THE_MODEL = 2.0  # what the best simple method must miss by
SHARE_OF_CONSTANTS = 0.5  # of the width of the best constants per vertex
CLIPS = ("random poses", "walk")


def learned_bodies(figure: Figure) -> None:
    table = WrittenTable("accuracy")
    rows: list[Bar | str] = []
    for clip in CLIPS:
        column = clip.split()[0]
        rows += [clip, *(Bar(name, table.number(name, column), name == "learned model") for name in table.names())]
    parts.bars(figure, rows, Scale("mean error on poses that were held out, mm"))


def deformation_maps(figure: Figure) -> None:
    table = WrittenTable("accuracy of deformation maps")
    names = [table.cell("performance", "model", nth=row) for row in range(5)]
    means = [table.number("performance", "mean", nth=row) for row in range(5)]
    goals = [table.number("performance", "goal"), None, None, None, None]
    rows = [
        Bar(name.removeprefix("gate: "), mean, name.endswith("maps"), goal)
        for name, mean, goal in zip(names, means, goals, strict=True)
    ]
    parts.bars(figure, rows, Scale("mean error on the performance, mm"))


def differential_subspace(figure: Figure) -> None:
    table = WrittenTable("accuracy of differential subspaces")
    names = [table.cell("performance", "method", nth=row).split(", driven")[0] for row in range(5)]
    means = [table.number("performance", "mean", nth=row) for row in range(5)]
    rows = [Bar(name, mean, name.startswith("differential")) for name, mean in zip(names, means, strict=True)]
    parts.bars(figure, rows, Scale("mean error on the performance, mm"))


def latent_spaces(figure: Figure) -> None:
    table, row = WrittenTable("held out"), "one sparse space"
    goal = SHARE_OF_COMPONENTS * table.number(row, "3 components")
    rows = [Bar("latent space of 3 dimensions", table.number(row, "latent space"), goal=goal)]
    rows += [Bar(f"{n} components", table.number(row, "3 components" if n == 3 else str(n)), False) for n in (3, 6)]
    rows += [Bar(f"{n} components", table.number(row, str(n)), False) for n in (10, 20)]
    rows += [Bar("nearest frame", table.number(row, "nearest frame"), False)]
    parts.bars(figure, rows, Scale("distance of held-out frames (root mean square), mm"))


def baselines(figure: Figure) -> None:
    """Three dots per character, and half of what the best simple method misses by, which the model must reach."""
    table, scale = WrittenTable("baselines at a glance"), Scale("mean error, mm")
    axes = parts.axes_of(figure, table.names())
    for place, row in zip(axes.get_yticks(), table.names(), strict=True):
        model, simple = table.number(row, 2), table.number(row, 5)
        published, goal = table.number(row, "best baseline", which=-1), table.number(row, 5) / TIMES_THE_MODEL
        missed = scale.missed(model, goal)
        axes.plot([model], [place], "o", color=ACCENT, markersize=8, zorder=3)
        axes.plot([simple], [place], "s", color=QUIET, markersize=6)
        axes.plot([published], [place], "D", color=INK, markerfacecolor="white", markersize=6, clip_on=False)
        parts.goal_mark(axes, goal, float(place))
        if missed:
            text = {"xytext": (8, 0), "textcoords": "offset points", "va": "center", "color": parts.MISSED}
            axes.annotate("missed", (max(model, simple, published), place), **text)
    axes.plot([], [], "o", color=ACCENT, label="learned model")
    axes.plot([], [], "s", color=QUIET, label="best simple method")
    axes.plot([], [], **parts.GOAL_LINE, label="goal: half of it")
    axes.plot([], [], "D", color=INK, markerfacecolor="white", label="best other baseline")
    parts.legend_above(axes)
    parts.scaled(axes, scale)


def which_model(figure: Figure) -> None:
    """From the mean to the largest error; the model to choose in the accent's color."""
    table = WrittenTable("models by character")
    characters = list(dict.fromkeys(table.names()))
    names = {
        (row, nth): f"{table.cell(row, 'model', nth=nth)}, {table.number(row, 'one pose', nth=nth):.1f} ms"
        for row in characters
        for nth in (0, 1)
    }
    axes = parts.axes_of(figure, [text for row in characters for text in (row, names[row, 0], names[row, 1])])
    for label in axes.get_yticklabels()[::3]:
        label.set_fontweight("bold")
    for place, (row, nth) in zip((5, 4, 2, 1), names, strict=True):
        written = [table.cell(row, column, nth=nth) for column in ("mean", "max")]
        mean, largest = map(float, written)
        best = min(table.number(row, "mean", nth=n) for n in (0, 1)) == mean
        color = ACCENT if best else QUIET
        axes.plot([mean, largest], [place, place], color=color, linewidth=1.2, zorder=1)
        axes.plot([mean], [place], "o", color=color, markersize=8)
        axes.plot([largest], [place], "o", color=color, markerfacecolor="white", markersize=8)
        for value, (x, side) in zip(written, ((-8, "right"), (8, "left")), strict=True):
            at = {"xytext": (x, 0), "textcoords": "offset points", "ha": side, "va": "center"}
            axes.annotate(value, (float(value), place), **at)
    axes.plot([], [], "o", color=INK, label="mean")
    axes.plot([], [], "o", color=INK, markerfacecolor="white", label="largest")
    parts.legend_above(axes)
    parts.scaled(axes, Scale("error, mm; beside the names: time of one pose", logarithmic_from=0.01))
    axes.set_xlim(0.015, 110.0)


def stated_error(figure: Figure) -> None:
    table, rows = WrittenTable("stated error"), list[Bar | str]()
    for clip in CLIPS:
        constants = table.number(clip, "constants per vertex")
        within = table.cell(clip, "within").replace("%", " %")
        rows += [
            clip,
            Bar(f"bound, {within} inside", table.number(clip, "mean width"), goal=SHARE_OF_CONSTANTS * constants),
            Bar("constants per vertex", constants, False),
            Bar("one constant for all", table.number(clip, "one constant"), False),
        ]
    parts.bars(figure, rows, Scale("mean width of the bound, mm"))


def synthetic_actors(figure: Figure) -> None:
    simple, known, chain, own, corrected = map(
        WrittenTable,
        (
            "simple methods on synthetic actors",
            "refined faces",
            "chain in one line",
            "own rigs in one line",
            "corrected frames in one line",
        ),
    )
    own_shapes, goal = "own shapes", r"[^(]*\(goals? ([\d.]+)"

    def judged(name: str, table: WrittenTable, before: str) -> Bar:
        return Bar(name, table.said(before), goal=table.said(before.replace("(", "(?:", 1) + goal))

    rows: list[Bar | str] = [
        "simple methods",
        Bar("mean of the clip", simple.number(own_shapes, "clip mean"), False),
        Bar("ridge, landmarks with noise", simple.number(own_shapes, "ridge, 1 px"), False),
        "rig of the actor known",
        Bar("landmarks alone", known.said(r"([\d.]+) by landmarks alone"), False),
        judged("refined by pictures", known, r"^([\d.]+) mm"),
        "read by a network",
        judged("as read", chain, r"read ([\d.]+) mm"),
        judged("refined by pictures", chain, r"with pictures ([\d.]+) mm"),
        judged("ten frames corrected", chain, r"corrected ([\d.]+) mm"),
        "rig fitted to the actor",
        judged("refined by pictures", own, r": ([\d.]+) mm refined"),
        judged("ten frames corrected", own, r", ([\d.]+) after ten"),
        "neutral of the actor known",
        judged("refined by pictures", corrected, r"^([\d.]+) mm"),
        judged("ten frames corrected", corrected, r", ([\d.]+) after ten"),
    ]
    parts.bars(figure, rows, Scale("mean error over the front of the face, mm"))
