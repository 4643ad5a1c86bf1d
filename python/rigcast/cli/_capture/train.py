"""``rigcast capture train``: a network that reads faces, learned from synthetic actors."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path
from typing import Any

import numpy as np

from rigcast import capture
from rigcast.cli import _arguments as arguments
from rigcast.cli._capture.described import say_trained
from rigcast.cli._console import Console
from rigcast.cli._result import Result, WrongInput

SUMMARY = "learn to read weights and landmarks in pictures of a face, from synthetic actors"
EXAMPLE = "rigcast capture train -o network.safetensors --actors 8 --count 8 --size 32 --minutes 1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The material of actors, what is filmed, and the budget."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=arguments.OutputFile(".safetensors"),
        required=True,
        help="the network; filmed actors are kept in FILE.examples until it is finished, its training in "
        "FILE.checkpoint: the same command goes on where it was interrupted",
    )
    actors = parser.add_argument_group("actors")
    actors.add_argument(
        "--ict",
        metavar="FOLDER",
        type=arguments.existing,
        help="a copy of ICT-FaceKit (default: the built-in face, which is constructed)",
    )
    actors.add_argument(
        "--makehuman",
        metavar="FOLDER",
        type=arguments.existing,
        help="the data of MPFB, or what faces convert wrote: its head in place of ICT's, with ARKit's shapes",
    )
    actors.add_argument(
        "--tongue", action="store_true", help="give the ICT face a tongue, which has a shape of its own"
    )
    actors.add_argument(
        "--motion",
        metavar="FILE",
        type=arguments.existing_file,
        help="recorded weights (T, K), of whose rows expressions are made (default: they are drawn)",
    )
    actors.add_argument("--actors", metavar="N", type=arguments.count, help="default 160")
    actors.add_argument("--count", metavar="N", type=arguments.count, help="pictures of each actor (default 80)")
    actors.add_argument(
        "--detector",
        choices=["none", "mediapipe"],
        default="none",
        help="mediapipe: the network also sees where that detector finds its points (extra capture)",
    )
    actors.add_argument("--keep-examples", action="store_true", help="leave the pictures in FILE.examples")
    network = parser.add_argument_group("network")
    network.add_argument("--size", metavar="PIXELS", type=arguments.count, help="of the crops it sees (default 64)")
    network.add_argument("--width", metavar="N", type=arguments.count, help="channels of its first layer (default 24)")
    budget = parser.add_argument_group("budget")
    budget.add_argument("--minutes", type=arguments.positive, help="time to take, the filming included")
    budget.add_argument("--steps", type=arguments.count, help="steps of the optimizer (default 8000 without --minutes)")
    budget.add_argument("--seed", type=arguments.seed, default=0, help="default 0")
    budget.add_argument("--device", default="cpu", help="cpu or cuda (default cpu)")
    budget.add_argument(
        "--threads", metavar="N", type=arguments.threads, default=1, help="default 1: several wait for each other"
    )
    arguments.add_restart(budget)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Film, train, or go on where an interrupted run stopped, and write."""
    from rigcast import training

    cast = _cast(args)
    motion = None if args.motion is None else np.load(args.motion, allow_pickle=False)
    given = {"actors": args.actors, "poses": args.count, "size": args.size, "width": args.width}
    settings = training.CaptureNetworkSettings(
        detector=args.detector, **{name: value for name, value in given.items() if value is not None}
    )
    examples = Path(f"{args.output}.examples")
    with console.progress() as progress:
        network = training.capture_network(
            cast,
            settings,
            motion=motion,
            examples=examples,
            minutes=args.minutes,
            steps=args.steps,
            seed=args.seed,
            device=args.device,
            threads=args.threads,
            checkpoint=Path(f"{args.output}.checkpoint"),
            restart=args.restart,
            progress=progress,
        )
    network.save(args.output)
    if not args.keep_examples:
        _remove(examples, settings)
    return say_trained(args, cast, network, console)


def _cast(args: argparse.Namespace) -> capture.Cast:
    if args.ict is not None and args.makehuman is not None:
        raise WrongInput("--ict and --makehuman are two faces: give one")
    if args.tongue and args.ict is None:
        raise WrongInput("--tongue is about the face that --ict reads")
    if args.ict is not None:
        return capture.ict_cast(args.ict, tongue=args.tongue)
    return capture.example_cast() if args.makehuman is None else capture.makehuman_cast(args.makehuman)


def _remove(examples: Path, settings: Any) -> None:
    """Remove the pictures of this training, and their folder if nothing else is in it."""
    for number in range(settings.actors):
        (examples / f"{settings.first_actor + number}.npz").unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        examples.rmdir()
