"""Ablations on part of the production face, beside the figures of Song et al. 2020 (Agent, mean cm): the same signs?

The part: the skin alone, some of the rows, the performance to judge by. Every run has the same steps, and settings that
only differ in what is varied. Each run is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import rigcast as rc
from benchmarks.systems.baselines.sets import Subject
from benchmarks.systems.differential.contenders import Contender, differential, kept
from benchmarks.systems.differential.views import View, largest_component

ROWS = 3000
BASE = {"layers": 3, "hidden": 128, "anchor_hidden": 32}
SHARE = 0.02  # of the vertices that are anchors
STILL = 0.25  # share of the vertices that move least: the scalp, the neck


@dataclass(frozen=True)
class Variant:
    """One run.

    Attributes
    ----------
    name : str
    settings : dict
        Other than ``BASE``.
    anchors : callable, optional
        Of the data and their number: anchors (A,); by default those of ``choose_anchors``.
    share : float
        Of the rows that are learned from.
    """

    name: str
    settings: dict[str, Any] = field(default_factory=dict)
    anchors: Callable[[View, int, int], np.ndarray] | None = None
    share: float = 1.0


def random_anchors(data: View, count: int, seed: int) -> np.ndarray:
    """Drawn at random."""
    return np.random.default_rng(seed).permutation(len(data.rest_vertices))[:count]


def farthest_anchors(data: View, count: int, seed: int, among: np.ndarray | None = None) -> np.ndarray:
    """One after another, each the vertex that lies farthest from those chosen before, at rest."""
    places = np.arange(len(data.rest_vertices)) if among is None else among
    points = data.rest_vertices[places].astype(np.float64)
    chosen = [int(np.random.default_rng(seed).integers(len(points)))]
    distance = np.linalg.norm(points - points[chosen[0]], axis=1)
    while len(chosen) < count:
        chosen.append(int(distance.argmax()))
        distance = np.minimum(distance, np.linalg.norm(points - points[chosen[-1]], axis=1))
    return np.asarray(places[chosen])


def scalp_anchors(data: View, count: int, seed: int) -> np.ndarray:
    """Spread over the quarter of the vertices that moves least."""
    _, _, vertices = data.take(np.linspace(0, len(data) - 1, 200).astype(int))
    moved = np.linalg.norm(vertices - data.rest_vertices, axis=2).mean(axis=0)
    return farthest_anchors(data, count, seed, np.argsort(moved, kind="stable")[: int(STILL * len(moved))])


DEFAULT = Variant("3 layers, 2 % anchors, all rows")
VARIANTS = [
    DEFAULT,
    *(Variant(f"{n} layer{'s' * (n > 1)}", {"layers": n}) for n in (1, 2, 4, 5)),
    Variant("1 % anchors", {"anchor_share": 0.01}),
    Variant("5 % anchors", {"anchor_share": 0.05}),
    Variant("one network for all anchors", {"anchor_networks": "one"}),
    Variant("anchors on the scalp", anchors=scalp_anchors),
    *(Variant(f"{percent} % of the rows", share=percent / 100) for percent in (25, 50, 75)),
    Variant("random anchors", anchors=random_anchors),
    Variant("farthest anchors", anchors=farthest_anchors),
]
OURS = DEFAULT.name
SIGNS = [  # what should be worse and what better, with the paper's means and largest errors in cm, if it has them
    ("1 layer", "2 layers", (0.0240, 0.0197), (0.700, 0.633)),
    ("2 layers", OURS, (0.0197, 0.0189), (0.633, 0.667)),
    (OURS, "4 layers", (0.0189, 0.0187), (0.667, 0.664)),
    ("4 layers", "5 layers", (0.0187, 0.0182), (0.664, 0.541)),
    ("1 % anchors", OURS, (0.0207, 0.0186), (0.524, 0.517)),
    (OURS, "5 % anchors", (0.0186, 0.0158), (0.517, 0.577)),
    ("one network for all anchors", OURS, (0.0336, 0.0186), (0.657, 0.517)),
    ("anchors on the scalp", OURS, (0.0192, 0.0186), (0.562, 0.517)),
    ("25 % of the rows", "50 % of the rows", (0.0301, 0.0246), (0.891, 0.819)),
    ("50 % of the rows", "75 % of the rows", (0.0246, 0.0195), (0.819, 0.740)),
    ("75 % of the rows", OURS, (0.0195, 0.0186), (0.740, 0.517)),
    ("random anchors", OURS, None, None),
    ("farthest anchors", OURS, None, None),
]


def ablations(found: Subject, out: Path, steps: int, seed: int, small: bool) -> str:
    """Train all variants, or go on, and print them beside the paper's figures; both tables."""
    data = next(iter(found.training.values()))
    skin = largest_component(data)
    rows = np.sort(np.random.default_rng(seed).permutation(len(data))[:ROWS])
    judged = View(next(iter(found.judged.values())), vertices=skin)
    unit, truth, poses = 1e3 * judged.meters_per_unit, judged.vertices, judged.poses
    print(f"\nablations: {len(skin):,} vertices, {len(rows):,} rows, {steps:,} steps each; {len(judged)} frames")
    mean: dict[str, float] = {}
    most: dict[str, float] = {}
    lines = [f"{len(skin):,} vertices, {len(rows):,} rows, {steps:,} steps each; judged on {len(judged)} frames.", ""]
    lines += ["| variant | mean, mm | max, mm |", "| --- | ---: | ---: |"]
    for variant in VARIANTS[:3] + VARIANTS[7:10] + VARIANTS[-1:] if small else VARIANTS:
        some = rows[: max(round(variant.share * len(rows)), 4)]
        part = View(data, some, skin)
        settings = BASE | variant.settings | ({"hidden": 8, "anchor_hidden": 4, "components": 20} if small else {})
        anchors = variant.anchors and variant.anchors(part, round(SHARE * len(skin)), seed)
        options = {"steps": steps, **settings, "where": variant.name}
        entry = kept(Contender(variant.name, differential, options, {"anchors": anchors}), part, out, seed)
        error = rc.metrics.vertex_error(truth, entry.model.evaluate(poses))
        mean[variant.name], most[variant.name] = unit * error.mean, unit * error.max
        lines.append(f"| {variant.name} | {unit * error.mean:.4f} | {unit * error.max:.2f} |")
        print(f"  {variant.name:34} {unit * error.mean:.4f} mm mean, {unit * error.max:.2f} max", flush=True)
    return "\n".join([*lines, "", *signs(mean, most)])


def signs(mean: dict[str, float], most: dict[str, float]) -> list[str]:
    """Print each worse error divided by the better one, next to the paper's ratio. Returns the rows of a table.

    The sign is that of the mean; the largest errors stand beside it, in the paper's order or not.
    """
    lines = ["| worse / better | paper | here | | largest: paper | here |", "| --- | ---: | ---: | --- | ---: | ---: |"]
    for worse, better, paper, paper_most in SIGNS:
        if worse in mean and better in mean:
            ratio = mean[worse] / mean[better]
            published, largest = (_ratio(pair) for pair in (paper, paper_most))
            sign = "same sign" if ratio > 1.0 else "OTHER SIGN"
            print(f"    {worse} / {better}: paper {published}, here {ratio:.3f}: {sign}")
            here = f"{ratio:.3f} | {sign} | {largest} | {most[worse] / most[better]:.3f}"
            lines.append(f"| {worse} / {better} | {published} | {here} |")
    return lines


def _ratio(pair: tuple[float, float] | None) -> str:
    return "–" if pair is None else f"{pair[0] / pair[1]:.3f}"
