"""Files opened by the reader that the registry names, and the words of errors about their endings."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rigcast._formats.registry import Content, Reader, functions_of, readers, takers
from rigcast._validate import bad_argument, missing_file, shown


def suffix_of(path: str | os.PathLike[str]) -> str:
    """The ending in lower case, that before ``.gz`` for packed files."""
    name = Path(path).name.lower().removesuffix(".gz")
    return Path(name).suffix


def readers_of(path: str | os.PathLike[str]) -> str:
    """``; rigcast.sources.load reads rigs from .glb, ...``, or nothing for endings that nobody reads."""
    suffix = suffix_of(path)
    found = functions_of(suffix)
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


def call(function: str, content: Content, kind: str, path: Path, *given: object, **options: object) -> Any:
    """Call the reader of one kind of file with a path, what else it needs, and the options that a caller gave.

    Its module is imported here: formats must not wait for each other's packages.

    Parameters
    ----------
    function : str
        The public function, named in errors.
    content : Content
        What it reads.
    kind : str
        ``.glb``, for example.
    path : Path
    *given : object
    **options : object
        None and False are those that nobody gave.

    Raises
    ------
    ArgumentError
        If the reader has no use for an option; naming the kinds of file that have.
    """
    reader = readers(content)[kind]
    used = {name: value for name, value in options.items() if value is not None and value is not False}
    for name, value in used.items():
        if name not in reader.options:
            expected = f"left out: it is for {', '.join(takers(content, name))} files"
            raise bad_argument(function, name, f"{shown(value)} for a {kind} file", expected)
    return imported(reader)(path, *given, **used)


def imported(reader: Reader) -> Callable[..., Any]:
    """The function that a row of the registry names."""
    module, _, name = reader.place.partition(":")
    found: Any = importlib.import_module(f"rigcast._formats.{module}")
    for part in name.split("."):
        found = getattr(found, part)
    function: Callable[..., Any] = found
    return function
