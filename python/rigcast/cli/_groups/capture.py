"""``rigcast capture``: weights of a face from videos or tracked points, networks that read faces, reports."""

from __future__ import annotations

import argparse

from rigcast.cli._capture import report, solve, train
from rigcast.cli._console import Console
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import Result
from rigcast.cli._subcommands import CommandModule, add_commands

SUMMARY = SUMMARIES["capture"]
EXAMPLE = f"""{train.EXAMPLE}
{solve.EXAMPLE}
{report.EXAMPLE}"""

COMMANDS: dict[str, CommandModule] = {"solve": solve, "train": train, "report": report}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The commands of this command."""
    add_commands(parser, COMMANDS, resumed=("train",), usual="solve")


def run(args: argparse.Namespace, console: Console) -> Result:
    """Never called: the parser asks for one of the commands, which stands in ``args.command`` then."""
    raise NotImplementedError
