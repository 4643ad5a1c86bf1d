"""``rigcast synth``: motion in the manner of labelled clips."""

from __future__ import annotations

import argparse

from rigcast.cli._console import Console
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import Result
from rigcast.cli._subcommands import CommandModule, add_commands
from rigcast.cli._synth import crowd, fit, info, play, report

SUMMARY = SUMMARIES["synth"]
EXAMPLE = """rigcast synth fit face.safetensors --take calm=calm.npy --take lively=lively.npy -o synth.safetensors
rigcast synth play synth.safetensors --label lively --seconds 10 -o idle.npz
rigcast synth crowd synth.safetensors --rig face.safetensors -o crowd.usdc --count 200
rigcast synth info synth.safetensors
rigcast synth report synth.safetensors -o synth.html"""

COMMANDS: dict[str, CommandModule] = {
    "fit": fit,
    "play": play,
    "crowd": crowd,
    "info": info,
    "report": report,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The commands of this command."""
    add_commands(parser, COMMANDS)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Never called: the parser asks for one of the commands, which stands in ``args.command`` then."""
    raise NotImplementedError
