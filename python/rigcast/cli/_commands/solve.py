"""``rigcast solve``: the weights of a blendshape rig that reproduce a shot."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rigcast import exports, inverse, sources
from rigcast._formats.registry import MADE_WEIGHTS, written_endings
from rigcast._pages.words import figure
from rigcast._resume.parts import PartsFolder
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._described.head_motion import head_motion_warnings, jitter_warnings
from rigcast.cli._inputs.constraints import add_constraint_arguments
from rigcast.cli._inputs.faces import add_drop_unreadable, open_rig
from rigcast.cli._inputs.rigs import add_run_scripts
from rigcast.cli._inputs.shots import add_shot_arguments, open_shot
from rigcast.cli._inputs.transfer_task import choice
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import Result, WrongInput
from rigcast.inverse import Solution
from rigcast.inverse._choices.loss import NAMES, SQUARED
from rigcast.inverse._choices.terms import without_its_outliers
from rigcast.inverse._distances import solved_p95
from rigcast.inverse._findings.ambiguity import ambiguous_pairs
from rigcast.inverse._motion.rigid import without_motion
from rigcast.inverse._parts import solve_in_parts
from rigcast.inverse._problem import make_problem
from rigcast.inverse._request import METHODS, TEMPORAL, Request
from rigcast.inverse._solver import Solver
from rigcast.progress import ProgressCallback

SUMMARY = SUMMARIES["solve"]
EXAMPLE = """rigcast solve face.safetensors take.npy --fps 30 -o weights.npz -o weights.csv --rigid auto --rigid-scale
rigcast solve face.safetensors take.npy --fps 30 -o smooth.glb --relative-alpha 0.0005 --smoothness auto
rigcast solve face.safetensors take.npy --fps 30 -o smooth.glb --method descent --unit cm --up-axis Y --overwrite
rigcast solve face.blend take.npy --fps 30 -o live.csv --drop-unreadable"""
FORMATS = (
    ".npz (for rigcast), .csv (Live Link Face), .glb (morph animation), .usd (UsdSkel), .py or .blend (shape keys in "
    "Blender); each with the motion that --rigid finds"
)
ON = (0.0, 1e-3, 1e-2)  # weights above these are counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """RIG, SHOT, and how to solve."""
    parser.add_argument("rig", metavar="RIG", type=arguments.existing_file, help="a blendshape rig")
    parser.add_argument(
        "shot", metavar="SHOT", type=Path, help="an OBJ folder or pattern, .npy, .npz, .glb, .usd or .abc"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=arguments.OutputFile(*written_endings(MADE_WEIGHTS)),
        action="append",
        required=True,
        help=FORMATS,
    )
    parser.add_argument("--mesh", metavar="NAME", help="the rig's mesh, where its file holds several (.blend, .glb)")
    add_drop_unreadable(parser)
    add_run_scripts(parser)
    parser.add_argument("--method", choices=list(METHODS), default="descent", help="default descent")
    sparsity = parser.add_mutually_exclusive_group()
    sparsity.add_argument(
        "--alpha",
        type=number_or_auto,
        default="auto",
        help="sparsity, in squared units of the rig: about 1 for a head in centimeters, 0.0001 for one in meters;"
        " default auto: the elbow",
    )
    sparsity.add_argument(
        "--relative-alpha",
        metavar="R",
        type=share,
        help="sparsity without a unit, 0 to 1: the share of the smallest alpha at which every weight of the shot rests",
    )
    parser.add_argument(
        "--smoothness",
        type=number_or_auto,
        default=0.0,
        help="weight of the temporal term, in squared units of the rig as alpha is (default 0): 2 smooths a head in "
        "centimeters a little, 0.0002 one in meters; auto: by the measured noise and motion",
    )
    parser.add_argument(
        "--joint",
        action=argparse.BooleanOptionalAction,
        help="with --smoothness: all frames at once (the default), or with --no-joint each one given the two before it",
    )
    parser.add_argument(
        "--rigid",
        metavar="auto|rest|FILE",
        type=choice("auto", "rest", what="vertices"),
        help="find the head's motion and remove it: on the vertices that no shape moves (rest), on those of FILE, one"
        " per line (.txt) or .npy, or as the rig allows (auto: rest, or together with the weights if too few rest)",
    )
    parser.add_argument("--rigid-scale", action="store_true", help="with --rigid: find a scale in each frame, too")
    parser.add_argument(
        "--loss",
        choices=NAMES,
        default=SQUARED,
        help="for targets with outliers or holes: vertices far from their targets pull with constant force (huber) or"
        " not at all (tukey); default squared",
    )
    parser.add_argument(
        "--loss-scale",
        metavar="DISTANCE",
        type=number_or_auto,
        default="auto",
        help="what is far, in the rig's unit; default auto: by the median distance that a solve leaves",
    )
    parser.add_argument(
        "--names", metavar="JSON", type=arguments.existing_file, help='{"shape": "name in the output", ...}'
    )
    parser.add_argument(
        "--tolerance", type=not_negative, default=1e-9, help="relative optimality of a solved frame (default 1e-9)"
    )
    parser.add_argument("--max-iterations", type=arguments.count, help="of a frame (default: the method's own)")
    arguments.add_threads(parser)
    parser.add_argument("--device", default="cpu", help="cpu or cuda (default cpu)")
    arguments.add_restart(parser)
    add_constraint_arguments(parser)
    add_shot_arguments(parser)


def number_or_auto(text: str) -> float | str:
    """A number of at least 0, or ``auto``."""
    return text if text == "auto" else not_negative(text)


def share(text: str) -> float:
    """A number from 0 to 1."""
    value = not_negative(text)
    if value > 1.0:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 to 1")
    return value


def not_negative(text: str) -> float:
    """A finite number of at least 0."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number of at least 0")
    return value


