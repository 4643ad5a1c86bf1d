"""``rigcast bench``: how fast a model is on this machine, beside PyTorch, ONNX Runtime and the rig itself."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._inputs.rigs import add_rig_arguments, opened_rig
from rigcast.cli._result import Result

SUMMARY = "time a model on this machine, beside PyTorch, ONNX Runtime and the rig itself"
EXAMPLE = """rigcast bench hero.safetensors --data held_out.rwdata --rig hero.npz
rigcast bench head.safetensors --batch 64"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """MODEL, and what to time it on and beside."""
    parser.add_argument("model", metavar="MODEL", type=arguments.existing_file, help="a model file")
    parser.add_argument(
        "--data", metavar="SET", type=arguments.existing, help="poses to evaluate (default: random ones)"
    )
    parser.add_argument("--rig", metavar="RIG", type=arguments.existing_file, help="also time the rig (needs --data)")
    parser.add_argument("--runs", type=arguments.count, default=30, help="rounds, at least 10 (default 30)")
    parser.add_argument("--batch", type=arguments.count, default=256, help="poses of the batch (default 256)")
    parser.add_argument("--alone", action="store_true", help="without PyTorch and ONNX Runtime")
    add_rig_arguments(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Time and compare."""
    from rigcast import _bench as bench
    from rigcast.report._body.timing import time_beside

    if args.rig is not None and args.data is None:
        raise ValueError("--rig needs --data: the poses that both evaluate")
    model = rc.load(args.model)
    dataset = None if args.data is None else rc.Dataset(args.data)
    poses = None if dataset is None else dataset.poses[: args.batch]
    timed = {"body": bench.body, "face_maps": bench.face_maps, "differential": bench.differential}.get(model.kind)
    truth: dict[str, Any] = {}
    if dataset is not None and model.kind == "body":
        truth["truth"] = dataset.vertices[: args.batch]
    plain = timed is not None and not bench.has_networks(model)
    if plain:
        console.line(
            "note: the model has no network: PyTorch and ONNX Runtime have nothing to compute, it is timed alone"
        )
    if args.alone or plain or timed is None:
        result = _alone(model, poses, args.runs)
    else:
        result = dict(timed(model, poses, **truth, runs=args.runs, batch=args.batch))
    if args.rig is not None and dataset is not None:
        with opened_rig(args, args.rig, dataset) as rig:
            result["rig"] = asdict(time_beside(model, rig, dataset.poses, dataset.channels))
    _print(result, console)
    return result


def _alone(model: rc.Deformer, poses: NDArray[np.float32] | None, runs: int) -> dict[str, Any]:
    from rigcast import _bench as bench
    from rigcast.report._body.timing import BATCH, time_engine

    rest = np.zeros(len(model.control_names), np.float32)
    if model.skeleton is not None:
        rest[: 12 * model.skeleton.num_joints] = model.skeleton.rest.ravel()
    evaluated = rest[None] if poses is None else poses
    timing = time_engine(model, evaluated)
    one = {"job": "one pose", "poses": 1, "threads": 1, "seconds": timing.single / 1e3, "peers": {}, "ratios": {}}
    processors = rc._core.num_processors()
    many = one | {"job": f"{BATCH} poses", "poses": BATCH, "threads": processors, "seconds": BATCH * timing.batch / 1e3}
    reading = bench.reading_figures({"rigcast": model}, evaluated[0], {}, runs) if hasattr(model, "num_bytes") else []
    facts = {"machine": bench.machine(), "versions": {"rigcast": rc.__version__}}
    return facts | {"rows": [one, many], "reading": reading}


def _print(result: dict[str, Any], console: Console) -> None:
    peers = sorted({name for row in result["rows"] for name in row["peers"]})
    rows = []
    for row in result["rows"]:
        beside = [
            f"{1e3 * row['peers'][name]:.3f} ({row['ratios'][name]:.1f} x)" if name in row["peers"] else ""
            for name in peers
        ]
        rows.append([f"{row['job']}, {row['threads']} threads", f"{1e3 * row['seconds']:.3f}", *beside])
    console.table(["milliseconds", "rigcast", *peers], rows)
    for row in result["rows"]:
        variants = [f"{name} {1e3 * seconds:.3f}" for name, seconds in row.get("variants", {}).items()]
        if variants:
            console.line(f"{row['job']}, rigcast with less quality: {', '.join(variants)} ms")
    for line in (*map(_reading_line, result["reading"]), *map(_storage_line, result.get("storages", []))):
        console.line(line)
    if "rig" in result:
        rig, ours = result["rig"]["milliseconds"], result["rig"]["engine_milliseconds"]
        console.line(
            f"{result['rig']['name']}: {rig:.3f} ms per pose; rigcast, in turns with it: {ours:.3f}, {rig / ours:.1f} x"
        )
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    console.line(f"medians on {result['machine']}; {versions}")


def _reading_line(found: dict[str, Any]) -> str:
    megabytes, rate, share = found["bytes"] / 1e6, found["bytes_per_second"] / 1e9, found["share"]
    what = "weights as in the file" if found["variant"] == "rigcast" else f"{found['variant']} weights"
    threads = "1 thread" if found["threads"] == 1 else f"{found['threads']} threads"
    line = (
        f"one pose reads {megabytes:.1f} MB ({what}, {threads}) at {rate * share:.1f} GB/s, "
        f"{share:.0%} of the {rate:.1f} GB/s of a plain read"
    )
    caps = ", ".join(f"{cap:.1f} x {name}" for name, cap in found["caps"].items())
    return f"{line}; at all of that it would be {caps}" if caps else line


def _storage_line(found: dict[str, Any]) -> str:
    share = found["share_of_own_error"]
    beside = "which is not known" if share is None else f"{share:.2%} of it"
    line = (
        f"{found['storage']} weights move vertices by {found['mean']:.2e} on average, {found['max']:.1e} at most; "
        f"beside the model's own error: {beside}"
    )
    return f"{line}; more than a tenth of it: keep float32" if found["small"] is False else line
