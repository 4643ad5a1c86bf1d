"""``rigcast synth fit``: latent spaces of labelled clips."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rigcast import synthesis
from rigcast._load_model import load
from rigcast._resume.parts import PartsFolder
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._inputs.motion import MOTIONS, add_retargeting_arguments, joint_names_map
from rigcast.cli._inputs.rigs import add_rig_arguments, opened_rig
from rigcast.cli._result import Result, WrongInput
from rigcast.cli._synth.described import described, say

SUMMARY = "learn a latent space per label from clips of a rig's channels or a face's weights"
EXAMPLE = """rigcast synth fit face.safetensors --take calm=calm.npy --take lively=lively.npy -o synth.safetensors
rigcast synth fit face.safetensors --takes clips.json --fps 24 -o synth.safetensors --overwrite
rigcast synth fit face.safetensors --takes clips.json --components 0.85 --scaling label -o own.safetensors"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """RIG, clips, and how to fit."""
    parser.add_argument(
        "rig",
        metavar="RIG",
        type=arguments.existing_file,
        help="what the clips move: a model or a blendshape rig (.safetensors), or a rig",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=arguments.OutputFile(".safetensors"), required=True, help="the model"
    )
    clips = parser.add_argument_group("clips")
    clips.add_argument(
        "--take",
        metavar="LABEL=FILE",
        action="append",
        default=[],
        help=f"clips of a label: a motion ({MOTIONS}), .csv (Live Link Face), weights, .npy of controls, a data set "
        "with clips; may be repeated. The label ends at the first = after which the name of a file stands",
    )
    clips.add_argument(
        "--takes",
        metavar="JSON",
        type=arguments.existing_file,
        help='JSON: {"labels": {"happy": [{"file": "take.csv", "begin": 40, "end": 180}]}}; files lie beside it',
    )
    add_retargeting_arguments(clips, clip=False)
    clips.add_argument("--fps", type=arguments.rate, help="of all that is played (default: of the clips, or 30)")
    space = parser.add_argument_group("latent spaces")
    space.add_argument("--dimensions", type=arguments.count, help="default: what rebuilds held-out frames best")
    space.add_argument(
        "--components",
        metavar="COUNT|SHARE",
        type=count_or_share,
        help="principal components, or the share of the variance, below 1, that they hold; default: alike",
    )
    settings = synthesis.FitSettings()
    space.add_argument(
        "--scaling",
        choices=["all", "label"],
        default=settings.scaling,
        help="scale controls by the clips of all labels, or of each label by itself as published (default all)",
    )
    space.add_argument(
        "--matching",
        choices=["mesh", "components"],
        default=settings.matching,
        help="match poses of two labels on the mesh, or in principal components as published (default mesh)",
    )
    space.add_argument(
        "--minimizer",
        choices=["lbfgs", "scg"],
        default=settings.minimizer,
        help="L-BFGS, or scaled conjugate gradients as published (default lbfgs)",
    )
    space.add_argument(
        "--max-iterations", metavar="N", type=arguments.count, default=200, help="at most, per label (default 200)"
    )
    space.add_argument("--no-held-out", action="store_true", help="measure nothing: three dimensions, and faster")
    space.add_argument(
        "--match-within",
        metavar="MM",
        type=float,
        help="distance up to which poses of two labels match; default: by clips",
    )
    space.add_argument("--seed", metavar="N", type=arguments.seed, default=0, help="default 0")
    arguments.add_threads(space)
    add_rig_arguments(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Read clips, fit, or go on where an interrupted run stopped, and write."""
    if args.rig.suffix.lower() == ".safetensors":
        return _fitted(load(args.rig), args, console)
    with opened_rig(args, args.rig) as rig:
        return _fitted(rig, args, console)


def _fitted(rig: Any, args: argparse.Namespace, console: Console) -> Result:
    clips = _clips(rig, args, console)
    folder = args.output.with_name(args.output.name + ".partial")
    with PartsFolder(folder, "fit") as kept, console.progress() as progress:
        synth = synthesis.fit(
            clips,
            fps=args.fps,
            rig=rig,
            dimensions=args.dimensions,
            components=args.components,
            threshold=args.match_within,
            settings=synthesis.FitSettings(scaling=args.scaling, matching=args.matching, minimizer=args.minimizer),
            iterations=args.max_iterations,
            held_out=not args.no_held_out,
            seed=args.seed,
            threads=args.threads,
            folder=kept,
            progress=progress,
        )
        synth.save(args.output)
        kept.remove()
    result = described(synth)
    say(console, result)
    console.line(f"{args.output}: {args.output.stat().st_size / 1e6:.2f} MB")
    return result


def count_or_share(text: str) -> float:
    """A number of components, or a share of the variance, between 0 and 1."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    return value if 0.0 < value < 1.0 else arguments.count(text)


def label_and_file(entry: str) -> tuple[str, str]:
    """LABEL=FILE: the label ends at the first ``=`` after which the name of a file stands; it may hold others."""
    places = [place for place, letter in enumerate(entry) if letter == "="]
    splits = [(entry[:place], entry[place + 1 :]) for place in places if 0 < place < len(entry) - 1]
    if not splits:
        raise WrongInput(f"--take {entry!r} has no label; it must be LABEL=FILE")
    found = [split for split in splits if Path(split[1]).exists()]
    if len(splits) > 1 and not found:
        names = " and ".join(repr(name) for _, name in splits)
        raise WrongInput(f"--take {entry!r}: there are no files {names}; it must be LABEL=FILE, of a file that exists")
    return (found or splits)[0]


def _clips(rig: Any, args: argparse.Namespace, console: Console) -> dict[str, list[synthesis.Clip]]:
    found: dict[str, list[synthesis.Clip]] = {}
    joints = None if args.joint_map is None else joint_names_map(args.joint_map)
    mapped = {"joint_map": joints, "allow_frozen": args.allow_frozen, "rest_frame": args.rest_frame}
    if args.takes is not None:
        found = synthesis.read_clip_list(args.takes, rig, told=console.line, **mapped)
    for entry in args.take:
        label, name = label_and_file(entry)
        clips = synthesis.read_clips(Path(name), rig, **mapped)
        for clip in clips:
            if clip.note:
                console.line(f"{clip.origin}: {clip.note}")
        found.setdefault(label, []).extend(clips)
    if not found:
        raise WrongInput("nothing to learn from: give --take LABEL=FILE, or --takes JSON")
    return found
