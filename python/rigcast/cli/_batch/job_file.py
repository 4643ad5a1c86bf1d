"""Files of jobs: which commands with which arguments. Text in, text out; nothing in a file is executed as code."""

from __future__ import annotations

import glob
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rigcast._extras import require
from rigcast._safe_reading import LARGEST_JSON, as_utf8, read_bytes
from rigcast._text import escaped
from rigcast.cli._result import WrongInput

MOST_JOBS = 100_000
KEYS = ("name", "command", "arguments", "each")
PLACES = ("{path}", "{stem}")


@dataclass(frozen=True)
class Job:
    """One command line: ``rigcast COMMAND ARGUMENTS``, run in the folder of the file of jobs."""

    name: str
    command: str
    arguments: tuple[str, ...]


def read_jobs(path: Path) -> list[Job]:
    """The jobs of a ``.toml`` or ``.json`` file, in their order.

    The file holds a list ``jobs`` of tables with ``command``, ``arguments`` (a list of text and numbers), and
    optionally ``name`` and ``each``: a pattern of files, for each of which there is one job, with ``{path}`` and
    ``{stem}`` replaced in name and arguments.

    Raises
    ------
    ValueError
        Naming the first entry that is wrong, if the file is not of this form, two jobs have one name, or a pattern fits
        no file.
    MissingExtra
        For a ``.toml`` file in Python 3.10 without tomli.
    """
    content = _parsed(path)
    if not isinstance(content, dict) or content.keys() != {"jobs"} or not isinstance(content["jobs"], list):
        raise WrongInput(f"{path} is no file of jobs; it must hold a list named jobs and nothing else")
    jobs: list[Job] = []
    for number, entry in enumerate(content["jobs"], 1):
        jobs += _jobs(entry, f"{path}: job {number}", number, path.parent)
        if len(jobs) > MOST_JOBS:
            raise WrongInput(f"{path} has more than {MOST_JOBS:,} jobs; it must have fewer")
    if not jobs:
        raise WrongInput(f"{path} has no jobs; it must have at least one")
    seen: set[str] = set()
    for job in jobs:
        if job.name in seen:
            raise WrongInput(f"{path}: two jobs are named {job.name!r}; each must have a name of its own")
        seen.add(job.name)
    return jobs


def _parsed(path: Path) -> object:
    raw = read_bytes(path, LARGEST_JSON)
    try:
        text = as_utf8(raw).decode("utf-8")
        if path.suffix.lower() == ".toml":
            name = "tomllib" if sys.version_info >= (3, 11) else "tomli"
            return require(name, extra="dask", purpose="reading a .toml file of jobs").loads(text)
        return json.loads(text)
    except (ValueError, RecursionError) as error:  # of both parsers, and of text that is not UTF-8
        raise WrongInput(f"{path} cannot be read ({error}); it must be TOML, or JSON if it ends in .json") from error


def _jobs(entry: object, where: str, number: int, folder: Path) -> list[Job]:
    if not isinstance(entry, dict):
        raise WrongInput(f"{where} is a {type(entry).__name__}; it must be a table")
    if unknown := [key for key in entry if key not in KEYS]:
        raise WrongInput(f"{where} has the key {unknown[0]!r}; the keys must be of {', '.join(KEYS)}")
    command, arguments = entry.get("command"), entry.get("arguments", [])
    if not isinstance(command, str):
        raise WrongInput(f"{where}: command is {command!r:.60}; it must be the name of a command, as in 'solve'")
    if not isinstance(arguments, list):
        raise WrongInput(f"{where}: arguments is {arguments!r:.60}; it must be a list, one entry per word")
    words = tuple(_word(word, where) for word in arguments)
    name = entry.get("name", f"{command}-{number}" + "-{stem}" * ("each" in entry))
    if not isinstance(name, str) or not name or escaped(name) != name or len(name) > 100:
        raise WrongInput(f"{where}: name is {name!r:.60}; it must be printable text of at most 100 letters")
    if "each" not in entry:
        return [Job(name, command, words)]
    return [
        Job(_filled(name, file), command, tuple(_argument(word, file) for word in words))
        for file in _matches(entry["each"], where, folder)
    ]


def _word(word: Any, where: str) -> str:
    if isinstance(word, bool) or not isinstance(word, str | int | float):
        raise WrongInput(f"{where}: an argument is {word!r:.60}; it must be text or a number")
    text = str(word)
    if "\0" in text:
        raise WrongInput(f"{where}: an argument holds a zero byte; it must be text")
    return text


def _matches(pattern: object, where: str, folder: Path) -> list[str]:
    if not isinstance(pattern, str):
        raise WrongInput(f"{where}: each is {pattern!r:.60}; it must be a pattern of files, as in 'shots/*.npy'")
    found = sorted(glob.glob(pattern, root_dir=folder, recursive=True))
    if not found:
        raise WrongInput(f"{where}: no file fits each = {pattern!r}; it must fit at least one beside the file of jobs")
    return found


def _argument(word: str, file: str) -> str:
    """A word with its places filled; a file whose name begins with a dash is no option but ``./-name``."""
    filled = _filled(word, file)
    return f"./{filled}" if filled.startswith("-") and word.startswith(PLACES) else filled


def _filled(text: str, file: str) -> str:
    """Plain replacement: no other braces mean anything."""
    stem = os.path.basename(file).partition(".")[0]
    return text.replace(PLACES[0], file).replace(PLACES[1], stem)
