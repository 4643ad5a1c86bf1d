"""``rigwright info``: what a model, a data set or a rig is."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import rigwright as rw
from rigwright.cli.arguments import existing
from rigwright.cli.console import Console
from rigwright.cli.result import Result

SUMMARY = "say what a model is"
EXAMPLE = "rigwright info hero.safetensors"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE."""
    parser.add_argument("file", metavar="FILE", type=existing, help="a model")


def run(args: argparse.Namespace, console: Console) -> Result:
    """Print what the file is and return it."""
    result = describe_model(args.file)
    console.pairs([(name.replace("_", " "), shown(value)) for name, value in result.items()])
    return result


def describe_model(path: Path) -> dict[str, Any]:
    """Facts of a model file, the small ones."""
    model = rw.load(path)
    metadata = model.metadata
    return {
        "type": "model",
        "kind": model.kind,
        "name": metadata.get("name", ""),
        "joints": len(model.joint_names),
        "controls": len(model.control_names),
        "numeric_controls": len(metadata.get("numeric_controls", [])),
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
    }


def shown(value: object) -> str:
    """A value as a person reads it."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {shown(entry)}" for name, entry in value.items()) or "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value) or "-"
