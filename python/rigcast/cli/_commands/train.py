"""``rigcast train``: learn a model from a data set."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rigcast._core import Deformer
from rigcast._pose_statistics.expected_error import reliability
from rigcast._rigs.base_shapes import base_words
from rigcast._rigs.resting import resting_count
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._described.controls import controls_of_model
from rigcast.cli._described.error_bound import bound_lines
from rigcast.cli._described.face_maps import face_maps_lines
from rigcast.cli._described.gate import gate_figures, gate_lines
from rigcast.cli._described.skinning import skinning_lines
from rigcast.cli._inputs.train_settings import add_settings, settings_of
from rigcast.cli._inputs.until import add_until_arguments, sampled, say_outcome
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import Result, WrongInput
from rigcast.metrics._gate import stated_difficulty

SUMMARY = SUMMARIES["train"]
EXAMPLE = """rigcast train body hero.rwdata -o hero.safetensors --minutes 1 --overwrite
rigcast train body hero.npz -o stated.safetensors --until 'p99 2mm' --minutes 1 --count 2000
rigcast train differential face.safetensors -o learned.safetensors --count 300 --minutes 1
rigcast train face-maps head.rwdata -o head.safetensors --minutes 30
rigcast train differential hero.rwdata -o subspace.safetensors --minutes 1 --skin hero.npz"""
KINDS = {
    "body": "a character driven by joints and dials",
    "face-maps": "a face driven by dials, as small images of offsets",
    "differential": "a face or a body, by delta coordinates and a few anchors",
}
STATED = ("until", "bound", "confidence", "mechanism_error")  # of the metadata, said as they are


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the kind of model, its data and its budget."""
    kinds = "; ".join(f"{name}: {what}" for name, what in KINDS.items())
    parser.add_argument("kind", metavar="KIND", choices=list(KINDS), help=kinds)
    parser.add_argument(
        "data", metavar="SET", type=arguments.existing, help="a data set that sample has made, or a rig"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=arguments.OutputFile(".safetensors"), required=True, help="the model"
    )
    parser.add_argument("--minutes", type=arguments.positive, help="time to take")
    parser.add_argument("--steps", type=arguments.count, help="steps of the optimizer (default 8000 without --minutes)")
    parser.add_argument("--seed", type=arguments.seed, default=0, help="default 0")
    parser.add_argument("--device", default="cpu", help="cpu or cuda (default cpu)")
    arguments.add_threads(parser)
    add_settings(parser)
    arguments.add_restart(parser)
    add_until_arguments(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Train, or go on where an interrupted run stopped."""
    settings, extra = settings_of(args)
    with sampled(args, console) as (source, until):
        model = _trained(args, source, settings, extra | until, console)
        return _described(args, source, model, console)


def _trained(args: argparse.Namespace, source: Any, settings: Any, extra: dict[str, Any], console: Console) -> Deformer:
    """Train from a data set, or from a rig until its error holds, and save the model."""
    from rigcast import training

    if args.kind == "body" and getattr(source, "skeleton", None) is None:
        raise WrongInput(f"{args.data} has no joints, as a face: rigcast train face-maps, or differential, learns it")
    resting = dict(getattr(source, "resting", {}))
    if resting:
        console.line(f"note: {resting_count(resting)}: a pose that moves them lies outside what the model learns")
    learn: dict[str, Callable[..., Deformer]] = {
        "body": training.body_until if args.until else training.body,
        "face-maps": training.face_maps,
        "differential": training.differential,
    }
    with console.progress() as progress:
        model = learn[args.kind](
            source,
            settings=settings,
            minutes=args.minutes,
            steps=args.steps,
            seed=args.seed,
            device=args.device,
            threads=args.threads,
            restart=args.restart,
            progress=progress,
            **({} if args.until else {"checkpoint": Path(f"{args.output}.checkpoint")}),
            **extra,
        )
    model.save(args.output)
    return model


def _described(args: argparse.Namespace, source: Any, model: Deformer, console: Console) -> Result:
    """Say what was learned."""
    resting = dict(getattr(source, "resting", {}))
    for line in gate_lines(model):  # first, as it is about the model
        console.line(line)
    if args.kind == "face-maps":
        for line in face_maps_lines(model):
            console.line(line)
    to_millimeters = 1000.0 * model.meters_per_unit
    if "until" in model.metadata:
        say_outcome(model.metadata["until"], to_millimeters, console)
    error = {
        key: value for key, value in model.metadata.get("error", {}).items() if key in ("mean", "rms", "p95", "max")
    }
    in_millimeters = {name: to_millimeters * value for name, value in error.items()}
    size = args.output.stat().st_size
    for line in skinning_lines(model.metadata, to_millimeters):
        console.line(line)
    if words := base_words(model.metadata):
        console.line(f"base: {words}")
    shown = ", ".join(f"{name} {value:.3g} mm" for name, value in in_millimeters.items())
    console.line(f"{args.output}: {size / 1e6:.1f} MB, error on held-out rows: {shown}")
    few = _too_few_steps(model.metadata, console)
    controls = controls_of_model(model)
    for line in [*bound_lines(model), *reliability(model.metadata), *[f"controls: {controls}"] * bool(controls)]:
        console.line(line)
    return {
        "bytes": size,
        "held_out_error_mm": in_millimeters,
        **_linear_facts(model.metadata, to_millimeters),
        "base": model.metadata.get("training", {}).get("base"),
        "too_few_steps": few,
        "simple_methods_mm": gate_figures(stated_difficulty(model.metadata)),
        "data_hash": model.metadata["data_hash"],
        "resting": resting,
        **{name: model.metadata[name] for name in STATED if name in model.metadata},
        **({"face_maps": model.metadata["face_maps"]} if args.kind == "face-maps" else {}),
    }


def _linear_facts(metadata: dict[str, Any], to_millimeters: float) -> dict[str, Any]:
    """Linear skinning compared with a body, and what its networks correct."""
    if "linear_skinning" not in metadata:
        return {}
    skinning, learned = metadata["linear_skinning"], metadata["training"]
    return {
        "linear_skinning_mm": {key: to_millimeters * float(skinning[key]) for key in ("mean", "max")},
        "linear": learned["linear"],
        "linear_trials": learned.get("linear_trials"),
    }


def _too_few_steps(metadata: dict[str, Any], console: Console) -> dict[str, Any] | None:
    """Say that the time was too short to learn in; None if it was not."""
    few: dict[str, Any] | None = metadata.get("training", {}).get("too_few_steps")
    if few is not None:
        console.line(f"{few['text'].split(';')[0]}; give --minutes {few['needed_minutes']}")
    return few
