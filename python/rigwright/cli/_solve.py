"""``rigwright solve``: the weights of a blendshape rig that reproduce a shot."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np

from rigwright import exports, inverse, sources
from rigwright._resume.parts import Parts
from rigwright.cli import _arguments as arguments
from rigwright.cli._console import Console
from rigwright.cli._constraints import add_constraint_arguments
from rigwright.cli._head_motion import head_motion_warnings
from rigwright.cli._result import Result
from rigwright.cli._shots import add_shot_arguments, open_rig, open_shot
from rigwright.exports._weights import WRITERS
from rigwright.inverse import Solution
from rigwright.inverse._parts import solve_in_parts
from rigwright.inverse._run import METHODS
from rigwright.inverse._solve import Solver
from rigwright.progress import ProgressCallback
from rigwright.report._kit.words import figure

SUMMARY = "find the weights of a blendshape rig that reproduce a shot"
EXAMPLE = """rigwright solve face.safetensors take.npy -o weights.npz -o weights.csv
rigwright solve face.safetensors take.npy -o smooth.glb --alpha 0.01 --smoothness 2 --method descent"""
FORMATS = ".npz (for rigwright), .csv (Live Link Face), .glb (morph animation), .py or .blend (shape keys in Blender)"
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
        type=arguments.OutputFile(*WRITERS),
        action="append",
        required=True,
        help=FORMATS,
    )
    parser.add_argument("--mesh", metavar="NAME", help="the rig's mesh, where its file holds several (.blend, .glb)")
    parser.add_argument("--method", choices=list(METHODS), default="descent", help="default descent")
    parser.add_argument(
        "--alpha",
        type=alpha,
        default="auto",
        help="sparsity, in squared units of the rig: about 1 for a head in centimeters, 0.0001 for one in meters;"
        " default auto: the elbow",
    )
    parser.add_argument(
        "--smoothness",
        type=not_negative,
        default=0.0,
        help="weight of the temporal term, in squared units of the rig as alpha is (default 0): 2 smooths a head in "
        "centimeters a little, 0.0002 one in meters",
    )
    parser.add_argument(
        "--joint",
        action=argparse.BooleanOptionalAction,
        help="with --smoothness: all frames at once (the default), or with --no-joint each one given the two before it",
    )
    parser.add_argument(
        "--rigid",
        metavar="FILE",
        type=arguments.existing_file,
        help="vertices that show head motion, a line each (.txt) or .npy",
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
    parser.add_argument("--resume", action="store_true", help="insist on frames that an interrupted run has kept")
    add_constraint_arguments(parser)
    add_shot_arguments(parser)


def alpha(text: str) -> float | str:
    """A number of at least 0, or ``auto``."""
    return text if text == "auto" else not_negative(text)


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
    folder = args.output[0].with_name(args.output[0].name + ".partial")
    if args.resume and not folder.exists():
        raise ValueError(f"--resume: no interrupted run has kept frames in {folder}")
    rig = open_rig(args.rig, args.mesh)
    targets, fps, told = open_shot(rig, args)
    named = rig if args.names is None else sources.rename_shapes(rig, args.names)
    with Parts(folder, "solve") as kept, console.progress() as progress:
        solution = _solve(args, rig, targets, kept, progress)
        notes = _write(args.output, named, solution, fps)
        kept.remove()
    result = _figures(rig, solution, fps) | {"alpha_chosen": args.alpha == "auto", "notes": told + notes}
    if args.rigid is None:
        markers = None if args.markers is None else sources.load_markers(args.markers)[0]
        result["warnings"] += head_motion_warnings(rig, targets, solution.weights, markers)
    _say(console, args, result)
    return {"outputs": [os.fspath(path) for path in args.output], **result}


def _solve(args: argparse.Namespace, rig: Any, targets: Any, kept: Parts, progress: ProgressCallback) -> Solution:
    vertices, vertex_weights = (None, None) if args.markers is None else sources.load_markers(args.markers)
    options: dict[str, Any] = {
        name: getattr(args, name) for name in ("device", "threads", "max_iterations", "tolerance")
    }
    if args.bounds is not None:
        options["bounds"] = np.array(args.bounds)
    if args.symmetric is not None:
        options["symmetric"] = inverse.load_symmetric_pairs(args.symmetric, rig)
    if args.rigid is not None:
        options["rigid"] = sources.load_markers(args.rigid)[0]
    pins = None if args.pins is None else inverse.load_pins(args.pins, rig, len(targets), options.get("bounds"))
    priors = None if args.priors is None else inverse.load_priors(args.priors, rig, len(targets))
    solver = Solver(rig, vertices=vertices, vertex_weights=vertex_weights)
    return solve_in_parts(
        solver,
        targets,
        kept,
        method=args.method,
        alpha=args.alpha,
        smoothness=args.smoothness,
        fixed=pins,
        priors=priors,
        joint=args.joint,
        resume=args.resume,
        progress=progress,
        **options,
    )


def _write(outputs: list[Path], rig: Any, solution: Solution, fps: float) -> list[str]:
    """Write all outputs; gives what the formats say they could not hold."""
    notes: list[str] = []
    for path in outputs:
        if path.suffix.lower() == ".npz":
            solution.save(path, names=rig.shape_names, fps=fps)
        else:
            notes += [
                f"{path.name}: {note}" for note in exports.write_blendshape_weights(path, rig, solution.weights, fps)
            ]
    return notes


def _figures(rig: Any, solution: Solution, fps: float) -> dict[str, Any]:
    millimeters = 1e3 * float(rig.meters_per_unit)
    size = np.abs(solution.weights)
    return {
        "frames": len(size),
        "shapes": rig.num_shapes,
        "fps": fps,
        "method": solution.method,
        "alpha": solution.alpha,
        "smoothness": solution.smoothness,
        "rmse_mm": millimeters * float(solution.rmse.mean()),
        "rmse_p95_mm": millimeters * float(np.percentile(solution.rmse, 95)),
        "rmse_max_mm": millimeters * float(solution.rmse.max()),
        "objective": solution.shot_objective,
        "cardinality": {f"{at:g}": float((size > at).sum(axis=1).mean()) for at in ON},
        "converged": int(solution.converged.sum()),
        "optimality": float(solution.optimality.max()),
        "seconds": solution.seconds,
        "frames_a_second": len(size) / solution.seconds,
        "constructed": list(rig.constructed),
        "warnings": list(solution.warnings),
    }


def _say(console: Console, args: argparse.Namespace, result: dict[str, Any]) -> None:
    chosen = ", the elbow" if result["alpha_chosen"] else ""
    on = figure(result["cardinality"]["0.001"])
    console.pairs(
        [
            ("weights", ", ".join(map(os.fspath, args.output))),
            (
                "solved",
                f"{result['frames']:,} frames at {result['fps']:g} a second by {result['method']},"
                f" alpha {result['alpha']:g}{chosen}",
            ),
            ("speed", f"{figure(result['frames_a_second'])} frames a second"),
            (
                "RMSE",
                f"{figure(result['rmse_mm'])} mm on average, {figure(result['rmse_max_mm'])} mm in the worst frame",
            ),
            ("weights on", f"{on} of {result['shapes']} in a frame, above 0.001"),
            ("at an optimum", f"{result['converged']:,} of {result['frames']:,} frames"),
        ]
    )
    if result["constructed"]:
        console.line(f"{len(result['constructed'])} shapes of this rig are constructed, not sculpted")
    for text in [*result["warnings"], *result["notes"]]:
        console.line(f"note: {text}")
