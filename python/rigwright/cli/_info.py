"""``rigwright info``: what a model, a data set or a rig is."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import rigwright as rw
from rigwright._formats.npz.archive import member_names
from rigwright.cli._arguments import existing
from rigwright.cli._console import Console
from rigwright.cli._result import Result
from rigwright.cli._rigs import add_rig_arguments, opened_rig
from rigwright.report._kit.facts import combination_counts

SUMMARY = "say what a model, a data set or a rig is"
EXAMPLE = """rigwright info hero.npz
rigwright info hero.rwdata
rigwright info hero.safetensors"""
MOST_ENTRIES = 8  # of a list, for a person
MOST_ROWS = 40  # channels listed for a person; --json has all


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE, and what a rig needs to be opened."""
    parser.add_argument("file", metavar="FILE", type=existing, help="a model, a data set folder, or a rig")
    parser.add_argument("--verify", action="store_true", help="hash every file of a data set")
    add_rig_arguments(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Print what the file is and return it."""
    if args.file.is_dir():
        result = describe_dataset(args, console)
    elif args.file.suffix == ".safetensors":
        result = describe_model(args.file)
    elif is_blendshape_archive(args.file):
        result = describe_blendshapes(rw.sources.load_blendshapes(args.file), args.file)
    else:
        with opened_rig(args, args.file) as rig:
            result = describe_rig(rig)
    listed = ("channels", "channel_details")
    console.pairs([(name.replace("_", " "), shown(value)) for name, value in result.items() if name not in listed])
    if "channels" in result:
        heads, rows = channel_table(result)
        console.line()
        console.table([f"channels ({len(rows)})", *heads], rows[:MOST_ROWS])
        if len(rows) > MOST_ROWS:
            console.line(f"... and {len(rows) - MOST_ROWS} more (--json lists all)")
    return result


def channel_table(result: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Heads after the first, and a row per channel; with more columns for a model, which states more."""
    heads, rows = ["from", "to"], [[name, f"{low:g}", f"{high:g}"] for name, (low, high) in result["channels"].items()]
    if "channel_details" in result:
        heads += ["kind", "joint", "undecided because"]
        for row, channel in zip(rows, result["channel_details"], strict=True):
            row += [channel["kind"], channel["joint"] or "", channel["reason"]]
    return heads, rows


def describe_dataset(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Facts of a data set."""
    dataset = rw.Dataset(args.file)
    if args.verify:
        with console.progress() as progress:
            dataset.verify(progress)
    manifest = dataset.manifest
    return {
        "type": "data set",
        "name": dataset.name,
        "poses": len(dataset),
        "sampler": manifest["sampler"],
        "seed": manifest["seed"],
        "probe_bases": manifest["probe"],
        "vertices": len(dataset.rest_vertices),
        "faces": len(dataset.faces),
        "joints": len(dataset.joint_names),
        "dials": len(dataset.dial_names),
        "meters_per_unit": dataset.meters_per_unit,
        "up_axis": dataset.up_axis,
        "licence": dataset.licence,
        "origin": dataset.origin,
        "topology_hash": manifest["topology_hash"],
        "hash": dataset.hash,
        "verified": args.verify,
        "channels": _channels(dataset.channel_names, dataset.channel_ranges),
    }


def describe_rig(rig: Any) -> dict[str, Any]:
    """Facts of a rig."""
    from rigwright.sampling import check_rig

    facts = check_rig(rig, "info")
    return {
        "type": "rig",
        "name": facts.name,
        "vertices": len(facts.rest_vertices),
        "faces": len(facts.faces),
        "joints": len(facts.joint_names),
        "dials": len(facts.dial_names),
        "meters_per_unit": facts.meters_per_unit,
        "up_axis": facts.up_axis,
        "licence": facts.licence,
        "origin": facts.origin,
        "topology_hash": facts.topology_hash,
        "notes": "; ".join(getattr(rig, "notes", [])),
        "channels": _channels(facts.channel_names, facts.channel_ranges),
    }


def _channels(names: Iterable[str], ranges: Iterable[Any]) -> dict[str, tuple[float, float]]:
    return {name: (float(low), float(high)) for name, (low, high) in zip(names, ranges, strict=True)}


def describe_model(path: Path) -> dict[str, Any]:
    """Facts of a model file, the small ones."""
    model = rw.load(path)
    if isinstance(model, rw.BlendshapeRig):
        return describe_blendshapes(model, path)
    metadata = model.metadata
    return {
        "type": "model",
        "kind": model.kind,
        "name": metadata.get("name", ""),
        "joints": len(model.joint_names),
        "controls": len(model.control_names),
        "dials": len(metadata.get("numeric_controls", [])),
        "vertices": len(model.rest_vertices),
        "faces": len(model.faces),
        "bytes": path.stat().st_size,
        "meters_per_unit": model.meters_per_unit,
        "up_axis": model.up_axis,
        "licence": metadata.get("licence", ""),
        "origin": metadata.get("origin", ""),
        "data_hash": metadata.get("data_hash", ""),
        "topology_hash": metadata.get("topology_hash", ""),
        "error": metadata.get("error", {}),
        "training": metadata.get("training", {}),
        "channels": {channel.name: (channel.low, channel.high) for channel in model.channels},
        "channel_details": [described(channel) for channel in model.channels],
    }


def described(channel: rw.Channel) -> dict[str, Any]:
    """Everything that a model states about one of its channels."""
    keys = ("name", "kind", "joint", "place", "low", "high", "rest", "unit", "whole", "follows_kinematics", "reason")
    return {key: getattr(channel, key) for key in keys}


def is_blendshape_archive(path: Path) -> bool:
    """Whether a file is an archive with the arrays of a blendshape rig."""
    if path.suffix.lower() != ".npz":
        return False
    try:
        return {"neutral", "deltas"} <= set(member_names(path, "info"))
    except ValueError:  # the reader of rigs says what is wrong
        return False


def describe_blendshapes(rig: rw.BlendshapeRig, path: Path) -> dict[str, Any]:
    """Facts of a blendshape rig."""
    metadata = rig.metadata
    return {
        "type": "model",
        "kind": rig.kind,
        "name": metadata.get("name", ""),
        "vertices": len(rig.rest_vertices),
        "faces": len(rig.faces),
        "shapes": rig.num_shapes,
        "combinations": combination_counts(rig),
        "combination_names": rig.column_names[rig.num_shapes :],
        "constructed": list(rig.constructed),
        "storage": rig.storage,
        "storage_error": float(rig.storage_error),
        "bytes": path.stat().st_size,
        "bytes_in_memory": rig.nbytes,
        "meters_per_unit": rig.meters_per_unit,
        "up_axis": rig.up_axis,
        "licence": metadata.get("licence", ""),
        "origin": metadata.get("origin", ""),
        "topology_hash": metadata.get("topology_hash", ""),
        "channels": _channels(rig.shape_names, rig.bounds),
    }


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
