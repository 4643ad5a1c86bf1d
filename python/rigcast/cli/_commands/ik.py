"""``rigcast ik``: poses of a model from positions that points of its skin reach."""

from __future__ import annotations

import argparse
import csv
import io
import os
from pathlib import Path
from typing import Any

import numpy as np

from rigcast import _core, ik
from rigcast._atomic_files import atomic_npz, atomic_write
from rigcast._load_model import load
from rigcast._pages.words import figure
from rigcast._resume.parts import PartsFolder
from rigcast._rigs.motions.shot import TO_Y_UP
from rigcast.cli import _arguments as arguments
from rigcast.cli._commands.solve import not_negative
from rigcast.cli._console import Console
from rigcast.cli._inputs.learned_ik import is_face_ik
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import Result, WrongInput
from rigcast.ik import FaceIk, PoseSolution, Solver, load_targets
from rigcast.ik._parts import solve_in_parts
from rigcast.ik._target_files import TargetFile

SUMMARY = SUMMARIES["ik"]
EXAMPLE = """rigcast ik hero.safetensors goals.npz -o poses.npz -o channels.csv
rigcast ik hero.safetensors goals.csv -o again.npz --unit m --up-axis Y --preference 0.01"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """MODEL, TARGETS, and how to solve."""
    parser.add_argument(
        "model",
        metavar="MODEL",
        type=arguments.existing_file,
        help="a model (.safetensors): learned, skinned, blendshapes, or learned inverse kinematics of a face",
    )
    parser.add_argument(
        "targets",
        metavar="TARGETS",
        type=arguments.existing_file,
        help=".npz (targets (T, M, 3), vertices (M,); weights, fps) or .csv (frame,vertex,x,y,z)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=arguments.OutputFile(".npz", ".csv"),
        action="append",
        required=True,
        help=".npz (poses, channels, errors) or .csv (one row of channels per frame)",
    )
    parser.add_argument("--unit", type=arguments.unit, help="of the targets: mm, cm, m, in, ... (default: the model's)")
    parser.add_argument("--up-axis", choices=["X", "Y", "Z"], help="of the targets (default: the model's)")
    parser.add_argument(
        "--preference", type=not_negative, default=1e-3, help="pull to the rest pose where targets leave freedom"
    )
    parser.add_argument("--tolerance", type=arguments.positive, default=1e-6, help="relative to the model's size")
    parser.add_argument("--max-iterations", type=arguments.count, default=100, help="of a frame (default 100)")
    parser.add_argument(
        "--polish", metavar="N", type=arguments.seed, default=0, help="steps after learned inverse kinematics"
    )
    arguments.add_threads(parser)
    arguments.add_restart(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Solve, or go on where an interrupted run stopped, and write poses and channels."""
    folder = args.output[0].with_name(args.output[0].name + ".partial")
    model = _opened(args.model)
    given = load_targets(args.targets)
    unit, axis = _space(model)
    targets = _placed(given.targets, args, unit, axis)
    with PartsFolder(folder, "solve") as kept, console.progress() as progress:
        if args.restart:
            kept.remove()
        if isinstance(model, FaceIk):
            found = _learned(model, given, targets, args)
        else:
            about = [os.fspath(args.model.resolve()), args.model.stat().st_size, args.model.stat().st_mtime_ns]
            found = solve_in_parts(
                Solver(model, given.vertices),
                targets,
                kept,
                str(about),
                progress,
                preference=args.preference,
                weights=given.weights,
                tolerance=args.tolerance,
                max_iterations=args.max_iterations,
                threads=args.threads,
            )
        for path in args.output:
            _write(path, found, given)
        kept.remove()
    result = _figures(found, unit)
    _say(console, args, result)
    return result


def _opened(path: Path) -> _core.Deformer | FaceIk:
    return ik.load(path) if is_face_ik(path) else load(path)


def _space(model: _core.Deformer | FaceIk) -> tuple[float, str]:
    """Meters per unit and the axis that points up."""
    if isinstance(model, FaceIk):
        return float(model.metadata["meters_per_unit"]), str(model.metadata["up_axis"])
    return float(model.meters_per_unit), str(model.up_axis)


def _placed(targets: Any, args: argparse.Namespace, unit: float, axis: str) -> Any:
    """Targets in the model's unit and axes."""
    factor = 1.0 if args.unit is None else args.unit / unit
    turn = np.eye(3) if args.up_axis is None else TO_Y_UP[axis].T @ TO_Y_UP[args.up_axis]
    return factor * targets @ turn.T


def _learned(model: FaceIk, given: TargetFile, targets: Any, args: argparse.Namespace) -> PoseSolution:
    places = {int(vertex): i for i, vertex in enumerate(given.vertices)}
    missing = [int(vertex) for vertex in model.vertices if int(vertex) not in places]
    if missing:
        raise WrongInput(f"TARGETS has no vertex {missing[0]}; it must have the {len(model.vertices)} control points")
    chosen = targets[:, [places[int(vertex)] for vertex in model.vertices]]
    return model.solve(chosen, polish=args.polish, threads=args.threads)


def _write(path: Path, found: PoseSolution, given: TargetFile) -> None:
    if path.suffix.lower() == ".csv":
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["frame", *found.names])
        writer.writerows([t, *(repr(float(x)) for x in row)] for t, row in enumerate(found.unknowns))
        atomic_write(path, text.getvalue().encode())
        return
    arrays = {
        "poses": found.poses,
        "channels": found.unknowns,
        "names": np.array(found.names),
        "vertices": given.vertices,
        "error": found.error,
        "converged": found.converged,
        "at_bound": found.at_bound,
    }
    atomic_npz(path, arrays | ({} if given.fps is None else {"fps": np.array(given.fps)}))


def _figures(found: PoseSolution, unit: float) -> dict[str, Any]:
    millimeters = 1e3 * unit
    held = np.abs(found.at_bound).max(axis=0, initial=0) > 0
    return {
        "frames": len(found.poses),
        "targets": found.error.shape[1],
        "unknowns": len(found.names),
        "error_mm": millimeters * float(found.error.mean()),
        "error_max_mm": millimeters * float(found.error.max()),
        "iterations": float(found.iterations.mean()),
        "converged": int(found.converged.sum()),
        "at_bound": [name for name, is_held in zip(found.names, held, strict=True) if is_held],
    }


def _say(console: Console, args: argparse.Namespace, result: dict[str, Any]) -> None:
    console.pairs(
        [
            ("poses", ", ".join(map(os.fspath, args.output))),
            ("solved", f"{result['frames']:,} frames, {result['targets']} targets, {result['unknowns']} unknowns"),
            (
                "missed by",
                f"{figure(result['error_mm'])} mm on average, {figure(result['error_max_mm'])} mm at most",
            ),
            ("converged", f"{result['converged']:,} of {result['frames']:,} frames"),
            ("at a bound", f"{len(result['at_bound'])} unknowns in some frame"),
        ]
    )
