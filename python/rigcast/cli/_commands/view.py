"""``rigcast view``: a model, a rig or a data set in a browser window, to be posed by hand."""

from __future__ import annotations

import argparse
import contextlib
import functools
import logging
import os
import sys
from pathlib import Path
from typing import Any

from rigcast import capture, ik, synthesis, viewer
from rigcast._formats.registry import RIG
from rigcast._load_model import load
from rigcast._validate import FPS
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._inputs.actions import chosen_actions
from rigcast.cli._inputs.clips import clip_of, clips_of_file, clips_of_motion, materials_of_file, program_for
from rigcast.cli._inputs.model_motion import MotionMapping, motion_of
from rigcast.cli._inputs.motion import MOTIONS, add_retargeting_arguments
from rigcast.cli._inputs.rigs import add_rig_arguments
from rigcast.cli._inputs.viewed import opened
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import Result, WrongInput
from rigcast.cli._streams import say
from rigcast.cli._ways.open_dropped import DroppedFiles
from rigcast.viewer._acting._moods import load_moods
from rigcast.viewer._admission import is_loopback
from rigcast.viewer._figures._opening import figure_of
from rigcast.viewer._playing._clips import Clip
from rigcast.viewer._stage import Stage
from rigcast.viewer._staging import acting_stage_of, stage_of
from rigcast.viewer._stored._carried import STORAGES, carried

