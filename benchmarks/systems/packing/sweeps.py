"""Sweeps of the threshold of binary shapes and the weight of unseen directions (Carrigan 2020, figures 3.9, 3.13)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from benchmarks.systems.packing.coverage import COUNTS, errors
from benchmarks.systems.packing.faces import Face

THRESHOLDS = (0.25, 0.3, 0.4)
BETAS = (0.0, 0.5, 2.0)


def sweep_table(faces: Iterable[Face]) -> str:
    """Markdown: a line per face, threshold and beta, of optimal packing without symmetry."""
    counts = ", ".join(map(str, COUNTS))
    lines = [
        f"| optimal, no symmetry | mu | beta | shapes in the first {counts} | expressions (at least) "
        f"| RMS error in mm after {counts} |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for face in faces:
        lines += [_row(face, mu, beta) for mu, beta in itertools.product(THRESHOLDS, BETAS)]
    return "\n".join(lines)


def _row(face: Face, mu: float, beta: float) -> str:
    plan = face.plan(threshold=mu, beta=beta)
    held = (len({k for shapes in plan.expressions[:count] for k in shapes}) for count in COUNTS)
    ends = errors(face.head(), plan.expressions) if len(face.areas) else []  # identity targets have no other truth
    cells = [
        f"{face.name}, {len(face.names)} shapes",
        f"{mu:g}",
        f"{beta:g}",
        ", ".join(map(str, held)),
        f"{len(plan.expressions)} ({plan.lower_bound})",
        ", ".join(f"{error:.3f}" for error in ends),
    ]
    return "| " + " | ".join(cells) + " |"
