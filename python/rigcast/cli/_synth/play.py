"""``rigcast synth play``: endless motion into the formats of other programs."""

from __future__ import annotations

import argparse
import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import exports, synthesis
from rigcast._atomic_files import atomic_npz, atomic_write
from rigcast._core import BlendshapeRig
from rigcast._formats.registry import MADE_MOTION, MADE_WEIGHTS, written_endings
from rigcast._validate import Arguments
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._inputs.rigs import add_rig_arguments
from rigcast.cli._result import Result, WrongInput
from rigcast.cli._synth.rig import rig_of
from rigcast.progress import Progress, as_callback

SUMMARY = "play what was learned: idle at a label, or follow a script, into a file"
EXAMPLE = """rigcast synth play synth.safetensors --label lively --seconds 10 -o idle.npz
rigcast synth play synth.safetensors --rig face.safetensors --seconds 4 --seed 3 -o idle.csv"""

OF_WEIGHTS = tuple(ending for ending in written_endings(MADE_WEIGHTS) if ending != ".npz")
OF_JOINTS = written_endings(MADE_MOTION)
AT_ONCE = 240  # frames between two reports of progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE, what to play, and where to write it."""
    parser.add_argument("file", metavar="FILE", type=arguments.existing_file, help="as rigcast synth fit writes it")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=arguments.OutputFile(".npz", ".npy", *OF_JOINTS, *OF_WEIGHTS),
        required=True,
        help="controls: .npz, .npy; with --rig: .glb .usd .bvh of a character with joints, .csv .glb .usd .blend .py "
        "of a face",
    )
    group = parser.add_argument_group("what to play")
    group.add_argument("--script", metavar="FILE", type=arguments.existing_file, help="timed commands (JSON)")
    group.add_argument("--label", help="idle at this label; without a script (default the first)")
    group.add_argument("--seconds", type=arguments.positive, help="default: as long as the script is, or 10")
    group.add_argument("--seed", type=arguments.seed, default=0, help="(default 0)")
    group.add_argument(
        "--layers", metavar="FILE", type=arguments.existing_file, help="blinks, gaze and sway on top (JSON)"
    )
    group.add_argument("--without-layer", metavar="NAME", action="append", default=[], help="a layer to leave out")
    group.add_argument(
        "--join",
        metavar="HOW",
        choices=("inertialize", "blend"),
        default="inertialize",
        help="how labels are joined: the difference decays, or both sides are blended (default inertialize)",
    )
    group.add_argument("--events", action="store_true", help="print why each second looks as it does")
    parser.add_argument(
        "--rig", metavar="RIG", type=arguments.existing_file, help="what the controls move: a model, a face, or a rig"
    )
    add_rig_arguments(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Play and write."""
    ending = args.output.suffix.lower()
    if ending not in (".npz", ".npy") and args.rig is None:
        raise WrongInput(f"{args.output} shows a rig: give it with --rig, or write .npz or .npy")
    with rig_of(args) as rig:
        _check_output(args.output, rig)
        synth = synthesis.load(args.file, rig)
        script = None if args.script is None else synthesis.Script.load(args.script)
        layers = [] if args.layers is None else synthesis.load_layers(args.layers)
        settings = synthesis.PlaySettings(layers=layers, transitions=args.join)
        player = synth.player(args.seed, script, label=args.label, settings=settings)
        if script is None:
            player.idle(player.label)
        controls = _played(player, synth.fps, args, console)
        notes = _write(args.output, synth, rig, controls)
    events = player.events
    for event in events if args.events else []:
        near = f", nearest {event.nearest} ({event.distance:.3g})" if event.kind == "second" else ""
        console.line(f"{event.seconds:7.2f} s  {event.label}: {event.command}{near}")
    for note in notes:
        console.line(note)
    console.line(f"{args.output}: {len(controls):,} frames at {synth.fps:g} per second")
    facts = {"frames": len(controls), "fps": synth.fps, "notes": notes}
    return {**facts, "events": [event.as_plain() for event in events]}


def _played(player: synthesis.Player, fps: float, args: argparse.Namespace, console: Console) -> NDArray[np.float32]:
    """All frames, with a bar."""
    script = player.script
    length = args.seconds or (script.seconds if script is not None and script.seconds else 10.0)
    total = max(Arguments("play").frames("--seconds", length, fps), 1)
    rows = []
    with console.progress() as progress:
        report = as_callback(progress)
        for begin in range(0, total, AT_ONCE):
            report(Progress("playing", begin, total))
            rows.append(player.step(min(AT_ONCE, total - begin), without=args.without_layer))
        report(Progress("playing", total, total))
    return np.concatenate(rows)


def _write(path: Path, synth: synthesis.Synthesizer, rig: Any, controls: NDArray[np.float32]) -> list[str]:
    ending = path.suffix.lower()
    if ending == ".npy":
        stream = io.BytesIO()
        np.save(stream, controls)
        atomic_write(path, stream.getbuffer())
        return []
    if isinstance(rig, BlendshapeRig):
        return exports.write_blendshape_weights(path, rig, controls, fps=synth.fps)
    if ending == ".npz":
        names = np.array(synth.control_names, np.str_)
        atomic_npz(path, {"channels": controls, "names": names, "fps": np.float64(synth.fps)})
        return []
    return exports.write_motion(path, rig, controls, fps=synth.fps)


def _check_output(path: Path, rig: Any) -> None:
    """Refuse a file that cannot hold what the rig plays, before it plays.

    Raises
    ------
    ValueError
        If a face's weights go to a file of joints, or the other way round.
    """
    ending = path.suffix.lower()
    if ending in (".npz", ".npy"):
        return
    is_face = isinstance(rig, BlendshapeRig)
    fits = OF_WEIGHTS if is_face else OF_JOINTS if getattr(rig, "skeleton", None) is not None else ()
    if ending not in fits:
        kind = "a face" if is_face else "a rig with joints" if fits else "a rig without joints"
        raise WrongInput(f"{path} cannot hold the motion of {kind}; write {', '.join((*fits, '.npz', '.npy'))}")
