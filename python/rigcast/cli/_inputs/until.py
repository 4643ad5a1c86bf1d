"""Training to a stated error, from a shell: what is asked for, who is sampled, and what came of it."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._inputs.rigs import add_rig_arguments, opened_rig


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
    group.add_argument("--poses", type=arguments.count, help="most poses of the rig (default 20000)")
    group.add_argument("--workers", type=arguments.threads, default=1, help="processes that sample (default 1)")
    add_rig_arguments(parser)


def goal(text: str) -> tuple[str, float]:
    """The type of ``--until``: statistic, and length in meters."""
    from rigcast.training._until._goal import parse_goal

    try:
        return parse_goal(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


@contextlib.contextmanager
def sampled(args: argparse.Namespace) -> Iterator[tuple[Any, dict[str, Any]]]:
    """What a body is learned from, and the settings that ``--until`` adds; the rig is closed afterwards.

    Raises
    ------
    ValueError
        If there is no rig to sample, or there are options that only ``--until`` has use for.
    """
    import rigcast as rc

    if args.until is None:
        for name in ("rig", "poses"):
            if getattr(args, name) is not None:
                raise ValueError(f"--{name} goes with --until, which asks for new poses")
        yield None, {}
        return
    if args.kind != "body":
        raise ValueError(f"--until is an option of body, not of {args.kind}")
    dataset = rc.Dataset(args.data) if args.data.is_dir() else None
    if dataset is not None and args.rig is None:
        raise ValueError(
            f"{args.data} is a data set alone, which cannot be sampled; --until needs its rig: --rig FILE, or the rig "
            "in place of the data set"
        )
    if dataset is None and args.rig is not None:
        raise ValueError(f"--rig {args.rig}: {args.data} is no data set; name the rig once")
    with opened_rig(args, args.rig or args.data, dataset) as rig:
        statistic, meters = args.until
        settings = {
            "statistic": statistic,
            "tolerance": meters / float(getattr(rig, "meters_per_unit", 1.0)),
            "folder": Path(f"{args.output}.rounds"),
            "poses": args.poses,
            "workers": args.workers,
        }
        yield (rig, settings) if dataset is None else (dataset, {**settings, "rig": rig})


def say_outcome(until: dict[str, Any], to_millimeters: float, console: Console) -> None:
    """What a training to a stated error reached, and why it stopped."""
    last, name = until["rounds"][-1], until["statistic"]
    most = "" if last["bound"] is None else f", at most {to_millimeters * last['bound']:.3g} mm with "
    most += f"{100 * last['confidence']:.3g} % confidence" if most else ""
    why = {
        "error": "the error holds",
        "poses": "the poses are used up: --poses allows more",
        "minutes": "the time is used up: --minutes allows more",
    }[until["stopped"]]
    found = f"{name} {to_millimeters * last['value']:.3g} mm on {last['fresh']} fresh poses{most}"
    console.line(f"{found}; asked for: {to_millimeters * until['tolerance']:.3g} mm")
    console.line(f"stopped after {len(until['rounds'])} rounds and {until['sampled']:,} poses of the rig: {why}")
