"""``rigcast synth crowd``: many instances of a character that a synthesizer plays, for other programs."""

from __future__ import annotations

import argparse
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import exports, synthesis
from rigcast._core import Deformer
from rigcast._formats.registry import MADE_CROWD, written_endings
from rigcast._validate import Arguments
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._inputs.skinned_model import any_model
from rigcast.cli._overwrite import check_overwrite
from rigcast.cli._result import Result, WrongInput

SUMMARY = "write a crowd of one character, each in a clip and a phase of what a synthesizer plays"
EXAMPLE = """rigcast synth crowd synth.safetensors --rig hero.safetensors -o crowd.usdc --count 200 --seconds 5
rigcast synth crowd synth.safetensors --rig hero.safetensors -o exact.usdc --count 50 --max-error 2"""
APART = 1.5  # widths of the character between neighbors
OFF_GRID = 0.25  # of that distance, at most


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE, the character, how many and how far apart, and what they play."""
    parser.add_argument("file", metavar="FILE", type=arguments.existing_file, help="as rigcast synth fit writes it")
    parser.add_argument(
        "--rig",
        metavar="RIG",
        type=arguments.existing_file,
        required=True,
        help="the character: a model, a face, or a rig with linear skinning (.glb, .npz)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=arguments.OutputFile(*written_endings(MADE_CROWD)),
        required=True,
        help="the stage: one point instancer over animated prototypes",
    )
    parser.add_argument("--count", type=arguments.count, default=100, help="instances (default 100)")
    parser.add_argument("--clips", type=arguments.count, default=4, help="motions, labels in turn (default 4)")
    parser.add_argument("--phases", type=arguments.count, default=4, help="of each clip (default 4)")
    parser.add_argument("--seconds", type=arguments.positive, default=5.0, help="of motion (default 5)")
    parser.add_argument(
        "--spacing",
        metavar="M",
        type=arguments.positive,
        help="meters between neighbors on a loose grid (default: 1.5 widths of the character)",
    )
    parser.add_argument(
        "--max-error",
        metavar="MM",
        type=arguments.positive,
        help="in millimeters: the model's vertices if its joints miss more (default: joints)",
    )
    parser.add_argument("--vertices", action="store_true", help="the model's vertices as they are, without joints")
    parser.add_argument("--seed", type=arguments.seed, default=0, help="of motions, places and turns (default 0)")


def run(args: argparse.Namespace, console: Console) -> Result:
    """Play one long motion per clip, of which each phase shows another part, and write the crowd."""
    check_overwrite([args.output], args.overwrite)
    model = any_model(args.rig)
    synth = synthesis.load(args.file, model)
    frames = max(1, Arguments("crowd").frames("--seconds", args.seconds, synth.fps))
    crowd = synth.crowd(args.clips, seed=args.seed)
    for number, label in enumerate(crowd.labels):
        crowd.idle(label, who=[number])
    controls = crowd.step(frames * args.phases)
    names = [f"{label}_{number}" for number, label in enumerate(crowd.labels)]
    clips = {name: synth.poses(rows) for name, rows in zip(names, controls, strict=True)}
    positions, turns = _places(model, args)
    unit = 1e3 * float(model.meters_per_unit)
    notes = exports.write_crowd(
        args.output,
        model,
        clips,
        positions=positions,
        fps=synth.fps,
        turns=turns,
        phases=args.phases,
        frames=frames,
        max_error=None if args.max_error is None else args.max_error / unit,
        as_vertices=args.vertices,
        seed=args.seed,
    )
    for note in notes:
        console.line(note)
    facts = {"instances": args.count, "clips": names, "phases": args.phases, "frames": frames, "fps": synth.fps}
    return {"outputs": [os.fspath(args.output)], **facts, "notes": notes}


def _places(model: Deformer, args: argparse.Namespace) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A grid on the ground, loosened at random, and turns of all kinds.

    Raises
    ------
    ValueError
        If the model is flat to a point, so that nothing says how far apart.
    """
    up = {"X": 0, "Y": 1, "Z": 2}[str(model.up_axis)]
    ground: list[Any] = [axis for axis in range(3) if axis != up]
    width = float(np.ptp(np.asarray(model.rest_vertices), axis=0)[ground].max())
    apart = APART * width if args.spacing is None else args.spacing / float(model.meters_per_unit)
    if apart <= 0.0:
        raise WrongInput(f"{args.rig} has no width; --spacing must say how far apart instances stand")
    rng = np.random.default_rng(args.seed)
    columns = int(np.ceil(np.sqrt(args.count)))
    place = np.arange(args.count)
    grid = np.stack([place % columns, place // columns], axis=1) - (columns - 1) / 2
    positions = np.zeros((args.count, 3))
    positions[:, ground] = apart * (grid + rng.uniform(-OFF_GRID, OFF_GRID, grid.shape))
    return positions, rng.uniform(0.0, 360.0, args.count)
