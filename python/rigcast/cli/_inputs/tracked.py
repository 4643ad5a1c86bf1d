"""The shot of a capture: points of a file, or those that are found in a video and kept beside the output."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rigcast import capture
from rigcast.capture._read_tracks import READERS
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._result import WrongInput

MIRROR = (
    "a face does not show whether its video is a mirror image, as front cameras often record: --mirrored exchanges "
    "left and right"
)


def add_arguments(group: Any) -> None:
    """Options that concern a video alone."""
    group.add_argument(
        "--keep-points",
        metavar="FILE",
        type=arguments.KeptFile(".npz"),
        help="file of the points found in it, which the next run reads (default: the first output's name with "
        ".points.npz)",
    )
    group.add_argument("--refine", action="store_true", help="as --pictures with the video itself")
    group.add_argument(
        "--preview",
        metavar="MP4",
        type=arguments.OutputFile(".mp4"),
        help="write the video, the video with points and mesh, and the character side by side",
    )


def is_video(path: Path) -> bool:
    """True for anything but a file of points."""
    return path.is_dir() or path.suffix.lower() not in READERS


def pictures_of(args: argparse.Namespace) -> Path | None:
    """Path of the pictures of the shot, if it has some.

    Raises
    ------
    ValueError
        For options that need other input.
    """
    video = is_video(args.points)
    for name, needs in (("refine", True), ("keep_points", True), ("image_size", False), ("face", False)):
        if getattr(args, name) not in (None, False) and video != needs:
            kind = "a video" if needs else "a file of points"
            raise WrongInput(f"--{name.replace('_', '-')} is about {kind}, which {args.points} is not")
    if args.refine and args.pictures is not None:
        raise WrongInput("--refine and --pictures are two ways to say where the pictures are")
    found: Path | None = args.points if video and args.pictures is None else args.pictures
    if found is None and args.preview is not None:
        raise WrongInput("--preview needs a video, or the --pictures of the points")
    return found


def open_tracks(args: argparse.Namespace, console: Console) -> capture.Tracks:
    """Read or find the points."""
    if not is_video(args.points):
        size = None if args.image_size is None else (args.image_size[0], args.image_size[1])
        return capture.load_tracks(args.points, fps=args.fps, size=size, face=args.face)
    first = args.output[0]
    keep = args.keep_points or first.with_name(first.stem + ".points.npz")
    with console.progress() as progress:
        tracks = capture.detect(args.points, fps=args.fps, keep=keep, overwrite=args.overwrite, progress=progress)
    notes = (*tracks.notes, f"the points are in {keep}", *(() if args.mirrored else (MIRROR,)))
    return capture.Tracks(tracks.points, tracks.certainty, tracks.fps, tracks.size, notes)


def write_preview(
    args: argparse.Namespace, console: Console, rig: Any, found: capture.Capture, tracks: capture.Tracks
) -> None:
    """Write what ``--preview`` names."""
    if args.preview is None:
        return
    with console.progress() as progress:
        capture.write_preview(
            args.preview,
            rig,
            found,
            pictures=capture.Pictures(pictures_of(args) or args.points),
            tracks=tracks,
            mirrored=args.mirrored,
            progress=progress,
        )
