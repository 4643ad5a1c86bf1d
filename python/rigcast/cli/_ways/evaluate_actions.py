"""A model's error on actions, as the host of its character plays them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import baselines, metrics
from rigcast._core import Deformer
from rigcast.cli._console import Console
from rigcast.cli._described.skinning import no_gain
from rigcast.cli._inputs.actions import chosen_actions
from rigcast.cli._inputs.model_motion import ModelMotion
from rigcast.cli._inputs.rigs import opened_rig
from rigcast.cli._result import Result, WrongInput

HEADERS = ["", "frames", "mean mm", "rms mm", "max mm", "lowest confidence"]


def evaluate_actions(model: Deformer, path: Path, args: argparse.Namespace, console: Console) -> Result:
    """Play actions of a rig's file, or BVH files on the rig, and compare the model with every frame.

    Raises
    ------
    ValueError
        If the file has no such action, or is another character than the model.
    """
    rows, notes, result = [], [], dict[str, Any]()
    skinning = baselines.linear_part(model)
    with opened_rig(args, path, model) as rig:
        _check_fits(model, rig, path)
        for action in chosen_actions(args, rig, console):
            poses, vertices = action.played(rig)
            found = model.evaluate(poses)
            error = metrics.vertex_error(vertices, found)
            outside = metrics.outside_training(model, poses)
            unit = 1000.0 * model.meters_per_unit
            figures = {"mean_mm": unit * error.mean, "rms_mm": unit * error.rms, "max_mm": unit * error.max}
            lowest = float(outside.confidence.min())
            rows.append([action.name, len(poses), *(f"{value:.3g}" for value in figures.values()), f"{lowest:.2f}"])
            baseline = None
            if skinning is not None:
                baseline = metrics.vertex_error(vertices, skinning.evaluate(poses))
                shown = [f"{unit * value:.3g}" for value in (baseline.mean, baseline.rms, baseline.max)]
                rows.append(["  linear skinning", len(poses), *shown, ""])
                for line in no_gain(error.mean, baseline.mean):
                    console.line(f"{action.name}: {line} here")
            by_controls = _by_controls(model, rig, action, found, vertices)
            if by_controls is not None:
                shown = [f"{by_controls[key]:.3g}" for key in ("mean_mm", "rms_mm", "max_mm")]
                rows.append(["  by its controls", len(poses), *shown, ""])
                added = by_controls["added_mean_mm"], by_controls["added_max_mm"]
                notes.append(
                    f"{action.name}: poses by the controls add {added[0]:.2g} mm on average, {added[1]:.2g} at most"
                )
            notes += [f"{action.name}: {line}" for line in [*_by_part(model, found, vertices), *outside.lines()]]
            result[action.name] = {
                **figures,
                "linear_skinning": baseline and {"mean_mm": unit * baseline.mean, "max_mm": unit * baseline.max},
                "by_controls": by_controls,
                "frames": len(poses),
                "lowest_confidence": lowest,
                "outside": outside.names,
                "combined_outside": outside.combined,
                "moved_at_rest_in_training": list(outside.resting),
                "no_channel": action.missed,
            }
        not_reproduced = list(getattr(rig, "not_reproduced", []))
        notes += [f"note: not reproduced: {line}" for line in not_reproduced]
    console.table(HEADERS, rows)
    for line in notes:
        console.line(line)
    return {"actions": result, "not_reproduced": not_reproduced}


def _by_controls(
    model: Deformer, rig: Any, action: Any, found: NDArray[np.float32], vertices: NDArray[np.float32]
) -> dict[str, float] | None:
    """Errors in mm where the model itself makes the poses of an action from its channels, and what that adds.

    None if the model keeps no mechanism, does not know what poses its joints, or the rig has other channels.
    """
    names = [channel.name for channel in model.channels]
    keeps = any(channel.kind == "control" for channel in model.channels)
    if not keeps or names != list(rig.channel_names):
        return None
    made = model.evaluate(model.poses_from_channels(action.channels))
    error, added = metrics.vertex_error(vertices, made), metrics.vertex_error(found, made)
    figures = {"mean_mm": error.mean, "rms_mm": error.rms, "max_mm": error.max}
    figures |= {"added_mean_mm": added.mean, "added_max_mm": added.max}
    return {key: 1000.0 * model.meters_per_unit * value for key, value in figures.items()}


def _by_part(model: Deformer, found: NDArray[np.float32], vertices: NDArray[np.float32]) -> list[str]:
    """Errors of frames (T, V, 3) on each part of a character of several, in one line."""
    from rigcast.report._body.places import by_part

    if len(model.parts) < 2:
        return []
    places = by_part(model, 1000.0 * model.meters_per_unit * np.linalg.norm(found - vertices, axis=2))
    return ["by part: " + "; ".join(f"{p.name} mean {p.mean:.3g} mm, max {p.largest:.3g} mm" for p in places)]


def motion_of_action(model: Deformer, path: Path, args: argparse.Namespace, console: Console) -> ModelMotion:
    """The pose rows of the one action that was asked for, as its host plays it.

    Raises
    ------
    ValueError
        If several were asked for, the file has no such action, or is another character than the model.
    """
    with opened_rig(args, path, model) as rig:
        _check_fits(model, rig, path)
        actions = chosen_actions(args, rig, console)
        if len(actions) != 1:
            raise WrongInput(f"-o holds one motion; --action names {len(actions)}, it must name one")
        poses, _ = actions[0].played(rig)
        return ModelMotion(poses, actions[0].fps)


def _check_fits(model: Deformer, rig: Any, path: Path) -> None:
    """Refuses another character, before anything plays."""
    joints = 0 if rig.skeleton is None else rig.skeleton.num_joints
    columns, vertices = 12 * joints + len(rig.dial_names), len(rig.rest_vertices)
    if (columns, vertices) != (len(model.control_names), len(model.rest_vertices)):
        raise WrongInput(
            f"{path} has {columns} pose columns and {vertices} vertices, the model {len(model.control_names)} and "
            f"{len(model.rest_vertices)}: open it with the options that its data set was sampled with"
        )