def run(args: argparse.Namespace, console: Console) -> Result:
    """Solve, or go on where an interrupted run stopped, and write the weights."""
    if args.rigid_scale and args.rigid is None:
        raise WrongInput("--rigid-scale is about the motion that --rigid finds")
    folder = args.output[0].with_name(args.output[0].name + ".partial")
    rig = open_rig(args.rig, args.mesh, args.drop_unreadable, args.run_scripts)
    targets, fps, shot_notes = open_shot(rig, args)
    named = rig if args.names is None else sources.rename_shapes(rig, args.names)
    with PartsFolder(folder, "solve") as kept, console.progress() as progress:
        if args.restart:
            kept.remove()
        solver = _solver(args, rig)
        solution = _solve(args, solver, targets, kept, progress)
        other = _warnings(args, solver, targets, solution)
        pairs = ambiguous_pairs(solver.gram, solution, 1e3 * float(rig.meters_per_unit))
        solution = replace(solution, warnings=[*solution.warnings, *pairs])  # its report says it, too
        notes = _write(args.output, named, solution, fps, args.fps or fps)
        kept.remove()
    p95 = float(solved_p95(rig, targets, solution, args.threads).mean())
    result = _figures(rig, solution, p95, fps) | {"notes": shot_notes + notes}
    result |= {"alpha_chosen": args.alpha == "auto" and args.relative_alpha is None}
    result["warnings"] += other
    _say(console, args, result)
    return result


def _warnings(args: argparse.Namespace, solver: Solver, targets: Any, solution: Solution) -> list[str]:
    """Warnings about the shot and its options that follow from the figures of the solve."""
    rig, weights, markers = solver.gram.rig, solution.weights, solution.vertices
    moves = head_motion_warnings(rig, targets, weights, markers) if args.rigid is None else []
    if not weights.any() and not any("no shape is turned on" in text for text in solution.warnings):
        return [*moves, "every weight rests in every frame"]
    if moves or args.smoothness != 0.0 or args.method not in TEMPORAL:
        return moves
    placed = without_motion(Request(solver.gram, targets, alpha=0.0), solution.transforms)
    seen = without_its_outliers(make_problem(placed), solution)
    return jitter_warnings(rig, seen.host_targets, weights, markers)


def _solver(args: argparse.Namespace, rig: Any) -> Solver:
    vertices, vertex_weights = (None, None) if args.markers is None else sources.load_markers(args.markers)
    return Solver(rig, vertices=vertices, vertex_weights=vertex_weights)


def _solve(
    args: argparse.Namespace, solver: Solver, targets: Any, kept: PartsFolder, progress: ProgressCallback
) -> Solution:
    rig = solver.gram.rig
    bounds = None if args.bounds is None else np.array(args.bounds)
    request = Request(
        solver.gram,
        targets,
        args.method,
        args.alpha,
        args.smoothness,
        device=args.device,
        relative_alpha=args.relative_alpha,
        bounds=bounds,
        joint=args.joint,
        fixed=None if args.pins is None else inverse.load_pins(args.pins, rig, len(targets), bounds=bounds),
        priors=None if args.priors is None else inverse.load_priors(args.priors, rig, len(targets)),
        symmetric=None if args.symmetric is None else inverse.load_symmetric_pairs(args.symmetric, rig),
        rigid=sources.load_markers(args.rigid)[0] if isinstance(args.rigid, Path) else args.rigid,
        rigid_scale=args.rigid_scale,
        loss=args.loss,
        loss_scale=args.loss_scale,
        tolerance=args.tolerance,
        max_iterations=args.max_iterations,
        threads=args.threads,
        progress=progress,
    )
    return solve_in_parts(request, kept)


