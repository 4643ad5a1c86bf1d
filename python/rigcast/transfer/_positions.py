"""Telling offsets and rigs from the positions that transfer works on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig
from rigcast._validate import bad_argument

NEARER = 0.25  # of the squared distance to the neutral: shapes this near to the origin are offsets


def check_positions(function: str, neutral: ArrayLike, shapes: ArrayLike | BlendshapeRig, argument: str) -> None:
    """Refuse offsets from a neutral, and rigs, where positions (K, V, 3) are expected.

    Shapes move vertices by less than the mesh is large, so that positions lie near the neutral and offsets near the
    origin. Shapes are taken for offsets if all of them, summed over vertices, are more than twice as near to the origin
    as to the neutral. What is malformed is left to the checks of the function itself.

    Raises
    ------
    ValueError
    """
    expected = "positions (K, V, 3)"
    if isinstance(shapes, BlendshapeRig):
        raise bad_argument(function, argument, "a BlendshapeRig", f"{expected}: rc.transfer.positions_from_rig(rig)")
    try:
        rest: Any = np.asarray(neutral)
        rows: Any = np.asarray(shapes)
    except ValueError:
        return
    if rest.dtype.kind not in "fiu" or rows.dtype.kind not in "fiu":
        return
    if rest.ndim != 2 or rows.ndim != 3 or rows.shape[1:] != rest.shape or not rows.size:
        return
    if all(_is_offsets(rest, row) for row in rows):  # ends at the first position, the usual case
        raise bad_argument(function, argument, "offsets from the neutral", f"{expected}: neutral + offsets")


def _is_offsets(rest: NDArray[Any], row: NDArray[Any]) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused by name later
        from_origin = np.square(row, dtype=np.float64).sum()
        from_neutral = np.square(np.subtract(row, rest, dtype=np.float64)).sum()
    return bool(np.isfinite(from_neutral) and from_origin < NEARER * from_neutral)
