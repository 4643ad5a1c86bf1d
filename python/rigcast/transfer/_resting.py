"""Vertices that stay fixed: those that no source shape moves rest in the target's shapes too."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._validate import Arguments, bad_argument
from rigcast.transfer._positions import check_positions

#: Vertices that stay at the target's neutral: those that rest in all shapes, in each shape those that rest in it, none,
#: or these.
Fixed = ArrayLike | Literal["rest", "each"] | None


def resting_vertices(source_neutral: ArrayLike, source_shapes: ArrayLike) -> NDArray[np.int64]:
    """Vertices that no shape moves.

    Gradients of deformation say how triangles turn and stretch, and least squares spreads what does not fit over the
    whole mesh: without vertices that are held, a jaw that opens moves the feet a little. Example-based methods keep
    what is static by a soft term (Li et al. 2010) or hold it (Seol et al. 2016; Carrigan 2020, section 3.2.2).

    Parameters
    ----------
    source_neutral : array_like, shape (V, 3)
    source_shapes : array_like, shape (K, V, 3)
        Positions. All shapes that will be transferred by one solver: a vertex that is held is held in each of them.

    Returns
    -------
    (M,) int64
        Ascending. Rests: in every shape within one float32 rounding step of the largest coordinate.

    Raises
    ------
    ValueError
        If sizes differ, or the shapes are offsets.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> resting = rc.transfer.resting_vertices(rig.rest_vertices, rc.transfer.positions_from_rig(rig))
    >>> 0 < len(resting) < len(rig.rest_vertices)
    True
    """
    check_positions("resting_vertices", source_neutral, source_shapes, "source_shapes")
    return _resting("resting_vertices", source_neutral, source_shapes)


def held_vertices(function: str, fixed: Fixed, source_neutral: ArrayLike, source_shapes: ArrayLike) -> ArrayLike | None:
    """The vertices that ``fixed`` holds in all shapes: for a word those of :func:`resting_vertices`."""
    if not isinstance(fixed, str):
        return fixed
    if fixed not in ("rest", "each"):
        raise bad_argument(function, "fixed", repr(fixed), '"rest", "each", vertices or None')
    return _resting(function, source_neutral, source_shapes)


def holds_each(fixed: Fixed) -> bool:
    """True if each shape also fixes the vertices that rest in it alone."""
    return isinstance(fixed, str) and fixed == "each"


def _resting(function: str, source_neutral: ArrayLike, source_shapes: ArrayLike) -> NDArray[np.int64]:
    check = Arguments(function)
    neutral = check.numbers("source_neutral", source_neutral, "V 3", dtype=np.float32, finite=False)
    shapes = check.numbers("source_shapes", source_shapes, "K V 3", dtype=None, finite=False)
    step = np.finfo(np.float32).eps * np.abs(neutral).max(initial=0.0)
    rests = np.ones(len(neutral), bool)
    for shape in shapes:
        rests &= (np.abs(np.asarray(shape, np.float32) - neutral) <= step).all(axis=1)
    return np.flatnonzero(rests)
