"""Parses a command line, runs the command, and turns every outcome into an exit code and at most one line.

Exit codes: 0 fine, 1 failed, 2 wrong usage or input, 130 interrupted.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import errno
import importlib
import json
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from rigcast._extras import MissingExtra
from rigcast._interrupts import ended_by_stdin
from rigcast._notes import heard
from rigcast._text import escaped, shortened
from rigcast.cli._arguments import check_files
from rigcast.cli._console import Console, JsonLines, say, silence
from rigcast.cli._result import PartlyFailed, WrongInput, as_json
from rigcast.cli._sentences import one_line
from rigcast.cli._subcommands import CommandModule, add_command
from rigcast.errors import ArgumentError, CudaError, InputWarning, MirroredWarning, NumericalError, SourceError

INTERRUPTION = "interrupted; run the same command again to continue"
FINE, FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130
# The same command goes on where it was interrupted.
RESUMED = ("actors", "sample", "train", "solve", "transfer", "ik", "batch")
COMMANDS = (
    "doctor", "sample", "train", "evaluate", "export", "solve", "report", "bench", "transfer", "pack", "info", "limits",
    "faces", "ik", "synth", "capture", "actors", "view", "perceive", "study", "batch", "blender-addon",
)  # fmt: skip
SEVERAL = ("synth", "capture", "study")  # that have commands of their own


FORESEEN = (
    ArgumentError, WrongInput, PartlyFailed, MissingExtra, SourceError, NumericalError, CudaError, OSError, MemoryError,
)  # fmt: skip
# What an operating system says of a path that a user gave.
THE_USERS = {
    errno.ENAMETOOLONG,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EEXIST,
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ELOOP,
}


def load_commands(names: Sequence[str] = COMMANDS) -> dict[str, CommandModule]:
    """The modules of commands, by name; to load all of them takes a second."""
    homes = {name: f"_commands.{name.replace('-', '_')}" for name in names}
    homes |= {name: f"_groups.{name}" for name in SEVERAL if name in names}
    return {name: importlib.import_module(f"rigcast.cli.{home}") for name, home in homes.items()}


def commands_of(argv: Sequence[str]) -> dict[str, CommandModule]:
    """The command that a command line begins with; all commands where it begins with none."""
    return load_commands(argv[:1] if argv and argv[0] in COMMANDS else COMMANDS)


def main(argv: Sequence[str] | None = None, commands: Mapping[str, CommandModule] | None = None) -> int:
    """Run one command line and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments after the program's name; default those of this process.
    commands : mapping, optional
        As :func:`load_commands` gives them.
    """
    argv = sys.argv[1:] if argv is None else argv
    as_object = "--json" in argv
    try:
        args, unknown = parser(commands_of(argv) if commands is None else commands).parse_known_args(argv)
        if unknown:
            args.parser.unknown(unknown)
    except SystemExit as stop:  # argparse has printed the help
        return int(stop.code or 0) if say("", sys.stdout, end="") is None else FAILED
    except WrongUsage as wrong:
        return _failed(str(wrong), WRONG_INPUT, as_object)
    except OSError as error:  # of a path that cannot be looked at: too long, or in a folder without permission
        return _failed(f"rigcast: {one_line(error)}", _code(error), as_object)
    except KeyboardInterrupt:
        return _failed("rigcast: interrupted", INTERRUPTED, as_object)

    def work() -> None:
        check_files(args.actions, args)
        console = Console(quiet=args.json, records=JsonLines(sys.stderr) if args.piped else None)
        failure: PartlyFailed | None = None
        printed: list[str] = []
        try:
            with noted(console, printed), ended_by_stdin() if args.piped else contextlib.nullcontext():
                result = args.command.run(args, console)
        except PartlyFailed as error:
            result, failure = {**error.result, "error": str(error), "exit_code": FAILED}, error
        own = [note for note in result.get("notes", []) if note not in printed]
        if printed or own:
            result = {**result, "notes": [*printed, *own]}
        if args.json:
            console.result(json.dumps(as_json(result)))
        if failure is not None:
            raise failure
        console.finish()

    interruption = INTERRUPTION if args.resumed else "interrupted"
    return guarded(work, program="rigcast", as_object=args.json, debug=args.debug, interrupted=interruption)


@contextlib.contextmanager
def noted(console: Console, printed: list[str]) -> Iterator[None]:
    """Print what readers say of files as notes of the command, each once, and keep them in ``printed``."""

    def say_once(note: str) -> None:
        if note not in printed:
            printed.append(note)
            console.line(f"note: {note}")

    def of_source(name: str, note: str, inherited: bool) -> None:
        if not (inherited and any(text.endswith(f": {note}") for text in printed)):
            say_once(f"{name}{', of its rig' * inherited}: {note}")

    def show(message: Any, category: type[Warning], *place: Any, **others: Any) -> None:
        if issubclass(category, (InputWarning, MirroredWarning)):
            say_once(str(message))
        else:
            before(message, category, *place, **others)

    with heard(of_source), warnings.catch_warnings():
        before = warnings.showwarning
        for kind in (InputWarning, MirroredWarning):
            warnings.simplefilter("always", kind)
        warnings.showwarning = show
        yield


def guarded(
    work: Callable[[], None],
    program: str,
    as_object: bool = False,
    debug: bool = False,
    interrupted: str = INTERRUPTION,
) -> int:
    """Call ``work`` and turn its outcome into an exit code and at most one line on stderr.

    Parameters
    ----------
    work : callable
    program : str
        Opens the line.
    as_object : bool
        Also print the error as a JSON object on stdout.
    debug : bool
        Show where an error arose.
    interrupted : str
        The message after Ctrl-C, if the work itself gives none.
    """
    try:
        work()
        return FINE
    except KeyboardInterrupt as stop:
        message, code = str(stop) or interrupted, INTERRUPTED
    except BrokenPipeError:  # the reader of our output went away, as in `rigcast info x | head`
        silence(sys.stdout)
        return FAILED
    except Exception as error:
        foreseen = _is_foreseen(error)
        if debug and not foreseen:
            raise
        if debug:
            traceback.print_exc()
        message, code = one_line(error), _code(error)
        if not foreseen:  # a fault of our own: one line too, and the way to its place
            message = f"internal error, please report it: {type(error).__name__}: {message} (--debug shows where)"
        as_object = as_object and not isinstance(error, PartlyFailed)  # its object has been printed
    return _failed(f"{program}: {message}", code, as_object)


def _code(error: Exception) -> int:
    """The exit code of an error: wrong input if other arguments mend it; failure for a full disk or a crash."""
    if isinstance(error, OSError):
        return WRONG_INPUT if error.errno in THE_USERS or isinstance(error, FileNotFoundError) else FAILED
    return WRONG_INPUT if isinstance(error, ValueError) and _is_foreseen(error) else FAILED


def _is_foreseen(error: Exception) -> bool:
    """True if an error is for the user, and not a fault of this program.

    Any other ``ValueError``, as of NumPy, shows that something was not checked.
    """
    return isinstance(error, FORESEEN)


def _failed(line: str, code: int, as_object: bool) -> int:
    line = shortened(escaped(line))
    say(line, sys.stderr)
    if as_object:
        say(json.dumps({"error": line.partition(": ")[2], "exit_code": code}), sys.stdout)
    return code


class WrongUsage(Exception):
    """Arguments that make no command line."""


class _Parser(argparse.ArgumentParser):
    """One line for a wrong argument, not a screen of usage before it."""

    def error(self, message: str) -> NoReturn:
        if "invalid choice" in message and (usual := self.get_default("usual")) is not None:
            message = f"{message.partition(' (choose')[0]}; {usual!r} is missing: {self.prog} {usual} ..."
        raise WrongUsage(f"{self.prog}: {message} ({self.prog} --help shows an example)")

    def unknown(self, words: Sequence[str]) -> NoReturn:
        """Words that the command has no argument for, with the option that a misspelt one may have meant."""
        message = f"unrecognized arguments: {' '.join(words)}"
        if any(word.lower().endswith((".obj", ".obj.gz")) for word in words):
            message += "; if the shell made them of a pattern, quote it ('scans/*.obj') or name the folder"
        options = [word.partition("=")[0] for word in words if word.startswith("-")]
        near = [match for word in options for match in difflib.get_close_matches(word, self._option_string_actions, 1)]
        if near:
            message += f"; did you mean {', '.join(near)}?"
        self.error(message)


def parser(modules: Mapping[str, CommandModule]) -> argparse.ArgumentParser:
    """The parser of the program, with those of its commands."""
    made = _Parser(
        prog="rigcast",
        description="Learn any character rig, and run it anywhere.",
        epilog="rigcast COMMAND --help shows an example of each command.",
        allow_abbrev=False,
    )
    from rigcast._version import __version__

    made.add_argument("--version", action="version", version=f"rigcast {__version__}")
    commands = made.add_subparsers(metavar="COMMAND", required=True)
    for name, command in modules.items():
        add_command(commands, name, command, resumed=name in RESUMED)
    return made
