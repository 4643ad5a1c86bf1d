"""``load_corrections``: frames of a capture that an artist has corrected, from the files of other programs."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast._formats.blender.blendshapes import load_blend_marks
from rigcast._formats.npz.archive import Member, read_arrays
from rigcast._validate import bad_file, check_blendshape_rig
from rigcast.capture._solution import Capture
from rigcast.inverse._constraint_files import load_pins
from rigcast.sources._weights import read_weights

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

CHANGED = 2e-3  # of a weight: what no format rounds away
MOST = 0.5  # of the frames: beyond, the file is of another capture
MARK = "corrected"  # names of timeline markers begin with it


def load_corrections(path: str | os.PathLike[str], rig: BlendshapeRig, found: Capture) -> Float64:
    """Read the frames of a capture that an artist has corrected, the argument ``corrected`` of :func:`personalize`.

    Corrected are, in this order:

    - of an array with NaN, the rows without (``.npy``, or ``.npz`` with ``weights``);
    - of a file of ``rigcast view``, the frames that have a key;
    - of a ``.blend``, the frames under timeline markers whose names begin with ``corrected``, if there are any;
    - of all weights that :func:`rigcast.sources.load_blendshape_weights` reads, the frames that differ from the
      capture: those in which the artist moved a key.

    Parameters
    ----------
    path : path-like
    rig : BlendshapeRig
        The character.
    found : Capture
        As it was written for the artist.

    Returns
    -------
    (T, K) float64 array
        NaN in all rows but the corrected ones; inside the rig's bounds.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file has other frames than the capture, no corrected ones, or is another capture's.
    SourceError
        If Blender fails (``.blend``).

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> landmarks = np.arange(0, 1500, 20)
    >>> shown = rig.evaluate(np.zeros((6, rig.num_shapes)))[:, landmarks] + [0, 0, -60]
    >>> pixels = np.array([320, 240]) + 800 * shown[:, :, :2] / shown[:, :, 2:] * [-1, 1]
    >>> found = rc.capture.solve(rig, pixels, landmarks, size=(640, 480), focal=800, neutral=0)
    >>> edited = found.weights.copy()
    >>> edited[4, 0] = 0.3
    >>> _ = rc.exports.write_blendshape_weights("edited.csv", rig, edited)
    >>> np.flatnonzero(~np.isnan(rc.capture.load_corrections("edited.csv", rig, found)).any(axis=1))
    array([4])
    """
    check_blendshape_rig("load_corrections", rig)
    file, shape = Path(path), found.weights.shape
    if file.suffix.lower() in (".npy", ".npz"):
        rows: Float64 = np.array(np.broadcast_to(load_pins(file, rig, len(found.weights)), shape))
        if np.isnan(rows).any(axis=1).any():
            return rows
    else:
        rows = read_weights(file, rig)
    if rows.shape != shape:
        got = f"holds {len(rows):,} frames; the capture has {shape[0]:,}"
        raise bad_file(file, got, function="load_corrections")
    rows = np.asarray(np.clip(rows, *rig.bounds.T), np.float64)
    marked = _marked(file)
    if marked is None:
        marked = _changed(file, rows, found)
    if not len(marked) or marked.min() < 0 or marked.max() >= shape[0]:
        got = "no marked frame" if not len(marked) else f"frame {marked.max()} of {shape[0]}"
        raise bad_file(file, f"holds {got}", "corrected frames of the capture", "load_corrections")
    kept = np.full(shape, np.nan)
    kept[marked] = rows[marked]
    return kept


def _marked(file: Path) -> Int64 | None:
    """Frames that the file itself names; None if it names none."""
    if file.suffix.lower() == ".npz":
        stored = read_arrays(file, {"corrected": Member("iu", ("n",))}, "load_corrections", others=True)
        return stored["corrected"].astype(np.int64) if "corrected" in stored else None
    if file.suffix.lower() != ".blend":
        return None
    frames = [frame for name, frame in load_blend_marks(file) if name.lower().startswith(MARK)]
    return np.unique(np.array(frames, np.int64)) if frames else None


def _changed(file: Path, rows: Float64, found: Capture) -> Int64:
    """Frames that differ from a capture."""
    frames = np.flatnonzero((np.abs(rows - found.weights) > CHANGED).any(axis=1))
    if not len(frames):
        problem = "no frame differs from the capture, and none is marked"
        raise bad_file(file, problem, "weights of which some frames were corrected", "load_corrections")
    if len(frames) > MOST * len(rows):
        problem = f"{len(frames):,} of {len(rows):,} frames differ from the capture: it is of another one"
        raise bad_file(file, problem, "the capture's own weights with a few frames corrected", "load_corrections")
    return frames
