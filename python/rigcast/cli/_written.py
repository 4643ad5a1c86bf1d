"""Results of commands: which arguments name them, and where they cannot be written, before any work."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from rigcast._atomic_files import unwritable
from rigcast.cli._arguments import KeptFile, OutputFile, data_set, output
from rigcast.cli._overwrite import check_overwrite
from rigcast.cli._result import WrongInput


def is_written(action: argparse.Action) -> bool:
    """True if an argument names a result."""
    return action.type in (output, data_set) or isinstance(action.type, OutputFile)


def is_continued(action: argparse.Action) -> bool:
    """True if an argument names a result that a run goes on with, where it is there."""
    return action.type is data_set or isinstance(action.type, KeptFile)


def check_files(actions: Iterable[argparse.Action], args: argparse.Namespace) -> None:
    """Refuse to write over what is read, two results to one place, finished results, and where nothing can be written.

    Every ``Path`` among the arguments is read, but for those that :func:`is_written` says.

    Raises
    ------
    ValueError
        Naming the arguments.
    """
    read, written = files(actions, args)
    finished = [path for action in actions if not is_continued(action) for _, path in files([action], args)[1]]
    for number, (name, path) in enumerate(written):
        for other, taken in [*read, *written[:number]]:
            if _same(path, taken):
                also = f"{other} too" if (other, taken) in written else f"what {other} reads"
                raise WrongInput(f"{name} {path} is {also}; results need a file of their own")
        if reason := _no_place(path):
            raise WrongInput(f"{name} {reason}")
    check_overwrite(finished, getattr(args, "overwrite", False))


def files(
    actions: Iterable[argparse.Action], args: argparse.Namespace
) -> tuple[list[tuple[str, Path]], list[tuple[str, Path]]]:
    """The files that a command reads and those that it writes, each with the name of the argument."""
    read: list[tuple[str, Path]] = []
    written: list[tuple[str, Path]] = []
    for action in actions:
        given = getattr(args, action.dest, None)
        paths = [entry for entry in (given if isinstance(given, list) else [given]) if isinstance(entry, Path)]
        kind = written if is_written(action) else read
        kind += [(_name(action), path) for path in paths]
    return read, written


def _no_place(path: Path) -> str:
    """The reason why a result cannot be written, in words that begin with its path; empty if it can be.

    Notices before the work what would otherwise show after it. That a disk gets full, nobody knows before.
    """
    is_folder = os.path.isdir(path)
    if not is_folder and (error := unwritable(path)):
        return str(error)
    # What is kept of interrupted work lies next to the name itself, and the result next to what a link leads to.
    for folder in dict.fromkeys([path] if is_folder else [path.parent, Path(os.path.realpath(path)).parent]):
        try:
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            reason = error.strerror or error
            return f"{path} cannot be written ({reason}); it must be in a folder where files can be made"
    try:
        os.lstat(path.with_name(f"{path.name}.checkpoint.lock"))
    except FileNotFoundError:
        pass
    except OSError as error:
        reason = error.strerror or error
        return f"{path} cannot be written ({reason}); its name must leave room for what is kept beside it"
    return ""


def _name(action: argparse.Action) -> str:
    return action.option_strings[-1] if action.option_strings else str(action.metavar or action.dest)


def _same(a: Path, b: Path) -> bool:
    """One place on the disk, through links too."""
    if a.exists() and b.exists():
        return a.samefile(b)
    return a.resolve() == b.resolve()
