"""The models that a report compares, each with its name, its color and its role."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import rigwright as rw
from rigwright.plot._colors import SERIES

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
    model: rw.Deformer
    role: str
    color: str
    size: int


def contenders(
    models: Sequence[str | os.PathLike[str]],
    paper: str | os.PathLike[str] | None,
    baselines: Sequence[str | os.PathLike[str]],
) -> list[Contender]:
    """Load model files: the subject first, other models, the paper's variant, then baselines.

    Raises
    ------
    ValueError
        If a file is malformed.
    """
    files = [(path, MODEL) for path in models] + [(paper, PAPER)] * (paper is not None)
    files += [(path, BASELINE) for path in baselines]
    colors = {MODEL: iter([SERIES[0], *SERIES[5:]] * len(files)), PAPER: iter([SERIES[1]])}
    colors[BASELINE] = iter(SERIES[2:5] * len(files))
    entries = []
    for path, role in files:
        file = Path(os.fspath(path or ""))
        model = rw.load(file)
        label = "learned model" if role == MODEL and len(models) == 1 else file.stem
        if role == PAPER:
            label = "paper's variant"
        elif role == BASELINE and model.kind == "linear_blend":
            label = skinning_label(model)
        entries.append(Contender(label, model, role, next(colors[role]), file.stat().st_size))
    return entries


def skinning_label(model: rw.Deformer) -> str:
    """``linear skinning, K = 4``, or ``all joints`` where their number was not bounded."""
    width = model.metadata.get("training", {}).get("influences", model.tensors()["skin.joint"].shape[1])
    return f"linear skinning, {'all joints' if width is None else f'K = {width}'}"


def reference(entries: Sequence[Contender]) -> Contender | None:
    """The baseline that stands beside the subject in pictures: linear skinning with four joints, else the first."""
    baselines = [entry for entry in entries if entry.role == BASELINE]
    four = [entry for entry in baselines if entry.label.endswith("K = 4")]
    return next(iter(four + baselines), None)
