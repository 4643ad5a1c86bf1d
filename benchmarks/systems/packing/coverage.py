"""The thesis's shape of results on other faces: what the first expressions cover, and what they are good for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.systems.packing.faces import Face

COUNTS = (5, 10, 20)
ALPHAS = (0.0, 0.25, 0.5, 0.75, 1.0)
OVERLAP = 0.1
# Carrigan 2020, table 3.5: shapes of the rig; greedy, optimal, both in the first 5, 10, 20 expressions.
PUBLISHED = {
    "Male": (73, [(36, 38, 31), (49, 49, 42), (63, 63, 56)]),
    "Toon": (65, [(34, 33, 22), (48, 49, 43), (62, 62, 61)]),
    "Female": (265, [(58, 54, 34), (89, 85, 57), (124, 116, 93)]),
    "DigiDouble": (161, [(61, 54, 39), (90, 79, 55), (126, 121, 104)]),
}
Held = list[tuple[int, int, int]]


@dataclass(frozen=True)
class Coverage:
    """Greedy beside optimal on one face: shapes held after ``COUNTS``, expressions, RMS errors in mm by examples."""

    face: str
    shapes: int
    choice: str
    held: Held
    expressions: tuple[int, int]
    greedy: list[float]
    optimal: list[float]


@dataclass(frozen=True)
class Alpha:
    """RMS errors in mm of optimal packing by examples, for each alpha."""

    face: str
    errors: dict[float, list[float]]

    @property
    def best(self) -> float:
        """The alpha of the least error, on average over the numbers of examples."""
        return min(self.errors, key=lambda alpha: float(np.mean(self.errors[alpha])))

    @property
    def lost(self) -> float:
        """By how much alpha = .5 is above the best, as a part of it."""
        return float(np.mean(self.errors[0.5]) / np.mean(self.errors[self.best])) - 1.0


def errors(face: Face, expressions: Sequence[Sequence[int]]) -> list[float]:
    return [face.error(expressions[:count]) for count in COUNTS]


def coverage(face: Face, judged: bool = True) -> list[Coverage]:
    """Three ways to pack: as the thesis compares them, greedy with a little overlap, with symmetry.

    Faces that are not ``judged`` have no errors: the true shapes are copies of the source's.
    """
    head = face.head()
    choices: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "no symmetry": ({}, {}),
        f"greedy may overlap by {OVERLAP:.0%}": ({"overlap": OVERLAP}, {}),
        "symmetry": ({"symmetry": True}, {"symmetry": True}),
    }
    rows = []
    for choice, (loose, strict) in choices.items():
        plans = (face.plan(method="greedy", **loose).expressions, face.plan(**strict).expressions)
        held: Held = []
        for count in COUNTS:
            greedy, optimal = ({k for shapes in plan[:count] for k in shapes} for plan in plans)
            held.append((len(greedy), len(optimal), len(greedy & optimal)))
        amounts = (len(plans[0]), len(plans[1]))
        ends = [errors(head, plan) if judged else [] for plan in plans]
        rows.append(Coverage(face.name, len(face.names), choice, held, amounts, *ends))
    return rows


def by_alpha(face: Face) -> Alpha:
    head = face.head()
    return Alpha(face.name, {alpha: errors(head, face.plan(alpha=alpha).expressions) for alpha in ALPHAS})


def coverage_table(rows: Iterable[Coverage]) -> str:
    counts = ", ".join(map(str, COUNTS))
    lines = [
        f"| greedy/optimal (both) | {' | '.join(f'first {count}' for count in COUNTS)} | expressions"
        f" | RMS error in mm after {counts}: greedy | optimal |",
        "|" + " --- |" * (len(COUNTS) + 4),
    ]
    for name, (shapes, held) in PUBLISHED.items():
        lines.append(f"| thesis: {name}, {shapes} shapes | {_cells(held)} | | | |")
    for row in rows:
        ends = " | ".join(", ".join(f"{error:.3f}" for error in values) for values in (row.greedy, row.optimal))
        amounts = f"{row.expressions[0]}/{row.expressions[1]}"
        lines.append(f"| {row.face}, {row.shapes} shapes, {row.choice} | {_cells(row.held)} | {amounts} | {ends} |")
    return "\n".join(lines)


def alpha_table(rows: Iterable[Alpha]) -> str:
    head = " | ".join(f"alpha {alpha:g}" for alpha in ALPHAS)
    lines = [f"| RMS error in mm after {', '.join(map(str, COUNTS))} | {head} |", "|" + " --- |" * (len(ALPHAS) + 1)]
    for row in rows:
        cells = [", ".join(f"{error:.3f}" for error in row.errors[alpha]) for alpha in ALPHAS]
        lines.append(f"| {row.face}, optimal, no symmetry | {' | '.join(cells)} |")
    return "\n".join(lines)


def where_ours_differs(rows: Sequence[Coverage], alphas: Sequence[Alpha]) -> str:
    """The thesis's findings beside ours, said from the figures."""
    plain = [row for row in rows if row.choice == "no symmetry"]
    theirs = [(shapes, held) for shapes, held in PUBLISHED.values()]
    ours = [(row.shapes, row.held) for row in plain]
    sentences = [
        f"Of the shapes in optimal's first expressions {_span(_agreement(ours))} are in greedy's too (thesis:"
        f" {_span(_agreement(theirs))}); the first {COUNTS[-1]} hold {_span(_last(ours))} of all shapes (thesis:"
        f" {_span(_last(theirs))})."
    ]
    closer = [row.face for row in plain if np.mean(row.optimal) < np.mean(row.greedy)]
    farther = [row.face for row in plain if row.face not in closer]
    counts = f"{COUNTS[0]}, {COUNTS[1]} and {COUNTS[2]} scans"
    sentences.append(
        f"On average over {counts}, optimal's are nearer to the true shapes than greedy's on {_all(closer)}"
    )
    sentences[-1] += (f", not on {_all(farther)}" if farther else "") + " (thesis: on DigiDouble)."
    best = [row for row in alphas if row.lost <= 0.0]
    other = [f"{row.face} (best {row.best:g}; .5 is {row.lost:.1%} above it)" for row in alphas if row.lost > 0.0]
    if best:
        same = f"alpha = .5, the thesis's best, is ours on {_all([row.face for row in best])}"
        sentences.append(f"{same}, not on {_all(other)}." if other else f"{same}.")
    else:
        sentences.append(f"alpha = .5, the thesis's best, is ours on none: {', '.join(other)}.")
    return " ".join(sentences)


def _cells(held: Held) -> str:
    return " | ".join(f"{greedy}/{optimal} ({both})" for greedy, optimal, both in held)


def _agreement(rows: Iterable[tuple[int, Held]]) -> list[float]:
    return [both / optimal for _, held in rows for _, optimal, both in held]


def _last(rows: Iterable[tuple[int, Held]]) -> list[float]:
    return [optimal / shapes for shapes, held in rows for _, optimal, _ in held[-1:]]


def _span(values: list[float]) -> str:
    return f"{min(values):.0%} to {max(values):.0%}"


def _all(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
