"""``rigwright transfer``: all shapes of a face rig for another face."""

from __future__ import annotations

import argparse
import os
import shutil
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigwright as rw
from rigwright import transfer
from rigwright.cli import arguments
from rigwright.cli.console import Console
from rigwright.cli.meshes import Neutral, open_examples, open_indices, open_neutral, open_weights
from rigwright.cli.result import Result
from rigwright.errors import bad_argument
from rigwright.exports import write_rig
from rigwright.exports.rigs import WRITERS
from rigwright.progress import Progress, ProgressCallback
from rigwright.report.transferred import Transferred, check_truth, measured_transfer
from rigwright.report.words import figure, plural

SUMMARY = "give all shapes of a face rig to another face"
EXAMPLE = """rigwright transfer face.safetensors other.obj -o other.safetensors --report transfer.html
rigwright transfer face.safetensors other.obj -o other.glb --examples scans --weights plan.json"""

Float32 = NDArray[np.float32]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """SOURCE_RIG, TARGET_NEUTRAL, and how."""
    parser.add_argument("rig", metavar="SOURCE_RIG", type=arguments.existing_file, help="a blendshape rig with faces")
    parser.add_argument(
        "target",
        metavar="TARGET_NEUTRAL",
        type=arguments.existing_file,
        help="the other face at rest: .obj, .npy (V, 3), .npz, .glb, .safetensors; of the rig's topology",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=arguments.OutputFile(*WRITERS),
        required=True,
        help=", ".join(WRITERS),
    )
    parser.add_argument("--report", metavar="FILE", type=arguments.page, help="pictures and numbers (HTML)")
    parser.add_argument("--truth", metavar="RIG", type=arguments.existing_file, help="true shapes, to compare with")
    how = parser.add_argument_group("the transfer")
    how.add_argument(
        "--landmarks",
        metavar="FILE",
        type=arguments.existing_file,
        help="for a target of another topology: a source vertex and a target vertex a line (.txt, .csv, .npy)",
    )
    how.add_argument(
        "--fixed",
        metavar="rest|off|FILE",
        default="rest",
        help="vertices that never move: default rest, those that rest in all of the rig's shapes; a file of indices, "
        "one a line; off: none, and what the target cannot follow spreads a little over everything",
    )
    how.add_argument(
        "--contacts",
        metavar="auto|off|FILE",
        type=contacts,
        default="auto",
        help="pairs of vertices of lips and lids that close as the source's do; default auto: found, and used in "
        "expressions where fewer faces cross with them",
    )
    how.add_argument(
        "--save-contacts",
        metavar="FILE",
        type=arguments.OutputFile(".txt"),
        help="write the pairs as text, to edit them",
    )
    how.add_argument("--threads", type=arguments.seed, default=0, help="default: all")
    scans = parser.add_argument_group("examples")
    scans.add_argument(
        "--examples",
        metavar="PATH",
        type=arguments.existing,
        action="append",
        default=[],
        help="expressions of the target: a folder of .obj, .npy (J, V, 3), .npz, .glb; may be repeated",
    )
    scans.add_argument(
        "--weights",
        metavar="FILE",
        type=arguments.existing_file,
        help="of the examples: a plan of rigwright pack, .npy (J, K), .npz, .csv; without it they are estimated",
    )
    scans.add_argument(
        "--beta",
        type=arguments.positive,
        default=transfer.examples.BETA,
        help="how much the transferred shapes count beside the examples (regularisation toward the prior): lower "
        "trusts the scans more, higher suits noisy ones; published 0.1, default %(default)s",
    )
    scans.add_argument("--estimate", action="store_true", help="take the weights as first guesses only")


def contacts(text: str) -> Path | str:
    """``auto``, ``off``, or a file that must be there."""
    if text in ("auto", "off"):
        return text
    if not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"{text!r} is no file; it must be auto, off or a file of pairs")
    return Path(text)


@dataclass(frozen=True)
class _Task:
    """What is transferred: arguments, opened; the source in the target's topology."""

    args: argparse.Namespace
    rig: Any
    neutral: Float32
    faces: NDArray[np.int32]
    metadata: dict[str, Any]
    source: Float32
    shapes: Float32
    contacts: NDArray[Any] | None
    fixed: NDArray[np.int64] | None
    match: transfer.Correspondence | None


