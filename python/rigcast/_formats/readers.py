"""Which public function reads a file, by its ending: for the errors of the others."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from rigcast._validate import bad_argument, missing_file, shown

RIGS, FACES, MOTIONS = "rigcast.sources.load", "rigcast.sources.load_blendshapes", "rigcast.sources.load_motion"
SHOTS, WEIGHTS = "rigcast.sources.load_shot", "rigcast.sources.load_blendshape_weights"
READERS: dict[str, tuple[str, ...]] = {
    ".safetensors": ("rigcast.load", RIGS, FACES),
    ".glb": (RIGS, FACES, SHOTS, WEIGHTS, MOTIONS),
    ".gltf": (RIGS, FACES, SHOTS, WEIGHTS, MOTIONS),
    ".blend": (RIGS, FACES, WEIGHTS),
    ".fbx": (RIGS, FACES, SHOTS, WEIGHTS, MOTIONS),
    ".vrm": (RIGS, FACES, SHOTS, WEIGHTS, MOTIONS),
    ".npz": (RIGS, FACES, SHOTS, "rigcast.inverse.Solution.load"),
    ".npy": (SHOTS,),
    ".obj": (SHOTS,),
    ".usd": (SHOTS, WEIGHTS, MOTIONS),
    ".usda": (SHOTS, WEIGHTS, MOTIONS),
    ".usdc": (SHOTS, WEIGHTS, MOTIONS),
    ".usdz": (SHOTS, WEIGHTS, MOTIONS),
    ".abc": (SHOTS,),
    ".pc2": (SHOTS,),
    ".mdd": (SHOTS,),
    ".csv": (WEIGHTS,),
    ".bvh": (MOTIONS, "rigcast.sources.load_bvh"),
    ".rwdata": ("rigcast.Dataset",),
}
#: what those functions give, in a few words
KINDS = {
    RIGS: "rigs",
    FACES: "blendshape rigs",
    SHOTS: "moving meshes",
    WEIGHTS: "weights over time",
    MOTIONS: "motion of joints",
}


def suffix_of(path: str | os.PathLike[str]) -> str:
    """The ending in lower case, that before ``.gz`` for packed files."""
    name = Path(path).name.lower().removesuffix(".gz")
    return Path(name).suffix


def readers_of(path: str | os.PathLike[str]) -> str:
    """``; rigcast.sources.load reads rigs from .glb, ...``, or nothing for endings that nobody reads."""
    suffix = suffix_of(path)
    found = [name + (f" ({KINDS[name]})" if name in KINDS else "") for name in READERS.get(suffix, ())]
    return f"; {suffix} files are read by {', '.join(found)}" if found else ""


def existing_file(path: str | os.PathLike[str], function: str, endings: tuple[str, ...] = ()) -> Path:
    """A file that is there, with one of some endings (any if none are given).

    Raises
    ------
    FileNotFoundError
        If there is nothing of this name.
    ValueError
        If it is a folder, or ends otherwise; the message names the functions that read its kind.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise bad_argument(function, "path", f"a {type(path).__name__}", "a path")
    file = Path(path)
    if not os.path.exists(file):
        raise missing_file(function, "path", file)
    if endings and file.suffix.lower() not in endings:
        expected = f"a file that ends in {', '.join(endings)}{readers_of(file)}"
        raise bad_argument(function, "path", repr(str(path)), expected, path)
    if not os.path.isfile(file):
        raise bad_argument(function, "path", f"{str(path)!r}, which is no file", "an existing file", path)
    return file


def call(function: str, readers: Mapping[str, str], kind: str, path: Path, *given: object, **options: object) -> Any:
    """Call the reader of one kind of file with a path, what else it needs, and the options that a caller gave.

    Its module is imported here: formats must not wait for each other's packages.

    Parameters
    ----------
    function : str
        The public function, named in errors.
    readers : dict
        ``module:name`` of the reader by kind of file, for all kinds that the function opens.
    kind : str
        ``.glb``, for example.
    path : Path
    *given : object
    **options : object
        None and False are those that nobody gave.

    Raises
    ------
    ValueError
        If the reader has no use for an option; naming the kinds of file that have.
    """
    reader = _reader(readers[kind])
    used = {name: value for name, value in options.items() if value is not None and value is not False}
    for name, value in used.items():
        if name not in _keywords(reader):
            takers = ", ".join(other for other, place in readers.items() if name in _keywords(_reader(place)))
            raise bad_argument(
                function, name, f"{shown(value)} for a {kind} file", f"left out: it is for {takers} files"
            )
    return reader(path, *given, **used)


def _reader(place: str) -> Callable[..., Any]:
    module, _, name = place.partition(":")
    found: Any = importlib.import_module(f"rigcast._formats.{module}")
    for part in name.split("."):
        found = getattr(found, part)
    reader: Callable[..., Any] = found
    return reader


def _keywords(reader: Callable[..., Any]) -> list[str]:
    return [
        name for name, parameter in signature(reader).parameters.items() if parameter.default is not Parameter.empty
    ]
