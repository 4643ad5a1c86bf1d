"""A learned face compared with simple regressions, as lines."""

from __future__ import annotations

from typing import Any

from rigcast._core import Deformer
from rigcast.metrics._gate import Difficulty, stated_difficulty


def gate_lines(model: Deformer) -> list[str]:
    """The verdict on the held-out rows of a model's training, then a line per regression; none if it states nothing."""
    gate = stated_difficulty(model.metadata)
    error = model.metadata.get("error", {})
    return [] if gate is None else [gate.verdict(error["mean"], error["max"]), *gate.lines()]


def gate_figures(gate: Difficulty | None) -> dict[str, Any] | None:
    """Millimeters of the regressions, for machines."""
    if gate is None:
        return None
    scale = 1e3 * (gate.meters_per_unit or 1.0)
    return {method.name: {"mean": scale * method.mean, "max": scale * method.max} for method in gate.methods}
