"""``rigcast transfer``: all shapes of a face rig for another face."""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import errors, inverse, transfer
from rigcast._core import BlendshapeRig
from rigcast._formats.registry import MADE_RIG, written_endings
from rigcast._resume.parts import PartsFolder
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._described.transfer_lines import show_transfer
from rigcast.cli._inputs.faces import add_drop_unreadable
from rigcast.cli._inputs.rigs import add_run_scripts
from rigcast.cli._inputs.transfer_task import TransferTask, choice, open_task
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import Result
from rigcast.exports import write_rig
from rigcast.progress import Progress, ProgressCallback
from rigcast.report._transfer.measured import measure_transfer
from rigcast.transfer import _examples

SUMMARY = SUMMARIES["transfer"]
EXAMPLE = """rigcast transfer face.safetensors other.obj -o other.safetensors --report transfer.html
rigcast transfer face.safetensors other.obj -o matched.glb --landmarks landmarks.csv
rigcast transfer face.safetensors other.obj -o other.glb --examples scans --examples-weights plan.json
rigcast transfer face.safetensors other.obj -o other.glb --no-measure --overwrite"""

Float32 = NDArray[np.float32]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """SOURCE_RIG, TARGET_NEUTRAL, and how."""
    parser.add_argument("rig", metavar="SOURCE_RIG", type=arguments.existing_file, help="a blendshape rig with faces")
    parser.add_argument(
        "target",
        metavar="TARGET_NEUTRAL",
        type=arguments.existing_file,
        help="the other face at rest: .obj, .npy (V, 3), .npz, .glb, .safetensors; of the rig's topology, or with "
        "--landmarks of another",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=arguments.OutputFile(*written_endings(MADE_RIG)),
        required=True,
        help=", ".join(written_endings(MADE_RIG)),
    )
    parser.add_argument("--report", metavar="FILE", type=arguments.page, help="pictures and numbers (HTML)")
    parser.add_argument(
        "--no-measure", action="store_true", help="write the rig only: no crossings, flips and doubtful shapes counted"
    )
    parser.add_argument("--truth", metavar="RIG", type=arguments.existing_file, help="true shapes, to compare with")
    add_drop_unreadable(parser)
    add_run_scripts(parser)
    how = parser.add_argument_group("the transfer")
    how.add_argument(
        "--unit",
        type=arguments.unit,
        help="of TARGET_NEUTRAL: mm, cm, dm, m, in, ft or meters; default: as its file says, or else the rig's",
    )
    how.add_argument(
        "--up-axis", choices=["X", "Y", "Z"], help="of TARGET_NEUTRAL; default: as its file says, or else the rig's"
    )
    how.add_argument(
        "--landmarks",
        metavar="FILE",
        type=arguments.existing_file,
        help="for a target of another topology: a source vertex and a target vertex per line, counted from "
        "0 (.txt, .csv, .npy)",
    )
    how.add_argument(
        "--fixed",
        metavar="rest|each|off|FILE",
        type=choice("rest", "each", "off", what="vertices"),
        default="rest",
        help="vertices that never move: default rest, those that rest in all of the rig's shapes; each: in each shape "
        "those that rest in it, slower and without examples; a file of indices, one per line; off: none, and what the "
        "target cannot follow spreads a little over everything",
    )
    how.add_argument(
        "--contacts",
        metavar="auto|off|FILE",
        type=choice("auto", "off", what="pairs"),
        default="auto",
        help="pairs of vertices of lips and lids that meet as the source's do and do not cross where it does not; "
        "default auto: found",
    )
    how.add_argument(
        "--save-contacts",
        metavar="FILE",
        type=arguments.OutputFile(".txt"),
        help="write the pairs as text, to edit them",
    )
    arguments.add_threads(how)
    arguments.add_restart(how)
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
        "--examples-up-axis", choices=["X", "Y", "Z"], help="of the examples; default: that of TARGET_NEUTRAL"
    )
    scans.add_argument(
        "--examples-weights",
        metavar="FILE",
        type=arguments.existing_file,
        help="of the examples: a plan of rigcast pack, .npy (J, K), .npz, .csv; without it they are estimated",
    )
    scans.add_argument(
        "--beta",
        type=arguments.positive,
        default=_examples.BETA,
        help="how much the transferred shapes count beside the examples (regularization toward the prior): lower "
        "trusts the scans more, higher suits noisy ones; published 0.1, default %(default)s",
    )
    scans.add_argument("--estimate", action="store_true", help="take the weights as first guesses only")


def run(args: argparse.Namespace, console: Console) -> Result:
    """Transfer, or go on where an interrupted run stopped; write, measure, draw."""
    folder = args.output.with_name(args.output.name + ".partial")
    with PartsFolder(folder, "transfer") as kept, console.progress() as progress:
        if args.restart:
            kept.remove()
        task = open_task(args, progress)
        shapes = transfer.transfer_in_parts(
            task.source,
            task.shapes,
            task.neutral,
            task.faces,
            folder=kept,
            fixed=task.fixed,
            contacts=task.contacts,
            threads=args.threads,
            progress=progress,
        )
        linear, said = _with_examples(task, shapes, progress)
        made = transfer.rig_from_positions(
            task.rig, task.neutral, shapes, faces=task.faces, linear=linear, metadata=task.metadata
        )
        figures = _facts(task, made) | ({} if args.no_measure else _measured(task, made, progress))
        write_rig(
            args.output, made, surface_of=task.surface_of
        )  # last: the same command goes on after an interruption, without --overwrite
        kept.remove()
    result = dict(figures)
    notes = task.notes + said.pop("notes", []) + _empty_notes(task.rig, figures["empty"])
    result |= {**_matched(task, made), **said, "notes": notes}
    show_transfer(console, args, result)
    return result


