"""Errors as one line each, in the words of a command: files and options in place of functions and their arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rigcast._atomic_files import FULL, DiskFull
from rigcast._formats.readers import readers_of, suffix_of
from rigcast._validate import MissingFile
from rigcast.errors import ArgumentError, FileError

if TYPE_CHECKING:
    import argparse

FILES = ("path", "folder", "checkpoint")  # arguments of functions that the command line knows by the file alone
VERBS = ("is", "has", "does", "holds", "begins", "was")  # of a clause about a file, which makes a sentence of its own
# What functions call the arguments of commands, by the places of these in a command line: the first that it has.
PLACES = {
    "ds": ("data", "input"),
    "dataset": ("data", "input"),
    "model": ("model", "models", "file"),
    "rig": ("rig", "file", "models"),
    "targets": ("shot", "targets"),
    "limit": ("at_most",),
    "method": ("method", "search", "recipe"),
    "weights": ("weights", "examples_weights"),
    "truth": ("truth", "true_weights"),
    "without": ("without", "without_layer"),
    "resume": ("restart",),
}
# Classes as a user of commands knows them.
KINDS = {
    "BodyModel": "learned body",
    "BlendshapeRig": "blendshape rig",
    "FaceMaps": "face on deformation maps",
    "DifferentialModel": "model of a differential subspace",
    "LinearBlendSkinning": "model of linear skinning",
    "DualQuaternionSkinning": "model of dual quaternion skinning",
    "DeltaMush": "model with delta mush",
    "FeatureModel": "regression",
    "Synthesizer": "synthesizer",
    "Dataset": "data set",
}
KIND = re.compile(rf"\b(?:rigcast\.|rc\.)?(?:\w+\.)?({'|'.join(KINDS)})\b(?!\()")
SPELLINGS = {"rigcast.sampling.sample": "rigcast sample", "overwrite=True": "--overwrite"}


def names_of(actions: Iterable[argparse.Action]) -> dict[str, str]:
    """The words of a command line for what functions are given, by the names of their arguments."""
    own = {a.dest: a.option_strings[-1] if a.option_strings else str(a.metavar or a.dest) for a in actions}
    return own | {name: own[found] for name, places in PLACES.items() if (found := _first(places, own)) is not None}


def _first(places: Iterable[str], own: Mapping[str, str]) -> str | None:
    return next((place for place in places if place in own), None)


def one_line(error: BaseException, names: Mapping[str, str] | None = None) -> str:
    """An error as a user reads it.

    Parameters
    ----------
    error : exception
    names : mapping, optional
        See :func:`names_of`.
    """
    if isinstance(error, MemoryError):
        return "not enough memory"
    if isinstance(error, OSError) and error.errno in FULL and not isinstance(error, DiskFull):
        return "the disk is full" + (f": {error.filename}" if error.filename else "")
    if isinstance(error, OSError) and error.strerror:
        paths = " and ".join(str(path) for path in (error.filename, error.filename2) if path is not None)
        return f"{paths}: {error.strerror}" if paths else error.strerror
    return " ".join(KIND.sub(_kind, _sentence(error, names or {})).split()) or type(error).__name__


def _kind(found: re.Match[str]) -> str:
    return KINDS[found.group(1)]


def _sentence(error: BaseException, names: Mapping[str, str]) -> str:
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
    return str(ArgumentError("", names.get(error.argument, error.argument), error.got, expected))


def _without_functions(error: FileError, expected: str) -> str:
    """The requirement on a file, without the functions that read its kind."""
    suffix = suffix_of(error.path)
    bare = expected.removesuffix(readers_of(error.path))
    return expected if bare == expected else f"{bare}; rigcast info says what a {suffix} file holds"


def _of_file(error: FileError, expected: str) -> str:
    name = next((name for name in (repr(error.path), error.path) if error.got.startswith(name)), None)
    if name is None:
        return str(ArgumentError("", error.argument, error.got, expected))
    problem = error.got.removeprefix(name)
    if not problem:
        return f"{name} must be {expected}"
    clause = problem.removeprefix(", which ")
    if clause != problem and clause.partition(" ")[0] in VERBS:
        problem = f" {clause}"
    return str(ArgumentError("", "", name + problem, expected))
