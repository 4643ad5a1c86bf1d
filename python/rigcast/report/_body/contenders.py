"""The models that a report compares, each with its name, its color and its role."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from rigcast._core import Deformer
from rigcast._load_model import load
from rigcast._validate import Arguments, bad_argument
from rigcast.baselines import linear_part
from rigcast.plot._colors import SERIES, distinct

MODEL, PAPER, BASELINE = "model", "paper", "baseline"


@dataclass(frozen=True)
class Contender:
    """One model of a report.

    Attributes
    ----------
    label : str
    model : Deformer
    role : "model", "paper" or "baseline"
    color : str
    size : int
        Bytes of the model file.
    """

    label: str
    model: Deformer
    role: str
    color: str
    size: int


def contenders(
    models: Sequence[str | os.PathLike[str]],
    paper: str | os.PathLike[str] | None,
    baselines: Sequence[str | os.PathLike[str]],
    names: Sequence[str] | None = None,
) -> list[Contender]:
    """Load model files of any kind: the subject first, other models, the paper's variant, then baselines;
    the linear skinning that the subject carries is one, unless linear skinning is among those given.

    Labels are ``names``, else those of the files, with their folders where two are alike; no label is there twice.

    Raises
    ------
    ValueError
        If a file is malformed, or ``names`` are not one for each of ``models``, all different.
    """
    if names is not None:
        names = Arguments("report").names("names", list(names))
        if len(names) != len(models):
            raise bad_argument("report", "names", f"{len(names)} names", f"one for each of the {len(models)} models")
    files = [(path, MODEL) for path in models] + [(paper, PAPER)] * (paper is not None)
    files += [(path, BASELINE) for path in baselines]
    further = iter([f"#{r:02x}{g:02x}{b:02x}" for r, g, b in distinct(len(files)).tolist()])
    colors = {MODEL: chain([SERIES[0], *SERIES[5:]], further), PAPER: iter([SERIES[1]])}
    colors[BASELINE] = chain(SERIES[2:5], further)
    entries: list[Contender] = []
    for number, (path, role) in enumerate(files):
        file = Path(os.fspath(path or ""))
        model = load(file)
        label = "learned model" if role == MODEL and len(models) == 1 else file.stem
        if role == PAPER:
            label = "paper's variant"
        elif role == BASELINE and model.kind == "linear_blend":
            label = skinning_label(model)
        if role == MODEL and names is not None:
            label = names[number]
        taken = {entry.label for entry in entries}
        if label in taken:
            label = f"{file.resolve().parent.name}/{file.stem}"
        tries = (f"{label} ({again})" for again in range(2, len(files) + 2))
        label = label if label not in taken else next(text for text in tries if text not in taken)
        entries.append(Contender(label, model, role, next(colors[role]), file.stat().st_size))
    given = any(entry.role == BASELINE and entry.model.kind == "linear_blend" for entry in entries)
    own = None if given else linear_part(entries[0].model)
    if own is not None:
        size = sum(array.nbytes for array in own.tensors().values())
        entries.append(Contender(skinning_label(own), own, BASELINE, next(colors[BASELINE]), size))
    return entries


def skinning_label(model: Deformer) -> str:
    """``linear skinning, K = 4``, or ``all joints`` where their number was not bounded."""
    width = model.metadata.get("training", {}).get("influences", model.tensors()["skin.joint"].shape[1])
    return f"linear skinning, {'all joints' if width is None else f'K = {width}'}"


def reference(entries: Sequence[Contender]) -> Contender | None:
    """The model that the subject is compared with in figures and pictures.

    Linear skinning with four joints among the baselines, else the first baseline, else the second model.
    """
    baselines = [entry for entry in entries if entry.role == BASELINE]
    four = [entry for entry in baselines if entry.label.endswith("K = 4")]
    return next(iter(four + baselines + list(entries[1:])), None)
