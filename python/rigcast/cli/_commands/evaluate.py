"""``rigcast evaluate``: a model's error on a data set, or its vertices over a motion."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core, baselines, exports, metrics
from rigcast._core import BlendshapeRig, Deformer
from rigcast._formats.registry import MADE_SHOT, written_endings
from rigcast._formats.textures import lost_textures
from rigcast._rigs.surface import surface_of
from rigcast._timing.storages import (
    POSES_TO_CHOOSE,
    is_visible,
    own_error_of,
    storage_error,
    storage_line,
    storage_warning,
)
from rigcast._validate import FPS
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._described.gate import gate_figures, gate_lines
from rigcast.cli._described.skinning import no_gain
from rigcast.cli._inputs.actions import add_action_arguments, wants_actions
from rigcast.cli._inputs.detail import add_quality_arguments, at_quality
from rigcast.cli._inputs.head import WithHead
from rigcast.cli._inputs.model_motion import ModelMotion, MotionMapping, motion_of
from rigcast.cli._inputs.motion import MOTIONS
from rigcast.cli._inputs.rigs import add_rig_arguments
from rigcast.cli._inputs.skinned_model import any_model
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._overwrite import check_overwrite
from rigcast.cli._result import Result, WrongInput
from rigcast.cli._ways.evaluate_actions import evaluate_actions, motion_of_action
from rigcast.cli._ways.evaluate_for_engines import add_engine_arguments, wants_engines, write_for_engines
from rigcast.cli._ways.evaluate_on_stage import add_stage_arguments, stage_rate, write_over
from rigcast.exports._motion import write_poses
from rigcast.exports._vertices import files_of
from rigcast.metrics._gate import stated_difficulty
from rigcast.metrics._outside import WHY
from rigcast.sampling import Dataset

if TYPE_CHECKING:
    from rigcast.report._body.heldout import HeldOutPoses

SUMMARY = SUMMARIES["evaluate"]
EXAMPLE = """rigcast evaluate hero.safetensors held_out.rwdata
rigcast evaluate hero.safetensors held_out.rwdata/00000.poses.npy -o vertices.npy
rigcast evaluate hero.safetensors held_out.rwdata -o walk.bvh --fps 48
rigcast evaluate hero.safetensors walk.bvh -o walk.glb --max-error 2 --overwrite
rigcast evaluate hero.safetensors walk.bvh --joint-map joints.json -o walk.pc2 --fps 24 --unit cm --up-axis Z
rigcast evaluate face.safetensors smooth.glb --clip weights -o smooth.mdd
rigcast evaluate smooth.glb smooth.glb -o smooth.npz
rigcast evaluate hero.safetensors walk.bvh --shapes 8 --fit-on held_out.rwdata -o hero.glb
rigcast evaluate limb.npz walk.bvh -o limb.mdd
rigcast evaluate head.safetensors head_held_out.rwdata --detail 0
rigcast evaluate dog.safetensors dog.blend --action walk
rigcast evaluate dog.safetensors dog.blend --action walk -o walk.usd
rigcast evaluate hero.safetensors walk.bvh -o shot.usdc --on stage.usda"""
BVH = ".bvh"
SURFACES = (".glb", ".usd", ".usda", ".usdc", ".abc", ".blend")  # formats that have a place for textures
FORMATS = (
    ".npy, .npz, .pc2 and .mdd (point caches), .glb and .usd (joints, weights and a clip, if the model has any), .abc, "
    ".blend (with its cache beside it), or .bvh (the joints alone)"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """MODEL, what to evaluate it on, and where the vertices go."""
    parser.add_argument(
        "model",
        metavar="MODEL",
        type=arguments.existing_file,
        help="a model file, or a stage that names one; a rig with linear skinning (.glb, .gltf, .npz), or a face "
        "(those, .safetensors, .usda and .blend)",
    )
    parser.add_argument(
        "input",
        metavar="SET|MOTION",
        type=arguments.existing,
        help=f"a data set; poses (T, C) or channels (T, N) as .npy, or as .npz with fps; a motion ({MOTIONS}), "
        "retargeted; for a blendshape rig weights as .npy, .npz, .csv, .glb, .usd or .blend",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=arguments.OutputFile(*written_endings(MADE_SHOT), BVH),
        help=f"the moving mesh: {FORMATS}",
    )
    parser.add_argument(
        "--count", metavar="N", type=arguments.count, default=1000, help="poses of the set to judge (default 1000)"
    )
    parser.add_argument(
        "--training",
        metavar="SET",
        type=arguments.existing,
        help="what the model learned from: simple regressions are fitted to it and judged on the same poses",
    )
    add_action_arguments(parser, "for a rig as input: an action of its file, played by its host")
    add_rig_arguments(parser)
    parser.add_argument("--device", default="cpu", help="for vertices: cpu or cuda (default cpu)")
    arguments.add_threads(parser)
    motion = parser.add_argument_group("the motion")
    motion.add_argument(
        "--fps",
        type=arguments.rate,
        help="frames per second of FILE (default: the motion's own); another rate is resampled",
    )
    add_quality_arguments(parser)
    add_stage_arguments(parser)
    written = parser.add_argument_group("what is written")
    written.add_argument(
        "--unit", type=arguments.unit, help="of FILE: mm, cm, dm, m, in, ft or meters (default: MODEL's)"
    )
    written.add_argument(
        "--up-axis", choices=["X", "Y", "Z"], help="of FILE, if its format has none (default: MODEL's)"
    )
    written.add_argument(
        "--max-error",
        metavar="MM",
        type=arguments.positive,
        help="of .glb, in millimeters: morph targets if joints miss more (default: joints; of morph targets 1/2000 of "
        "the size)",
    )
    written.add_argument(
        "--vertices", action="store_true", help="of .glb and .usd: the vertices as they are, without joints"
    )
    add_engine_arguments(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Measure, or evaluate and write."""
    if args.output is not None:
        check_overwrite(files_of(args.output), args.overwrite)  # the cache next to a .blend, too
    for_engines = wants_engines(args)
    model = at_quality(any_model(args.model), args.model, args)
    if args.output is not None and len(model.parts) > 1:
        check_overwrite(files_of(args.output, model.parts), args.overwrite)
    if not wants_actions(args) and args.input.suffix.lower() == ".blend" and not isinstance(model, BlendshapeRig):
        raise WrongInput(f"{args.input} is a rig: say which of its actions to play, --action NAME or --actions")
    if wants_actions(args) and args.output is None:
        return evaluate_actions(model, args.input, args, console)
    if args.output is not None:
        return _played(model, args, console, for_engines)
    if args.input.is_dir():
        return _errors(model, args, console)
    raise WrongInput("a motion needs a file for the moving mesh: -o vertices.npy")


