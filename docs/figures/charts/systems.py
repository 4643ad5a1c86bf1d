"""Charts of the engine's programs: what whole jobs take beside another way to do them."""

from __future__ import annotations

from benchmarks.written_tables import WrittenTable
from docs.figures.charts import parts
from docs.figures.charts.parts import Bar, Scale
from matplotlib.figure import Figure

from rigcast.plot._colors import ACCENT, INK, QUIET

MOST_OF_A_PRODUCT = 1.2
OF_COPY_RATE = 0.8
FRAMES_OF_THE_INVERSE = 200_000.0  # per second
SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}
SHAPES = (0, 4, 8, 16, 32)


def blendshapes(figure: Figure) -> None:
    table, rows = WrittenTable("forward figures"), list[Bar | str]()
    for offsets in ("float32", "int16"):
        rows.append(f"offsets in {offsets}")
        for nth in range(4):
            share, threads = (table.cell(offsets, column, nth=nth) for column in ("weights not 0", "threads"))
            name = f"{share.replace('%', ' %')} of weights, {threads} thread{'s' * (threads != '1')}"
            rows.append(Bar(name, table.number(offsets, "ratio", nth=nth), goal=MOST_OF_A_PRODUCT))
    parts.bars(figure, rows, Scale("time of 100 heads over that of one matrix product"))


def landmarks_and_sessions(figure: Figure) -> None:
    table, head = WrittenTable("posing figures"), "against the whole"
    rows = []
    for name in table.names():
        goal = table.number(name, "goal") if table.cell(name, "goal") else None
        rows.append(Bar(name.replace(" 1 joints", " 1 joint"), table.number(name, head), goal=goal))
    parts.bars(figure, rows, Scale("so many times as fast as the whole body", True, 1.0))


def level_of_detail(figure: Figure) -> None:
    table, half = WrittenTable("level of detail"), {"column": "motion missing", "which": 1}
    rows = [Bar(name.split(" (")[0], table.number(name, **half), "clip" in name) for name in table.names()[1:]]
    parts.bars(figure, rows, Scale("motion missing with half of the shapes, %"))


def gpu(figure: Figure) -> None:
    """Jobs beside the same ones by scalar kernels on an H100: measured, or predicted where no device has run them."""
    before, inverse, bodies = map(WrittenTable, ("GPU before", "GPU inverse rig", "GPU bodies"))
    faces, subspace, heads = map(WrittenTable, ("GPU face maps", "GPU differential", "GPU blendshapes"))
    crowds = WrittenTable("GPU crowds")

    def of(table: WrittenTable, row: str, measured: str = "measured") -> float:
        column = measured if table.cell(row, measured)[0].isdigit() else "predicted"
        return table.number(row, column)

    def faster(name: str, row: str, milliseconds: float, goal: float | None = None) -> Bar:
        earlier = before.number(row, "scalar")
        return Bar(name, float(f"{earlier / milliseconds:.2g}"), goal=None if goal is None else earlier / goal)

    head, frames = "int16, sparse", before.number("inverse rig", "scalar")
    rate = float(f"{of(inverse, 'whole call, targets on the device') / frames:.2g}")
    rows: list[Bar | str] = [
        "on an H100: measured, or predicted where not run",
        faster(
            "100 heads of 72 shapes", "100 heads of 72", of(heads, head), heads.number(head, "bytes") / OF_COPY_RATE
        ),
        faster("100 heads of a crowd, stay", "100 heads of a crowd", of(crowds, "100", "stays, written again")),
        faster("body, 4,096 poses", "body", of(bodies, "4,096")),
        faster("face maps, 1,024 poses", "face maps", of(faces, "1,024")),
        faster("differential subspace, one pose", "differential", of(subspace, "1")),
        Bar("inverse rig, targets on the GPU", rate, goal=FRAMES_OF_THE_INVERSE / frames),
    ]
    parts.bars(figure, rows, Scale("so many times as fast as scalar kernels", True, 1.0))


def engine_shapes(figure: Figure) -> None:
    """Error over the number of shapes, a panel per character."""
    table = WrittenTable("shapes for engines")
    figure.set_size_inches(parts.WIDTH, 3.9)
    panels = figure.subplots(1, 2, sharey=True)
    lines = (
        ("own joints", "99.9 %", 0, {"color": ACCENT, "marker": "o"}),
        ("own joints, held out", "held out", 0, {"color": ACCENT, "marker": "o", "linestyle": "--", "mfc": "white"}),
        ("48 rigid bones", "99.9 %", 5, {"color": QUIET, "marker": "s"}),
    )
    for axes, (row, title) in zip(
        panels, (("MakeHuman", "MakeHuman, preserve volume"), ("Antonia", "Antonia, learned")), strict=True
    ):
        for label, column, first, style in lines:
            errors = [table.number(row, column, nth=first + step) for step in range(len(SHAPES))]
            axes.plot(SHAPES, errors, label=label, markersize=6, **style)
        axes.set_title(title, loc="left", fontsize="medium")
        axes.set(xlabel="shapes", xticks=SHAPES, xticklabels=["0", "", "8", "16", "32"])
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set(ylabel="error that 99.9 % stay below, mm", ylim=(0, 20), yticks=(0, 5, 10, 15, 20))
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper left", ncols=3, frameon=False)


def seconds(cell: str) -> float:
    """A time as the table writes it."""
    value, unit = cell.split()
    return float(value) * SECONDS[unit]


def farm(figure: Figure) -> None:
    """Time over processors, both logarithmic, and what perfectly divided work would take."""
    table = WrittenTable("farm runs")
    axes = parts.plain_axes(figure, 3.9)
    one, hundred = "one set of 20,000 poses", "100 such sets, one after another"
    cores = {job: [table.number(job, "cores", nth=n) for n in range(count)] for job, count in ((one, 4), (hundred, 2))}
    times = {job: [seconds(table.cell(job, "time", nth=n)) for n in range(len(at))] for job, at in cores.items()}
    shares = [table.number(one, "efficiency", nth=n) / 100.0 for n in range(4)]
    ideal = [time * share for time, share in zip(times[one], shares, strict=True)]
    axes.plot(cores[one], ideal, **parts.GOAL_LINE)
    for job, at in cores.items():
        axes.plot(at, times[job], "-o", color=ACCENT, markersize=7)
    labels = [("one set of 20,000 poses", 16, times[one][0]), ("100 sets", 1000, times[hundred][0])]
    labels += [("one set, perfectly divided", 10_000, ideal[3])]
    back = "100 such sets, shards come back"
    again = seconds(table.cell(back, "time"))
    axes.plot([table.number(back, "cores")], [again], "o", color=ACCENT, mfc="white", markersize=7)
    labels += [("100 sets, shards come back to the client", 10_000, again)]
    for text, x, y in labels:
        left = text == "100 sets"
        at = {"xytext": (-9, -4) if left else (0, 8), "ha": "right" if left or x == 10_000 else "left"}
        axes.annotate(text, (x, y), textcoords="offset points", color=INK, **at)
    axes.set(ylim=(1, 3600 * 2), xscale="log", yscale="log", xlabel="processors", ylabel="time of the job (simulated)")
    axes.set_xticks((16, 100, 1000, 10_000), ("16", "100", "1,000", "10,000"), minor=False)
    axes.set_yticks((1, 10, 60, 600, 3600), ("1 s", "10 s", "1 min", "10 min", "1 h"))
    axes.minorticks_off()
