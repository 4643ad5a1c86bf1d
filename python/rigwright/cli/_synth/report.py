"""``rigwright synth report``: one HTML file on what a synthesizer learned."""

from __future__ import annotations

import argparse
import os

import rigwright as rw
from rigwright.cli import _arguments as arguments
from rigwright.cli._console import Console
from rigwright.cli._result import Result

SUMMARY = "write one HTML file that shows latent spaces, held-out errors and bridges"
EXAMPLE = "rigwright synth report synth.safetensors -o synth.html"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE and the page."""
    parser.add_argument("file", metavar="FILE", type=arguments.existing_file, help="as rigwright synth fit writes it")
    parser.add_argument("-o", "--output", metavar="FILE", type=arguments.page, required=True, help="the HTML file")


def run(args: argparse.Namespace, console: Console) -> Result:
    """Draw and write."""
    from rigwright import report

    figures = report.write_synthesis(args.output, rw.synthesis.load(args.file))
    console.line(f"{args.output}: {args.output.stat().st_size / 1e6:.1f} MB, opens in any browser")
    return {"report": os.fspath(args.output), **figures}
