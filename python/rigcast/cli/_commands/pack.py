"""``rigcast pack``: the few expressions an actor poses so that scans show every shape of a face rig."""

from __future__ import annotations

import argparse
import difflib
from pathlib import Path
from typing import Any

import numpy as np

from rigcast import sources, transfer
from rigcast._resume.parts import PartsFolder
from rigcast._safe_reading import read_json
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._inputs.faces import add_drop_unreadable, open_rig
from rigcast.cli._inputs.meshes import neutral_as_of
from rigcast.cli._inputs.rigs import add_run_scripts
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import Result, WrongInput
from rigcast.progress import ProgressCallback
from rigcast.transfer._packing import ExpressionPlan

SOME = 3  # pairs of shapes that a line names
SUMMARY = SUMMARIES["pack"]
EXAMPLE = """rigcast pack face.safetensors -o plan.json --sheet sheet.html
rigcast pack face.safetensors -o two.json --minimize --reject left_smile,right_smile --without brow_up --overwrite
rigcast pack face.safetensors -o all.json --with all"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """RIG, how to choose, and what to write."""
    parser.add_argument(
        "rig", metavar="RIG", type=arguments.existing_file, help="a face rig: .safetensors, .glb, .gltf, .npz or .blend"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=arguments.OutputFile(".json"), required=True, help="the plan, as JSON"
    )
    parser.add_argument("--sheet", metavar="FILE", type=arguments.page, help="pictures for the actor (HTML)")
    add_drop_unreadable(parser)
    add_run_scripts(parser)
    choice = parser.add_argument_group("the choice")
    choice.add_argument(
        "--target",
        metavar="NEUTRAL",
        type=arguments.existing_file,
        help="the character to scan for, at rest: .obj, .npy, .npz, .glb, or a rig; of the rig's topology",
    )
    choice.add_argument(
        "--threshold", type=float, default=0.3, help="active from this part of the largest displacement (default 0.3)"
    )
    choice.add_argument(
        "--displacement",
        metavar="SHARE",
        type=float,
        help="displacement (1) against distortion (0), which needs --target (default 0.5)",
    )
    choice.add_argument(
        "--novelty", metavar="W", type=float, default=0.0, help="difference from the shapes used before (default 0)"
    )
    choice.add_argument("--no-symmetry", action="store_true", help="left and right shapes may stand apart")
    choice.add_argument(
        "--no-anatomy",
        action="store_true",
        help="names do not tell what a person can do at a time: eyes may part, jaws go left and right",
    )
    choice.add_argument(
        "--search",
        choices=["optimal", "greedy"],
        default="optimal",
        help="the best expression at each place, or a good one (default optimal)",
    )
    choice.add_argument(
        "--overlap", type=float, default=0.0, help="part of a shape that may overlap others, greedy only (default 0)"
    )
    choice.add_argument("--minimize", action="store_true", help="as few expressions as possible")
    choice.add_argument("--at-most", metavar="N", type=arguments.count, help="expressions at most")
    choice.add_argument(
        "--reject",
        metavar="[NUMBER:]NAMES",
        action="append",
        default=[],
        help="shapes, by comma, that never stand in one expression all together, pairs too (eyeLookOut_L,eyeLookOut_R);"
        " with a number (3:cheekPuff) shapes that do not stand in that expression; may be repeated",
    )
    choice.add_argument(
        "--without",
        metavar="NAMES",
        action="append",
        default=[],
        help="shapes, by comma, that nobody is to pose; may be repeated. Pupils and shapes that only correct others "
        "(mouthClose) are left out by themselves",
    )
    choice.add_argument(
        "--with",
        dest="wanted",
        metavar="NAMES",
        action="append",
        default=[],
        help="shapes, by comma, to pose all the same, of those that are left out by themselves; all: every one",
    )
    choice.add_argument(
        "--areas",
        metavar="FILE",
        type=arguments.existing_file,
        help="painted areas for motion symmetry: JSON, a list of pairs of lists of vertices",
    )


def run(args: argparse.Namespace, console: Console) -> Result:
    """Pack, write and draw."""
    rig = open_rig(args.rig, None, args.drop_unreadable, args.run_scripts)
    target, notes = None, list[str]()
    if args.target is not None:
        target, notes = neutral_as_of(sources.load_mesh(args.target), rig, args.target)
    elif args.displacement is not None:
        notes = ["--displacement weighs distortion, which is known of a --target only: it changes nothing"]
    together, numbered = _rejections(args.reject, rig.shape_names)
    without = [k for entry in args.without for k in _shapes("--without", entry, rig.shape_names)]
    left_out = _left_out(args.wanted, rig, without)
    with console.progress() as progress:
        plan = transfer.pack_expressions(
            rig.rest_vertices,
            rig.evaluate(np.eye(rig.num_shapes, dtype=np.float32)),
            rig.faces,
            target_neutral=target,
            threshold=args.threshold,
            alpha=0.5 if args.displacement is None else args.displacement,
            beta=args.novelty,
            symmetry=not args.no_symmetry,
            method=args.search,
            reject=together,
            reject_at=numbered,
            without=[*without, *(rig.shape_names.index(name) for name in left_out)],
            limit=args.at_most,
            overlap=args.overlap,
            motion_areas=[] if args.areas is None else _areas(args.areas),
            minimize=args.minimize,
            anatomy=not args.no_anatomy,
            names=rig.shape_names,
            progress=progress,
        )
        if args.sheet is not None:
            _draw(args.sheet, plan, rig, progress)
        plan.save(args.output)  # last: the same command goes on after an interruption, without --overwrite
    _show(plan, args, console, left_out)
    for note in notes:
        console.line(f"note: {note}")
    return {**_result(plan), "left_out": left_out, "notes": notes}


def _left_out(wanted: list[str], rig: Any, without: list[int]) -> dict[str, str]:
    """Shapes that nobody can pose alone, and why, but those that ``--with`` brings back."""
    found = transfer.unposable_shapes(rig)
    back = set(found) if "all" in wanted else set[str]()
    for entry in wanted:
        back |= set() if entry == "all" else {rig.shape_names[k] for k in _shapes("--with", entry, rig.shape_names)}
    both = [rig.shape_names[k] for k in without if rig.shape_names[k] in back]
    if both and "all" not in wanted:
        raise WrongInput(f"--with and --without both name {both[0]}; one of them must not")
    return {name: reason for name, reason in found.items() if name not in back}


def _draw(sheet: Path, plan: ExpressionPlan, rig: Any, progress: ProgressCallback) -> None:
    from rigcast.report._sheet.contact_sheet import write_contact_sheet

    with PartsFolder(sheet.with_name(sheet.name + ".partial"), "write_contact_sheet") as kept:
        try:
            write_contact_sheet(sheet, plan, rig, kept=kept, progress=progress)
        except KeyboardInterrupt:
            message = "interrupted; pictures that are done are kept"
            raise KeyboardInterrupt(f"{message}: run the same command again to continue") from None
        kept.remove()


def _show(plan: ExpressionPlan, args: argparse.Namespace, console: Console, left_out: dict[str, str]) -> None:
    rows = []
    for number, shapes in enumerate(plan.expressions):
        names = ", ".join(plan.names[k] for k in shapes)
        rows.append([f"{number + 1}", len(shapes), plan.covered(number + 1), names])
    width = max((len(str(row[3])) for row in rows), default=0)
    console.table(["", "shapes", "covered", ""], [[*row[:3], f"{row[3]:<{width}}"] for row in rows])
    console.line()
    console.line(f"{args.output}: {plan}")
    if plan.mirrored is not None:
        vertices = plan.active.shape[1]
        console.line(
            f"{plan.mirrored:,} of {vertices:,} vertices have a mirror image; {len(plan.pairs)} pairs of shapes"
        )
    if left_out:
        listed = ", ".join(f"{name} ({reason})" for name, reason in left_out.items())
        console.line(f"left out, nobody poses them alone: {listed}; --with NAMES brings them back")
    if opposed := _opposed(plan):
        some = "; ".join(f"{one} with {other} ({reason})" for one, other, reason in opposed[:SOME])
        more = f" and {len(opposed) - SOME} more pairs" if len(opposed) > SOME else ""
        console.line(f"kept apart, nobody does both: {some}{more}; --no-anatomy allows them")
    if uncovered := [plan.names[k] for k in plan.uncovered if plan.names[k] not in left_out]:
        console.line(f"not covered: {', '.join(uncovered)}")
    if plan.empty:
        console.line(f"equal to the neutral: {', '.join(plan.names[k] for k in plan.empty)}")
    if args.sheet is not None:
        console.line(f"{args.sheet}: one picture an expression, opens in any browser, prints")


def _result(plan: ExpressionPlan) -> Result:
    return {
        "expressions": [[plan.names[k] for k in shapes] for shapes in plan.expressions],
        "covered": [plan.covered(count + 1) for count in range(len(plan.expressions))],
        "lower_bound": plan.lower_bound,
        "proven_minimal": plan.proven_minimal,
        "best": plan.best,
        "mirrored_vertices": plan.mirrored,
        "pairs": [[plan.names[pair.first], plan.names[pair.second], pair.kind] for pair in plan.pairs],
        "kept_apart": _opposed(plan),
        "uncovered": [plan.names[k] for k in plan.uncovered],
        "empty": [plan.names[k] for k in plan.empty],
    }


def _opposed(plan: ExpressionPlan) -> list[tuple[str, str, str]]:
    """Shapes that a person cannot do together, by name, and why."""
    entries: Any = plan.settings["opposed"]
    return [(plan.names[k], plan.names[m], reason) for k, m, reason in entries]


def _rejections(given: list[str], names: list[str]) -> tuple[list[list[int]], dict[int, list[int]]]:
    """Sets of shapes that stay apart, and shapes refused at a position (from 0)."""
    together: list[list[int]] = []
    numbered: dict[int, list[int]] = {}
    for entry in given:
        number, colon, shapes = entry.partition(":")
        if not (colon and number.strip().isdecimal()):
            together.append(_shapes("--reject", entry, names))
        elif int(number) == 0:
            raise WrongInput(f"--reject: {entry!r} is about expression 0; expressions count from 1")
        else:
            numbered.setdefault(int(number) - 1, []).extend(_shapes("--reject", shapes, names))
    return together, numbered


def _shapes(option: str, text: str, names: list[str]) -> list[int]:
    given = [name.strip() for name in text.split(",")]
    unknown = [name for name in given if name not in names]
    if unknown:
        near = difflib.get_close_matches(unknown[0], names, 2)
        meant = f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(names)}"
        raise WrongInput(f"{option}: the rig has no shape {unknown[0]!r}; {meant}")
    return [names.index(name) for name in given]


def _areas(path: Path) -> list[tuple[Any, Any]]:
    pairs = read_json(path)
    if not isinstance(pairs, list) or not all(isinstance(pair, list) for pair in pairs):
        raise WrongInput(f"{path}: no list of pairs of lists of vertices")
    return [tuple(pair) for pair in pairs]
