"""Milliseconds from a turned bone to the shown mesh in Blender: the pose, the model, the write, the dependency graph.

    python -m benchmarks.systems.hosts.blender_updates [--write]

Blenders are the one on the PATH, this Python's bpy, and those of the Pythons that TESTS_BPY_PYTHONS lists. The model
is a linear blend tube of 13,380 vertices, all of which move in each update; beside it, in turns with the updates, its
session alone. Each figure is the median of 60.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from tests.blender_addon.models import tube
from tests.blender_addon.working import blenders, told

from benchmarks.marks import write_between_marks
from rigcast._timing import load_average, machine

RINGS, AROUND = 223, 60
UPDATE, UPDATE_BEFORE_4, OVERHEAD = 2.0, 4.0, 1.0  # goals, in milliseconds; of the overhead since Blender 4


def measured(command: list[str] | None, model: Path, folder: Path) -> dict[str, Any]:
    """Version, vertices, and the medians of an update, of the session alone and of an update without the model."""
    folder.mkdir()
    return told("speed.py", folder, model, blender=command)


def row(found: dict[str, Any]) -> str:
    """A row of the table, each goal in parentheses."""
    overhead, new = found["update"] - found["session"], found["number"][0] >= 4
    cells = [
        found["version"],
        f"{found['update']:.2f} (<= {UPDATE if new else UPDATE_BEFORE_4:g})",
        f"{found['session']:.2f}",
        f"{overhead:.2f} (<= {OVERHEAD:g})" if new else f"{overhead:.2f}",
        f"{found['update'] / found['session']:.1f}",
        f"{found['without']:.2f}",
    ]
    return f"| {' | '.join(cells)} |"


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