def run(args: argparse.Namespace, console: Console) -> Result:
    """Transfer, or go on where an interrupted run stopped; write, measure, draw."""
    if not args.examples and (args.weights or args.estimate):
        raise ValueError("--weights and --estimate are about --examples, of which there are none")
    folder = args.output.with_name(args.output.name + ".partial")
    with console.progress() as progress:
        task = _opened(args, progress)
        truth = None if args.truth is None else rw.sources.load_blendshapes(args.truth)
        check_truth(task.neutral, task.rig.shape_names, truth)
        shapes = transfer.transfer_in_parts(
            task.source,
            task.shapes,
            task.neutral,
            task.faces,
            folder,
            fixed=task.fixed,
            contacts=task.contacts,
            threads=args.threads,
            progress=progress,
        )
        free = _free(task)
        shapes, used = _chosen(task, free, shapes)
        contacts = task.contacts if used == len(shapes) else None
        linear, said = _personalised(task, shapes, contacts, progress)
        made = transfer.rig_of_expressions(
            task.rig, task.neutral, shapes, task.faces, linear=linear, metadata=task.metadata
        )
        write_rig(args.output, made)
        progress(Progress("measuring", 0, 0))
        carried = (task.source, task.shapes)
        measured = measured_transfer(
            task.rig, made, carried=carried, truth=truth, contacts=task.contacts, free_shapes=free
        )
        if args.report is not None:
            from rigwright.report.write_transfer import write_transfer

            write_transfer(args.report, measured, progress=progress)
    shutil.rmtree(folder)
    result = {"output": os.fspath(args.output), **measured.figures(), "contacts_used": used}
    result |= {**_matched(task, measured), **said}
    _say(console, args, result)
    return result if args.report is None else result | {"report": os.fspath(args.report)}


def _opened(args: argparse.Namespace, progress: ProgressCallback) -> _Task:
    rig = rw.sources.load_blendshapes(args.rig)
    if not len(rig.faces):
        raise bad_argument("transfer", "SOURCE_RIG", "without faces", "a rig with faces")
    target = open_neutral(args.target)
    source, shapes = rig.rest_vertices, transfer.expressions(rig)
    faces, match = rig.faces, None
    if args.landmarks is not None:
        match = _correspondence(args, rig, target, progress)
        faces = match.faces
        source, shapes = match.resample(source, shapes)
    elif len(target.vertices) != len(source):
        got = f"{args.target}: {len(target.vertices)} vertices where the rig has {len(source)}"
        raise ValueError(f"{got}; a target of another topology needs --landmarks")
    contacts = _contacts(args, source, shapes, faces, progress)
    if args.save_contacts is not None:
        np.savetxt(args.save_contacts, np.zeros((0, 2)) if contacts is None else contacts, fmt="%d")
    fixed = _fixed(args, source, shapes)
    about = {"name": f"{rig.metadata.get('name') or args.rig.stem}, transferred to {args.target.stem}"}
    about |= target.metadata
    return _Task(args, rig, target.vertices, faces, about, source, shapes, contacts, fixed, match)


def _correspondence(
    args: argparse.Namespace, rig: Any, target: Neutral, progress: ProgressCallback
) -> transfer.Correspondence:
    if target.faces is None:
        raise ValueError(f"{args.target}: a mesh without faces; a target of another topology needs them")
    landmarks = open_indices(args.landmarks, 2)
    return transfer.correspond(
        rig.rest_vertices, rig.faces, target.vertices, target.faces, landmarks, threads=args.threads, progress=progress
    )


def _fixed(args: argparse.Namespace, source: Float32, shapes: Float32) -> NDArray[np.int64] | None:
    if args.fixed == "rest":
        return transfer.resting_vertices(source, shapes)
    if args.fixed == "off":
        return None
    path = Path(args.fixed)
    if not path.is_file():
        raise ValueError(f"--fixed: {args.fixed!r} is no file; it must be rest, off or a file of vertices")
    return open_indices(path, 1)


def _contacts(
    args: argparse.Namespace, source: Float32, shapes: Float32, faces: NDArray[np.int32], progress: ProgressCallback
) -> NDArray[Any] | None:
    if args.contacts == "off":
        return None
    if args.contacts != "auto":
        return open_indices(args.contacts, 2)
    progress(Progress("finding contacts", 0, 0))
    return transfer.find_contacts(source, shapes, faces, threads=args.threads)


