"""``rigcast.load``: a model file, with a word on which function opens what is none."""

from __future__ import annotations

import os
from pathlib import Path

from rigcast import _core
from rigcast._formats.readers import readers_of, suffix_of
from rigcast._formats.registry import USD
from rigcast._formats.usd.model_asset import model_file
from rigcast._rigs.source_notes import opened
from rigcast._safe_reading import errors_naming
from rigcast._validate import bad_argument, missing_file

EXPECTED = "a model that rigcast saved (.safetensors), or a stage that names one (.usda)"
LENGTH = 8  # bytes before the header: its length; the header is a JSON object


def load(path: str | os.PathLike[str]) -> _core.Deformer:
    """Open a model file: a learned body, skinning, or a blendshape rig, whatever its metadata say.

    Parameters
    ----------
    path : path-like
        ``.safetensors``, as a model's ``save`` writes it, or a stage of USD that names such a file, as
        :func:`rigcast.exports.write_character` writes it (extra ``usd``): then the file must have the hash that the
        stage states. Rigs in other files are opened by :func:`rigcast.sources.load`, faces by
        :func:`rigcast.sources.load_blendshapes`.

    Returns
    -------
    Deformer

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If it is no such file, or was cut off; of a stage, if the model file is not there or has changed.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise bad_argument("load", "path", f"a {type(path).__name__}", "a path")
    file = Path(path)
    if not os.path.exists(file):
        raise missing_file("load", "path", file, "a model file")
    if file.is_dir():
        got = f"{str(path)!r}, a folder"
        raise bad_argument("load", "path", got, "a model file; data sets are opened by rc.Dataset", path)
    if not file.is_file():
        return _core.load(file)  # which refuses pipes and devices
    if suffix_of(file) in USD.endings:
        return load(model_file(file))
    if suffix_of(file) != ".safetensors" and not _opens_as_tensors(file):
        raise bad_argument("load", "path", repr(str(path)), EXPECTED + readers_of(file), path)
    try:
        with errors_naming(file):
            return opened(file, _core.load(file), inherited=True)
    except ValueError as error:
        if _opens_as_tensors(file):
            raise
        got = f"{str(path)!r}, which begins like no such file"
        raise bad_argument("load", "path", got, EXPECTED, path) from error


def _opens_as_tensors(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(LENGTH + 1)[LENGTH:] == b"{"
