"""``rigcast report RIG --shot SHOT --weights FILE``: the report of a solved shot."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from rigcast import report, sources
from rigcast._formats.npz.archive import Member, member_names, read_arrays
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._inputs.faces import add_drop_unreadable, open_rig
from rigcast.cli._inputs.head import head_transforms
from rigcast.cli._inputs.shots import add_shot_arguments, open_shot
from rigcast.cli._result import WrongInput
from rigcast.inverse import Solution, in_rig_frame
from rigcast.inverse._problem import make_problem
from rigcast.inverse._request import METHODS, Request
from rigcast.inverse._solution import measured
from rigcast.inverse._solver import Solver
from rigcast.sources._weights import read_weights

FUNCTION = "load_blendshape_weights"


def add_solved_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a solved shot."""
    group = parser.add_argument_group("of a solved shot")
    group.add_argument("--shot", metavar="SHOT", type=Path, help="what was solved; the first MODEL is its rig")
    group.add_argument("--weights", metavar="FILE", type=arguments.existing_file, help="what rigcast solve has written")
    group.add_argument(
        "--true-weights",
        metavar="FILE",
        type=arguments.existing_file,
        help="the shot's own weights, if known: .npy (T, K), .npz, .csv, .glb, .gltf or .blend",
    )
    group.add_argument(
        "--method",
        metavar="NAME,NAME",
        type=methods,
        help="of the literature, to stand beside on a few frames; all: all of them (default none)",
    )
    add_drop_unreadable(group)
    add_shot_arguments(parser)


def methods(text: str) -> list[str]:
    """Names of methods, with commas between them, ``all`` or ``none``."""
    if text == "all":
        return list(METHODS)
    names = [name for name in text.split(",") if name and text != "none"]
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is no method; there are {', '.join(METHODS)}")
    return names


def report_shot(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Measure, draw and write the report of a solved shot."""
    if args.weights is None or len(args.models) != 1:
        raise WrongInput("the report of a shot needs one rig and the weights found: RIG --shot SHOT --weights FILE")
    rig = open_rig(args.models[0], args.mesh, args.drop_unreadable, bool(args.run_scripts))
    targets, fps, notes = open_shot(rig, args, _rate_of(args.weights))
    for text in notes:
        console.line(f"note: {text}")
    vertices, vertex_weights = (None, None) if args.markers is None else sources.load_markers(args.markers)
    truth = None if args.true_weights is None else read_weights(args.true_weights, rig)
    if truth is not None and truth.shape != (len(targets), rig.num_shapes):
        wanted = f"{len(targets)} frames of {rig.num_shapes} shapes"
        raise WrongInput(f"--true-weights {args.true_weights}: weights of shape {truth.shape} where there are {wanted}")
    solution = open_solution(args.weights, rig, Solver(rig, vertices=vertices, vertex_weights=vertex_weights), targets)
    with console.progress() as progress:
        return report.write_shot(
            args.output,
            rig,
            targets,
            solution=solution,
            vertices=vertices,
            fps=fps,
            truth=truth,
            methods=args.method,
            name=args.shot.stem,
            progress=progress,
        )


def _rate_of(path: Path) -> float | None:
    """Frames per second that an archive of weights says."""
    if path.suffix.lower() != ".npz" or "fps" not in member_names(path, FUNCTION):
        return None
    return float(read_arrays(path, {"fps": Member("fiu", ())}, FUNCTION, others=True)["fps"])


def open_solution(path: Path, rig: Any, solver: Solver, targets: Any) -> Solution:
    """Open the result of ``solve``, or weights of any other origin, measured at alpha 0.

    The head's motion is what an archive holds in addition to its weights.
    """
    held = member_names(path, FUNCTION) if path.suffix.lower() == ".npz" else []
    if "objective" in held:
        return Solution.load(path)
    weights = read_weights(path, rig)
    if weights.shape != (len(targets), rig.num_shapes):
        got = f"{path} holds weights of shape {weights.shape}"
        cure = "; if solve has resampled them, give the .npz, which holds the frames of the shot"
        raise WrongInput(
            f"{got}; the shot has {len(targets)} frames, the rig {rig.num_shapes} shapes"
            + cure * (len(weights) != len(targets))
        )
    transforms = head_transforms(path, len(weights))
    if transforms is not None:
        targets = in_rig_frame(targets, transforms)
    request = Request(solver.gram, targets, method=path.suffix.lstrip("."), alpha=0.0)
    unknown = np.zeros(len(weights), np.int64)
    solution = measured(make_problem(request), request, weights, unknown, unknown.astype(bool))
    solution.transforms = transforms
    return solution
