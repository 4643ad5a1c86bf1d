"""``rigcast perceive``: two versions of a rig as a viewer sees them."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rigcast._validate import FPS
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._described.junit import CheckedCase, write_junit
from rigcast.cli._inputs.seen import SeenAnimation, SeenRig, check_pair, moving_mesh
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import PartlyFailed, Result
from rigcast.perception import SeenDifference, Viewing, VisualBudget, seen_difference
from rigcast.perception._differences.compare import AMPLIFIED, pictures_of
from rigcast.plot import Image
from rigcast.progress import Progress

SUMMARY = SUMMARIES["perceive"]
EXAMPLE = """rigcast perceive face.safetensors smooth.glb --motion weights.npz --below 1px -o worst --junit perceive.xml
rigcast perceive face.safetensors smooth.glb --motion weights.npz --below "0.5px at 20m" --json
rigcast perceive smooth.glb smooth.glb --below 1px"""
VIEWING = Viewing()
PICTURES = ("old", "new", "difference")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Both versions, the clips, the budget, and what is written."""
    for name, which in (("old", "the version that is right"), ("new", "the version to be judged")):
        parser.add_argument(
            name,
            metavar=name.upper(),
            type=arguments.existing,
            help=f"{which}: a model file or a rig that plays the motions, or without --motion a moving mesh with faces",
        )
    parser.add_argument(
        "--motion",
        metavar="FILE",
        type=arguments.existing,
        action="append",
        help="weights or poses that both play (.csv, .npz, .npy, .glb, .usd, .bvh, ...); may be repeated",
    )
    parser.add_argument(
        "--below",
        metavar="BUDGET",
        type=_budget,
        default=VisualBudget(1.0),
        help='the largest difference that passes: "1px", "1px at 3m" (of the vertex that is farthest off on the '
        'screen) or "0.5jod" (quality of the film, by ColorVideoVDP); default "1px at 2m"',
    )
    viewer = parser.add_argument_group("the viewer")
    viewer.add_argument(
        "--distance",
        metavar="M",
        type=arguments.positive,
        help=f"from the nearest point of the mesh, in meters (default: of BUDGET, else {VIEWING.distance:g})",
    )
    viewer.add_argument(
        "--image-height",
        metavar="PIXELS",
        type=arguments.positive,
        default=VIEWING.image_height,
        help=f"of the whole picture (default {VIEWING.image_height:g})",
    )
    viewer.add_argument(
        "--field-of-view",
        metavar="DEGREES",
        type=arguments.positive,
        default=VIEWING.field_of_view,
        help=f"of the whole picture, vertical (default {VIEWING.field_of_view:g})",
    )
    written = parser.add_argument_group("what is written")
    written.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        type=arguments.output,
        help=f"pictures of the worst frames: old, new, and {AMPLIFIED} times their difference",
    )
    written.add_argument(
        "--worst", metavar="N", type=arguments.CountTo(100), default=3, help="frames per clip to draw (default 3)"
    )
    written.add_argument(
        "--junit", metavar="FILE", type=arguments.OutputFile(".xml"), help="one test case per clip, as JUnit XML"
    )
    arguments.add_threads(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Compare every clip; exit code 1 if one is beyond the budget."""
    viewing = replace(args.below.viewing, image_height=args.image_height, field_of_view=args.field_of_view)
    if args.distance is not None:
        viewing = replace(viewing, distance=args.distance)
    budget = replace(args.below, viewing=viewing)
    pairs: list[tuple[str, Any]]
    if args.motion:
        rigs = [SeenRig(path, args.threads) for path in (args.old, args.new)]
        pairs = [(os.fspath(clip), lambda clip=clip: [rig.played(clip) for rig in rigs]) for clip in args.motion]
    else:
        pairs = [(os.fspath(args.new), lambda: [moving_mesh(path) for path in (args.old, args.new)])]
    clips: list[dict[str, Any]] = []
    with console.progress() as progress:
        for number, (name, opened) in enumerate(pairs):
            progress(Progress("comparing", number, len(pairs)))
            old, new = opened()
            check_pair(old, new, (args.old, args.new))
            clips.append(_compared(name, old, new, budget, args))
    console.table(["clip", "frames", budget.unit, "worst frame", "its px", ""], [_row(clip) for clip in clips])
    return _finished(args, budget, clips, console)


def _budget(text: str) -> VisualBudget:
    try:
        return VisualBudget.of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _compared(
    name: str, old: SeenAnimation, new: SeenAnimation, budget: VisualBudget, args: argparse.Namespace
) -> dict[str, Any]:
    found = seen_difference(
        old.vertices, new.vertices, old.faces, budget=budget, fps=old.fps or FPS, threads=args.threads
    )
    worst = np.argsort(-found.per_frame, kind="stable")[: args.worst]
    frames: list[dict[str, Any]] = [{"frame": int(t), "px": float(found.per_frame[t])} for t in worst]
    if args.output is not None:
        args.output.mkdir(exist_ok=True)
        for entry in frames:
            entry["pictures"] = _drawn(name, entry["frame"], old, new, budget, args)
    return _figures(name, found) | {"worst_frames": frames}


def _figures(name: str, found: SeenDifference) -> dict[str, Any]:
    return {
        "clip": name,
        "frames": len(found.per_frame),
        "amount": found.amount,
        "within": found.within,
        "px": float(found.per_frame.max()),
        "px_per_frame": found.per_frame,
    }


def _drawn(
    name: str, frame: int, old: SeenAnimation, new: SeenAnimation, budget: VisualBudget, args: argparse.Namespace
) -> list[str]:
    before, after = old.vertices[frame], new.vertices[frame]
    drawn = pictures_of(before, after, old.faces, budget.viewing, rest=old.vertices[0], threads=args.threads)
    return [
        os.fspath(Image(picture).save(args.output / f"{Path(name).stem}_{frame:04d}_{kind}.png"))
        for kind, picture in zip(PICTURES, drawn, strict=True)
    ]


def _row(clip: dict[str, Any]) -> list[str]:
    worst = clip["worst_frames"][0]
    verdict = "within" if clip["within"] else "BEYOND"
    name = Path(clip["clip"]).name
    return [name, str(clip["frames"]), f"{clip['amount']:.3g}", str(worst["frame"]), f"{worst['px']:.3g}", verdict]


def _finished(args: argparse.Namespace, budget: VisualBudget, clips: list[dict[str, Any]], console: Console) -> Result:
    cases = [CheckedCase(clip["clip"], *_failure(clip, budget)) for clip in clips]
    outputs = [path for clip in clips for entry in clip["worst_frames"] for path in entry.get("pictures", ())]
    if args.junit is not None:
        group = f"{args.old.name} {args.new.name}"
        outputs.append(os.fspath(write_junit(args.junit, "rigcast perceive", group, cases)))
    result = {
        "budget": {"amount": budget.amount, "unit": budget.unit, "distance": budget.viewing.distance},
        "within": all(clip["within"] for clip in clips),
        "amount": max(clip["amount"] for clip in clips),
        "clips": clips,
        "outputs": outputs,
    }
    if outputs:
        console.line(f"written: {', '.join(outputs[:4])}{' ...' * (len(outputs) > 4)}")
    failures = [case.failure for case in cases if case.failure]
    if failures:
        more = f" (and {len(failures) - 1} more clips)" if len(failures) > 1 else ""
        raise PartlyFailed(f"{failures[0]}{more}", result)
    return result


def _failure(clip: dict[str, Any], budget: VisualBudget) -> tuple[str, str]:
    if clip["within"]:
        return "", ""
    worst = clip["worst_frames"]
    amount = f"{clip['amount']:.3g} {budget.unit}"
    text = f"{clip['clip']} differs by {amount}, more than {budget}; worst in frame {worst[0]['frame']}"
    lines = [f"frame {entry['frame']}: {entry['px']:.3g} px {' '.join(entry.get('pictures', ()))}" for entry in worst]
    return text, "\n".join(lines)
