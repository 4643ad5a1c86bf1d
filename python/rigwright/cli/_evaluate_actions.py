"""A model's error on actions of its character's own file, as the host plays them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import rigwright as rw
from rigwright.cli._actions import chosen_actions, note_missed
from rigwright.cli._console import Console
from rigwright.cli._result import Result
from rigwright.cli._rigs import opened_rig

HEADERS = ["", "frames", "mean mm", "rms mm", "max mm", "lowest confidence"]


def evaluate_actions(model: rw.Deformer, path: Path, args: argparse.Namespace, console: Console) -> Result:
    """Play actions of a rig's file and compare the model with every frame.

    Raises
    ------
    ValueError
        If the file has no such action, or is another character than the model.
    """
    rows, notes, result = [], [], dict[str, Any]()
    with opened_rig(args, path) as rig:
        for name in chosen_actions(args, rig):
            missed = rig.action(name).missed
            poses, vertices = rig.played(name)
            _check_fits(model, poses, vertices, path)
            error = rw.metrics.vertex_error(vertices, model.evaluate(poses))
            outside = rw.metrics.outside_training(model, poses)
            unit = 1000.0 * model.meters_per_unit
            figures = {"mean_mm": unit * error.mean, "rms_mm": unit * error.rms, "max_mm": unit * error.max}
            lowest = float(outside.confidence.min())
            rows.append([name, len(poses), *(f"{value:.3g}" for value in figures.values()), f"{lowest:.2f}"])
            notes.append((name, missed, outside.lines()))
            result[name] = {
                **figures,
                "frames": len(poses),
                "lowest_confidence": lowest,
                "outside": outside.names,
                "moved_at_rest_in_training": list(outside.resting),
                "no_channel": missed,
            }
    console.table(HEADERS, rows)
    for name, missed, lines in notes:
        note_missed(name, missed, console)
        for line in lines:
            console.line(f"{name}: {line}")
    return {"actions": result}


def _check_fits(model: rw.Deformer, poses: Any, vertices: Any, path: Path) -> None:
    expected = (len(model.control_names), len(model.rest_vertices))
    found = (np.shape(poses)[1], np.shape(vertices)[1])
    if found != expected:
        raise ValueError(
            f"{path} has {found[0]} pose columns and {found[1]} vertices, the model {expected[0]} and {expected[1]}: "
            "open it with the options that its data set was sampled with"
        )
