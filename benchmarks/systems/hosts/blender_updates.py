"""Milliseconds from a turned bone to the shown mesh in Blender: the pose, the model, the write, the dependency graph.

    python -m benchmarks.systems.hosts.blender_updates [--write]

Blenders are the one on the PATH, this Python's bpy, and those of the Pythons that TESTS_BPY_PYTHONS lists. The model
is a linear blend tube of 13,380 vertices, all of which move in each update; beside it, in turns with the updates, its
session alone. Each figure is the median of 60.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from tests.blender_addon.models import tube
from tests.blender_addon.working import blenders, told

from benchmarks.marks import write_between_marks
from rigcast._timing import load_average, machine

SCRIPT = Path(__file__).with_name("update_blender.py")
RINGS, AROUND = 223, 60


class Goal(NamedTuple):
    """Milliseconds of an update, and of it without the session."""

    update: float
    overhead: float


GOALS = {4: Goal(2.0, 1.0), 3: Goal(4.0, math.inf)}  # since a version of Blender, newest first


def measured(command: list[str] | None, model: Path, folder: Path) -> dict[str, Any]:
    """Version, vertices, and the medians of an update, of the session alone and of an update without the model."""
    folder.mkdir()
    return told(str(SCRIPT), folder, model, blender=command)


def row(found: dict[str, Any]) -> str:
    """A row of the table, each goal in parentheses."""
    update, session = found["update"], found["session"]
    goal = next(goal for since, goal in GOALS.items() if found["number"][0] >= since)
    return (
        f"| {found['version']} | {update:.2f} (<= {goal.update:g}) | {session:.2f} "
        f"| {update - session:.2f} {f' (<= {goal.overhead:g})' if goal.overhead < math.inf else ''} | {update / session:.1f} | {found['without']:.2f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--write", action="store_true", help="into the pages of docs/benchmarks")
    arguments = parser.parse_args()
    lines = [
        "| Blender | update, ms | session alone, ms | overhead, ms | ratio | update without the model, ms |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = folder / "tube.safetensors"
        tube(model, RINGS, AROUND)
        found = [measured(blender.values[0], model, folder / str(place)) for place, blender in enumerate(blenders())]
    lines += [row(one) for one in sorted(found, key=lambda one: one["number"])]
    lines += ["", f"Load {load_average():.1f}; {machine()}"]
    print("\n".join(lines))
    if arguments.write:
        write_between_marks("updates in Blender", "\n".join(lines))


if __name__ == "__main__":
    main()
