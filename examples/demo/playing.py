"""The action of the demo's file, played by the learned model with the command a user types, and read back."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rigcast as rc
from examples.characters.walk import ACTION
from examples.demo.stored import edition, read_json, write_json
from rigcast._hashing import file_hash
from rigcast.cli import main as rigcast
from rigcast.errors import SourceError

CACHES = ("{}.mdd", "{}.blend")  # a .blend's own cache lies beside it as .pc2


def play_action(
    folder: Path, model: Path, character: Path, truth: rc.Dataset, announce: Callable[[str], None]
) -> dict[str, Any]:
    """Judge the model on an action of its character's file, and write what it plays; re-uses what is done already.

    Parameters
    ----------
    folder : Path
        Takes ``ACTION.mdd``, a point cache, and ``ACTION.blend`` with ``ACTION.pc2``, which it plays.
    model, character : Path
        A model file and the .blend.
    truth : Dataset
        The action ``walk`` as Blender plays it.
    announce : callable
        Receives each command line.

    Returns
    -------
    dict
        ``name``, ``frames``, ``fps``, ``mean_mm``, ``max_mm``, ``lowest_confidence``, ``command`` (what a user types),
        ``caches`` (the files), ``cache_mean_mm`` and ``cache_max_mm`` (distance of the frames that were read back from
        Blender's own).
    """
    action = ACTION
    key = f"{edition()} {file_hash(model)} {file_hash(character)} {truth.hash}"
    caches = [folder / name.format(action) for name in CACHES]
    numbers_file = folder / f"{action}.json"
    known = read_json(numbers_file)
    if known.get("key") == key and all(cache.exists() for cache in (*caches, folder / f"{action}.pc2")):
        announce(f"re-using what the model plays of the action {action!r}")
        return dict(known["numbers"])
    line = ["evaluate", str(model), str(character), "--action", action]
    announce(shlex.join(["rigcast", *line]))
    judged = _answer(line)["actions"][action]
    for cache in caches:
        announce(shlex.join(["rigcast", *line, "-o", str(cache)]))
        played = _answer([*line, "--overwrite", "-o", str(cache)])
    error = rc.metrics.vertex_error(truth.vertices, rc.sources.load_shot(caches[0]).vertices)
    unit = 1000.0 * truth.meters_per_unit
    numbers = {key: judged[key] for key in ("frames", "mean_mm", "max_mm", "lowest_confidence")} | {
        "name": action,
        "fps": played["fps"],
        "command": shlex.join(["rigcast", *line, "-o", str(caches[-1])]),
        "caches": [str(cache) for cache in caches],
        "cache_mean_mm": unit * error.mean,
        "cache_max_mm": unit * error.max,
    }
    write_json(numbers_file, {"key": key, "numbers": numbers})
    return numbers


def _answer(line: list[str]) -> dict[str, Any]:
    """The JSON answer of a command line.

    Raises
    ------
    KeyboardInterrupt
        If it was interrupted.
    SourceError
        If it failed.
    """
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        code = rigcast([*line, "--json"])
    if code == 130:
        raise KeyboardInterrupt
    answer: dict[str, Any] = json.loads(told.getvalue())
    if code != 0:
        raise SourceError(f"rigcast {shlex.join(line)} failed: {answer.get('error', 'no reason given')}")
    return answer
