"""``rigwright evaluate``: a model's error on a data set, or its vertices for poses."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigwright as rw
from rigwright._atomic_files import atomic_file
from rigwright._formats.npz.array import read_array
from rigwright.cli import _arguments as arguments
from rigwright.cli._console import Console
from rigwright.cli._result import Result

SUMMARY = "measure a model's error on a data set, or compute its vertices for poses"
EXAMPLE = """rigwright evaluate hero.safetensors held_out.rwdata
rigwright evaluate hero.safetensors held_out.rwdata/00000.poses.npy -o vertices.npy"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """MODEL, and what to evaluate it on."""
    parser.add_argument("model", metavar="MODEL", type=arguments.existing_file, help="a model file")
    parser.add_argument(
        "input",
        metavar="SET|POSES",
        type=arguments.existing,
        help="a data set, or poses (T, C) as .npy; for a blendshape rig also weights as .npz, .csv or .glb",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=arguments.OutputFile(".npy"), help="vertices (T, V, 3) as .npy"
    )
    parser.add_argument("--poses", type=arguments.count, default=1000, help="poses of the set to judge (default 1000)")
    parser.add_argument("--device", default="cpu", help="for vertices: cpu or cuda (default cpu)")
    arguments.add_threads(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Measure, or evaluate and write."""
    model = rw.load(args.model)
    if isinstance(model, rw.BlendshapeRig) and args.input.is_dir():
        raise ValueError(
            f"{args.model} is a blendshape rig: it is no model of a data set; give weights and -o vertices.npy, or "
            "judge a shot by rigwright report --shot"
        )
    if args.input.is_dir():
        if args.output is not None:
            raise ValueError("--output takes vertices of poses (.npy); a data set gives a table")
        return _errors(model, args, console)
    if args.output is None:
        raise ValueError("poses need a file for the vertices: -o vertices.npy")
    return _vertices(model, args, console)


def _errors(model: rw.Deformer, args: argparse.Namespace, console: Console) -> Result:
    from rigwright.report._body.heldout import check_fits, held_out
    from rigwright.report._body.measure import measure
    from rigwright.report._kit.words import figure

    dataset = rw.Dataset(args.input)
    check_fits(model, dataset, "evaluate")
    truth = held_out(dataset, "poses", args.poses)
    accuracy = measure(model, truth)
    headers = ["", "mean mm", "rms mm", "p95 mm", "max mm", "enveloping %", "normals °"]
    console.table(headers, [[args.model.name, *map(figure, accuracy.figures().values())]])
    note = "" if len(truth.rows) == len(dataset) else f" of {len(dataset):,}, evenly spaced"
    console.line(f"{len(truth.rows):,} poses{note}; {args.input.name} {dataset.hash[:12]}")
    if model.metadata.get("data_hash") == dataset.hash:
        console.line("the model learned from this very set: sample another one with another seed to judge it")
    return accuracy.figures() | {"poses": len(truth.rows), "data_hash": dataset.hash}


def _vertices(model: rw.Deformer, args: argparse.Namespace, console: Console) -> Result:
    poses = _weights(model, args.input) if isinstance(model, rw.BlendshapeRig) else read_array(args.input)
    vertices = model.evaluate(poses, device=args.device, threads=args.threads)
    with atomic_file(args.output) as stream:
        np.save(stream, vertices)
    confidence = np.atleast_1d(model.confidence(poses))
    low = int((confidence < 0.5).sum())
    console.line(f"{args.output}: {' x '.join(map(str, vertices.shape))}; lowest confidence {confidence.min():.2f}")
    if low:
        console.line(
            f"{low} of {len(confidence)} poses lie far outside what the model has learned from (confidence below 0.5)"
        )
    return {
        "vertices": os.fspath(args.output),
        "shape": vertices.shape,
        "lowest_confidence": confidence.min(),
        "poses_outside": low,
    }


def _weights(rig: rw.BlendshapeRig, path: Path) -> NDArray[Any]:
    return read_array(path) if path.suffix == ".npy" else rw.sources.load_blendshape_weights(path, rig)[0]
