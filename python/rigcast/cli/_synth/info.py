"""``rigcast synth info``: what a synthesizer's file holds."""

from __future__ import annotations

import argparse

from rigcast import synthesis
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._result import Result
from rigcast.cli._synth.described import described, say

SUMMARY = "say what a synthesizer holds: labels, clips, held-out errors, bridges"
EXAMPLE = "rigcast synth info synth.safetensors"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE."""
    parser.add_argument("file", metavar="FILE", type=arguments.existing_file, help="as rigcast synth fit writes it")


def run(args: argparse.Namespace, console: Console) -> Result:
    """Print and return the facts."""
    facts = described(synthesis.load(args.file))
    say(console, facts)
    return facts
