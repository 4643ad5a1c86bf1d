"""``rigcast info``: what a model, a data set or a rig is."""

from __future__ import annotations

import argparse
import os
import re
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

from rigcast import sources, synthesis
from rigcast._formats.npz.archive import member_names
from rigcast._formats.usd.model_asset import is_stage_of_model, model_file
from rigcast._rigs.resting import resting_hint, resting_lines
from rigcast.cli import _arguments as arguments
from rigcast.cli._arguments import existing
from rigcast.cli._console import Console
from rigcast.cli._described.clips import clip_line
from rigcast.cli._described.learned import describe_blendshapes, describe_dataset, describe_model
from rigcast.cli._described.motion import describe_motion, describe_moving_glb, figure_of
from rigcast.cli._described.others import describe_other, size_notes
from rigcast.cli._described.rigs import control_lines, describe_meshes, describe_rig
from rigcast.cli._described.skinning import no_gain
from rigcast.cli._inputs.faces import refuse_packed
from rigcast.cli._inputs.rigs import add_rig_arguments, opened_rig
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import Result, WrongInput
from rigcast.cli._synth.described import described as synthesis_facts
from rigcast.cli._synth.described import is_synthesis, say
from rigcast.sampling import Dataset

SUMMARY = SUMMARIES["info"]
EXAMPLE = """rigcast info hero.npz
rigcast info hero.rwdata
rigcast info hero.safetensors --page 1
rigcast info smooth.glb
rigcast info dog.blend --ranges actions
rigcast info lid.npz --dials-only"""
MOST_ENTRIES = 8  # of a list, for a person
MOST_LISTED = 12  # entries of a list with a line each
KIND = re.compile(r"\(([A-Z][A-Z_]+)\)")  # as Blender calls modifiers and constraints
ERRORS = ("error", "linear_skinning")  # lengths of a model
MOST_ROWS = 40  # channels on a page
LISTED = (
    "notes",
    "size_meters",
    "channels",
    "channel_details",
    "channel_rest",
    "range_sources",
    "resting",
    "not_reproduced",
    "left_out",
    "contents",
    "clips",
    "control_rig",
    "limbs",
    "switches",
    "held",
    "assumed_ranges",
    "mechanism",
    "mechanism_not_read",
)  # below the pairs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE, and what a rig needs to be opened."""
    parser.add_argument(
        "file", metavar="FILE", type=existing, help="a model, a data set folder, a rig, a shot or weights"
    )
    parser.add_argument("--verify", action="store_true", help="hash every file of a data set")
    parser.add_argument(
        "--page", type=arguments.count, default=1, help=f"of the channels, {MOST_ROWS} on each (default 1)"
    )
    add_rig_arguments(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Print what the file is and return it."""
    stage = is_stage_of_model(args.file)
    mesh = args.mesh[0] if args.mesh and len(args.mesh) == 1 else None
    motion = None if stage else describe_other(args.file) or describe_motion(args.file, mesh)
    if motion is not None:
        result = motion
    elif args.file.is_dir():
        result = _data_set(args, console)
    elif args.file.suffix == ".safetensors" and is_synthesis(args.file):
        facts = synthesis_facts(synthesis.load(args.file))
        say(console, facts)
        return facts
    elif args.file.suffix == ".safetensors":
        result = describe_model(args.file)
    elif stage:
        file = model_file(args.file, "info")
        result = describe_model(file) | {"model_file": os.fspath(file)}
    elif is_blendshape_archive(args.file):
        result = describe_blendshapes(sources.load_blendshapes(args.file), args.file)
    else:
        result = _rig_or_shot(args)
    if "size_meters" in result:
        result["notes"] = [*result.get("notes", []), *size_notes(result["size_meters"])]
    if "linear_skinning" in result:
        for line in no_gain(result["error"]["mean"], result["linear_skinning"]["mean"]):
            console.line(line)
    console.pairs([(name.replace("_", " "), _fact(name, value, result)) for name, value in result.items()
                   if name not in LISTED])  # fmt: skip
    _print_lists(result, console)
    if "channels" in result:
        _print_channels(result, args.page, console)
    return result


def _rig_or_shot(args: argparse.Namespace) -> dict[str, Any]:
    """Facts of a rig, or of a .glb whose meshes no skin makes one character, but a clip moves."""
    try:
        with opened_rig(args, args.file, needs_channels=False) as rig:
            return describe_rig(rig) if len(rig.channel_names) else describe_meshes(rig)
    except ValueError:
        shot = None if args.mesh else describe_moving_glb(args.file)
        if shot is None:
            raise
        return shot


def _print_lists(result: dict[str, Any], console: Console) -> None:
    """Print the contents of a file, what sampling leaves out, and what never moves, one entry per line."""
    for line in control_lines(result):
        console.line(line)
    for title, entries in result.get("contents", {}).items():
        listed = [f"{title.removesuffix('s')}: {entry}" for entry in entries]
        for line in [_kinds(title, entries)] if len(entries) > MOST_LISTED else listed:
            console.line(line)
    option = "--action" if result["type"] == "rig" else "--clip"
    for clip in result.get("clips", []):
        console.line(f"clip: {clip_line(clip)}; {option} {shlex.quote(clip['name'])} takes it")
    for note in result.get("notes", []):
        console.line(f"note: {note}")
    for entry in result.get("not_reproduced", []):
        console.line(f"not reproduced: {entry}")
    lines = resting_lines(result.get("resting", {}))
    hint = resting_hint(takes_limits="limits_file" in result)
    for line in lines + [hint] * (bool(lines) and result["type"] == "rig"):
        console.line(f"resting: {line}")


def _kinds(title: str, entries: list[str]) -> str:
    """Summarize many entries by the number of each kind."""
    found = Counter(kind[1] if (kind := KIND.search(entry)) else entry.partition(" ")[0] for entry in entries)
    shown = ", ".join(f"{count} {kind.replace('_', ' ').lower()}" for kind, count in found.most_common(MOST_ENTRIES))
    more = f" and {len(found) - MOST_ENTRIES} other kinds" if len(found) > MOST_ENTRIES else ""
    named = all(KIND.search(entry) for entry in entries)
    counted = f"{shown}{more}" if named else f"{'; '.join(entries[:3])} ..."
    return f"{len(entries)} {title}: {counted} (--json lists all)"


def _print_channels(result: dict[str, Any], page: int, console: Console) -> None:
    """A page of the channels."""
    heads, rows = channel_table(result)
    pages = max(1, -(-len(rows) // MOST_ROWS))
    if page > pages:
        raise WrongInput(f"--page {page}: there are {len(rows)} channels on {pages} page{'s' * (pages > 1)}")
    console.line()
    console.table([f"channels ({len(rows)})", *heads], rows[MOST_ROWS * (page - 1) : MOST_ROWS * page])
    if page < pages:
        console.line(f"page {page} of {pages}: --page {page + 1} goes on, --json lists all")


def channel_table(result: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Heads after the first, and a row per channel; with more columns for a model, which states more."""
    heads, rows = ["from", "to"], [[name, f"{low:g}", f"{high:g}"] for name, (low, high) in result["channels"].items()]
    if "channel_rest" in result:
        heads.append("rest")
        for row, rest in zip(rows, result["channel_rest"], strict=True):
            row.append(f"{rest:.6g}")
    if "range_sources" in result:
        heads.append("range from")
        for row, source in zip(rows, result["range_sources"], strict=True):
            row.append(source)
    if "channel_details" in result:
        heads += ["kind", "joint", "undecided because"]
        for row, channel in zip(rows, result["channel_details"], strict=True):
            row += [channel["kind"], channel["joint"] or "", channel["reason"]]
    return heads, rows


def _data_set(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Facts of a data set, whose files are hashed if that is asked for."""
    refuse_packed(args.file)
    if not (args.file / "manifest.json").exists():
        others = "of .obj meshes, a study or a set of actors"
        raise WrongInput(
            f"{args.file} has no manifest.json; it must be a folder {others}, or one that rigcast sample has finished"
        )
    dataset = Dataset(args.file)
    if args.verify:
        with console.progress() as progress:
            dataset.verify(progress)
    return describe_dataset(dataset) | {"verified": args.verify}


def is_blendshape_archive(path: Path) -> bool:
    """True if a file is an archive with the arrays of a blendshape rig."""
    if path.suffix.lower() != ".npz":
        return False
    try:
        return {"neutral", "deltas"} <= set(member_names(path, "info"))
    except ValueError:  # the reader of rigs says what is wrong
        return False


def _fact(name: str, value: object, result: dict[str, Any]) -> str:
    """A fact as a person reads it: errors of a model in millimeters."""
    if name not in ERRORS or not isinstance(value, dict) or not value:
        return shown(value)
    lengths = {key: f"{figure_of(1e3 * float(result['meters_per_unit']) * value[key])} mm"
               for key in ("mean", "rms", "p95", "max") if key in value}  # fmt: skip
    others = {key: entry for key, entry in value.items() if key not in (*lengths, "unit")}
    return shown(lengths | others)


def shown(value: object) -> str:
    """A value as a person reads it."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {shown(entry)}" for name, entry in value.items()) or "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list | tuple):
        rest = f" and {len(value) - MOST_ENTRIES} more" if len(value) > MOST_ENTRIES else ""
        return (", ".join(map(shown, value[:MOST_ENTRIES])) + rest) or "-"
    return str(value) or "-"
