"""``rigcast limits``: the ranges of a rig's channels as a file to edit."""

from __future__ import annotations

import argparse
import os
from collections import Counter

from rigcast._formats.blender import BlenderRig, write_limits
from rigcast._rigs.resting import resting_lines
from rigcast._rigs.source_notes import opened
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._described.rigs import control_facts, control_lines
from rigcast.cli._inputs.rigs import add_hold_arguments, add_run_scripts
from rigcast.cli._result import Result

SUMMARY = "write the limits file of a .blend: every channel, its range, and where the range comes from"
EXAMPLE = "rigcast limits dog.blend -o dog.limits.json --from-actions --overwrite"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """RIG, where the ranges of unlimited bones come from, and the file."""
    parser.add_argument("rig", metavar="RIG", type=arguments.existing_file, help="a .blend file")
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=arguments.OutputFile(".json"), required=True, help="hero.limits.json"
    )
    parser.add_argument("--from-actions", action="store_true", help="bones without limits: what the file's actions use")
    parser.add_argument(
        "--ranges",
        metavar="DEGREES",
        type=arguments.positive,
        help="bones without limits: so far either way (default: controls of a control rig as far as joints of people, "
        "others 30)",
    )
    parser.add_argument("--mesh", metavar="NAME", action="append", help="a mesh to take; may be repeated")
    parser.add_argument("--armature", metavar="NAME", help="the armature, where the file holds several")
    parser.add_argument("--blender", metavar="PROGRAM", help="a Blender program; default the bpy wheel")
    add_run_scripts(parser)
    add_hold_arguments(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Read the file without its limits file, and write one."""
    if args.rig.suffix.lower() != ".blend":
        raise ValueError(f"{args.rig} is no .blend file: only those take a limits file")
    if args.from_actions and args.ranges is not None:
        raise ValueError("--ranges and --from-actions are two sources of the same ranges: give one")
    options = {name: getattr(args, name) for name in ("mesh", "armature", "blender", "hold", "free")}
    options["run_scripts"] = bool(args.run_scripts)
    ranges = "actions" if args.from_actions else args.ranges or "people"
    with opened(args.rig, BlenderRig.open(args.rig, limits={}, ranges=ranges, **options)) as rig:
        write_limits(args.output, rig)
        sources = Counter(rig.range_sources)
        for source, count in sources.items():
            console.line(f"{count:4d}  {source}")
        for line in [*control_lines(control_facts(rig)), *resting_lines(rig.resting)]:
            console.line(line)
        console.line(f"{args.output}: {len(rig.channel_names)} channels, {len(rig.without_range)} more could be some")
        return {
            "limits": os.fspath(args.output),
            "channels": dict(zip(rig.channel_names, rig.channel_ranges.tolist(), strict=True)),
            "sources": dict(zip(rig.channel_names, rig.range_sources, strict=True)),
            "without_range": rig.without_range,
            "resting": rig.resting,
            **control_facts(rig),
        }
