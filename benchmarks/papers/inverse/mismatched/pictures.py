"""The paper's figure 5, and its figures 8 and 9 with the elbows, drawn of our face."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import rigcast as rc
from benchmarks.papers.inverse.mismatched.kept import Row, digits
from benchmarks.papers.inverse.mismatched.methods import ALL_MM, EVERY, NAMES, OURS, RELEASED, SHAPES_ALONE
from benchmarks.papers.inverse.mismatched.scene import Scene, truncated
from rigcast.inverse._choices.elbow import ALPHAS
from rigcast.plot._colors import INK, SERIES

BOXES = (  # of the methods of the paper's box plots: model, method, what stands below the box
    ("pairs", "mm_cet" + RELEASED, "MM,\nreleased"),
    ("pairs", "mm_cet", "MM, to con-\nvergence"),
    ("pairs", "SciPy's defaults", "SQP"),
    ("shapes alone", "cet", "Cet"),
    ("shapes alone", "cet_loc", "Cet-loc"),
    ("shapes alone", "seol", "Seol"),
    ("pairs", OURS, "ours"),
)

LEAST = 1e-4  # centimeters, where an axis of errors begins
FOLDER = Path(__file__).resolve().parents[4] / "docs" / "figures"


def approximations(scene: Scene) -> dict[str, np.ndarray]:
    """Figure 5's curves (T,): the paper's RMSE of truncated rigs at the true weights of the judged frames."""
    rest = np.zeros_like(scene.judged)
    found = {"zero": scene.posed(rest)}
    for model in ("linear", "pairs"):
        rig = truncated(scene.judge, model)
        found[model] = rig.evaluate(scene.judged.astype(np.float32), threads=1)
    return {
        name: rc.metrics.weight_error(scene.judged, scene.targets, vertices, threads=1).rmse_p95
        for name, vertices in found.items()
    }


def forward_sentence(curves: dict[str, np.ndarray]) -> str:
    """Figure 5 in one sentence."""
    told = ", ".join(f"{name} {digits(float(curve.mean()))} cm" for name, curve in curves.items())
    return f"Mean over the {len(curves['zero']):,} judged frames: {told}."


def draw_approximations(curves: dict[str, np.ndarray], cut: int) -> None:
    """``docs/figures/inverse_mismatch_forward.svg``."""
    figure, axes = _figure(1)
    for (name, curve), color in zip(curves.items(), SERIES, strict=False):
        axes[0].plot(np.arange(len(curve)), curve, color=color, linewidth=1.2, label=f"{name} model")
    if cut < len(curves["zero"]):
        axes[0].axvline(cut, color=INK, linewidth=0.6, linestyle=":")
    axes[0].set(xlabel="frame", ylabel="95 % of the vertices are nearer, cm", yscale="log", ylim=(LEAST, None))
    axes[0].legend(frameon=False, ncols=len(curves), loc="lower center", bbox_to_anchor=(0.5, 1.0))
    _save(figure, "inverse_mismatch_forward")


def draw_elbows(rows: list[Row], model: str = "pairs") -> None:
    """``docs/figures/inverse_mismatch_elbow.svg``: error in the whole rig over cardinality and over L1."""
    figure, axes = _figure(2)
    chosen = [row for row in rows if row["curve"] and row["method"] in (*SHAPES_ALONE, *ALL_MM, "sqp", OURS)]
    chosen = [row for row in chosen if row["model"] in (model, "shapes alone")]
    for n, (row, color) in enumerate(zip(chosen, SERIES * 2, strict=False)):
        curve = np.array(row["curve"])
        at = ALPHAS.index(row["alpha"])
        for place, axis in zip((1, 2), axes, strict=True):
            if row["method"] == "seol":  # alpha plays no part
                axis.plot(curve[0, place], curve[0, 0], "s", color=color, label=NAMES["seol"])
                continue
            how = {"marker": "os"[n >= len(SERIES)], "linestyle": ("-", "--")[n >= len(SERIES)], "markersize": 3}
            axis.plot(curve[:, place], curve[:, 0], color=color, label=_label(row["method"]), **how)
            axis.plot(curve[at, place], curve[at, 0], "o", markersize=10, markerfacecolor="none", color=color)
    axes[0].set(xlabel="weights above 0.001 per frame", ylabel="95 % of the vertices are nearer, cm")
    axes[1].set(xlabel="sum of weights per frame")
    axes[0].set(yscale="log")
    figure.legend(*axes[0].get_legend_handles_labels(), frameon=False, fontsize=7, ncols=2, loc="outside lower center")
    _save(figure, "inverse_mismatch_elbow")


def _label(method: str) -> str:
    return NAMES[method] + f", every {EVERY}th frame" * (method == "sqp")


def draw_boxes(rows: list[Row]) -> None:
    """``docs/figures/inverse_mismatch_boxes.svg``: error, cardinality and L1 of every frame, by method."""
    figure, axes = _figure(3, shared=False)
    known = {(row["model"], row["method"]): row["by_frame"] for row in rows}
    told = {"p95": "95 % of the vertices are nearer, cm", "cardinality": "weights above 0", "l1": "sum of weights"}
    for axis, (key, label) in zip(axes, told.items(), strict=True):
        boxes = [known[model, method][key] for model, method, _ in BOXES]
        drawn = axis.boxplot(boxes, patch_artist=True, widths=0.6, medianprops={"color": INK}, flierprops={"ms": 2})
        for box, color in zip(drawn["boxes"], SERIES * 2, strict=False):
            box.set_facecolor(color)
        axis.set_xticks(range(1, len(BOXES) + 1), [name for *_, name in BOXES], rotation=60, fontsize=7)
        axis.set(ylabel=label, ylim=(0, None))
    _save(figure, "inverse_mismatch_boxes")


def _figure(panels: int, *, shared: bool = True) -> tuple[Figure, list[Axes]]:
    figure = Figure(
        figsize=(4.2 * panels + 2.2 * (panels == 1), 3.4 + 0.8 * (panels == 2)), layout="constrained", facecolor="white"
    )
    axes = figure.subplots(1, panels, sharey=shared, squeeze=False)[0]
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
    return figure, list(axes)


def _save(figure: Figure, name: str) -> None:
    with mpl.rc_context({"svg.hashsalt": "rigcast", "svg.fonttype": "path", "font.size": 9}):
        figure.savefig(FOLDER / f"{name}.svg", metadata={"Date": None})
