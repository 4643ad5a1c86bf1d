"""Files of what is known of a shot's weights beforehand: pins, priors, symmetric pairs."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig
from rigcast._formats.npz.archive import Member, read_arrays
from rigcast._safe_reading import check_regular, read_json
from rigcast._validate import bad_file, missing_file
from rigcast.errors import FileError
from rigcast.sources._weights import read_weights

Float64 = NDArray[np.float64]
Source = str | os.PathLike[str]

PINS = (".npy", ".npz")


def load_pins(path: Source, rig: BlendshapeRig, num_frames: int, *, bounds: ArrayLike | None = None) -> Float64:
    """Read pinned weights of a shot, the argument ``fixed`` of :func:`rigcast.inverse.solve`.

    Parameters
    ----------
    path : path-like
        ``.npy`` (T, K) or (K,), NaN where weights are free; or ``.npz`` as
        :func:`rigcast.exports.write_blendshape_weights` and :meth:`Solution.save` write it, in which shapes
        are free that its names lack.
    rig : BlendshapeRig
    num_frames : int
        T, of the shot.
    bounds : array_like, shape (2,) or (K, 2), optional
        Default: the rig's.

    Returns
    -------
    (T, K) or (K,) float64

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is of another kind or shape, or pins a weight outside its bounds.
    """
    file = _existing("load_pins", path)
    if file.suffix.lower() not in PINS:
        problem = f"no array of weights; its name must end in {' or '.join(PINS)}"
        raise bad_file(file, problem, function="load_pins")
    pins = read_weights(file, rig, missing=np.nan)
    shape = (num_frames, rig.num_shapes)
    if pins.shape not in (shape, shape[1:]):
        known = f"the shot has {shape[0]:,} frames, the rig {shape[1]} shapes"
        raise bad_file(file, f"pins of shape {pins.shape}; {known}", function="load_pins")
    low, high = np.broadcast_to(rig.bounds if bounds is None else np.asarray(bounds), (rig.num_shapes, 2)).T
    outside = np.argwhere(np.atleast_2d((pins < low) | (pins > high)))
    if len(outside):
        t, k = outside[0]
        got = f"{np.atleast_2d(pins)[t, k]:g} for {rig.shape_names[k]} at frame {t}"
        raise bad_file(file, f"{got}, outside its bounds [{low[k]:g}, {high[k]:g}]", function="load_pins")
    return pins


def load_priors(path: Source, rig: BlendshapeRig, num_frames: int) -> tuple[Float64, Float64]:
    """Read targets and strengths of weights, the argument ``priors`` of :func:`rigcast.inverse.solve`.

    Parameters
    ----------
    path : path-like
        ``.npz`` with ``target`` and ``strength``, each a number, (K,) or (T, K).
    rig : BlendshapeRig
    num_frames : int
        T, of the shot.

    Returns
    -------
    target, strength : float64 arrays

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is of another kind or shape, or a strength is below 0.
    """
    file = _existing("load_priors", path)
    found = _arrays(file)
    shape = (num_frames, rig.num_shapes)
    for name, array in found.items():
        if array.shape not in ((), shape[1:], shape):
            known = f"the shot has {shape[0]:,} frames, the rig {shape[1]} shapes"
            raise bad_file(file, f"{name} of shape {array.shape}; {known}", function="load_priors")
        if not np.isfinite(array).all() or (name == "strength" and (array < 0).any()):
            must = "finite and at least 0" if name == "strength" else "finite"
            raise bad_file(file, f"{name} must be {must} everywhere", function="load_priors")
    return found["target"], found["strength"]


def load_symmetric_pairs(path: Source, rig: BlendshapeRig) -> list[tuple[str, str]]:
    """Read pairs of shapes with equal weights, the argument ``symmetric`` of :func:`rigcast.inverse.solve`.

    Parameters
    ----------
    path : path-like
        JSON: ``[["browLeft", "browRight"], ...]``.
    rig : BlendshapeRig

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is no such list, names a shape that the rig lacks, or names one twice.
    """
    file = _existing("load_symmetric_pairs", path)
    try:
        pairs = read_json(file)
    except (OSError, ValueError) as error:
        raise FileError("load_symmetric_pairs", "", str(error), "", file) from None
    if not isinstance(pairs, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(name, str) for name in pair) for pair in pairs
    ):
        raise bad_file(file, 'no list [["shape", "shape"], ...]', function="load_symmetric_pairs")
    names = [name for pair in pairs for name in pair]
    unknown = sorted(set(names) - set(rig.shape_names))
    if unknown:
        known = ", ".join(rig.shape_names)[:200]
        problem = f"{unknown[0]!r} is no shape of the rig ({known})"
        raise bad_file(file, problem, function="load_symmetric_pairs")
    if len(set(names)) < len(names):
        twice = max(names, key=names.count)
        problem = f"{twice!r} is in two pairs, or twice in one"
        raise bad_file(file, problem, function="load_symmetric_pairs")
    return [(left, right) for left, right in pairs]


def _existing(function: str, path: Source) -> Path:
    file = Path(path)
    if not os.path.exists(file):
        raise missing_file(function, "path", file)
    try:
        check_regular(file)
    except ValueError as error:
        raise FileError(function, "", str(error), "", file) from None
    return file


def _arrays(path: Path) -> dict[str, Float64]:
    try:
        found = read_arrays(path, dict.fromkeys(("target", "strength"), Member("fiu", None)), "load_priors")
    except (OSError, ValueError) as error:
        reason = str(error).removeprefix("load_priors: path is ")
        raise bad_file(path, f"no .npz of priors ({reason})", function="load_priors") from None
    if set(found) != {"target", "strength"}:
        held = ", ".join(sorted(found)) or "nothing"
        raise bad_file(path, f"holds {held}; priors are target and strength", function="load_priors")
    return {name: array.astype(np.float64) for name, array in found.items()}
