"""``rigcast limits``: the ranges of a rig's channels as a file to edit."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from rigcast import sources
from rigcast._formats.blender import BlenderRig, write_limits
from rigcast._rigs.resting import resting_lines
from rigcast._rigs.source_notes import opened
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._described.rigs import control_facts, control_lines
from rigcast.cli._inputs.motion import add_retargeting_arguments, retargeted_motion
from rigcast.cli._inputs.rigs import add_hold_arguments, add_run_scripts
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import Result, WrongInput

SUMMARY = SUMMARIES["limits"]
EXAMPLE = "rigcast limits dog.blend -o dog.limits.json --from-actions --overwrite"
WIDE = 180.0  # degrees: no motion is clipped


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """RIG, where the ranges of unlimited bones come from, and the file."""
    parser.add_argument("rig", metavar="RIG", type=arguments.existing_file, help="a .blend file")
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=arguments.OutputFile(".json"), required=True, help="hero.limits.json"
    )
    parser.add_argument("--from-actions", action="store_true", help="bones without limits: what the file's actions use")
    parser.add_argument(
        "--from-motion",
        metavar="FILE",
        type=arguments.existing_file,
        action="append",
        default=[],
        help="what this motion of another skeleton uses, retargeted onto the rig; all other controls stay as saved, or "
        "take what --from-actions gives them; may be repeated",
    )
    add_retargeting_arguments(parser)
    parser.add_argument(
        "--ranges",
        metavar="DEGREES",
        type=arguments.positive,
        help="bones without limits: so far either way (default: controls of a control rig as far as joints of people, "
        "others 30)",
    )
    parser.add_argument("--mesh", metavar="NAME", action="append", help="a mesh to take; may be repeated")
    parser.add_argument("--armature", metavar="NAME", help="the armature, where the file holds several")
    parser.add_argument(
        "--blender", metavar="PROGRAM", help="a Blender program, or a Python that has bpy; default the bpy wheel"
    )
    add_run_scripts(parser)
    add_hold_arguments(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Read the file without its limits file, and write one."""
    if args.rig.suffix.lower() != ".blend":
        raise WrongInput(f"{args.rig} is no .blend file: only those take a limits file")
    if args.ranges is not None and (args.from_actions or args.from_motion):
        other = "--from-actions" if args.from_actions else "--from-motion"
        raise WrongInput(f"--ranges and {other} are two sources of the same ranges: give one")
    options = {name: getattr(args, name) for name in ("mesh", "armature", "blender", "hold", "free")}
    options["run_scripts"] = bool(args.run_scripts)
    used = _used_by_motions(args, options, console)
    if used.limits and not args.from_actions:
        options["hold"] = [*(args.hold or ()), "*"]
    ranges = "actions" if args.from_actions or used.limits else args.ranges or "people"
    with opened(args.rig, BlenderRig.open(args.rig, limits=used.limits, ranges=ranges, **options)) as rig:
        write_limits(args.output, rig, used.sources)
        counted = Counter(used.sources.get(name, source) for name, source in zip(*_sources(rig), strict=True))
        for source, count in counted.items():
            console.line(f"{count:4d}  {source}")
        for line in [*control_lines(control_facts(rig)), *resting_lines(rig.resting)]:
            console.line(line)
        console.line(f"{args.output}: {len(rig.channel_names)} channels, {len(rig.without_range)} more could be some")
        return {
            "channels": dict(zip(rig.channel_names, rig.channel_ranges.tolist(), strict=True)),
            "sources": dict(zip(*_sources(rig), strict=True)) | used.sources,
            "without_range": rig.without_range,
            "resting": rig.resting,
            "retargeted": used.retargeted,
            **control_facts(rig),
        }


def _sources(rig: BlenderRig) -> tuple[list[str], list[str]]:
    return rig.channel_names, rig.range_sources


@dataclass(frozen=True)
class Used:
    """The ranges that motions use of the rig's channels.

    Attributes
    ----------
    limits : dict from channel name to (low, high)
    sources : dict from channel name to the motions, in words
    retargeted : dict from file to how well the rig follows
    """

    limits: dict[str, tuple[float, float]] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    retargeted: dict[str, Any] = field(default_factory=dict)


def _used_by_motions(args: argparse.Namespace, options: dict[str, Any], console: Console) -> Used:
    """The ranges that ``--from-motion`` asks for: of motions retargeted onto controls that turn as far as they like."""
    if not args.from_motion:
        return Used()
    with BlenderRig.open(args.rig, limits={}, ranges=WIDE, **options) as rig:
        made = {path: retargeted_motion(path, args, rig, console)[0] for path in args.from_motion}
        limits = sources.motion_ranges(rig, list(made.values()))
        each = [(path.name, sources.motion_ranges(rig, [one])) for path, one in made.items()]
    words = {channel: f"motion {', '.join(name for name, ends in each if channel in ends)}" for channel in limits}
    return Used(limits, words, {os.fspath(path): one.report() for path, one in made.items()})
