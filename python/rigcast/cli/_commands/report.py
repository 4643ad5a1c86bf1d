"""``rigcast report``: one HTML file that shows what a model learned, or how well a shot was solved."""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from pathlib import Path
from typing import Any

from rigcast import ik, sampling
from rigcast._load_model import load
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._inputs.actions import add_action_arguments, chosen_actions, own_actions, wants_actions
from rigcast.cli._inputs.learned_ik import is_face_ik
from rigcast.cli._inputs.rigs import add_rig_arguments, opened_rig
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import Result, WrongInput
from rigcast.cli._ways.report_shot import add_solved_arguments, report_shot
from rigcast.sampling import Dataset

SUMMARY = SUMMARIES["report"]
EXAMPLE = """rigcast report hero.safetensors --data held_out.rwdata --training hero.rwdata --rig hero.npz -o hero.html
rigcast report dog.safetensors --data dog_held_out.rwdata --rig dog.blend --action walk -o dog.html
rigcast report head.safetensors --data head_held_out.rwdata --training head.rwdata -o head.html
rigcast report face.safetensors --shot take.npy --weights weights.npz --method mm,cet -o take.html --overwrite
rigcast report face_ik.safetensors face.safetensors -o face_ik.html"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Models and what to judge them by."""
    parser.add_argument(
        "models",
        metavar="MODEL",
        nargs="+",
        type=arguments.existing_file,
        help="the model, then others of any kind to compare: learned ones, baselines; or a blendshape rig; or learned "
        "inverse kinematics, then the whole model that it was trained through",
    )
    parser.add_argument(
        "--name", metavar="NAME", action="append", help="of a MODEL, in their order; may be repeated (default: files)"
    )
    parser.add_argument("--data", metavar="SET", type=arguments.existing, help="held-out random poses")
    parser.add_argument("--animation", metavar="SET", type=arguments.existing, help="held-out animation")
    parser.add_argument("--paper", metavar="MODEL", type=arguments.existing_file, help="a model of the paper's variant")
    parser.add_argument(
        "--training",
        metavar="SET",
        type=arguments.existing,
        help="what it learned from: the gate is judged by it, and linear skinning fitted to it if it has joints",
    )
    parser.add_argument(
        "--baseline",
        metavar="MODEL",
        type=arguments.existing_file,
        action="append",
        default=[],
        help="a fitted baseline",
    )
    parser.add_argument(
        "--count", metavar="N", type=arguments.count, default=400, help="poses of each set to judge (default 400)"
    )
    parser.add_argument(
        "--rig", metavar="RIG", type=arguments.existing_file, help="the rig itself, to time it, and to play its actions"
    )
    add_action_arguments(parser, "held-out animation: an action of RIG's file, default all of them", clip=False)
    parser.add_argument("-o", "--output", metavar="FILE", type=arguments.page, required=True, help="the HTML file")
    add_solved_arguments(parser)
    add_rig_arguments(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Measure, draw and write."""
    if args.shot is not None:
        numbers = report_shot(args, console)
    elif is_face_ik(args.models[0]):
        numbers = _face_ik_report(args, console)
    else:
        numbers = _model_report(args, console)
    console.line(f"{args.output}: {args.output.stat().st_size / 1e6:.1f} MB, opens in any browser")
    return numbers


def _face_ik_report(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Of learned inverse kinematics, on the rig if one is given."""
    from rigcast import report

    if len(args.models) != 2:
        raise WrongInput("a report of learned inverse kinematics needs two files: FACE_IK and the model of its face")
    face_ik, model = ik.load(args.models[0]), load(args.models[1])
    name = None if args.name is None else args.name[0]
    with contextlib.ExitStack() as stack:
        rig = None
        if args.rig is not None:
            is_model = args.rig.suffix == ".safetensors"
            rig = load(args.rig) if is_model else stack.enter_context(opened_rig(args, args.rig, model))
        progress = stack.enter_context(console.progress())
        return report.write_face_ik(args.output, face_ik, model, rig=rig, name=name, progress=progress)


def _model_report(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    from rigcast import report

    if args.data is None:
        raise WrongInput("a report needs held-out poses (--data SET), or a solved shot (--shot SHOT --weights FILE)")
    training = None if args.training is None else Dataset(args.training)
    with contextlib.ExitStack() as stack:
        progress = stack.enter_context(console.progress())
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        data = Dataset(args.data)
        rig = None if args.rig is None else stack.enter_context(opened_rig(args, args.rig, data))
        baselines = args.baseline
        if training is not None and training.skeleton is not None and not baselines:
            baselines = report.fit_skinning_baselines(training, Path(folder), progress)
        return report.write_body(
            args.output,
            args.models,
            data,
            animation=_animation(args, rig, Path(folder), console),
            paper=args.paper,
            baselines=baselines,
            training=training,
            names=args.name,
            rig=rig,
            at_most=args.count,
            progress=progress,
        )


def _animation(args: argparse.Namespace, rig: Any, folder: Path, console: Console) -> Dataset | None:
    """The held-out animation: the one given, or what the rig's own file holds."""
    if args.animation is not None:
        if wants_actions(args):
            raise WrongInput("--animation and --action are two held-out animations: give one")
        return Dataset(args.animation)
    if rig is None and wants_actions(args):
        raise WrongInput("--action names an action of the rig's file: give it, too (--rig RIG)")
    actions = chosen_actions(args, rig, console) if wants_actions(args) else own_actions(args, rig, console)
    if not actions:
        return None
    played = [action.channels if action.is_file else action.name for action in actions]
    return sampling.sample_actions(rig, folder / "actions.rwdata", played)
