"""The figures of a learned body with each instruction set of this processor: ``engine.py --targets``.

A process keeps the set that it began with, so each set is measured by processes of its own. Peers choose their own
instructions, always the best.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from rigcast import _core


def sets_of_this_processor() -> list[str]:
    """Best first, without the portable one."""
    return [name for name in _core.instruction_sets() if name != "portable"]


def measured(name: str, model: str, more: list[str]) -> dict[str, Any]:
    """The reports of engine.py and posing.py with one instruction set."""
    environment = os.environ | {"RIGCAST_INSTRUCTION_SET": name}

    def report(module: str, *options: str) -> Any:
        command = [sys.executable, "-m", f"benchmarks.systems.body.{module}", model, "--json", *options]
        return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True).stdout)

    found: dict[str, Any] = report("engine", *more)
    return found | {"posing": report("posing")["rows"]}


SINGLE = (
    "kernels",
    "one pose, ms",
    "PyTorch, ONNX x",
    "of the read rate",
    "16-bit: ms",
    "PyTorch, ONNX x, of the read rate",
    "knee moves (bytes)",
    "arm moves (bytes)",
)
BATCHES = ("kernels", "256 poses, ms", "PyTorch, ONNX x")


def single_cells(name: str, found: dict[str, Any]) -> list[str]:
    """One row of the table of single poses."""
    one = found["rows"][0]
    reading = {row["variant"]: row for row in found["reading"] if row["threads"] == 1}
    row = [name, f"{1e3 * one['seconds']:.3f}", ratios(one, one["seconds"]), f"{reading['rigcast']['share']:.0%}"]
    half = one["variants"]["16-bit"]
    row += [f"{1e3 * half:.3f}", f"{ratios(one, half)}, {reading['16-bit']['share']:.0%}"]
    return [*row, moved(found["posing"], "knee"), moved(found["posing"], "arm")]


def batch_cells(name: str, found: dict[str, Any]) -> list[str]:
    """One row of the table of batches."""
    many = found["rows"][1]
    return [name, f"{1e3 * many['seconds']:.1f}", ratios(many, many["seconds"])]


def ratios(row: dict[str, Any], seconds: float) -> str:
    """The speed relative to each peer."""
    return ", ".join(f"{row['peers'][name] / seconds:.1f}" for name in ("PyTorch", "ONNX Runtime"))


def moved(rows: list[dict[str, Any]], limb: str) -> str:
    """A session in which a limb moves: times faster than the whole, and what it reads of the whole."""
    (row,) = [row for row in rows if row["job"].startswith(f"session, {limb}")]
    return f"{row['whole'] / row['seconds']:.1f} x ({row['bytes'] / row['whole_bytes']:.3f})"


def tables(model: str, more: list[str]) -> tuple[str, str]:
    """The tables of all instruction sets: one pose, and batches; the machine follows the second."""
    single, batches = ([f"| {' | '.join(head)} |", "|" + " --- |" * len(head)] for head in (SINGLE, BATCHES))
    found: dict[str, Any] = {}
    for name in sets_of_this_processor():
        found = measured(name, model, more)
        single.append(f"| {' | '.join(single_cells(name, found))} |")
        batches.append(f"| {' | '.join(batch_cells(name, found))} |")
    versions = ", ".join(f"{package} {version}" for package, version in found["versions"].items())
    where = found["machine"].replace(f", {name}", "")
    sizes = found["model"]
    about = f"{sizes['sets']} sets, {sizes['vertices']:,} vertices, {sizes['bytes'] / 1e6:.1f} MB"
    batches += ["", f"{about}. {where}; {versions}. Load before the last row {found['load']:.1f}."]
    return "\n".join(single), "\n".join(batches)
