"""Whatever file can be shown, opened for the live view."""

from __future__ import annotations

import argparse
import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rigcast import _core, sources, synthesis
from rigcast._core import BlendshapeRig
from rigcast._formats.npz.archive import member_names
from rigcast._formats.registry import USD
from rigcast._formats.usd.model_asset import is_stage_of_model
from rigcast._load_model import load
from rigcast._validate import bad_argument
from rigcast.cli._inputs.faces import refuse_packed
from rigcast.cli._inputs.learned_ik import is_face_ik
from rigcast.cli._inputs.rigs import opened_rig
from rigcast.sampling import Dataset
from rigcast.synthesis._file import KIND


@contextlib.contextmanager
def opened(args: argparse.Namespace, path: Path) -> Iterator[Any]:
    """A model, a rig, a data set, or a synthesizer on the rig of ``args.rig``.

    A rig that another program evaluates is closed afterwards.

    Raises
    ------
    ValueError
        If the file is none of them.
    """
    suffix = path.suffix.lower()
    if path.is_dir():
        refuse_packed(path)
        yield Dataset(path)
    elif is_synthesizer(path):
        if args.rig is None:
            got = f"{path}, which holds a synthesizer and no rig"
            raise bad_argument("view", "FILE", got, f"given with its rig: rigcast view {path.name} RIG")
        with opened(args, args.rig) as rig:
            yield synthesis.load(path, rig)
    elif suffix == ".safetensors" or is_stage_of_model(path):
        yield _model(path)
    elif suffix in USD.endings or (suffix == ".npz" and "neutral" in member_names(path, "view")):
        yield sources.load_blendshapes(path)
    else:
        with opened_rig(args, path) as rig:
            face = _as_blendshapes(path) if getattr(rig, "skeleton", None) is None else None
            yield rig if face is None else face


def is_synthesizer(path: Path) -> bool:
    """True if a file is one that ``rigcast synth fit`` wrote."""
    if path.suffix.lower() != ".safetensors" or not path.is_file():
        return False
    try:
        about = json.loads(_core.TensorFile.read(path).metadata or "{}")
    except (ValueError, RecursionError):
        return False  # rc.load says what is wrong
    return isinstance(about, dict) and about.get("kind") == KIND


def _model(path: Path) -> _core.Deformer:
    if is_face_ik(path):
        got = f"{path}, which holds learned inverse kinematics and no face"
        raise bad_argument("view", "FILE", got, f"the face: rigcast view FACE --face-ik {path.name}")
    return load(path)


def _as_blendshapes(path: Path) -> BlendshapeRig | None:
    """A rig without joints as the blendshape rig that its file holds, which can be dragged; None if it holds none."""
    try:
        return sources.load_blendshapes(path)
    except ValueError:
        return None