def _errors(model: Deformer, args: argparse.Namespace, console: Console) -> Result:
    from rigcast._pages.words import figure
    from rigcast.report._body.assess import gates
    from rigcast.report._body.heldout import check_fits, held_out
    from rigcast.report._body.measure import measure

    dataset = Dataset(args.input)
    training = None if args.training is None else Dataset(args.training)
    check_fits(model, dataset, "evaluate")
    truth = held_out(dataset, "poses", args.count)
    accuracy = measure(model, truth)
    headers = ["", "mean mm", "rms mm", "p95 mm", "max mm", "enveloping %", "normals °"]
    rows = [[args.model.name, *map(figure, accuracy.figures().values())]]
    skinning = baselines.linear_part(model)
    baseline = None if skinning is None else measure(skinning, truth)
    if baseline is not None:
        rows.append(["linear skinning, same samples", *map(figure, baseline.figures().values())])
        for line in no_gain(accuracy.mean, baseline.mean):
            console.line(f"{line} here")
    gate = gates(training, [truth], lambda _: None).get(truth.title)
    lines = gate_lines(model)
    if gate is not None:
        unit = 1e3 * model.meters_per_unit
        lines = [gate.verdict(accuracy.mean / unit, accuracy.max / unit), *gate.lines()]
    elif lines:
        lines = [f"On held-out rows of its training: {lines[0]}", *lines[1:]]
    for line in lines:
        console.line(line)
    console.table(headers, rows)
    outside = metrics.outside_training(model, truth.poses)
    for line in outside.lines():
        console.line(line)
    note = "" if len(truth.rows) == len(dataset) else f" of {len(dataset):,}, evenly spaced"
    console.line(f"{len(truth.rows):,} poses{note}; {args.input.name} {dataset.hash[:12]}")
    stored = _storage_figures(model, truth)
    if stored is not None and is_visible(stored):
        console.line(storage_warning(stored) or storage_line(stored))
    if model.metadata.get("data_hash") == dataset.hash:
        console.line("the model learned from this very set: sample another one with another seed to judge it")
    return accuracy.figures() | {
        "linear_skinning": None if baseline is None else baseline.figures(),
        "simple_methods_mm": gate_figures(gate or stated_difficulty(model.metadata)),
        "storage": stored,
        "poses": len(truth.rows),
        "data_hash": dataset.hash,
        "lowest_confidence": outside.confidence.min(),
        "poses_outside": outside.doubtful,
        "outside": outside.names,
        "combined_outside": outside.combined,
        "moved_at_rest_in_training": list(outside.resting),
    }


