"""The state of a training run, in a file that a killed run continues from."""

from __future__ import annotations

import contextlib
import json
import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from rigcast._atomic_files import atomic_npz
from rigcast._formats.npz.archive import BROKEN
from rigcast._resume.locks import locked
from rigcast._safe_reading import parse_json
from rigcast._validate import bad_argument
from rigcast.training._optimizers import Arrays

GROUPS = ("parameters", "optimizer", "best")


@dataclass
class TrainingState:
    """Everything that training needs to go on.

    Attributes
    ----------
    step : int
        Steps done; the order of the batches follows from it.
    seconds : float
        Spent on steps and evaluations so far, all runs together.
    best_loss, stale : float, int
        Lowest held-out loss, and the evaluations since it was seen.
    parameters, optimizer, best : dict of arrays
        Weights, the state of the optimizer, and the weights of the lowest held-out loss.
    """

    step: int = 0
    seconds: float = 0.0
    best_loss: float = math.inf
    stale: int = 0
    parameters: Arrays = field(default_factory=dict)
    optimizer: Arrays = field(default_factory=dict)
    best: Arrays = field(default_factory=dict)


def only_run(path: Path, function: str = "body") -> contextlib.AbstractContextManager[None]:
    """Keep other runs off the checkpoint: see :func:`rigcast._resume.locks.locked`."""
    return locked(path.with_name(f"{path.name}.lock"), function, "checkpoint", path)


def write_checkpoint(path: Path, state: TrainingState, run: str) -> None:
    """Write a state, atomically; ``run`` identifies data and settings."""
    facts = {"run": run, "step": state.step, "seconds": state.seconds, "stale": state.stale, "loss": state.best_loss}
    arrays = {f"{group}.{name}": value for group in GROUPS for name, value in getattr(state, group).items()}
    atomic_npz(path, {"facts": np.array(json.dumps(facts)), **arrays})


def read_checkpoint(path: Path, run: str, function: str = "body") -> TrainingState | None:
    """The state that a run of a function left, or None if there is no file.

    Raises
    ------
    ValueError
        If the file is no checkpoint, or one of other data or other settings.
    """
    if not path.exists():
        return None
    try:
        with open(path, "rb") as stream, np.load(stream) as file:  # NumPy leaves an unreadable file of its own open
            facts = parse_json(str(file["facts"]).encode())
            arrays = {name: file[name] for name in file.files if name != "facts"}
        found = {str(key): facts[key] for key in ("run", "step", "seconds", "stale", "loss")}
    except (*BROKEN, KeyError, TypeError):
        expected = f"a checkpoint of {function}, or a path where no file is"
        raise bad_argument(function, "checkpoint", f"the unreadable file {path}", expected, path) from None
    if found["run"] != run:
        expected = "a checkpoint of the same data and settings, or a path where no file is"
        raise bad_argument(function, "checkpoint", f"{path}, which belongs to another run", expected, path)
    groups: dict[str, Arrays] = {
        group: {name.split(".", 1)[1]: value for name, value in arrays.items() if name.startswith(f"{group}.")}
        for group in GROUPS
    }
    loss = float(found["loss"])
    return TrainingState(int(found["step"]), float(found["seconds"]), loss, int(found["stale"]), **groups)