def _write(outputs: list[Path], rig: Any, solution: Solution, fps: float, to_fps: float) -> list[str]:
    """Write all outputs; gives what the formats say they could not hold, and what was resampled."""
    notes: list[str] = []
    weights: Any = solution.weights
    transforms = solution.transforms
    if to_fps != fps:
        weights, transforms = exports.resampled_weights(weights, fps, to_fps, transforms=transforms)
        count = f"{len(solution.weights):,} frames became {len(weights):,}"
        notes.append(f"resampled from {fps:g} to {to_fps:g} frames per second: {count}")
    for path in outputs:
        if path.suffix.lower() == ".npz":
            solution.save(path, names=rig.shape_names, fps=fps)
            kept = f"{path.name} holds the {len(solution.weights):,} frames that were solved, at {fps:g} per second"
            notes += [f"{kept}: rigcast report compares them with the shot"] if to_fps != fps else []
        else:
            dropped = exports.write_blendshape_weights(path, rig, weights, fps=to_fps, transforms=transforms)
            notes += [f"{path.name}: {note}" for note in dropped]
    return notes


def _figures(rig: Any, solution: Solution, p95: float, fps: float) -> dict[str, Any]:
    """``p95``: mean over the frames of the 95th percentile of the distance over the vertices."""
    millimeters = 1e3 * float(rig.meters_per_unit)
    size = np.abs(solution.weights)
    return {
        "frames": len(size),
        "shapes": rig.num_shapes,
        "fps": fps,
        "method": solution.method,
        "alpha": solution.alpha,
        "smoothness": solution.smoothness,
        "loss": solution.loss or SQUARED,
        "loss_scale_mm": None if solution.loss_scale is None else millimeters * solution.loss_scale,
        "rmse_mm": millimeters * float(solution.rmse.mean()),
        "rmse_p95_mm": millimeters * p95,
        "rmse_max_mm": millimeters * float(solution.rmse.max()),
        "objective": solution.shot_objective,
        "cardinality": {f"{at:g}": float((size > at).sum(axis=1).mean()) for at in ON},
        "converged": int(solution.converged.sum()),
        "optimality": float(solution.optimality.max()),
        "seconds": solution.seconds,
        "frames_per_second": len(size) / solution.seconds,
        "constructed": list(rig.constructed),
        "warnings": list(solution.warnings),
    } | _head(rig, solution)


def _head(rig: Any, solution: Solution) -> dict[str, Any]:
    """The range of the head's yaw, pitch and roll over the shot in degrees, if its motion was solved for."""
    if solution.transforms is None:
        return {}
    angles = inverse.head_angles(solution.transforms, str(rig.up_axis))
    return {"head_degrees": np.ptp(angles, axis=0).tolist()}


def _say(console: Console, args: argparse.Namespace, result: dict[str, Any]) -> None:
    chosen = ", the elbow" if result["alpha_chosen"] else ""
    on = figure(result["cardinality"]["0.001"])
    head: list[tuple[str, str]] = []
    if "head_degrees" in result:
        yaw, pitch, roll = (f"{angle:.1f}" for angle in result["head_degrees"])
        head = [("head motion", f"removed: yaw over {yaw}, pitch over {pitch}, roll over {roll} degrees")]
    scale = result["loss_scale_mm"]
    loss = [] if scale is None else [("loss", f"{result['loss']}, scale {figure(scale)} mm")]
    console.pairs(
        [
            ("weights", ", ".join(map(os.fspath, args.output))),
            (
                "solved",
                f"{result['frames']:,} frames at {result['fps']:g} per second by {result['method']},"
                f" alpha {result['alpha']:g}{chosen}",
            ),
            ("speed", f"{figure(result['frames_per_second'])} frames per second"),
            (
                "RMSE",
                f"{figure(result['rmse_mm'])} mm on average, {figure(result['rmse_max_mm'])} mm in the worst frame",
            ),
            ("weights on", f"{on} of {result['shapes']} in a frame, above 0.001"),
            ("at an optimum", f"{result['converged']:,} of {result['frames']:,} frames"),
            *head,
            *loss,
        ]
    )
    if result["constructed"]:
        console.line(f"{len(result['constructed'])} shapes and combinations of this rig are constructed, not sculpted")
    for text in [*result["warnings"], *result["notes"]]:
        console.line(f"note: {text}")
