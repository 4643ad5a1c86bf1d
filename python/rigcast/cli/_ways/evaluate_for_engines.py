"""A model's motion approximated for engines: joints, linear skinning and shapes with keys, in one file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rigcast import exports
from rigcast._core import Deformer
from rigcast._text import escaped
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._inputs.model_motion import MotionMapping, motion_of
from rigcast.cli._result import Result, WrongInput

OPTIONS = ("shapes", "bones", "within", "fit_on", "also")
ENDINGS = (".glb", ".usd", ".usda", ".usdc")
HEADERS = ["shapes", "mean mm", "99.9 % mm", "max mm", "kB of shapes"]
OWN = "own"


def add_engine_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``approximate`` and ``write_approximation``."""
    group = parser.add_argument_group("for engines, .glb and .usd: joints, and shapes for what linear skinning misses")
    group.add_argument(
        "--shapes", metavar="N", type=_shapes, help="morph targets, keyed for this motion (default 16, or --within)"
    )
    group.add_argument(
        "--within",
        metavar="MM",
        type=arguments.positive,
        help="the fewest shapes with which 99.9 %% of all vertices and frames miss by no more millimeters",
    )
    group.add_argument(
        "--bones",
        metavar="own|N",
        type=_bones,
        help="the character's joints (own, the default), or N free rigid bones, for faces too",
    )
    group.add_argument(
        "--fit-on",
        metavar="SET|MOTION",
        type=arguments.existing,
        help="fit weights and shapes to this in place of the motion; the stated error is of held-out frames then",
    )
    group.add_argument(
        "--also",
        metavar="MOTION",
        type=arguments.existing,
        action="append",
        help="a further motion, a clip of its own in the same file (again for more)",
    )


def wants_engines(args: argparse.Namespace) -> bool:
    """True if any of the options is given.

    Raises
    ------
    WrongInput
        If the output does not take them.
    """
    given = [f"--{name.replace('_', '-')}" for name in OPTIONS if getattr(args, name) is not None]
    if given and (args.output is None or args.output.suffix.lower() not in ENDINGS):
        raise WrongInput(f"{given[0]} is for engines: -o must be a file that ends in {', '.join(ENDINGS)}")
    for other in ("vertices", "max_error"):
        if given and getattr(args, other):
            raise WrongInput(f"{given[0]} writes joints and shapes; leave out --{other.replace('_', '-')}")
    return bool(given)


def write_for_engines(
    motion: exports.Playback, fps: float, args: argparse.Namespace, console: Console
) -> tuple[list[str], Result]:
    """Approximate, print the table of errors, write; the notes, and the figures of the result."""
    model, named, notes = motion.model, {_name_of(args): motion}, list[str]()
    for path in args.also or ():
        more = motion_of(model, path, MotionMapping.of(args), None, args.fps)
        more = more.at(fps, 0 if model.skeleton is None else model.skeleton.num_joints)
        if path.stem in named:
            raise WrongInput(f"--also {path}: a clip {path.stem} is there already; its file must have another name")
        if more.head is not None:
            notes.append(f"{path.name}: the motion of the head is left out")
        named[escaped(path.stem)] = exports.Playback(model, more.poses, device=args.device, threads=args.threads)
        notes += more.notes
    with console.progress() as progress:
        made = exports.approximate(
            named,
            fps,
            shapes=args.shapes,
            within=args.within,
            bones=None if args.bones == OWN else args.bones,
            fit_on=_others(model, args),
            threads=args.threads,
            progress=progress,
        )
    console.table(HEADERS, [_row(entry) for entry in made.curve])
    notes += exports.write_approximation(args.output, made, to_meters_per_unit=args.unit, to_up_axis=args.up_axis)
    figures: dict[str, Any] = {**made.figures(), "clips": [*named], "file_bytes": args.output.stat().st_size}
    return notes, {"approximation": figures}


def _others(model: Deformer, args: argparse.Namespace) -> exports.Playback | None:
    if args.fit_on is None:
        return None
    found = motion_of(model, args.fit_on, MotionMapping.of(args))
    return exports.Playback(model, found.poses, device=args.device, threads=args.threads)


def _name_of(args: argparse.Namespace) -> str:
    named = [Path(action).stem for action in args.action]
    return escaped(args.clip or (named[0] if named else args.input.stem))


def _row(entry: exports.ShapeCount) -> list[object]:
    figures = (entry.miss.mean, entry.miss.p999, entry.miss.worst)
    return [entry.shapes, *(f"{value:.3g}" for value in figures), f"{entry.bytes / 1e3:,.0f}"]


def _shapes(text: str) -> int:
    return 0 if text == "0" else arguments.CountTo(256)(text)


def _bones(text: str) -> str | int:
    return OWN if text == OWN else arguments.count(text)
