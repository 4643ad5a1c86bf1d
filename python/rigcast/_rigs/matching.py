"""Curves of a file beside the shapes of a rig."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigcast._validate import Arguments, bad_argument

if TYPE_CHECKING:
    from rigcast import BlendshapeRig


def listed(names: Sequence[str]) -> str:
    """Up to six names with commas, and how many more there are."""
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def by_name(
    names: list[str], values: NDArray[Any], rig: BlendshapeRig, function: str = "load_blendshape_weights"
) -> NDArray[np.float32]:
    """Columns (T, n) in the order of the rig's shapes (T, K), 0 where there is none.

    Raises
    ------
    ValueError
        If no name is a shape's, or a value is not finite.
    """
    place = {name: index for index, name in enumerate(names)}
    known = [k for k, name in enumerate(rig.shape_names) if name in place]
    if not known:
        got = f"a file about other shapes ({listed(names) or 'none'})"
        raise bad_argument(function, "path", got, f"about shapes of the rig ({listed(rig.shape_names)})")
    values = Arguments(function).numbers("path", values, "T n", dtype=np.float32)
    result = np.zeros((len(values), rig.num_shapes), np.float32)
    result[:, known] = values[:, [place[rig.shape_names[k]] for k in known]]
    return result
