"""``rigcast bench``: the speed of a model on this machine, compared with the rig itself."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from rigcast._load_model import load
from rigcast._timing.engine import engine_figures
from rigcast._timing.host_timing import time_with_rig
from rigcast._timing.reading import reading_line
from rigcast._timing.storages import storage_line
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._inputs.rigs import add_rig_arguments, opened_rig
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import Result, WrongInput
from rigcast.sampling import Dataset

SUMMARY = SUMMARIES["bench"]
EXAMPLE = """rigcast bench hero.safetensors --data held_out.rwdata --rig hero.npz
rigcast bench head.safetensors --batch 64"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add MODEL, the poses to time it on, and the rig to compare it with."""
    parser.add_argument("model", metavar="MODEL", type=arguments.existing_file, help="a model file")
    parser.add_argument(
        "--data", metavar="SET", type=arguments.existing, help="poses to evaluate (default: random ones)"
    )
    parser.add_argument("--rig", metavar="RIG", type=arguments.existing_file, help="also time the rig (needs --data)")
    parser.add_argument("--runs", type=arguments.CountTo(100_000), default=30, help="rounds, at least 10 (default 30)")
    parser.add_argument(
        "--batch", type=arguments.CountTo(1_000_000), default=256, help="poses of the batch (default 256)"
    )
    add_rig_arguments(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Time the engine."""
    result = timed(args, engine_figures)
    console.table(["milliseconds", "rigcast"], [job_cells(row) for row in result["rows"]])
    print_below_table(result, console)
    return result


def timed(args: argparse.Namespace, measure: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """Time the model on the poses (see `engine_figures`), and its rig if there is one."""
    if args.rig is not None and args.data is None:
        raise WrongInput("--rig needs --data: the poses that both evaluate")
    model = load(args.model)
    if args.data is None:
        return measure(model, runs=args.runs, batch=args.batch)
    dataset = Dataset(args.data)
    truth = dataset.vertices[: args.batch] if model.kind == "body" else None
    result = measure(model, dataset.poses[: args.batch], truth, runs=args.runs, batch=args.batch)
    if args.rig is not None:
        with opened_rig(args, args.rig, dataset) as rig:
            result["rig"] = asdict(time_with_rig(model, rig, dataset.poses, dataset.channels))
    return result


def job_cells(row: dict[str, Any]) -> list[str]:
    """The first cells of a row: the job, and the engine's milliseconds."""
    threads = "1 thread" if row["threads"] == 1 else f"{row['threads']} threads"
    return [f"{row['job']}, {threads}", f"{1e3 * row['seconds']:.3f}"]


def print_below_table(result: dict[str, Any], console: Console) -> None:
    """Variants, the rate of memory, storages, the rig and the machine."""
    for row in result["rows"]:
        if row["variants"]:
            variants = [f"{name} {1e3 * seconds:.3f}" for name, seconds in row["variants"].items()]
            console.line(f"{row['job']}, variants of the model: {', '.join(variants)} ms")
    for line in (*map(reading_line, result["reading"]), *map(storage_line, result["storages"])):
        console.line(line)
    if "rig" in result:
        rig, ours = result["rig"]["milliseconds"], result["rig"]["engine_milliseconds"]
        console.line(
            f"{result['rig']['name']}: {rig:.3f} ms per pose; rigcast, in turns with it: {ours:.3f}, {rig / ours:.1f} x"
        )
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    console.line(f"medians on {result['machine']}; {versions}")
