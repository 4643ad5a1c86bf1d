"""Draws the figures of the explanations into this folder: ``python docs/figures/draw.py`` (half a minute)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import rigcast as rc
from rigcast.plot._colors import ACCENT, QUIET
from rigcast.training._body.partition import blended_sets

FOLDER = Path(__file__).resolve().parent
HALF_EXCESS = 0.25


def confidence(axes: Axes) -> None:
    """The formula over the distance of a pose, in radii."""
    distance = np.linspace(0.0, 2.0, 401)
    axes.plot(distance, 2.0 ** -((np.maximum(0.0, distance - 1.0) / HALF_EXCESS) ** 2), color=ACCENT)
    axes.axvspan(0.0, 1.0, color=QUIET, alpha=0.15, lw=0)
    axes.text(0.5, 0.5, "training poses", ha="center", color=QUIET)
    axes.plot([1.25], [0.5], "o", color=ACCENT)
    axes.annotate("1/2 at a quarter of the radius outside", (1.25, 0.5), (1.32, 0.52))
    axes.set(
        xlabel="distance of the worst joint, or of all together, in radii",
        ylabel="confidence",
        xlim=(0, 2),
        ylim=(0, 1.05),
    )


def seams(axes: Axes) -> None:
    """Weights of two vertex sets along a strip of the arm's topology."""
    rows, columns = 13, 8
    place = np.arange(rows)
    first = np.arange((rows - 1) * columns).reshape(rows - 1, columns)
    after = (np.arange(columns) + 1) % columns
    faces = np.stack([first, first[:, after], first[:, after] + columns, first + columns], axis=-1).reshape(-1, 4)
    joint = np.repeat((place > rows // 2).astype(np.intp), columns)
    for width, style, label in ((0.0, "--", "hard sets"), (1.5, "-", "border 1.5 edges (default)")):
        sets = blended_sets(joint, faces.astype(np.int32), width)
        weight = np.zeros(rows * columns)
        weight[sets.vertex[sets.members(1)]] = sets.weight[sets.members(1)]
        edges = place - rows // 2 - 0.5
        color = QUIET if width == 0.0 else ACCENT
        axes.plot(edges, weight[::columns], style, color=color, label=label, marker="o", markersize=3)
    axes.set(xlabel="edges from the border of the sets", ylabel="weight of the forearm's set")
    axes.legend(frameon=False)


def elbow(axes: Axes) -> None:
    """The trade-off of the example face over a noisy shot."""
    face = rc.faces.example()
    generator = np.random.default_rng(0)
    frames, shapes = 60, face.num_shapes
    bumps = np.sin(np.linspace(0.0, 4.0 * np.pi, frames)[:, None] + generator.uniform(0.0, 6.3, shapes))
    weights = np.clip(bumps, 0.0, 1.0) * (generator.random(shapes) < 0.5)
    shot = face.evaluate(weights) + generator.normal(0.0, 0.01, (frames, *face.rest_vertices.shape))
    found = rc.inverse.trade_off(face, shot, methods=["descent"])
    chosen = int(np.flatnonzero(found.alphas == found.alpha)[0])
    error, active = 10.0 * found.rmse_p95[0], found.cardinality[0]
    axes.plot(active, error, "-o", color=QUIET, markersize=4)
    axes.plot([active[chosen]], [error[chosen]], "o", color=ACCENT, markersize=9)
    labels: dict[tuple[float, float], list[str]] = {}
    for alpha, x, y in zip(found.alphas, active, error, strict=True):
        labels.setdefault((round(float(x), 0), round(float(y), 1)), []).append(f"{alpha:g}")
    for (x, y), texts in labels.items():
        axes.annotate(", ".join(texts), (x, y), xytext=(6, 4), textcoords="offset points", fontsize=8)
    axes.set(
        xlabel="active weights per frame (numbers at the points: alpha in square centimeters)",
        ylabel="95 % of the vertices are nearer (mm)",
    )


def which_rig(axes: Axes) -> None:
    """Choices of twenty simulated people between two rigs, as on the page that asks which is better."""
    names = ("Open=jawOpen", "Smile=mouthSmileLeft+mouthSmileRight", "Pucker=mouthPucker", "Blink=eyeBlinkLeft")
    expressions = [rc.study.NamedExpression.parse(text) for text in names]
    plan = rc.study.StudyPlan("", expressions, [0.6, 1.0], rc.study.PictureSettings(size=16), block_by=["character"])
    face = rc.faces.example()
    with tempfile.TemporaryDirectory() as folder:
        study = rc.study.make_choice(f"{folder}/s", {"face": {"truth": face, "old": face, "new": face}}, plan)
    people = rc.study.rehearse(study, people=20, strengths={"old": 1.0, "new": 2.0}, seed=1)
    rc.study.result_chart(rc.study.analyze(people), axes)


def draw(name: str, content: Callable[[Axes], None]) -> None:
    """One figure as SVG, without the time, so that equal pictures are equal files."""
    figure = Figure(figsize=(6.4, 3.2), layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    content(axes)
    figure.savefig(FOLDER / f"{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    mpl.rcParams |= {"svg.hashsalt": "rigcast", "svg.fonttype": "path", "font.size": 9}
    for name, content in {"confidence": confidence, "seams": seams, "elbow": elbow, "which_rig": which_rig}.items():
        draw(name, content)
