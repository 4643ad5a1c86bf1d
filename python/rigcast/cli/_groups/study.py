"""``rigcast study``: experiments with people in a browser."""

from __future__ import annotations

import argparse

from rigcast.cli._console import Console
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import Result
from rigcast.cli._study import analyze, export, make, serve
from rigcast.cli._subcommands import CommandModule, add_commands

SUMMARY = SUMMARIES["study"]
EXAMPLE = """rigcast study make rating face.safetensors --expression Smile=left_smile+right_smile --size 64 -o smiles
rigcast study serve smiles
rigcast study export smiles -o answers.csv
rigcast study analyze ratings.csv -o results.html"""

COMMANDS: dict[str, CommandModule] = {"make": make, "serve": serve, "export": export, "analyze": analyze}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The commands of this command."""
    add_commands(parser, COMMANDS)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Never called: the parser asks for one of the commands, which stands in ``args.command`` then."""
    raise NotImplementedError