SUMMARY = SUMMARIES["view"]
EXAMPLE = """rigcast view hero.safetensors
rigcast view hero.usda
rigcast view hero.safetensors --beside held_out.rwdata
rigcast view hero.safetensors --motion held_out.rwdata/00000.poses.npy --fps 24
rigcast view face.safetensors --motion weights.npz --pictures frames
rigcast view face.safetensors --motion captured.npz --points points.csv
rigcast view hero.npz --through hero.safetensors
rigcast view dog.blend --action walk
rigcast view moods.safetensors face.safetensors --seed 7
rigcast view hero.safetensors -o hero.html"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE, the figure next to it, what plays, and where the server listens."""
    parser.add_argument(
        "file",
        metavar="FILE",
        type=arguments.existing,
        help="a model, or a stage that names one (.usda); a rig (.glb, .npz, .blend), blend shapes of a stage, a data "
        "set, or a synthesizer (of rigcast synth fit); a character or a motion that is dropped into the page is opened "
        "there",
    )
    parser.add_argument(
        "rig", metavar="RIG", nargs="?", type=arguments.existing_file, help="what a synthesizer moves: a model or a rig"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=arguments.page,
        help="write one page that carries the model in place of serving it: it opens from a disk, and works offline",
    )
    parser.add_argument(
        "--storage",
        choices=STORAGES,
        help="of the numbers of learned models in that page (default 16-bit); it states the error",
    )
    parser.add_argument(
        "--beside",
        metavar="FILE",
        type=arguments.existing,
        help="another one, which follows; errors against it are shown as colors",
    )
    parser.add_argument(
        "--through",
        metavar="MODEL",
        type=arguments.existing_file,
        help="a learned model of FILE, a rig, on which drags are solved (default: skinning that is fitted to it)",
    )
    parser.add_argument(
        "--face-ik",
        metavar="FILE",
        type=arguments.existing_file,
        help="learned inverse kinematics of FILE, a face: its control points are shown as handles",
    )
    plays = parser.add_mutually_exclusive_group()
    plays.add_argument(
        "--motion",
        metavar="FILE",
        type=arguments.existing,
        help=f"what a model plays: a motion ({MOTIONS}), and all else that evaluate takes",
    )
    plays.add_argument(
        "--action",
        metavar="NAME",
        action="append",
        default=[],
        help=f"what a rig plays first: an action of its file (.blend, .glb, .fbx), or a motion ({MOTIONS}); may be "
        "repeated; all that the file holds can be chosen in the page",
    )
    add_retargeting_arguments(parser)
    parser.add_argument(
        "--pictures",
        metavar="PATH",
        type=arguments.existing,
        help="the video that --motion was captured from, or a folder of its frames: shown in a corner",
    )
    parser.add_argument(
        "--points",
        metavar="FILE",
        type=arguments.existing_file,
        help="the points that --motion, an .npz of rigcast capture, was solved from: frames with a key are corrections "
        "then, and Fit actor solves the shot again around them",
    )
    parser.add_argument(
        "--still-head",
        action="store_true",
        help="play the weights of --motion alone (default: the head moves, if the file holds its motion)",
    )
    parser.add_argument("--seed", type=arguments.seed, default=0, help="of a synthesizer (default 0)")
    parser.add_argument(
        "--moods",
        metavar="JSON",
        type=arguments.existing_file,
        help="labels of a synthesizer for the moods of the game (default: by their names)",
    )
    parser.add_argument("--fps", type=arguments.rate, help="frames per second (default: those of the motion, or 30)")
    parser.add_argument(
        "--host", default="127.0.0.1", help="where to listen (default 127.0.0.1: nobody but this machine)"
    )
    parser.add_argument("--port", type=arguments.port, default=0, help="default: a free one")
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help="keeps the address's token: with a --port of its own, a view that is started again is found by pages that "
        "are open; made, for this user alone, if there is none (default: another token each time)",
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address and open nothing")
    parser.add_argument("--seconds", type=arguments.positive, help="end after so many (default: by Ctrl-C)")
    add_rig_arguments(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Serve until Ctrl-C, or write a page."""
    if args.output is not None:
        return _written(args, console)
    if args.storage is not None:
        raise WrongInput("--storage is of a page that is written: -o HTML")
    if not is_loopback(args.host):
        say(
            f"warning: --host {args.host} lets other machines connect, without encryption; whoever has the address "
            "below can pose and export this character, and show files of their own in its place",
            sys.stderr,
        )
    _log_warnings()
    with contextlib.ExitStack() as stack:
        live, clips = served(args, console, stack)
        with contextlib.suppress(KeyboardInterrupt):
            _say_address(console, args, live.url, clips)
            if not args.no_browser and _has_browser():
                live.open_browser()
            live.wait(args.seconds)
    return {"url": live.url, "clips": clips}


def served(
    args: argparse.Namespace, console: Console, stack: contextlib.ExitStack
) -> tuple[viewer.LiveView, list[str]]:
    """The view that serves what was asked for, and the clips that it begins with; the stack ends it."""
    shown = stack.enter_context(contextlib.ExitStack())
    subject = shown.enter_context(opened(args, args.file))
    beside = None if args.beside is None else shown.enter_context(opened(args, args.beside))
    stage = _stage(args, subject, beside, console)
    clips = stage.transport.clips
    opens = DroppedFiles(args, console, shown, functools.partial(_show_alone, args.blender))
    where: dict[str, Any] = {"token_file": args.token_file, "opens": opens}
    return stack.enter_context(viewer.LiveView(stage, args.host, args.port, **where)), clips


def _say_address(console: Console, args: argparse.Namespace, url: str, clips: list[str]) -> None:
    """The address, though quiet; with ``--json`` the object that holds it, at once: the view stays."""
    if args.json:
        console.put_object({"url": url, "clips": clips})
        return
    console.result(url)
    if clips:
        console.line(f"clips, chosen beside Play: {', '.join(clips)}")
    console.line("Ctrl-C ends the view")


def _written(args: argparse.Namespace, console: Console) -> Result:
    """Write one page that carries the model."""
    for name in ("face_ik", "pictures", "points", "no_browser", "seconds", "port", "token_file"):
        if getattr(args, name):
            raise WrongInput(f"--{name.replace('_', '-')} is for a view that is served, not for a page (-o)")
    with contextlib.ExitStack() as stack:
        subject = stack.enter_context(opened(args, args.file))
        beside = None if args.beside is None else stack.enter_context(opened(args, args.beside))
        page = carried(_stage(args, subject, beside, console), args.storage or "16-bit")
    page.save(args.output)
    for note in page.notes:
        console.line(f"note: {note}")
    console.result(str(args.output))
    return {"page": str(args.output), "bytes": len(page.page.encode()), "notes": page.notes}


def _stage(args: argparse.Namespace, subject: Any, beside: Any, console: Console) -> Stage:
    """Make the stage from files that are open."""
    if isinstance(subject, synthesis.Synthesizer):
        for name in ("motion", "action", "through", "face_ik", "fps", "pictures", "points"):
            if getattr(args, name):
                raise WrongInput(f"--{name.replace('_', '-')} is not for a synthesizer, which makes its own motion")
        moods = None if args.moods is None else load_moods(args.moods)
        return acting_stage_of(subject, beside, seed=args.seed, moods=moods)
    for name in ("rig", "seed", "moods"):
        if getattr(args, name):
            raise WrongInput(f"{name.upper() if name == 'rig' else '--' + name} is for a synthesizer alone")
    through = None if args.through is None else load(args.through)
    face_ik = None if args.face_ik is None else ik.load(args.face_ik)
    pictures = None if args.pictures is None else capture.Pictures(args.pictures)
    materials, notes = materials_of_file(args.file, subject)
    for note in notes:
        console.line(f"note: {note}")
    played = _motion(args, subject, console)
    shown: dict[str, Any] = {"through": through, "face_ik": face_ik, "pictures": pictures, "materials": materials}
    return stage_of(subject, beside, **played, **shown)


def _show_alone(blender: str | None, path: Path, stack: contextlib.ExitStack, console: Console) -> Stage:
    """The stage of a dropped file, as of ``rigcast view FILE``: other options, as scripts, were for the first file."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    args = parser.parse_args([str(path)])
    args.blender = program_for(path, blender, RIG)
    return _stage(args, stack.enter_context(opened(args, path)), None, console)


def _motion(args: argparse.Namespace, subject: Any, console: Console) -> dict[str, Any]:
    """The clip to play, as keywords of :func:`rigcast.view`."""
    for name in ("still_head", "points"):
        if getattr(args, name) and args.motion is None:
            raise WrongInput(f"--{name.replace('_', '-')} is about the shot in --motion")
    if args.points is not None:
        found = capture.load_capture(args.motion, subject)
        head = None if args.still_head else found.motion
        return {"capture": found, "points": capture.load_tracks(args.points), "head": head}
    if args.motion is not None:
        return _played(args, figure_of(subject).drag_model()[0], console)
    clips = clips_of_file(args.file, subject)
    if args.action:
        args.all_actions = False
        chosen = {action.name: clip_of(action, args.fps) for action in chosen_actions(args, subject, console)}
        name, first = next(iter(chosen.items()))
        asked = {name: functools.partial(_same, clip) for name, clip in chosen.items()}
        return {"channels": first.channels, "fps": first.fps, "clips": {**clips, **asked}, "clip": name}
    return {"clips": clips} if args.fps is None else {"clips": clips, "fps": args.fps}


def _played(args: argparse.Namespace, model: Any, console: Console) -> dict[str, Any]:
    """``--motion`` as keywords of :func:`rigcast.view`: the clip that plays first, and the others of its file."""
    clips = clips_of_motion(args, model)
    first = next(iter(clips), None)
    played = motion_of(model, args.motion, MotionMapping.of(args), args.clip or first, args.fps)
    for note in played.notes:
        console.line(f"note: {note}")
    head = None if args.still_head else played.head
    rate = played.fps or args.fps or FPS
    return {"poses": played.poses, "fps": rate, "head": head, "clips": clips, "clip": first or args.motion.name}


def _same(clip: Clip) -> Clip:
    return clip


def _has_browser() -> bool:
    """True if there is a screen to open a browser on; without one, some systems would start one in the terminal."""
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


class _Lines(logging.Handler):
    """The view's warnings as lines on stderr."""

    def emit(self, record: logging.LogRecord) -> None:
        say(f"view: {record.getMessage()}", sys.stderr)


def _log_warnings() -> None:
    log = logging.getLogger("rigcast.viewer")
    if not any(isinstance(handler, _Lines) for handler in log.handlers):
        log.addHandler(_Lines())
    log.propagate = False
