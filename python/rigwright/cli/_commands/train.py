"""``rigwright train``: learn a model from a data set."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from rigwright._rigs.resting import resting_lines
from rigwright.cli import _arguments as arguments
from rigwright.cli._console import Console
from rigwright.cli._described.face_maps import face_maps_lines
from rigwright.cli._result import Result

SUMMARY = "learn a model from a data set"
EXAMPLE = """rigwright train body hero.rwdata -o hero.safetensors --minutes 1 --overwrite
rigwright train face-maps head.rwdata -o head.safetensors --minutes 30"""
KINDS = {
    "body": "a character driven by joints and dials",
    "face-maps": "a face driven by dials, as small images of offsets",
}
OWN = {  # options of one kind alone
    "body": ("tau",),
    "face-maps": ("normal_weight", "first_channels", "channels"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to learn, from what, and how long."""
    kinds = "; ".join(f"{name}: {what}" for name, what in KINDS.items())
    parser.add_argument("kind", metavar="KIND", choices=list(KINDS), help=kinds)
    parser.add_argument("data", metavar="SET", type=arguments.existing, help="a data set that sample has made")
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=arguments.OutputFile(".safetensors"), required=True, help="the model"
    )
    parser.add_argument("--minutes", type=arguments.positive, help="time to take")
    parser.add_argument("--steps", type=arguments.count, help="steps of the optimizer (default 8000 without --minutes)")
    parser.add_argument("--seed", type=arguments.seed, default=0, help="default 0")
    parser.add_argument(
        "--method",
        choices=["blended", "ours", "paper"],
        help="ours (of a body: blended; default), or the method as published",
    )
    parser.add_argument("--device", default="cpu", help="cpu or cuda (default cpu)")
    arguments.add_threads(parser)
    parser.add_argument("--hidden", type=arguments.count, help="width of the hidden layers")
    parser.add_argument("--tau", type=arguments.positive, help="body: fewer vertex sets the higher, from 1")
    parser.add_argument("--normal-weight", type=float, help="face-maps: weight of the face normals (default 5)")
    parser.add_argument("--first-channels", type=arguments.count, help="face-maps: channels of the 8 x 8 map")
    parser.add_argument("--channels", type=arguments.count, help="face-maps: channels of the larger maps")
    parser.add_argument(
        "--restart", action="store_true", help="begin anew instead of going on where an interrupted run stopped"
    )


def run(args: argparse.Namespace, console: Console) -> Result:
    """Train, or go on where an interrupted run stopped."""
    import rigwright as rw
    from rigwright import training

    if not args.data.is_dir():
        raise ValueError(f"{args.data} is no data set; rigwright sample {args.data} -o FOLDER makes one of a rig")
    settings = _settings(args)
    dataset = rw.Dataset(args.data)
    lines = resting_lines(dataset.resting)
    for line in [*lines, *["a pose that moves them lies outside what the model learns"] * bool(lines)]:
        console.line(f"note: {line}")
    with console.progress() as progress:
        model = (training.body if args.kind == "body" else training.face_maps)(
            dataset,
            seed=args.seed,
            minutes=args.minutes,
            steps=args.steps,
            device=args.device,
            threads=args.threads,
            checkpoint=Path(f"{args.output}.checkpoint"),
            restart=args.restart,
            progress=progress,
            **settings,
        )
    model.save(args.output)
    if args.kind == "face-maps":
        for line in face_maps_lines(model):
            console.line(line)
    error = {
        key: value for key, value in model.metadata.get("error", {}).items() if key in ("mean", "rms", "p95", "max")
    }
    in_millimeters = {name: 1000.0 * model.meters_per_unit * value for name, value in error.items()}
    size = args.output.stat().st_size
    shown = ", ".join(f"{name} {value:.3g} mm" for name, value in in_millimeters.items())
    console.line(f"{args.output}: {size / 1e6:.1f} MB, error on held-out rows: {shown}")
    return {
        "model": os.fspath(args.output),
        "bytes": size,
        "held_out_error_mm": in_millimeters,
        "data_hash": dataset.hash,
        "resting": dataset.resting,
        **({"face_maps": model.metadata["face_maps"]} if args.kind == "face-maps" else {}),
    }


def _settings(args: argparse.Namespace) -> dict[str, Any]:
    """The settings that were given; ValueError for one of another kind."""
    for kind, names in OWN.items():
        wrong = [name for name in names if getattr(args, name) is not None and kind != args.kind]
        if wrong:
            raise ValueError(f"--{wrong[0].replace('_', '-')} is an option of {kind}, not of {args.kind}")
    chosen = {name: getattr(args, name) for name in ("method", "hidden", *OWN[args.kind])}
    return {name: value for name, value in chosen.items() if value is not None}
