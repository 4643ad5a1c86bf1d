"""``rigcast synth report``: one HTML file on what a synthesizer learned."""

from __future__ import annotations

import argparse

from rigcast import synthesis
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._inputs.rigs import add_rig_arguments
from rigcast.cli._result import Result
from rigcast.cli._synth.rig import rig_of

SUMMARY = "write one HTML file that shows latent spaces, held-out errors, bridges, transitions and worst moments"
EXAMPLE = """rigcast synth report synth.safetensors -o synth.html
rigcast synth report synth.safetensors --rig face.safetensors -o pictures.html"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE and the page."""
    parser.add_argument("file", metavar="FILE", type=arguments.existing_file, help="as rigcast synth fit writes it")
    parser.add_argument("-o", "--output", metavar="FILE", type=arguments.page, required=True, help="the HTML file")
    parser.add_argument(
        "--transitions", metavar="N", type=int, default=40, help="random ones, to compare players (default 40)"
    )
    parser.add_argument("--seconds", type=float, default=30.0, help="of idling at each label (default 30)")
    parser.add_argument(
        "--rig",
        metavar="RIG",
        type=arguments.existing_file,
        help="what the controls move, to draw film strips and worst moments: a model, a face, or a rig",
    )
    add_rig_arguments(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Draw and write."""
    from rigcast import report

    with rig_of(args) as rig, console.progress() as progress:
        synth = synthesis.load(args.file, rig)
        figures = report.write_synthesis(
            args.output, synth, transitions=args.transitions, seconds=args.seconds, progress=progress
        )
    console.line(f"{args.output}: {args.output.stat().st_size / 1e6:.1f} MB, opens in any browser")
    return figures
