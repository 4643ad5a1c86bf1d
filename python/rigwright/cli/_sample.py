"""``rigwright sample``: make a data set of a rig."""

from __future__ import annotations

import argparse
import os
from typing import Any

from rigwright._rigs.resting import HINT, resting_lines
from rigwright._rigs.surface import surface_of
from rigwright.cli import _arguments as arguments
from rigwright.cli._actions import action_sampler, add_action_arguments, chosen_actions, wants_actions
from rigwright.cli._console import Console
from rigwright.cli._motion import animation_channels
from rigwright.cli._result import Result
from rigwright.cli._rigs import add_rig_arguments, opened_rig

SUMMARY = "evaluate a rig at many poses, into a data set to learn from or to judge by"
EXAMPLE = """rigwright sample hero.npz -o hero.rwdata --count 400 --seed 0 --workers 2
rigwright sample hero.npz -o held_out.rwdata --count 60 --seed 1 --probe 0
rigwright sample dog.blend -o dog.rwdata --count 60 --ranges 30
rigwright sample dog.blend -o coat.rwdata --count 60 --ranges 30 --mesh Body
rigwright sample dog.blend -o walk.rwdata --ranges 30 --action walk"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """RIG and what to draw."""
    parser.add_argument("rig", metavar="RIG", type=arguments.existing_file, help="a .blend, .glb, .gltf or .npz file")
    parser.add_argument("-o", "--output", metavar="FOLDER", type=arguments.data_set, required=True, help="the data set")
    parser.add_argument("--count", type=arguments.count, help="poses (default 5000, or the frames of an animation)")
    parser.add_argument("--seed", type=arguments.seed, default=0, help="decides the poses (default 0)")
    parser.add_argument("--workers", type=arguments.threads, default=1, help="processes (default 1, 0: all processors)")
    parser.add_argument("--sampler", choices=["normal", "uniform"], default="normal", help="default normal")
    parser.add_argument(
        "--probe", metavar="B", type=arguments.seed, help="base poses of the influence probe (default 4, 0 for none)"
    )
    motion = parser.add_argument_group("from animation")
    motion.add_argument(
        "--animation",
        metavar="FILE",
        type=arguments.existing_file,
        help=".bvh, .bvh.gz, another character's .glb, or channel rows as .npy",
    )
    add_action_arguments(motion, "an action of RIG's own file, or of --animation's")
    motion.add_argument("--joint-map", metavar="JSON", type=arguments.existing_file, help="its joints to the rig's")
    motion.add_argument(
        "--noise",
        type=arguments.positive,
        default=0.0,
        help="random factor 1 +- NOISE per channel (default: the frames)",
    )
    add_rig_arguments(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Sample, or go on where an interrupted run stopped."""
    from rigwright import sampling

    with opened_rig(args, args.rig) as rig, console.progress() as progress:
        sampler: Any = args.sampler
        probe = 4 if args.probe is None else args.probe
        notice(rig, console)
        if args.animation is not None or wants_actions(args):
            if args.animation is None:
                sampler = action_sampler(chosen_actions(args, rig, console), args.noise)
            else:
                frames = animation_channels(args.animation, args.joint_map, rig, console, args.action)
                name = ", ".join(args.action) or args.animation.name
                sampler = sampling.Animation(frames, args.noise, [sampling.Clip(name)])
            probe = 0 if args.probe is None and sampler.exact else probe
        dataset = sampling.sample(
            rig,
            args.output,
            args.count,
            seed=args.seed,
            workers=args.workers,
            sampler=sampler,
            probe=probe,
            overwrite=args.overwrite,
            progress=progress,
        )
    result = {
        "dataset": os.fspath(args.output),
        "poses": len(dataset),
        "channels": len(dataset.channel_names),
        "vertices": len(dataset.rest_vertices),
        "hash": dataset.hash,
        "resting": dataset.resting,
        "parts": dataset.surface.parts,
        "clips": [clip.name for clip in dataset.clips],
    }
    console.line(
        f"{args.output}: {len(dataset):,} poses of {len(dataset.rest_vertices):,} vertices, hash {dataset.hash[:12]}"
    )
    return result


def notice(rig: Any, console: Console) -> None:
    """Say which meshes are the character, what never moves, and what sampling pose by pose leaves out."""
    if len(parts := surface_of(rig).parts) > 1:
        console.line(f"one character of {len(parts)} meshes: {', '.join(parts)}")
    for line in getattr(rig, "left_out", []):
        console.line(f"note: mesh left out: {line}")
    lines = resting_lines(getattr(rig, "resting", {}))
    for line in [*lines, *[HINT] * bool(lines)]:
        console.line(f"note: {line}")
    for line in getattr(rig, "not_reproduced", []):
        console.line(f"note: not reproduced: {line}")
