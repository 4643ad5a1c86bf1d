"""The lines of ``rigcast info`` about tables that hold no weights, and about targets of inverse kinematics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rigcast._formats.live_link.read import load_table
from rigcast.cli._result import WrongInput
from rigcast.cli._sentences import one_line
from rigcast.ik import load_targets

NOT_STATED = "not stated"
LONGEST_HEAD = 1 << 20  # letters of the first line of a table
# A column that tells a kind of table, what the table is, and what reads it.
KINDS = {
    "person": ("answers of a study", "rigcast study analyze reads them"),
    "x_0": ("points of a face", "rigcast capture solve reads them"),
}


def describe_table(path: Path) -> dict[str, Any] | None:
    """Facts of a ``.csv`` by the names of its columns; None for a table of weights.

    Parameters
    ----------
    path : Path
        The first line holds the names.

    Raises
    ------
    ValueError
        If it is none of them.
    """
    with path.open(encoding="utf-8-sig", errors="replace") as stream:
        names = {name.strip().strip('"').lower() for name in stream.readline(LONGEST_HEAD).split(",")}
    if {"frame", "vertex", "x"} <= names:
        return describe_targets(path)
    for column, (kind, note) in KINDS.items():
        if column in names:
            return {"type": kind, "name": path.name, **_counted(path), "notes": [note]}
    try:
        load_table(path)
    except ValueError as error:
        others = ", ".join(kind for kind, _ in KINDS.values())
        takes = f"{others}, targets of ik; transfer --landmarks takes pairs of vertices"
        raise WrongInput(f"{one_line(error)}; it is no table of weights, nor of {takes}") from error
    return None


def describe_targets(path: Path) -> dict[str, Any]:
    """Facts of positions that points are to reach."""
    found = load_targets(path)
    return {
        "type": "targets of points",
        "name": path.name,
        "frames": len(found.targets),
        "fps": NOT_STATED if found.fps is None else float(found.fps),
        "points": len(found.vertices),
        "bytes": path.stat().st_size,
        "notes": ["rigcast ik finds poses that reach them"],
    }


def _counted(path: Path) -> dict[str, int]:
    with path.open("rb") as stream:
        return {"rows": sum(1 for _ in stream) - 1, "bytes": path.stat().st_size}
