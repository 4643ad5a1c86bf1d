"""Parses a command line, runs the command, and turns every outcome into an exit code and at most one line.

Exit codes: 0 fine, 1 failed, 2 wrong usage or input, 130 interrupted, 143 terminated.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import importlib
import json
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rigcast._extras import MissingExtra
from rigcast._interrupts import ended_by_stdin, ended_by_terminate, was_terminated
from rigcast._notes import heard
from rigcast._text import escaped, shortened
from rigcast.cli._console import Console, JsonLines, spent
from rigcast.cli._left_over import INTERRUPTION, going_on, interruption
from rigcast.cli._nearest import nearest_command
from rigcast.cli._overview import COMMANDS, SEVERAL, answer, show
from rigcast.cli._result import PartlyFailed, Result, WrongInput
from rigcast.cli._sentences import names_of, one_line
from rigcast.cli._streams import say, silence
from rigcast.cli._subcommands import CommandModule, add_command
from rigcast.cli._usage import CommandParser, WrongUsage, pointer
from rigcast.cli._written import check_files, files, is_written
from rigcast.errors import ArgumentError, CudaError, InputWarning, MirroredWarning, NumericalError, SourceError
from rigcast.progress import ProgressCallback, silent

FINE, FAILED, WRONG_INPUT, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143
# The same command goes on where it was interrupted.
RESUMED = ("actors", "sample", "train", "solve", "transfer", "ik", "batch")

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


def commands_of(words: Sequence[str]) -> dict[str, CommandModule]:
    """The command that a command line begins with.

    Raises
    ------
    WrongUsage
        If it begins with none, with the command that was meant.
    """
    if words[0] in COMMANDS:
        return load_commands(words[:1])
    if words[0].startswith("-"):
        raise WrongUsage("rigcast", f"{words[0]} stands before a command; options stand after it")
    near = nearest_command(words[0], [*COMMANDS, "help", "-V"])
    raise WrongUsage("rigcast", f"{words[0]!r} is no command" + (f"; did you mean {near}?" if near else ""))


def main(argv: Sequence[str] | None = None, commands: Mapping[str, CommandModule] | None = None) -> int:
    """Run one command line and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments after the program's name; default those of this process.
    commands : mapping, optional
        As :func:`load_commands` gives them.
    """
    words = answer(sys.argv[1:] if argv is None else argv)
    if isinstance(words, str):
        return show(words)
    as_object = "--json" in words
    try:
        args = parse(parser(commands_of(words) if commands is None else commands), words)
    except SystemExit as stop:  # argparse has printed the help
        return int(stop.code or 0) if say("", sys.stdout, end="") is None else FAILED
    except WrongUsage as wrong:
        return _failed(wrong.program, wrong.sentence, WRONG_INPUT, as_object)
    except OSError as error:  # of a path that cannot be looked at: too long, or in a folder without permission
        return _failed(_program(words), one_line(error), _code(error), as_object)
    except KeyboardInterrupt:
        return _failed("rigcast", "interrupted", INTERRUPTED, as_object)
    console = Console(quiet=args.json or args.quiet, records=_records(args))
    try:
        return _run(args, console)
    finally:
        if args.verbose and not args.piped:
            say(f"{args.parser.prog}: {spent(console)}", sys.stderr)


def parse(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """The arguments of a command line.

    Raises
    ------
    WrongUsage
        Naming what is wrong, and the option that was meant if it is one that the command does not have.
    """
    try:
        args, unknown = parser.parse_known_args(list(words))
    except WrongUsage as wrong:  # an unknown option may have given its value to another argument
        raise wrong.with_meant(words) from None
    if unknown:
        args.parser.unknown(unknown)
    return args


def _run(args: argparse.Namespace, console: Console) -> int:
    """Run a parsed command and return its exit code."""
    written = [path for _, path in files(args.actions, args)[1]]
    can_write = any(map(is_written, args.actions))

    def completed(result: Result) -> Result:
        own = [note for note in result.get("notes", []) if note not in console.notes]
        notes = {"notes": [*console.notes, *own]} if console.notes or own else {}
        return {**({"outputs": [os.fspath(path) for path in written]} if can_write else {}), **result, **notes}

    def work() -> None:
        check_files(args.actions, args)
        if args.json:
            console.promise_object(completed)
        if args.resumed and not getattr(args, "restart", False) and (note := going_on(written)):
            console.notes.append(note)
            console.line(f"note: {note}")
        failure: PartlyFailed | None = None
        try:
            with noted(console), ended_by_stdin() if args.piped else contextlib.nullcontext():
                result = args.command.run(args, console)
        except PartlyFailed as error:
            result, failure = {**error.result, "error": str(error), "exit_code": FAILED}, error
        console.put_object(result)
        if failure is not None:
            raise failure
        console.finish()

    def interrupted(sentence: str) -> str:
        return interruption(sentence, written, args.resumed, hasattr(args, "restart"))

    with ended_by_terminate():
        return guarded(
            work,
            args.parser.prog,
            as_object=lambda: bool(args.json) and not console.has_object,
            debug=args.verbose,
            interrupted=interrupted,
            names=names_of(args.actions),
        )


def _records(args: argparse.Namespace) -> ProgressCallback | None:
    """The receiver of progress in place of bars and lines; None for these."""
    return JsonLines(sys.stderr) if args.piped else silent if args.quiet else None


@contextlib.contextmanager
def noted(console: Console) -> Iterator[None]:
    """Print what readers say of files as notes of the command, each once, and keep them in ``console.notes``."""
    printed = console.notes

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
    as_object: Callable[[], bool] = lambda: False,
    debug: bool = False,
    interrupted: Callable[[str], str] = lambda sentence: sentence or INTERRUPTION,
    names: Mapping[str, str] | None = None,
) -> int:
    """Call ``work`` and turn its outcome into an exit code and at most one line on stderr.

    Parameters
    ----------
    work : callable
    program : str
        Opens the line.
    as_object : callable
        Whether to print the error as a JSON object on stdout, too.
    debug : bool
        Show where an error arose.
    interrupted : callable
        The message after Ctrl-C, of the one that the work itself gives; empty if it gives none.
    names : mapping, optional
        The words of the command line for arguments of functions.
    """
    try:
        work()
        return FINE
    except KeyboardInterrupt as stop:
        message, code = interrupted(str(stop)), TERMINATED if was_terminated() else INTERRUPTED
    except BrokenPipeError:  # the reader of our output went away, as in `rigcast info x | head`
        silence(sys.stdout)
        return FAILED
    except Exception as error:
        foreseen = _is_foreseen(error)
        if debug and not foreseen:
            raise
        if debug:
            traceback.print_exc()
        message, code = one_line(error, names), _code(error)
        if not foreseen:  # a fault of our own: one line too, and the way to its place
            message = f"internal error, please report it: {type(error).__name__}: {message} (--verbose shows where)"
    return _failed(program, message, code, as_object())


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


def _program(words: Sequence[str]) -> str:
    """``rigcast`` and the command, of a command line that was not parsed to its end."""
    count = 2 if words[0] in SEVERAL and words[1:2] and not words[1].startswith("-") else 1
    return " ".join(["rigcast", *words[:count]]) if words[0] in COMMANDS else "rigcast"


def _failed(program: str, sentence: str, code: int, as_object: bool) -> int:
    line = f"{program}: {shortened(escaped(sentence))}"
    say(f"{line} {pointer(program)}" if code == WRONG_INPUT else line, sys.stderr)
    if as_object:
        answer = {"error": shortened(escaped(sentence)), "exit_code": code, "command": program}
        say(json.dumps(answer), sys.stdout)
    return code


def parser(modules: Mapping[str, CommandModule]) -> argparse.ArgumentParser:
    """The parser of the program, with those of its commands."""
    made = CommandParser(prog="rigcast", allow_abbrev=False)
    commands = made.add_subparsers(metavar="COMMAND", required=True)
    for name, command in modules.items():
        add_command(commands, name, command, resumed=name in RESUMED)
    return made
