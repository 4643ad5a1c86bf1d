"""``rigcast evaluate --on``: the vertices of a model as a layer over a stage that has the character."""

from __future__ import annotations

import argparse

from rigcast import exports
from rigcast._core import Deformer
from rigcast._formats.registry import USD
from rigcast._formats.usd.write_on_stage import stage_facts
from rigcast._rigs.surface import surface_of
from rigcast.cli import _arguments as arguments
from rigcast.cli._inputs.head import WithHead
from rigcast.cli._result import WrongInput

THE_STAGES = ("unit", "up_axis", "max_error", "vertices")  # options that a stage decides


def add_stage_arguments(parser: argparse.ArgumentParser) -> None:
    """The stage, and the place of the character and of the motion in it."""
    group = parser.add_argument_group("over a stage that has the character")
    group.add_argument(
        "--on",
        metavar="STAGE",
        type=arguments.existing_file,
        help="write -o (.usd, .usda, .usdc) as a layer over it: points of its meshes at its rate, in its unit and axes",
    )
    group.add_argument("--under", metavar="PRIM", help="the prim above the character, where a stage has several")
    group.add_argument(
        "--start", metavar="CODE", type=float, help="time code of the first frame (default: the stage's)"
    )


def stage_rate(args: argparse.Namespace) -> float | None:
    """Frames per second of the stage, if there is one and ``--fps`` asks for no other.

    Raises
    ------
    ValueError
        If an option does not go with a stage, or needs one.
    """
    if args.on is None:
        for name in ("under", "start"):
            if getattr(args, name) is not None:
                raise WrongInput(f"--{name} is about a stage: --on STAGE")
        return None
    if args.output is None or args.output.suffix.lower() not in USD.written:
        raise WrongInput(f"--on writes a layer over {args.on.name}: -o must end in {', '.join(USD.written)}")
    for name in THE_STAGES:
        if getattr(args, name):
            raise WrongInput(f"--{name.replace('_', '-')} does not go with --on: the stage decides")
    return stage_facts(args.on, "evaluate").fps if args.fps is None else None


def write_over(model: Deformer, moving: exports.Playback | WithHead, fps: float, args: argparse.Namespace) -> list[str]:
    """Write the layer; gives its notes."""
    return exports.write_on_stage(
        args.output,
        args.on,
        moving,
        faces=model.faces,
        fps=fps,
        meters_per_unit=model.meters_per_unit,
        up_axis=model.up_axis,
        name=str(model.metadata.get("name") or args.model.stem),
        surface=surface_of(model),
        rest=model.rest_vertices,
        under=args.under,
        start=args.start,
    )
