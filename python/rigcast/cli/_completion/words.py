"""Options, values and files that may follow each command, from its parser."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rigcast.cli import _arguments as arguments

# Words of a metavar, as of rest|each|off|FILE, that are files or folders.
PATHS = {
    "FILE", "FOLDER", "PATH", "JSON", "NPY", "NPZ", "CSV", "TXT", "MP4", "HTML", "SET", "MODEL", "RIG", "MOTION",
    "STUDY", "NETWORK",
}  # fmt: skip
TYPES = (arguments.existing, arguments.existing_file, arguments.output, arguments.data_set, Path)


@dataclass(frozen=True)
class Slot:
    """An option, or an argument by its place.

    Attributes
    ----------
    options : tuple of str
        Empty for an argument by its place.
    takes_value : bool
    is_path : bool
        Whether the value is a file or a folder.
    endings : tuple of str
        Of the files that it may be, with the dot; empty: of any.
    choices : tuple of str
        Words that it may be.
    name, help : str
        Of the value, and what it means, in one line.
    repeats : bool
        Whether it may be given several times, or takes several words.
    """

    options: tuple[str, ...]
    takes_value: bool
    is_path: bool
    endings: tuple[str, ...]
    choices: tuple[str, ...]
    name: str
    help: str
    repeats: bool


@dataclass(frozen=True)
class CompletedCommand:
    """A command by its words, as ``("synth", "fit")``, with what may follow it.

    Attributes
    ----------
    words : tuple of str
    summary : str
    slots : list of Slot
    inner : dict
        Commands of a command that has several, with what they do.
    """

    words: tuple[str, ...]
    summary: str
    slots: list[Slot]
    inner: dict[str, str]

    @property
    def options(self) -> list[Slot]:
        """The slots that have names."""
        return [slot for slot in self.slots if slot.options]

    @property
    def places(self) -> list[Slot]:
        """The slots by their place, in order."""
        return [slot for slot in self.slots if not slot.options]


def completed_commands(parser: argparse.ArgumentParser, words: tuple[str, ...] = ()) -> Iterator[CompletedCommand]:
    """All commands of a parser, the program itself first."""
    inner: Any = next((one for one in parser._actions if isinstance(one, argparse._SubParsersAction)), None)
    summaries = {} if inner is None else {one.dest: one.help or "" for one in inner._choices_actions}
    slots = [] if inner is not None else [_slot(action) for action in parser._actions]
    yield CompletedCommand(words, parser.description or "", slots, summaries)
    for name in summaries:
        yield from completed_commands(inner.choices[name], (*words, name))


def _slot(action: argparse.Action) -> Slot:
    words = action.metavar if isinstance(action.metavar, tuple) else (action.metavar or action.dest,)
    named = {part.partition("=")[2] or part for word in words for part in word.split("|")}
    is_written = isinstance(action.type, arguments.OutputFile)
    return Slot(
        tuple(action.option_strings),
        action.nargs != 0,
        bool(action.nargs != 0 and (is_written or action.type in TYPES or named & PATHS)),
        action.type.suffixes if isinstance(action.type, arguments.OutputFile) else (),
        tuple(map(str, action.choices or ())),
        " ".join(words),
        " ".join((action.help or "").replace("%%", "%").split()),
        isinstance(action, argparse._AppendAction) or action.nargs in ("*", "+"),
    )
