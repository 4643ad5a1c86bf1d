"""Pictures of a face from the front: what orders of importance from images compare."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast._validate import bad_argument
from rigcast.plot._framing import moving_vertices
from rigcast.plot._image import Pixels
from rigcast.plot._studio import Studio, view_of


@contextmanager
def portrait_renderer(
    rig: BlendshapeRig, width: int = 320, height: int = 400
) -> Iterator[Callable[[NDArray[np.float32]], Pixels]]:
    """Open a renderer of a face from the front: vertices in, pixels out; framed on what the rig's shapes move.

    Parameters
    ----------
    rig : BlendshapeRig
        With faces.
    width, height : int
        Pixels.

    Yields
    ------
    callable
        From vertices (V, 3) to pixels (height, width, 3) uint8; the same vertices give the same pixels.

    Raises
    ------
    ValueError
        If the rig has no faces.
    MissingExtra
        Without PyVista.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> with rc.plot.portrait_renderer(rig) as picture:
    ...     image = picture(rig.evaluate([0.5] * rig.num_shapes))
    """
    if not len(rig.faces):
        raise bad_argument("portrait_renderer", "rig", "without faces", "a mesh that can be drawn")
    view = view_of(
        rig.rest_vertices[moving_vertices(rig)], rig.metadata["up_axis"], turn=0.0, rise=0.0, aspect=width / height
    )
    with Studio(rig.faces, len(rig.rest_vertices), width=width, height=height) as studio:
        yield lambda vertices: studio.picture(vertices, view)
