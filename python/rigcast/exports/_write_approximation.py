"""Approximations of models, written for engines, with what they miss and how large the file is."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from rigcast._rigs.motions.skinned_motion import SkinnedMotion
from rigcast._validate import Arguments, bad_argument
from rigcast.exports._approximation import Approximation
from rigcast.exports._skinned import WRITERS

FUNCTION = "write_approximation"
AXES = ("X", "Y", "Z")


def write_approximation(
    path: str | os.PathLike[str],
    approximation: Approximation,
    *,
    to_meters_per_unit: float | None = None,
    to_up_axis: str | None = None,
) -> list[str]:
    """Write an approximation for engines: ``.glb``, ``.usd``, ``.usda`` or ``.usdc``.

    A ``.glb`` holds one animation per clip, in meters, y up; USD has one timeline, on which the clips follow each
    other. What the file misses lies in it, too: ``asset.extras.rigcast`` of a ``.glb``, the text ``rigcast`` of the
    ``customLayerData`` of USD (:meth:`Approximation.figures`). The file appears complete or not at all.

    Parameters
    ----------
    path : path-like
    approximation : Approximation
    to_meters_per_unit, to_up_axis : float, "X", "Y" or "Z", optional
        Of a USD file; default: those of the model.

    Returns
    -------
    list of str
        Notes: what the file misses, its size, beside linear skinning and exact vertices.

    Raises
    ------
    ValueError
        If the ending is unknown, or an argument is not as it must be.
    MissingExtra
        Without ``usd-core`` (USD).

    Examples
    --------
    >>> face = rc.faces.example()
    >>> motion = rc.exports.Playback(face, np.linspace(0, 1, 24)[:, None] * (np.arange(face.num_shapes) < 3))
    >>> notes = rc.exports.write_approximation("face.glb", rc.exports.approximate(motion, 24, bones=4, shapes=2))
    >>> rc.sources.load("face.glb").clips.keys()
    dict_keys(['motion'])
    """
    file = Path(path) if isinstance(path, (str, os.PathLike)) else None
    if file is None or file.suffix.lower() not in WRITERS:
        got = repr(str(path)) if file is not None else f"a {type(path).__name__}"
        raise bad_argument(FUNCTION, "path", got, f"a file that ends in {', '.join(WRITERS)}", file)
    if not isinstance(approximation, Approximation):
        raise bad_argument(FUNCTION, "approximation", f"a {type(approximation).__name__}", "an Approximation")
    if to_up_axis not in (None, *AXES):
        raise bad_argument(FUNCTION, "to_up_axis", repr(to_up_axis), "X, Y or Z")
    motion = approximation.motion
    unit, axis = motion.rig.meters_per_unit, to_up_axis or motion.rig.up_axis
    if to_meters_per_unit is not None:
        unit = Arguments(FUNCTION).unit("to_meters_per_unit", to_meters_per_unit)
    placed = motion.placed(unit, axis)
    linear = _linear_size(file, placed)
    said = {**approximation.figures(), "linear_skinning_bytes": linear}
    notes = WRITERS[file.suffix.lower()](file, placed, {"rigcast": said})
    return [
        *approximation.notes,
        f"{file.name}: {_size(file.stat().st_size)}; without shapes {_size(linear)}; "
        f"exact vertices of all frames {_size(approximation.exact_bytes)}",
        *notes,
    ]


def _linear_size(file: Path, motion: SkinnedMotion) -> int:
    """The bytes of the same file without shapes."""
    plain = replace(motion, rig=motion.rig.with_morphs([]), amounts=np.zeros((len(motion), 0)))
    with tempfile.TemporaryDirectory(prefix="rigcast-export-") as folder:
        beside = Path(folder) / file.name
        WRITERS[file.suffix.lower()](beside, plain, None)
        return beside.stat().st_size


def _size(count: int) -> str:
    return f"{count / 1e6:.3g} MB" if count >= 1e5 else f"{count / 1e3:.3g} kB"
