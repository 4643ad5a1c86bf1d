"""``rigcast export``: a model as a character in other programs."""

from __future__ import annotations

import argparse
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core, exports
from rigcast._formats.registry import MADE_CHARACTER, written_endings
from rigcast._load_model import load
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._inputs.model_motion import MotionMapping, motion_of
from rigcast.cli._inputs.skinned_model import any_model
from rigcast.cli._overwrite import check_overwrite
from rigcast.cli._result import Result, WrongInput

SUMMARY = "write a model as a character that other programs show, with the model beside it"
EXAMPLE = """rigcast export hero.safetensors -o hero.usda
rigcast export face.safetensors -o stages/face.usdc --copy-model
rigcast export hero.safetensors -o judged.usda --poses held_out.rwdata"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """MODEL, the stage, and the poses at which it is judged."""
    parser.add_argument(
        "model",
        metavar="MODEL",
        type=arguments.existing_file,
        help="a model file; a rig with linear skinning or a face in another file is saved as one beside the stage",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=arguments.OutputFile(*written_endings(MADE_CHARACTER)),
        required=True,
        help="the stage: UsdSkel skeleton, skin and blend shapes, and the path of the model file",
    )
    parser.add_argument("--copy-model", action="store_true", help="copy the model file beside the stage")
    parser.add_argument(
        "--poses",
        metavar="SET|MOTION",
        type=arguments.existing,
        help="what the stage is compared with the model on, as evaluate takes it (default: random channels)",
    )
    parser.add_argument("--seed", type=arguments.seed, default=0, help="of random channels (default 0)")


def run(args: argparse.Namespace, console: Console) -> Result:
    """Write the stage, and say how far it is from the model."""
    beside = args.output.with_suffix(".safetensors")
    is_model = args.model.suffix.lower() == ".safetensors"
    copied = args.output.parent / args.model.name
    made = [args.output]
    if not is_model:
        made.append(beside)
    elif args.copy_model and not (copied.exists() and copied.samefile(args.model)):
        made.append(copied)
    check_overwrite(made, args.overwrite)
    model = load(args.model) if is_model else any_model(args.model)
    poses = None if args.poses is None else _poses(model, args)
    given = args.model if is_model else model
    notes = exports.write_character(args.output, given, poses=poses, copy=args.copy_model, seed=args.seed)
    for note in notes:
        console.line(note)
    console.line(f"{args.output}: {model.kind}, {len(model.rest_vertices):,} vertices")
    return {"outputs": [os.fspath(path) for path in made], "kind": model.kind, "notes": notes}


def _poses(model: _core.Deformer, args: argparse.Namespace) -> NDArray[np.float32]:
    found: Any = motion_of(model, args.poses, MotionMapping()).poses
    if not len(found):
        raise WrongInput(f"{args.poses} holds no poses")
    return np.asarray(found, np.float32)
