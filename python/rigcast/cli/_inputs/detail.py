"""The quality of a model at run time: ``--detail``, ``--components`` and ``--storage``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from rigcast import _core
from rigcast._core import Deformer
from rigcast.cli._arguments import count
from rigcast.cli._result import WrongInput


def add_quality_arguments(parser: argparse.ArgumentParser) -> None:
    """Quality steps that a game chooses at run time."""
    group = parser.add_argument_group("quality of a face on deformation maps, a differential subspace or a body")
    group.add_argument(
        "--detail",
        type=share,
        help="maps: how much of the refinement maps is added, from 0, coarse maps alone, to 1 (default)",
    )
    group.add_argument("--components", type=count, help="differential: so many of its components, the first ones")
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


def at_quality(model: Deformer, path: Path, args: argparse.Namespace) -> Deformer:
    """The model with the quality that ``--detail``, ``--components`` and ``--storage`` ask for.

    Raises
    ------
    ValueError
        If one of them is given, and the model is of no kind that it is for, or has fewer components.
    """
    maps, differential = isinstance(model, _core.FaceMaps), isinstance(model, _core.DifferentialModel)
    stored = maps or differential or isinstance(model, _core.BodyModel)
    wanted = {
        "--detail": (args.detail, maps, "faces on deformation maps"),
        "--components": (args.components, differential, "differential subspaces"),
        "--storage": (args.storage, stored, "faces on deformation maps, differential subspaces and learned bodies"),
    }
    for option, (value, fits, kinds) in wanted.items():
        if value is not None and not fits:
            raise WrongInput(f"{path} is a model of kind {model.kind}: {option} is for {kinds}")
    if isinstance(model, _core.FaceMaps) and args.detail is not None:
        model = _with_detail(model, args.detail)
    if isinstance(model, _core.DifferentialModel) and args.components is not None:
        model = model.reduced(args.components)
    if isinstance(model, _core.FaceMaps | _core.DifferentialModel | _core.BodyModel) and args.storage is not None:
        model = model.stored(args.storage)
    return model


def _with_detail(model: _core.FaceMaps, detail: float) -> Deformer:
    """Its refinement maps multiplied by a number."""
    tensors = model.tensors()
    factors = np.where(tensors["segments.level"] > 0, np.float32(detail), np.float32(1.0))
    of_vertex = np.repeat(factors, np.diff(tensors["segments.offset"]))
    changed = tensors | {"segments.weight": tensors["segments.weight"] * of_vertex}
    return _core.model_from_tensors(changed, json.dumps(model.metadata))
