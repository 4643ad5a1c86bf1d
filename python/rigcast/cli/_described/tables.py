"""The lines of ``rigcast info`` about rows: weights over time, tables, and targets of inverse kinematics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import inverse
from rigcast._formats.live_link.read import ANGLES, load_table
from rigcast._formats.npz.archive import Member, read_arrays
from rigcast.cli._result import WrongInput
from rigcast.cli._sentences import one_line
from rigcast.ik import load_targets

NOT_STATED = "not stated"
ROWS, MESH = "rows: weights, poses or channels", ", or one mesh"  # of a plain array, which does not say
LONGEST_HEAD = 1 << 20  # letters of the first line of a table
# A column that tells a kind of table, what the table is, and what reads it.
KINDS = {
    "person": ("answers of a study", "rigcast study analyze reads them"),
    "x_0": ("points of a face", "rigcast capture solve reads them"),
}


WEIGHTS = {
    "weights": Member("f", ("T", "K")),
    "names": Member("U", ("K",)),
    "fps": Member("fiu", ()),
    "transforms": Member("f", ("T", 3, 4)),
}


def describe_table(path: Path) -> dict[str, Any]:
    """Facts of a ``.csv`` by the names of its columns.

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
        return _live_link(path)
    except ValueError as error:
        others = ", ".join(kind for kind, _ in KINDS.values())
        takes = f"{others}, targets of ik; transfer --landmarks takes pairs of vertices"
        raise WrongInput(f"{one_line(error)}; it is no table of weights, nor of {takes}") from error


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


def describe_weights(path: Path, held: set[str]) -> dict[str, Any]:
    """Facts of an archive of weights, and of the solve that wrote it."""
    stored = read_arrays(path, WEIGHTS, "info", others=True)
    names = [str(name) for name in stored["names"]] if "names" in stored else None
    rate = float(stored["fps"]) if "fps" in stored else None
    result = _weight_facts(path, stored["weights"].astype(np.float64), names, rate, stored.get("transforms"))
    if "objective" in held:
        solution = inverse.Solution.load(path)
        result |= {
            "method": solution.method,
            "alpha": solution.alpha,
            "smoothness": solution.smoothness,
            "loss": solution.loss or "squared",
            "rmse": float(solution.rmse.mean()),
            "at_an_optimum": f"{int(solution.converged.sum()):,} of {len(solution.converged):,} frames",
            "notes": list(solution.warnings),
        }
    return result


def _live_link(path: Path) -> dict[str, Any]:
    table = load_table(path)
    turning = {name.lower() for name in ANGLES}
    shapes = [k for k, name in enumerate(table.names) if name.lower() not in turning]
    columns = {name.lower(): column for name, column in zip(table.names, table.values.T, strict=True)}
    angles = np.degrees([np.ptp(columns[name.lower()]) for name in ANGLES[:3] if name.lower() in columns])
    result = _weight_facts(path, table.values[:, shapes], [table.names[k] for k in shapes], table.fps, None)
    if angles.any():
        result["head_turns"] = "yaw, pitch, roll over " + ", ".join(f"{angle:.1f}" for angle in angles) + " degrees"
    return result


def describe_rows(path: Path, rows: NDArray[np.float64]) -> dict[str, Any]:
    """Facts of rows (T, K) that do not say what they are."""
    return _weight_facts(path, rows, None, None, None)


def _weight_facts(
    path: Path,
    weights: NDArray[np.float64],
    names: list[str] | None,
    rate: float | None,
    transforms: NDArray[Any] | None,
) -> dict[str, Any]:
    on = np.abs(weights) > 1e-3
    moving = [bool(column.any()) for column in on.T]
    shown = NOT_STATED if names is None else [name for name, moves in zip(names, moving, strict=True) if moves]
    result: dict[str, Any] = {
        "type": "weights" if path.suffix.lower() != ".npy" else ROWS + MESH * (weights.shape[1] == 3),
        "name": path.name,
        "frames": len(weights),
        "fps": NOT_STATED if rate is None else rate,
        "seconds": NOT_STATED if rate is None else len(weights) / rate,
        "shapes": weights.shape[1],
        "moving": sum(moving),
        "moving_shapes": shown,
        "on_in_a_frame": float(on.sum(axis=1).mean()),
        "range": (float(weights.min(initial=0.0)), float(weights.max(initial=0.0))),
        "bytes": path.stat().st_size,
    }
    if transforms is not None:
        turns = np.ptp(inverse.head_angles(transforms), axis=0)
        result["head_turns"] = "yaw, pitch, roll over " + ", ".join(f"{angle:.1f}" for angle in turns) + " degrees"
    return result
