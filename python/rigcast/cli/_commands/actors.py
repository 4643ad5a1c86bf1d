"""``rigcast actors``: pictures of synthetic actors with exact labels, to measure and to train capture on."""

from __future__ import annotations

import argparse
import os

import numpy as np

from rigcast import capture
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import Result, WrongInput

SUMMARY = SUMMARIES["actors"]
EXAMPLE = """rigcast actors -o actors --actors 2 --frames 3 --size 64
rigcast actors -o more --actors 1 --frames 3 --size 64 --seed 100"""
PLAN, VARIATION = capture.ShotPlan(), capture.ActorVariation()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The folder, what actors are made of, and what is filmed."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        type=arguments.data_set,
        required=True,
        help="a folder of PNG and npz files; the same command goes on where it was interrupted",
    )
    parser.add_argument(
        "--ict",
        metavar="FOLDER",
        type=arguments.existing,
        help="a copy of ICT-FaceKit (default: the built-in face, which is constructed)",
    )
    parser.add_argument(
        "--makehuman",
        metavar="FOLDER",
        type=arguments.existing,
        help="the data of MPFB, or what faces convert wrote: its head in place of ICT's, with ARKit's shapes",
    )
    parser.add_argument("--actors", metavar="N", type=arguments.count, default=6, help="default 6")
    parser.add_argument("--seed", metavar="N", type=arguments.seed, default=0, help="of the first actor (default 0)")
    parser.add_argument("--frames", metavar="N", type=arguments.count, default=PLAN.frames, help="of each actor")
    parser.add_argument("--size", metavar="PIXELS", type=arguments.count, default=PLAN.size, help="of the pictures")
    parser.add_argument(
        "--motion", metavar="FILE", type=arguments.existing_file, help="weights (T, K) to play (default: constructed)"
    )
    for name in ("identity", "strength", "mix"):
        default = getattr(VARIATION, name)
        parser.add_argument(
            f"--vary-{name}",
            metavar="X",
            type=float,
            default=default,
            help=f"of actors (default {default:g})",
        )
    arguments.add_threads(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Film; finished actors of an interrupted command are kept."""
    if args.ict is not None and args.makehuman is not None:
        raise WrongInput("--ict and --makehuman are two faces: give one")
    if args.makehuman is not None:
        cast = capture.makehuman_cast(args.makehuman)
    else:
        cast = capture.example_cast() if args.ict is None else capture.ict_cast(args.ict)
    clip = None if args.motion is None else np.load(args.motion, allow_pickle=False)
    with console.progress() as progress:
        stated = capture.make_actor_set(
            cast,
            args.output,
            actors=args.actors,
            seed=args.seed,
            plan=capture.ShotPlan(frames=args.frames, size=args.size),
            variation=capture.ActorVariation(args.vary_identity, args.vary_strength, args.vary_mix),
            weights=clip,
            overwrite=args.overwrite,
            threads=args.threads,
            progress=progress,
        )
    console.pairs([("made of", cast.note), ("pictures", f"{args.actors * args.frames} in {args.output}")])
    return {"index": os.fspath(stated), "made_of": cast.note}
