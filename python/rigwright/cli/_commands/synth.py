"""``rigwright synth``: motion in the manner of labelled clips."""

from __future__ import annotations

import argparse

from rigwright.cli._console import Console
from rigwright.cli._result import Result
from rigwright.cli._subcommands import Command, add_command
from rigwright.cli._synth import fit, info, play, report

SUMMARY = "learn to move as labelled clips do, play, and say how well"
EXAMPLE = """rigwright synth fit face.safetensors --clip calm=calm.npy --clip lively=lively.npy -o synth.safetensors
rigwright synth play synth.safetensors --label lively --seconds 10 -o idle.npz
rigwright synth info synth.safetensors
rigwright synth report synth.safetensors -o synth.html"""

COMMANDS: dict[str, Command] = {"fit": fit, "play": play, "info": info, "report": report}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The commands of this command."""
    commands = parser.add_subparsers(metavar="WHAT", required=True)
    for name, command in COMMANDS.items():
        add_command(commands, name, command)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Never called: the parser asks for one of the commands, which stands in ``args.command`` then."""
    raise NotImplementedError
