"""Commands as parsers: those of the program, and those of a command that has several of its own."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from rigcast.cli._arguments import name_values
from rigcast.cli._console import Console
from rigcast.cli._overwrite import add_overwrite_argument
from rigcast.cli._result import Result
from rigcast.cli._usage import EXAMPLES, CommandHelp
from rigcast.cli._written import is_written


class CommandModule(Protocol):
    """The members of a command's module."""

    SUMMARY: str
    EXAMPLE: str  # command lines that run as they stand, one after another

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, args: argparse.Namespace, console: Console) -> Result: ...


def add_command(commands: Any, name: str, command: CommandModule, *, resumed: bool = False) -> None:
    """Add a parser to those of ``add_subparsers``, with the options that every command has.

    Parameters
    ----------
    commands : what ``add_subparsers`` returns
    name : str
    command : CommandModule
    resumed : bool
        Whether the same command goes on where it was interrupted.
    """
    sub = commands.add_parser(
        name,
        help=command.SUMMARY,
        description=command.SUMMARY[0].upper() + command.SUMMARY[1:] + ".",
        epilog=EXAMPLES + "\n".join(f"  {line}" for line in command.EXAMPLE.splitlines()),
        formatter_class=CommandHelp,
        allow_abbrev=False,
    )
    command.add_arguments(sub)
    name_values(sub._actions)
    if any(map(is_written, sub._actions)):
        add_overwrite_argument(sub)
    sub.add_argument("--json", action="store_true", help="one JSON object on stdout; progress goes to stderr")
    sub.add_argument(
        "--piped",
        action="store_true",
        help="for programs that run this: progress as JSON, one object per line; the end of stdin acts as Ctrl-C",
    )
    loudness = sub.add_mutually_exclusive_group()
    loudness.add_argument("-q", "--quiet", action="store_true", help="say errors alone")
    loudness.add_argument(
        "-v", "--verbose", action="store_true", help="say more: the time of each stage, memory, where an error arose"
    )
    sub.set_defaults(command=command, parser=sub, actions=sub._actions, resumed=resumed)


def add_commands(
    parser: argparse.ArgumentParser,
    commands: Mapping[str, CommandModule],
    resumed: Sequence[str] = (),
    usual: str | None = None,
) -> None:
    """Add the commands of a command; the parser asks for one of them.

    Parameters
    ----------
    parser : ArgumentParser
    commands : mapping
    resumed : sequence of str
        Those that go on where they were interrupted.
    usual : str, optional
        The one that an error proposes where none is named.
    """
    parser.set_defaults(usual=usual)
    parsers = parser.add_subparsers(metavar="WHAT", required=True)
    for name, command in commands.items():
        add_command(parsers, name, command, resumed=name in resumed)
