"""Errors as one line each, in the words of a command: files and options in place of functions and their arguments."""

from __future__ import annotations

from rigcast._atomic_files import FULL, DiskFull
from rigcast._formats.readers import readers_of, suffix_of
from rigcast._validate import MissingFile
from rigcast.errors import ArgumentError, FileError

FILES = ("path", "folder", "checkpoint")  # arguments of functions that the command line knows by the file alone
OPTIONS = {
    ("view", "host"): "--host",
    ("view", "port"): "--port",
    ("view", "token_file"): "--token-file",
    ("", "targets"): "SHOT",  # "": of any function
}
VERBS = ("is", "has", "does", "holds", "begins", "was")  # of a clause about a file, which makes a sentence of its own
SPELLINGS = {"rigcast.sampling.sample": "rigcast sample", "overwrite=True": "--overwrite"}


def one_line(error: BaseException) -> str:
    """An error as a user reads it."""
    if isinstance(error, MemoryError):
        return "not enough memory"
    if isinstance(error, OSError) and error.errno in FULL and not isinstance(error, DiskFull):
        return "the disk is full" + (f": {error.filename}" if error.filename else "")
    if isinstance(error, OSError) and error.strerror:
        paths = " and ".join(str(path) for path in (error.filename, error.filename2) if path is not None)
        return f"{paths}: {error.strerror}" if paths else error.strerror
    return " ".join(_sentence(error).split()) or type(error).__name__


def _sentence(error: BaseException) -> str:
    if isinstance(error, MissingFile) and error.argument in FILES:
        return f"{error.path!r} does not exist; it must be {error.expected}"
    if not isinstance(error, ArgumentError):
        return str(error)
    expected = error.expected
    for python, command in SPELLINGS.items():
        expected = expected.replace(python, command)
    if isinstance(error, FileError):
        expected = _without_functions(error, expected)
        if error.argument in FILES:
            return _of_file(error, expected)
    option = OPTIONS.get((error.function, error.argument)) or OPTIONS.get(("", error.argument))
    if option is None:
        return str(ArgumentError(error.function, error.argument, error.got, expected))
    return str(ArgumentError("", option, error.got, expected))


def _without_functions(error: FileError, expected: str) -> str:
    """The requirement on a file, without the functions that read its kind."""
    suffix = suffix_of(error.path)
    bare = expected.removesuffix(readers_of(error.path))
    return expected if bare == expected else f"{bare}; rigcast info says what a {suffix} file holds"


def _of_file(error: FileError, expected: str) -> str:
    name = next((name for name in (repr(error.path), error.path) if error.got.startswith(name)), None)
    if name is None:
        return str(ArgumentError(error.function, error.argument, error.got, expected))
    problem = error.got.removeprefix(name)
    if not problem:
        return f"{name} must be {expected}"
    clause = problem.removeprefix(", which ")
    if clause != problem and clause.partition(" ")[0] in VERBS:
        problem = f" {clause}"
    return str(ArgumentError("", "", name + problem, expected))
