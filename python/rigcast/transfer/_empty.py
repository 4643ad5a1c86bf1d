"""Shapes that move nothing: after a transfer those of parts that the target does not have."""

from __future__ import annotations

import numpy as np

from rigcast._core import BlendshapeRig
from rigcast._validate import check_blendshape_rig

STILL = 1e-5  # of the neutral's largest side: 2.5 micrometers of a head


def empty_shapes(rig: BlendshapeRig) -> list[str]:
    """Names of the shapes and combinations that move no vertex.

    A transfer leaves a shape empty where all that it moves in the source is unmatched in the target: pupils on a face
    without eyeballs, the tongue on a mask.

    Parameters
    ----------
    rig : BlendshapeRig

    Returns
    -------
    list of str
        In the order of ``rig.column_names``: those whose largest offset is at most 1e-5 of the neutral's largest side.

    Raises
    ------
    ValueError
        If ``rig`` is no blendshape rig.

    Examples
    --------
    >>> import rigcast as rc
    >>> rc.transfer.empty_shapes(rc.faces.example())
    []
    """
    check_blendshape_rig("empty_shapes", rig)
    limit = STILL * float(np.ptp(rig.rest_vertices, axis=0).max())
    return [
        name
        for n, name in enumerate(rig.column_names)
        if float(np.linalg.norm(rig.column(n), axis=1).max(initial=0.0)) <= limit
    ]