def _storage_figures(model: Deformer, truth: HeldOutPoses) -> dict[str, Any] | None:
    """The error of a body's narrow weights, those of 16 bits if it has none; None for other kinds."""
    if not isinstance(model, _core.BodyModel):
        return None
    own_error = own_error_of(model.stored("float32"), truth.poses, truth.vertices)
    narrow = model if model.storage != "float32" else model.stored("16-bit")
    return storage_error(model, narrow, truth.poses, own_error).figures()


def _check_storage(model: Deformer, poses: NDArray[np.float32], console: Console) -> None:
    """Warn if the narrow weights of a body cost much compared with the error that its file states."""
    if isinstance(model, _core.BodyModel) and model.storage != "float32":
        some = poses[:: -(-len(poses) // POSES_TO_CHOOSE)]
        found = storage_error(model, model, some, own_error_of(model, None, None))
        if text := storage_warning(found.figures()):
            console.line(text)


def _played(model: Deformer, args: argparse.Namespace, console: Console, for_engines: bool) -> Result:
    joints = 0 if model.skeleton is None else model.skeleton.num_joints
    motion = _motion(model, args, console).at(stage_rate(args) or args.fps, joints)
    if motion.fps is None and args.output.suffix.lower() != ".npy":
        raise WrongInput(f"{args.input} states no frames per second; {args.output} must have some: --fps")
    playback = exports.Playback(model, motion.poses, device=args.device, threads=args.threads)
    moving = playback if motion.head is None else WithHead(playback, motion.head)
    if for_engines:
        written, about = write_for_engines(moving, motion.fps or FPS, args, console)
    else:
        written, about = _write(model, playback, moving, motion.fps or FPS, args), {}
    notes = [*motion.notes, *written]
    if args.output.suffix.lower() in SURFACES and args.on is None:
        notes += lost_textures(args.model, args.output, keeps_coordinates=False)
    _check_storage(model, playback.poses, console)
    confidence = np.atleast_1d(model.confidence(playback.poses))
    low = int((confidence < 0.5).sum())
    what = f"{len(playback)} x {joints} joints" if is_bvh(args.output) else " x ".join(map(str, playback.shape))
    console.line(f"{args.output}: {what}; lowest confidence {confidence.min():.2f}")
    if low:
        console.line(f"{low} of {len(confidence)} poses have a confidence below 0.5: {WHY}")
        for line in metrics.outside_training(model, playback.poses).lines()[1:]:
            console.line(line)
    for note in notes:
        console.line(f"note: {note}")
    return {
        "outputs": [os.fspath(path) for path in files_of(args.output, model.parts)],
        "shape": (len(playback), joints) if is_bvh(args.output) else playback.shape,
        "fps": motion.fps,
        "lowest_confidence": confidence.min(),
        "poses_outside": low,
        "notes": notes,
        **about,
        **({} if motion.retargeted is None else {"retargeted": motion.retargeted}),
    }


def _motion(model: Deformer, args: argparse.Namespace, console: Console) -> ModelMotion:
    if wants_actions(args):
        return motion_of_action(model, args.input, args, console)
    return motion_of(model, args.input, MotionMapping.of(args), args.clip, args.fps)


def is_bvh(path: Path) -> bool:
    """True if a file holds joints, not vertices."""
    return path.suffix.lower() == BVH


def _write(
    model: Deformer,
    playback: exports.Playback,
    moving: exports.Playback,
    fps: float,
    args: argparse.Namespace,
) -> list[str]:
    if is_bvh(args.output):
        if model.skeleton is None:
            raise WrongInput(f"a {model.kind} model has no joints; {args.output} must have another format than .bvh")
        return write_poses(args.output, model, playback.poses, fps, args.unit)
    if args.on is not None:
        return write_over(model, moving, fps, args)
    unit = model.meters_per_unit if args.unit is None else args.unit
    return exports.write_vertices(
        args.output,
        moving,
        model.faces,
        fps=fps,
        meters_per_unit=model.meters_per_unit,
        up_axis=model.up_axis,
        to_meters_per_unit=unit,
        to_up_axis=args.up_axis,
        name=str(model.metadata.get("name") or args.model.stem),
        licence=str(model.metadata.get("licence") or ""),
        surface=surface_of(model),
        max_error=None if args.max_error is None else args.max_error / 1e3 / unit,
        as_vertices=args.vertices,
        blender=args.blender,
    )
