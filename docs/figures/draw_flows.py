"""Draws what goes into and comes out of rigcast in other programs: ``python -m docs.figures.draw_flows``.

One small picture for each how-to about files, farms and hosts, whose subject has no other look. Writes flow_*.svg.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from rigcast.plot._colors import ACCENT, INK, QUIET

FOLDER = Path(__file__).resolve().parent
WIDTH, HEIGHT = 2.1, 0.8  # inches of a box
GAP = 1.35  # inches between two
BESIDE = 0.16  # inches from a model's box to the box that opens it


@dataclass(frozen=True)
class Flow:
    """A row of boxes, and what goes from each to the next.

    Attributes
    ----------
    boxes : tuple of str
        From left to right; those that begin with ``*`` are rigcast's own.
    arrows : tuple of str
    model : int
        Place of the box that opens a model's file, drawn above it; -1: none does.
    """

    boxes: tuple[str, ...]
    arrows: tuple[str, ...]
    model: int = 1


FLOWS = {
    "files": Flow(
        ("your programs", "*rigcast", "your programs"),
        ("FBX, glTF, USD,\nAlembic, BVH,\n.blend, .csv", "glTF, USD,\nAlembic, BVH,\nPC2, .blend, .csv"),
        model=-1,
    ),
    "farm": Flow(
        ("rig and seed", "*workers of a farm", "one data set:\nthe same bytes"),
        ("all rows are\ndrawn first", "shards,\nin any order"),
        model=-1,
    ),
    "houdini": Flow(
        ("mesh and skeleton at\nrest, moving skeleton", "*Python SOP:\nrigcast_houdini", "deformed mesh"),
        ("inputs 1 to 3", "positions"),
    ),
    "maya": Flow(("joints and controls", "*rigcastDeformer", "deformed mesh"), ("worldMatrix,\nattributes", "points")),
    "unity": Flow(("a script", "*RigcastCharacter,\nlibrigcast", "mesh filter"), ("SetChannels", "vertices")),
    "unreal": Flow(
        ("Blueprint or C++", "*URigcastComponent,\nlibrigcast", "procedural mesh"),
        ("SetChannels,\nSetPose", "vertices"),
    ),
    "runtime": Flow(
        ("the host's Python\nand NumPy", "*rigcast_runtime,\nlibrigcast", "the host's mesh"), ("poses", "vertices")
    ),
    "use_from_c": Flow(
        ("your program", "*librigcast", "your program"), ("poses, targets,\ndrags", "vertices,\nweights, poses")
    ),
    "use_from_cpp": Flow(
        ("your program", "*the engine, C++20", "your program"),
        ("poses, targets,\nshapes", "vertices, weights,\nother shapes"),
    ),
    "play_from_cpp": Flow(
        ("walk.f32:\na row per pose", "*play_motion", "walk.pc2"), ("the motion", "vertices of\nevery frame")
    ),
    "usd": Flow(
        ("*rigcast export", "hero.usda: skeleton,\nskin, shapes", "any program\nthat reads USD"),
        ("linear skinning,\nits distance said", "UsdSkel"),
        model=0,
    ),
}


def box(axes: Axes, x: float, y: float, text: str) -> None:
    """A box around a text; ours in the accent's color."""
    is_ours = text.startswith("*")
    shape = "round,pad=0,rounding_size=0.08"
    look = {"facecolor": ACCENT if is_ours else "white", "edgecolor": ACCENT if is_ours else QUIET, "linewidth": 1.2}
    axes.add_patch(FancyBboxPatch((x, y), WIDTH, HEIGHT, boxstyle=shape, **look))
    color = "white" if is_ours else INK
    axes.text(x + WIDTH / 2, y + HEIGHT / 2, text.removeprefix("*"), ha="center", va="center", color=color, fontsize=11)


def arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """A line that ends in a head."""
    axes.add_patch(FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=12, color=QUIET, linewidth=1.2))


def draw(axes: Axes, flow: Flow) -> tuple[float, float]:
    """Draw a flow, an inch as the unit; returns its size."""
    for place, text in enumerate(flow.boxes):
        box(axes, place * (WIDTH + GAP), 0.0, text)
    for place, text in enumerate(flow.arrows):
        x = place * (WIDTH + GAP) + WIDTH
        arrow(axes, (x + 0.05, HEIGHT / 2), (x + GAP - 0.05, HEIGHT / 2))
        axes.text(x + GAP / 2, HEIGHT / 2 + 0.08, text, ha="center", va="bottom", color=INK, fontsize=9)
    top = HEIGHT
    if flow.model >= 0:
        x = flow.model * (WIDTH + GAP)
        box(axes, x, HEIGHT + 3 * BESIDE, "hero.safetensors")
        arrow(axes, (x + WIDTH / 2, HEIGHT + 3 * BESIDE), (x + WIDTH / 2, HEIGHT))
        top += 3 * BESIDE + HEIGHT
    return len(flow.boxes) * (WIDTH + GAP) - GAP, top


def main() -> None:
    """Write all flows as SVG, without the time, so that equal pictures are equal files."""
    mpl.rcParams |= {"svg.hashsalt": "rigcast", "svg.fonttype": "path"}
    for name, flow in FLOWS.items():
        figure = Figure(facecolor="white")
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        width, height = draw(axes, flow)
        height = max(height, 1.2)
        axes.set(xlim=(-0.1, width + 0.1), ylim=(-0.1, height + 0.1))
        axes.axis("off")
        figure.set_size_inches(width + 0.2, height + 0.2)
        path = FOLDER / f"flow_{name}.svg"
        figure.savefig(path, metadata={"Date": None})
        print(path.name, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
