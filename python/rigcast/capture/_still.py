"""Shapes that a capture leaves at rest: those that others can show, which would share the motion with them."""

from __future__ import annotations

from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast._rigs.matching import plain_name
from rigcast._validate import bad_argument

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

MIXES = "viseme"  # beginnings of the names of shapes that are mixes of ARKit's
OF_ARKIT = "jawopen"
NAMED = 5  # shapes that a note names


def still_shapes(rig: BlendshapeRig, patterns: tuple[str, ...] | None) -> Int64:
    """(n,) columns of shapes that stay at rest: by patterns of names, or visemes beside ARKit's shapes.

    Raises
    ------
    ValueError
        If a pattern matches no shape, or all shapes are to rest.
    """
    plain = [plain_name(name) for name in rig.shape_names]
    if patterns is None:
        mixes = [k for k, name in enumerate(plain) if name.startswith(MIXES) and OF_ARKIT in plain]
        return np.array(mixes, np.int64)
    lower = [name.lower() for name in rig.shape_names]
    found = [[k for k, name in enumerate(lower) if fnmatchcase(name, pattern.lower())] for pattern in patterns]
    for pattern, matched in zip(patterns, found, strict=True):
        if not matched:
            raise bad_argument("solve", "settings", f"{pattern!r}, which matches no shape", "a pattern of shapes")
    columns = np.unique(np.concatenate([np.zeros(0, np.int64), *found])).astype(np.int64)
    if len(columns) == rig.num_shapes:
        raise bad_argument("solve", "settings", "all shapes at rest", "at least one that is solved")
    return columns


def at_rest(rig: BlendshapeRig, pins: Float64, still: Int64) -> Float64:
    """Pins (T, K) with shapes at rest where they are not pinned otherwise."""
    rest = np.clip(0.0, *rig.bounds.T).astype(np.float64)
    result: Float64 = pins.copy()
    result[:, still] = np.where(np.isnan(pins[:, still]), rest[still], pins[:, still])
    return result


def note_of(rig: BlendshapeRig, still: Int64, patterns: tuple[str, ...] | None) -> list[str]:
    """A sentence, if shapes stay at rest."""
    if not len(still):
        return []
    names = ", ".join(rig.shape_names[k] for k in still[:NAMED]) + (", ..." if len(still) > NAMED else "")
    why = "" if patterns is not None else ", as mixes of ARKit's shapes, which would share the motion with them"
    return [f"{len(still)} shapes stay at rest{why}: {names}"]
