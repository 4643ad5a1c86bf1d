"""``rigcast sample``: make a data set of a rig."""

from __future__ import annotations

import argparse
from typing import Any

from rigcast._rigs.resting import resting_hint, resting_lines
from rigcast._rigs.surface import surface_of
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._described.controls import controls_of_data
from rigcast.cli._described.rigs import control_facts, control_lines, held_channels
from rigcast.cli._inputs.actions import action_sampler, add_action_arguments, chosen_actions, wants_actions
from rigcast.cli._inputs.farm import farm_of
from rigcast.cli._inputs.motion import MOTIONS, animation_channels
from rigcast.cli._inputs.rigs import add_hold_arguments, add_rig_arguments, opened_rig
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import Result, WrongInput
from rigcast.sampling._drawing.samplers import DEFAULT_COUNT, named_sampler

SUMMARY = SUMMARIES["sample"]
EXAMPLE = """rigcast sample hero.npz -o hero.rwdata --count 400 --seed 0 --workers 2
rigcast sample hero.npz -o held_out.rwdata --count 60 --seed 1 --probe 0
rigcast sample dog.blend -o dog.rwdata --count 60 --ranges 30
rigcast sample dog.blend -o coat.rwdata --count 60 --ranges 30 --mesh Body
rigcast sample dog.blend -o walk.rwdata --ranges 30 --action walk
rigcast sample dog.blend -o mixed.rwdata --count 60 --ranges 30 --action walk --noise 0.2 --random 0.5
rigcast sample hero.npz -o even.rwdata --count 60 --balance 120 --bins 8 --probe 0
rigcast sample lid.npz -o lid.rwdata --count 60 --dials-only
rigcast sample dog.blend -o still.rwdata --count 60 --ranges 30 --hold '*.rotation_z'"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """RIG and what to draw."""
    parser.add_argument(
        "rig", metavar="RIG", type=arguments.existing_file, help="a .blend, .glb, .gltf, .npz or .safetensors file"
    )
    parser.add_argument("-o", "--output", metavar="FOLDER", type=arguments.data_set, required=True, help="the data set")
    parser.add_argument(
        "--count", metavar="N", type=arguments.count, help="poses (default 5000, or the frames of an animation)"
    )
    parser.add_argument("--seed", type=arguments.seed, default=0, help="decides the poses (default 0)")
    arguments.add_workers(parser, "processes (default 1, 0: all processors)")
    parser.add_argument(
        "--sampler",
        choices=["normal", "uniform", "sparse"],
        default="normal",
        help="all channels normal (default) or uniform; sparse: some, while the others rest, for faces",
    )
    parser.add_argument(
        "--probe", metavar="B", type=arguments.seed, help="base poses of the influence probe (default 4, 0 for none)"
    )
    motion = parser.add_argument_group("from animation")
    motion.add_argument(
        "--motion",
        metavar="FILE",
        type=arguments.existing_file,
        help=f"a motion ({MOTIONS}), or channel rows as .npy",
    )
    add_action_arguments(motion, "an action of RIG's own file")
    motion.add_argument(
        "--noise",
        type=noise,
        default=0.0,
        metavar="NOISE|LOW:HIGH",
        help="random factor 1 +- NOISE, or from LOW to HIGH, per channel (default: the frames)",
    )
    motion.add_argument(
        "--random",
        type=arguments.share,
        metavar="SHARE",
        help="part of the poses, between 0 and 1, that --sampler draws instead (for faces: 0.67, sparse)",
    )
    _add_balance_arguments(parser)
    add_rig_arguments(parser)
    add_hold_arguments(parser)


def noise(text: str) -> float | tuple[float, float]:
    """The type of ``--noise``."""
    low, colon, high = text.partition(":")
    if not colon:
        return arguments.positive(text)
    factors = (0.0 if low.strip() == "0" else arguments.positive(low), arguments.positive(high))
    if factors[0] > factors[1]:
        raise argparse.ArgumentTypeError(f"{text!r} falls; LOW:HIGH are two factors, the smaller first")
    return factors


def _add_balance_arguments(parser: argparse.ArgumentParser) -> None:
    balance = parser.add_argument_group("balanced poses")
    balance.add_argument(
        "--balance",
        metavar="CANDIDATES",
        type=arguments.count,
        help="evaluate so many candidates and draw evenly over what they do, rare expressions as often as common ones",
    )
    balance.add_argument(
        "--markers",
        metavar="FILE",
        type=arguments.existing_file,
        help="vertices that tell expressions apart, one per line (default: 24 that move, far from each other)",
    )
    balance.add_argument("--bins", metavar="B", type=arguments.count, help="intervals of equal length (default 16)")


def run(args: argparse.Namespace, console: Console) -> Result:
    """Sample, or go on where an interrupted run stopped."""
    from rigcast import sampling

    with opened_rig(args, args.rig) as rig, console.progress() as progress, farm_of(args, progress) as farm:
        sampler: Any = args.sampler
        probe = 4 if args.probe is None else args.probe
        notice(rig, console)
        controls = control_facts(rig)
        missed: list[str] = []
        retargeted: dict[str, Any] = {}
        if args.motion is not None and wants_actions(args):
            raise WrongInput("--action and --actions go without --motion, whose clip --clip names")
        if args.motion is not None or wants_actions(args):
            if args.motion is None:
                actions = chosen_actions(args, rig, console)
                missed = [name for action in actions for name in action.missed]
                retargeted = {action.name: action.retargeted for action in actions if action.retargeted}
                sampler = action_sampler(actions, args.noise)
            else:
                found = animation_channels(args.motion, args, rig, console)
                missed = found.missed
                retargeted = {args.motion.name: found.retargeted} if found.retargeted else {}
                clips = [sampling.Clip(args.clip or args.motion.name, found.fps)]
                sampler = sampling.Animation(found.channels, args.noise, clips)
            probe = 0 if args.probe is None and sampler.exact and args.random is None else probe
            _say_what_is_clipped(rig, sampler, args, console)
            if args.random is not None:
                others = named_sampler(args.sampler)
                sampler = sampling.Mixture([(1.0 - args.random, sampler), (args.random, others)])
        elif args.random is not None:
            raise WrongInput("--random goes with --motion, --action or --actions: without them all poses are random")
        else:
            sampler = _as_posed(rig, args, console)
        sampler = _balanced(rig, sampler, args, progress)
        dataset = sampling.sample(
            rig,
            args.output,
            args.count,
            seed=args.seed,
            workers=args.workers,
            sampler=sampler,
            probe=probe,
            overwrite=args.overwrite,
            executor=farm,
            progress=progress,
        )
    lost = controls_of_data(dataset)
    result: dict[str, Any] = {
        "poses": len(dataset),
        "channels": len(dataset.channel_names),
        "vertices": len(dataset.rest_vertices),
        "hash": dataset.hash,
        "resting": dataset.resting,
        "notes": [],
        **held_channels(rig),
        "no_channel": list(dict.fromkeys(missed)),
        "retargeted": retargeted,
        "parts": dataset.surface.parts,
        "clips": [clip.name for clip in dataset.clips],
        **({"rig_controls": lost} if lost else {}),
        "incidents": [] if farm is None else farm.incidents,
        **controls,
    }
    for text in [*result["incidents"], *[f"controls: {lost}"] * bool(lost)]:
        console.line(f"note: {text}")
    console.line(
        f"{args.output}: {len(dataset):,} poses of {len(dataset.rest_vertices):,} vertices, hash {dataset.hash[:12]}"
    )
    return result


def _as_posed(rig: Any, args: argparse.Namespace, console: Console) -> Any:
    """The sampler that was asked for, on a rig with switches and actions of its own as an animator poses it."""
    from rigcast import sampling

    if args.sampler != "normal" or args.balance is not None:
        return args.sampler
    sampler = sampling.animators_poses(rig)
    for share, part in sampler.parts if isinstance(sampler, sampling.Mixture) else ():
        if isinstance(part, sampling.Animation):
            console.line(f"note: {share:.0%} of the poses lie near the actions of the file")
    return sampler


def _say_what_is_clipped(rig: Any, sampler: Any, args: argparse.Namespace, console: Console) -> None:
    """Noise multiplies values beyond their ranges: how many of those that are drawn lie on a bound for that."""
    from rigcast import sampling

    count = args.balance or args.count or DEFAULT_COUNT
    share = sampling.clipped_share(rig, sampler, count, seed=args.seed)
    if share > 0.0:
        console.line(f"note: {share:.1%} of the values with noise were outside their ranges and are clipped")


def _balanced(rig: Any, sampler: Any, args: argparse.Namespace, progress: Any) -> Any:
    """The sampler itself, or with ``--balance`` its candidates in bins.

    Raises
    ------
    ValueError
        For fewer candidates than poses, or options of the balance without it.
    """
    from rigcast import sampling, sources

    if args.balance is None:
        for option in ("markers", "bins"):
            if getattr(args, option) is not None:
                raise WrongInput(f"--{option} goes with --balance CANDIDATES")
        return sampler
    wanted = DEFAULT_COUNT if args.count is None else args.count
    if args.balance < wanted:
        raise WrongInput(f"--balance is {args.balance}; it must be at least the {wanted} poses to draw")
    landmarks = None if args.markers is None else sources.load_vertex_indices(args.markers)
    bins = 16 if args.bins is None else args.bins
    return sampling.balanced(
        rig, sampler, args.balance, landmarks=landmarks, bins=bins, seed=args.seed, progress=progress
    )


def notice(rig: Any, console: Console) -> None:
    """Say which meshes are the character, what never moves, and what sampling pose by pose omits."""
    if len(parts := surface_of(rig).parts) > 1:
        console.line(f"one character of {len(parts)} meshes: {', '.join(parts)}")
    for line in control_lines(control_facts(rig)):
        console.line(line)
    lines = resting_lines(getattr(rig, "resting", {}))
    for line in [*lines, *[resting_hint(hasattr(rig, "limits_file"))] * bool(lines)]:
        console.line(f"note: {line}")
    for line in getattr(rig, "not_reproduced", []):
        console.line(f"note: not reproduced: {line}")
