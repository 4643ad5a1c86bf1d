"""``rigwright synth info``: what a synthesizer's file holds."""

from __future__ import annotations

import argparse

import rigwright as rw
from rigwright.cli import _arguments as arguments
from rigwright.cli._console import Console
from rigwright.cli._result import Result
from rigwright.cli._synth.described import described, say

SUMMARY = "say what a synthesizer holds: labels, clips, held-out errors, bridges"
EXAMPLE = "rigwright synth info synth.safetensors"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE."""
    parser.add_argument("file", metavar="FILE", type=arguments.existing_file, help="as rigwright synth fit writes it")


def run(args: argparse.Namespace, console: Console) -> Result:
    """Print and return the facts."""
    facts = described(rw.synthesis.load(args.file))
    say(console, facts)
    return facts
