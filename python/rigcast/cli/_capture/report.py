"""``rigcast capture report``: one HTML file on a capture that was saved."""

from __future__ import annotations

import argparse

from rigcast import capture
from rigcast.cli import _arguments as arguments
from rigcast.cli._capture.described import figures
from rigcast.cli._console import Console
from rigcast.cli._inputs.faces import add_drop_unreadable, open_rig
from rigcast.cli._inputs.rigs import add_run_scripts
from rigcast.cli._result import Result

SUMMARY = "write the page of a saved capture: input beside character, residuals, weights, jitter, what was lost"
EXAMPLE = "rigcast capture report captured.npz face.safetensors --points points.csv --image-size 640 480 -o page.html"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """CAPTURED, RIG, and what was seen."""
    parser.add_argument(
        "captured", metavar="CAPTURED", type=arguments.existing_file, help="an .npz file of rigcast capture solve"
    )
    parser.add_argument(
        "rig",
        metavar="RIG",
        type=arguments.existing_file,
        help="the blendshape rig that was solved: the one that was given, or .actor.safetensors beside the capture",
    )
    parser.add_argument(
        "--points",
        metavar="FILE",
        type=arguments.existing_file,
        required=True,
        help="the points that were solved: the file that was given, or .points.npz or .read.npz beside the capture",
    )
    parser.add_argument("-o", "--output", metavar="FILE", type=arguments.page, required=True, help="the HTML file")
    parser.add_argument(
        "--pictures", metavar="PATH", type=arguments.existing, help="the video, or a folder of its frames"
    )
    parser.add_argument("--name", metavar="TEXT", help="heading of the page (default: the name of the points' file)")
    parser.add_argument("--fps", type=arguments.rate, help="of the points (default: as the file says, else 30)")
    parser.add_argument(
        "--image-size", metavar=("W", "H"), nargs=2, type=arguments.count, help="of the image, in pixels"
    )
    parser.add_argument("--face", metavar="N", type=int, help="the face that was solved, where the file holds several")
    parser.add_argument("--mesh", metavar="NAME", help="the rig's mesh, where its file holds several (.blend, .glb)")
    add_drop_unreadable(parser)
    add_run_scripts(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Read, draw and write."""
    from rigcast import report

    rig = open_rig(args.rig, args.mesh, args.drop_unreadable, args.run_scripts)
    found = capture.load_capture(args.captured, rig)
    size = None if args.image_size is None else (args.image_size[0], args.image_size[1])
    tracks = capture.load_tracks(args.points, fps=args.fps, size=size, face=args.face)
    pictures = None if args.pictures is None else capture.Pictures(args.pictures)
    with console.progress() as progress:
        page = report.write_capture(
            args.output,
            rig,
            found,
            points=tracks,
            pictures=pictures,
            name=args.name or args.points.stem,
            progress=progress,
        )
    console.line(f"{args.output}: {args.output.stat().st_size / 1e6:.1f} MB, opens in any browser")
    return {**figures(rig, found), **page}
