"""Parsers of command lines: one line for a wrong argument, with the one that was meant, and help that fits."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from rigcast.cli._nearest import nearest_command, nearest_options
from rigcast.cli._streams import continued, width_of

EXAMPLES = "example:\n"
PATTERNS = (".obj", ".obj.gz")  # of files that a shell makes of a pattern without quotes


class WrongUsage(Exception):
    """Arguments that make no command line.

    Parameters
    ----------
    program : str
        ``rigcast`` and the command.
    sentence : str
    parser : CommandParser, optional
        Of the command, which knows its options.
    """

    def __init__(self, program: str, sentence: str, parser: CommandParser | None = None) -> None:
        super().__init__(f"{program}: {sentence} {pointer(program)}")
        self.program, self.sentence, self.parser = program, sentence, parser

    def with_meant(self, words: Sequence[str]) -> WrongUsage:
        """The same, with the options that words of the command line may have meant."""
        if self.parser is None or "did you mean" in self.sentence:
            return self
        return WrongUsage(self.program, self.sentence + self.parser.meant(words), self.parser)


def pointer(program: str) -> str:
    """The end of an error that other arguments mend."""
    return f"({program} --help shows an example)" if program != "rigcast" else "(rigcast help lists the commands)"


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors are one sentence, not a screen of usage before it."""

    def error(self, message: str) -> NoReturn:
        usual = self.get_default("usual")
        if "invalid choice" in message and usual is not None and "did you mean" not in message:
            message = f"{message.partition(' (choose')[0]}; {usual!r} is missing: {self.prog} {usual} ..."
        raise WrongUsage(self.prog, message, self)

    def unknown(self, words: Sequence[str]) -> NoReturn:
        """Words that the command has no argument for, with the options that were meant."""
        message = f"unrecognized arguments: {' '.join(words)}"
        if any(word.lower().endswith(PATTERNS) for word in words):
            message += "; if the shell made them of a pattern, quote it ('scans/*.obj') or name the folder"
        raise WrongUsage(self.prog, message + self.meant(words), self)

    def meant(self, words: Sequence[str]) -> str:
        """The end of a sentence on the options among some words that the command does not have."""
        known = [option for option in self._option_string_actions if option.startswith("--")]
        given = [word.partition("=")[0] for word in words if word.startswith("-") and word.strip("-.0123456789")]
        unknown = [option for option in given if option not in self._option_string_actions]
        near = dict.fromkeys(" or ".join(options) for word in unknown if (options := nearest_options(word, known)))
        return f"; did you mean {', '.join(near)}?" if near else ""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """As argparse, with the choice that was meant."""
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        near = nearest_command(str(value), choices)
        asked = f"; did you mean {near}?" if near else ""
        raise argparse.ArgumentError(action, f"invalid choice: {value!r}{asked} (choose from {', '.join(choices)})")


class CommandHelp(argparse.RawDescriptionHelpFormatter):
    """Help whose examples are whole command lines: one line each in a pipe, continued by backslashes on a terminal."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if not text.startswith(EXAMPLES):
            return argparse.HelpFormatter._fill_text(self, text, width, indent)
        lines = text.split("\n")
        return "\n".join(part for line in lines for part in continued(line, width_of(sys.stdout)))
