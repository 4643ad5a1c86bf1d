"""A model as a character in other programs, with the model beside it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._atomic_files import atomic_file
from rigcast._formats.registry import MADE_CHARACTER, written_endings
from rigcast._formats.usd.write_character import StagedCharacter, write_usd_character
from rigcast._hashing import file_hash
from rigcast._load_model import load
from rigcast._rigs.matching import listed
from rigcast._validate import Arguments, bad_argument
from rigcast.exports._fallback import Fallback, fallback_of, rest_pose
from rigcast.exports._miss import MissSum
from rigcast.exports._skinned import EXACT

FUNCTION = "write_character"
ENDINGS = written_endings(MADE_CHARACTER)
JUDGED = 64  # poses
MOVED = 1 / 3  # of the channels in each of them
ERRORS = ("mean", "rms", "p95", "max")


def write_character(
    path: str | os.PathLike[str],
    model: _core.Deformer | str | os.PathLike[str],
    *,
    poses: ArrayLike | None = None,
    copy: bool = False,
    seed: int = 0,
) -> list[str]:
    """Write a model as a stage of USD: a character that any program shows, and the model file for those that run it.

    ``.usd``, ``.usda`` and ``.usdc`` hold at rest, below a ``SkelRoot``:

    - the linear skinning of the model (of a learned body the one that was fitted to the same samples), one mesh per
      part, with texture coordinates and the names of materials;
    - of a blendshape rig its shapes, with in-betweens as those of UsdSkel, exactly; correctives are shapes whose
      weights another program must multiply itself. ``customData`` says of what;
    - of other models a blend shape for each dial, straight from rest to the far end of its range;
    - ``rigcast:model``, an asset path to the model file, and what the file is (:doc:`/reference/file_formats`).

    The distance between what the stage shows and the model is measured, and said in notes and in the stage itself.
    :func:`rigcast.load` of the stage opens the model. Files appear complete or not at all.

    Parameters
    ----------
    path : path-like
    model : Deformer or path-like
        A model file stays where it is, and the stage has its path from its own folder. A model in memory is saved
        beside the stage, as ``NAME.safetensors``.
    poses : array_like, shape (T, C), optional
        Poses at which the distance is measured. Default: 64, each with about a third of the channels (or dials)
        anywhere in their ranges.
    copy : bool
        Copy the model file beside the stage, too.
    seed : int
        Of those poses.

    Returns
    -------
    list of str
        Notes: what the stage shows, how far that is from the model, and what is left out.

    Raises
    ------
    ValueError
        If the ending is unknown, or an argument is not as it must be.
    FileNotFoundError
        If the model file does not exist.
    MissingExtra
        Without ``usd-core``.

    Examples
    --------
    >>> notes = rc.exports.write_character("face.usda", rc.faces.example())
    >>> notes[0]
    'face.usda shows blend shapes: 22 shapes, 2 in-betweens, 6 correctives as shapes, as USD multiplies no weights'
    >>> rc.load("face.usda").num_shapes
    22
    """
    file = Path(path) if isinstance(path, (str, os.PathLike)) else None
    if file is None or file.suffix.lower() not in ENDINGS:
        got = repr(path if file is None else str(path))
        raise bad_argument(FUNCTION, "path", got, f"a file that ends in {', '.join(ENDINGS)}", file)
    opened, model_file = _model_and_file(model, file, copy)
    fallback = fallback_of(opened)
    judged = _judged(opened, poses, seed)
    miss = None if judged is None else fallback.miss(opened, judged)
    which = "random poses, a third of the channels moved" if poses is None else "given poses"
    which = "" if judged is None else f"{len(judged)} {which}"
    lines = [f"shows {fallback.words}", *_distance(opened, miss, which)]
    if fallback.correctives:
        lines.append(f"has correctives that rest unless they are keyed: {listed(list(fallback.correctives.values()))}")
    words = f"{'. '.join([_about_model(opened), *(f'This stage {line}' for line in lines)])}."
    about = _about(opened, fallback, miss, model_file, ". ".join(lines))
    write_usd_character(file, StagedCharacter(fallback.at_rest(), fallback.inbetweens, model_file, about, words))
    return [f"{file.name} {line}" for line in lines]


def _model_and_file(model: Any, stage_file: Path, copy: bool) -> tuple[_core.Deformer, Path]:
    beside = stage_file.with_suffix(".safetensors")
    if isinstance(model, _core.Deformer):
        model.save(beside)
        return model, beside
    if not isinstance(model, (str, os.PathLike)):
        raise bad_argument(FUNCTION, "model", f"a {type(model).__name__}", "a model, or the path of a model file")
    source = Path(model)
    opened = load(source)
    if source.suffix.lower() != ".safetensors":
        raise bad_argument(FUNCTION, "model", repr(str(source)), "a model file itself (.safetensors)", source)
    if not copy or (beside.exists() and beside.samefile(source)):
        return opened, source
    copied = stage_file.parent / source.name
    if not (copied.exists() and copied.samefile(source)):
        with source.open("rb") as content, atomic_file(copied) as stream:
            shutil.copyfileobj(content, stream)
    return opened, copied


def _judged(model: _core.Deformer, poses: ArrayLike | None, seed: int) -> NDArray[np.float32] | None:
    """Poses (T, C) at which the model is compared with what the stage shows; None if nothing says which there are."""
    if poses is not None:
        check = Arguments(FUNCTION, C=len(model.control_names))
        return np.asarray(check.numbers("poses", poses, "T+ C", dtype=np.float32))
    rng = np.random.default_rng(Arguments(FUNCTION).whole("seed", seed))
    has_joints = model.skeleton is not None
    if not has_joints:
        return _drawn(rng, np.asarray(model.control_ranges, np.float64), rest_pose(model)).astype(np.float32)
    channels = model.channels
    if not channels:
        return None
    ranges = np.array([(channel.low, channel.high) for channel in channels])
    rows = _drawn(rng, ranges, np.array([channel.rest for channel in channels]))
    try:
        return np.asarray(model.poses_from_channels(rows))
    except ValueError:  # something that the model does not know decides a pose
        return None


def _drawn(rng: np.random.Generator, ranges: NDArray[np.float64], rest: NDArray[np.float64]) -> NDArray[np.float64]:
    drawn = rng.uniform(ranges[:, 0], ranges[:, 1], (JUDGED, len(rest)))
    return np.where(rng.uniform(size=drawn.shape) < MOVED, drawn, rest)


def _distance(model: _core.Deformer, miss: MissSum | None, which: str) -> list[str]:
    """Distances of what is shown from the model, and what the model states itself."""
    millimeters = 1e3 * float(model.meters_per_unit)
    if miss is None:
        missed = "was not compared with the model, whose channels pose no joints here: it is where poses are given"
    else:
        mean, worst = (f"{millimeters * value:.3g} mm" for value in (miss.mean, miss.worst))
        missed = f"misses the model by {mean} on average, {worst} at most, over {which}"
        if miss.worst <= EXACT * float(np.linalg.norm(np.ptp(np.asarray(model.rest_vertices), axis=0))):
            missed = f"equals the model, up to rounding, over {which}"
    stated = [
        f"{name} mean {millimeters * float(errors['mean']):.3g} mm, max {millimeters * float(errors['max']):.3g} mm"
        for name, errors in _stated(model).items()
    ]
    if not stated:
        return [missed]
    on = model.metadata.get("error", {}).get("on") or "poses held out of its training"
    return [missed, f"stands for a model that states on {on}: {'; '.join(stated)}"]


def _stated(model: _core.Deformer) -> dict[str, dict[str, float]]:
    """Errors that the model file states, in its own unit."""
    named = {"the model": model.metadata.get("error"), "linear skinning": model.metadata.get("linear_skinning")}
    return {
        name: {key: float(entry[key]) for key in ERRORS if key in entry}
        for name, entry in named.items()
        if isinstance(entry, dict) and {"mean", "max"} <= set(entry)
    }


def _about_model(model: _core.Deformer) -> str:
    return f"A rigcast model of kind {model.kind}; programs that run it open the file of the attribute rigcast:model"


def _about(model: _core.Deformer, fallback: Fallback, miss: MissSum | None, file: Path, words: str) -> dict[str, Any]:
    """The entries of ``customData["rigcast"]``; lengths are in the unit of the stage."""
    channels = model.channels
    about: dict[str, Any] = {
        "kind": model.kind,
        "version": int(model.metadata.get("version", 1)),
        "sha256": file_hash(file),
        "bytes": file.stat().st_size,
        "licence": str(model.metadata.get("licence") or ""),
        "origin": str(model.metadata.get("origin") or ""),
        "vertices": len(model.rest_vertices),
        "columns": list(model.control_names),
        "columnRanges": np.asarray(model.control_ranges, np.float64),
        "fallback": words,
        "errors": {name.replace("the ", "").replace(" ", "_"): entry for name, entry in _stated(model).items()},
    }
    if channels:
        about["channels"] = [channel.name for channel in channels]
        about["channelKinds"] = [channel.kind for channel in channels]
        about["channelRanges"] = np.array([(channel.low, channel.high) for channel in channels])
        about["channelRest"] = np.array([channel.rest for channel in channels])
    if miss is not None:
        about["fallbackMean"], about["fallbackMax"] = miss.mean, miss.worst
    for name, entries in (("shapeWeights", fallback.drivers), ("correctiveWeights", fallback.correctives)):
        if entries:
            about[name] = [f"{shape} = {words}" for shape, words in entries.items()]
    return about