def _facts(task: TransferTask, made: BlendshapeRig) -> dict[str, Any]:
    degenerate = [transfer.degenerate_faces(neutral, task.faces) for neutral in (task.source, task.neutral)]
    return {
        "shapes": made.num_shapes,
        "combinations": made.num_columns - made.num_shapes,
        "vertices": len(task.neutral),
        "contacts": 0 if task.contacts is None else len(task.contacts),
        "degenerate_faces": int((degenerate[0] | degenerate[1]).sum()),
        "empty": transfer.empty_shapes(made),
    }


def _empty_notes(source: BlendshapeRig, empty: list[str]) -> list[str]:
    """Names of shapes that ended up empty, and why."""
    before = set(transfer.empty_shapes(source)) if empty else set[str]()
    lost, never = [name for name in empty if name not in before], [name for name in empty if name in before]
    notes = []
    if lost:
        moved = "what they move in the source has no counterpart in the target: leave them out, or sculpt them"
        notes.append(f"empty in the target: {', '.join(lost)}; {moved}")
    return notes + [f"empty in the source already: {', '.join(never)}"] * bool(never)


def _measured(task: TransferTask, made: BlendshapeRig, progress: ProgressCallback) -> dict[str, Any]:
    """Figures of the transfer; the report where one is asked for."""
    measured = measure_transfer(
        task.rig,
        made,
        carried=(task.source, task.shapes),
        truth=task.truth,
        contacts=task.contacts,
        free_shapes=_free(task, progress),
        match=task.match,
        progress=progress,
    )
    if task.args.report is not None:
        from rigcast.report._transfer.write import write_transfer

        write_transfer(task.args.report, measured, progress=progress)
    return measured.figures()


def _with_examples(
    task: TransferTask, shapes: Float32, progress: ProgressCallback
) -> tuple[Float32 | None, dict[str, Any]]:
    """Linear shapes (K, V, 3) corrected by examples, and what is to be said about them."""
    args, rig = task.args, task.rig
    examples = task.examples
    if examples is None:
        return None, {}
    prior = transfer.rig_from_positions(rig, task.neutral, shapes, faces=task.faces)
    guess = task.weights
    if guess is None:
        progress(Progress("estimating weights", 0, 0))
        guess = inverse.solve(prior, examples, alpha=0.0, bounds=(0.0, 1.0), threads=args.threads).weights
    # What combinations add at these weights is none of the linear shapes' business.
    added = prior.evaluate(guess) - task.neutral - np.tensordot(guess, prior.columns()[: rig.num_shapes], 1)
    solver = transfer.DeformationTransfer(task.source, task.neutral, task.faces, task.fixed, contacts=task.contacts)
    rounds = {} if args.estimate or args.examples_weights is None else {"iterations": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.UndeterminedShapesWarning)  # said below, with names
        warnings.simplefilter("ignore", errors.ScansWarning)  # notes say it
        found = transfer.fit_example_weights(
            solver,
            task.shapes[: rig.num_shapes],
            task.neutral,
            examples=examples - added,
            example_weights=guess,
            beta=args.beta,
            threads=args.threads,
            progress=progress,
            **rounds,
        )
    millimeters = 1e3 * float(task.metadata.get("meters_per_unit", rig.meters_per_unit))
    return found.shapes, {
        "examples": len(examples),
        "example_weights": found.weights,
        "example_rms_mm": millimeters * found.rms,
        "example_resolution": found.resolution,
        "undetermined": [rig.shape_names[k] for k in found.undetermined],
        "notes": found.notes,
    }


def _free(task: TransferTask, progress: ProgressCallback) -> Float32 | None:
    """The same without contacts, to compare crossings with."""
    if task.contacts is None or not len(task.contacts):
        return None
    progress(Progress("transferring without contacts", 0, 0))
    return transfer.deformation_transfer(
        task.source, task.shapes, task.neutral, task.faces, fixed=task.fixed, contacts=None, threads=task.args.threads
    )


def _matched(task: TransferTask, made: BlendshapeRig) -> dict[str, Any]:
    match = task.match
    if match is None:
        return {}
    millimeters = 1e3 * float(made.meters_per_unit)
    return {
        "coverage": match.coverage,
        "mean_distance_mm": millimeters * match.mean_distance,
        "landmark_error_mm": millimeters * float(match.landmark_error.max()),
        "unmatched_components": len(match.unmatched_components),
        "attached_components": len(match.attached_components),
        "torn_edges": match.torn.tolist(),
        "undecided_vertices": match.undecided.tolist(),
    }