def _personalised(
    task: _Task, shapes: Float32, contacts: NDArray[Any] | None, progress: ProgressCallback
) -> tuple[Float32 | None, dict[str, Any]]:
    """Linear shapes (K, V, 3) corrected by examples, and what is to be said about them.

    One factorisation serves all of them, so that contacts hold for all or none.
    """
    args, rig = task.args, task.rig
    if not args.examples:
        return None, {}
    examples = open_examples(args.examples, len(task.neutral))
    prior = transfer.rig_of_expressions(rig, task.neutral, shapes, task.faces)
    if args.weights is None:
        progress(Progress("estimating weights", 0, 0))
        guess = rw.inverse.solve(prior, examples, alpha=0.0, bounds=(0.0, 1.0), threads=args.threads).weights
    else:
        guess = open_weights(args.weights, rig, len(examples))
    # What combinations add at these weights is none of the linear shapes' business.
    added = prior.evaluate(guess) - task.neutral - np.tensordot(guess, prior.columns()[: rig.num_shapes], 1)
    solver = transfer.DeformationTransfer(task.source, task.neutral, task.faces, task.fixed, contacts=contacts)
    rounds = {} if args.estimate or args.weights is None else {"iterations": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", transfer.UndeterminedShapes)  # said below, with names
        found = transfer.personalise(
            solver,
            task.shapes[: rig.num_shapes],
            task.neutral,
            examples - added,
            guess,
            beta=args.beta,
            threads=args.threads,
            progress=progress,
            **rounds,
        )
    millimetres = 1e3 * float(task.metadata.get("meters_per_unit", rig.meters_per_unit))
    return found.shapes, {
        "examples": len(examples),
        "example_weights": found.weights,
        "example_rms_mm": millimetres * found.rms,
        "example_resolution": found.resolution,
        "undetermined": [rig.shape_names[k] for k in found.undetermined],
    }


def _free(task: _Task) -> Float32 | None:
    """The same without contacts, to compare crossings with."""
    if task.contacts is None or not len(task.contacts):
        return None
    return transfer.deformation_transfer(
        task.source, task.shapes, task.neutral, task.faces, task.fixed, threads=task.args.threads
    )


def _chosen(task: _Task, free: Float32 | None, held: Float32) -> tuple[Float32, int]:
    """The shapes, and in how many of them contacts were used: with ``auto`` only where they help."""
    if free is None or task.contacts is None:
        return held, 0
    if task.args.contacts != "auto":
        return held, len(held)
    shapes, used = transfer.fewer_crossings(free, held, task.faces, task.contacts)
    return shapes, int(used.sum())


def _matched(task: _Task, measured: Transferred) -> dict[str, Any]:
    match = task.match
    if match is None:
        return {}
    return {
        "coverage": match.coverage,
        "mean_distance_mm": measured.millimetres * match.mean_distance,
        "landmark_error_mm": measured.millimetres * float(match.landmark_error.max()),
        "unmatched_components": len(match.unmatched_components),
    }


def _say(console: Console, args: argparse.Namespace, result: dict[str, Any]) -> None:
    pairs: list[tuple[str, object]] = [("rig", os.fspath(args.output))]
    more = f" and {plural(result['combinations'], 'combination')}" if result["combinations"] else ""
    pairs.append(("shapes", f"{result['shapes']:,}{more}, {plural(result['vertices'], 'vertex')}"))
    if "coverage" in result:
        text = f"{result['coverage']:.0%} of the target's vertices, {figure(result['mean_distance_mm'])} mm away"
        pairs.append(("matched", f"{text} on average; landmarks {figure(result['landmark_error_mm'])} mm at worst"))
    count = result["crossings"]
    before = f"{count['without_contacts']:,} without contacts, " if "without_contacts" in count else ""
    pairs.append(("contacts", f"{plural(result['contacts'], 'pair')}, used in {result['contacts_used']:,} expressions"))
    pairs.append(("crossing faces", f"{before}{count['target']:,} in the target, {count['source']:,} in the source"))
    pairs.append(("flipped faces", f"{result['flipped_faces']:,}"))
    if "mean_error_mm" in result:
        text = f"{figure(result['mean_error_mm'])} mm on average, {figure(result['largest_error_mm'])} mm at worst"
        pairs.append(("from the truth", f"{text}; plain copies: {figure(result['copy_mean_error_mm'])} mm"))
    if "examples" in result:
        left = result["undetermined"]
        kept = f"; they tell little or nothing about {', '.join(left)}: nearly as transferred" if left else ""
        pairs.append(
            ("examples", f"{result['examples']}, met to {figure(float(result['example_rms_mm'].mean()))} mm{kept}")
        )
    pairs.append(("look first at", ", ".join(result["most_doubtful"])))
    if args.report is not None:
        pairs.append(("report", f"{args.report} (opens in any browser)"))
    console.pairs(pairs)
