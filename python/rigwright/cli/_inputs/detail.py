"""The quality of a face on deformation maps: ``--detail`` and ``--storage``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

import rigwright as rw
from rigwright import _core


def add_quality_arguments(parser: argparse.ArgumentParser) -> None:
    """Quality steps that a game chooses at run time."""
    group = parser.add_argument_group("quality of a face on deformation maps")
    group.add_argument(
        "--detail",
        type=share,
        help="how much of its refinement maps is added: from 0, coarse maps alone, to 1 (default)",
    )
    group.add_argument("--storage", choices=["float32", "16-bit"], help="of weights in memory (default: MODEL's)")


def share(text: str) -> float:
    """A number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 to 1")
    return value


def at_quality(model: rw.Deformer, path: Path, detail: float | None, storage: str | None) -> rw.Deformer:
    """The model with its refinement maps multiplied by ``detail``, and its weights stored so.

    Raises
    ------
    ValueError
        If one of them is given, and the model is no face on deformation maps.
    """
    given = "--detail" if detail is not None else "--storage" if storage is not None else ""
    if not given:
        return model
    if not isinstance(model, _core.FaceMaps):
        raise ValueError(f"{path} is a model of kind {model.kind}: {given} is for faces on deformation maps")
    if detail is not None:
        tensors = model.tensors()
        factors = np.where(tensors["segments.level"] > 0, np.float32(detail), np.float32(1.0))
        of_vertex = np.repeat(factors, np.diff(tensors["segments.offset"]))
        changed = tensors | {"segments.weight": tensors["segments.weight"] * of_vertex}
        model = _core.model_from_tensors(changed, json.dumps(model.metadata))
        assert isinstance(model, _core.FaceMaps)
    return model if storage is None else model.stored(storage)
