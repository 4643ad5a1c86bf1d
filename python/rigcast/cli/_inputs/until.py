"""Sources of training data for a command: a data set, a rig that is sampled first, or rounds to a stated error."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._inputs.rigs import add_rig_arguments, opened_rig
from rigcast.cli._result import WrongInput


def add_until_arguments(parser: argparse.ArgumentParser) -> None:
    """``--until`` and what it samples."""
    group = parser.add_argument_group("body: training to a stated error")
    group.add_argument(
        "--until",
        metavar="GOAL",
        type=goal,
        help="train and sample until the error of fresh poses holds with a confidence of 95 %%: mean, p99 or max, and "
        "a length, as 'p99 0.1mm'. SET is then a rig, or a data set of --rig. Samples stay in FILE.rounds",
    )
    group.add_argument("--rig", metavar="RIG", type=arguments.existing_file, help="the rig that SET was sampled from")
    group.add_argument(
        "--count",
        metavar="N",
        type=arguments.count,
        help="most poses of the rig (default 20000); without --until, of SET if it is a rig (default 5000)",
    )
    group.add_argument(
        "--workers", metavar="N", type=arguments.threads, default=1, help="processes that sample (default 1)"
    )
    add_rig_arguments(parser)


def goal(text: str) -> tuple[str, float]:
    """The type of ``--until``: statistic, and length in meters."""
    from rigcast.training._until._goal import parse_goal

    try:
        return parse_goal(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


@contextlib.contextmanager
def sampled(args: argparse.Namespace, console: Console) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The data to learn from, and the arguments that ``--until`` adds; a rig is closed afterwards.

    Raises
    ------
    ValueError
        If there is no rig to sample, or there are options that only ``--until`` has use for.
    """
    from rigcast.sampling import Dataset

    if args.until is None:
        is_rig = args.data.is_file()
        for name in ("rig",) if is_rig else ("rig", "count"):
            if getattr(args, name) is not None:
                raise WrongInput(f"--{name} goes with --until, which asks for new poses")
        yield _first_sampled(args, console) if is_rig else Dataset(args.data), {}
        return
    if args.kind != "body":
        raise WrongInput(f"--until is an option of body, not of {args.kind}")
    dataset = Dataset(args.data) if args.data.is_dir() else None
    if dataset is not None and args.rig is None:
        raise WrongInput(
            f"{args.data} is a data set alone, which cannot be sampled; --until needs its rig: --rig FILE, or the rig "
            "in place of the data set"
        )
    if dataset is None and args.rig is not None:
        raise WrongInput(f"--rig {args.rig}: {args.data} is no data set; name the rig once")
    with opened_rig(args, args.rig or args.data, dataset) as rig:
        statistic, meters = args.until
        settings = {
            "statistic": statistic,
            "tolerance": meters / float(getattr(rig, "meters_per_unit", 1.0)),
            "folder": Path(f"{args.output}.rounds"),
            "poses": args.count,
            "workers": args.workers,
        }
        yield rig, settings | {"data": dataset}


def _first_sampled(args: argparse.Namespace, console: Console) -> Any:
    """A data set of a rig, next to the model: few dials of a face at a time, all channels of a body."""
    from rigcast import sampling
    from rigcast.sampling._drawing.samplers import DEFAULT_COUNT

    folder = Path(f"{args.output}.rwdata")
    with opened_rig(args, args.data) as rig, console.progress() as progress:
        count = args.count or DEFAULT_COUNT
        console.line(f"note: {args.data.name} is sampled first: {count:,} poses in {folder} (rigcast sample says more)")
        sampler = "sparse" if getattr(rig, "skeleton", None) is None else sampling.animators_poses(rig)
        return sampling.sample(
            rig, folder, count, seed=args.seed, workers=args.workers, sampler=sampler, progress=progress
        )


def say_outcome(until: dict[str, Any], to_millimeters: float, console: Console) -> None:
    """Print the error that a training to a stated error reached, and the reason why it stopped."""
    last, name = until["rounds"][-1], until["statistic"]
    most = "" if last["bound"] is None else f", at most {to_millimeters * last['bound']:.3g} mm with "
    most += f"{100 * last['confidence']:.3g} % confidence" if most else ""
    why = {
        "error": "the error holds",
        "poses": "the poses are used up: --count allows more",
        "minutes": "the time is used up: --minutes allows more",
    }[until["stopped"]]
    found = f"{name} {to_millimeters * last['value']:.3g} mm on {last['fresh']} fresh poses{most}"
    console.line(f"{found}; asked for: {to_millimeters * until['tolerance']:.3g} mm")
    console.line(f"stopped after {len(until['rounds'])} rounds and {until['sampled']:,} poses of the rig: {why}")
