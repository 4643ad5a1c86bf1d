"""Many states of one mesh in one picture: a crowd."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._rigs.mesh import Mesh
from rigcast._validate import as_array, bad_argument, check_finite
from rigcast.plot._arguments import RestingMesh, points_of, subject_of
from rigcast.plot._image import Image
from rigcast.plot._meshes import mesh

WIDE = 900  # pixels


def group(
    model: RestingMesh | Mesh,
    vertices: ArrayLike,
    places: ArrayLike,
    *,
    values: ArrayLike | None = None,
    top: float | None = None,
    unit: str = "",
    turn: float = 25.0,
    rise: float = 20.0,
    width: int = WIDE,
) -> Image:
    """Draw several states of one mesh in one picture, each at its place.

    Parameters
    ----------
    model : rig, model, data set or mesh
        As for :func:`mesh`.
    vertices : (N, V, 3)
        One character each.
    places : (N, 3)
        What is added to the vertices of each.
    values : (N,), optional
        Color of each character: 0 is pale, ``top`` and more is dark. With them a color scale is drawn.
    top, unit, turn, rise
        As for :func:`mesh`. The projection is parallel: what is far is drawn as large as what is near.
    width : int
        Pixels.

    Raises
    ------
    ValueError
        If sizes differ, numbers are not finite or there are no faces.
    rigcast._extras.MissingExtra
        Without PyVista, or matplotlib if there are values.

    Examples
    --------
    >>> import numpy as np, rigcast as rc
    >>> rig = rc.faces.example()
    >>> smiles = rig.evaluate(np.eye(rig.num_shapes)[:2])
    >>> rc.plot.group(rig, smiles, [[0.0, 0.0, 0.0], [20.0, 0.0, 0.0]], width=200)
    <Image 200 x 143>
    """
    subject = subject_of("group", model)
    points = points_of("group", vertices, subject, 3)
    count, size, _ = points.shape
    placed = points + _numbers("places", places, (count, 3)).astype(np.float32)[:, None]
    first = size * np.arange(count, dtype=np.int32)[:, None, None]
    faces = np.where(subject.faces < 0, -1, subject.faces + first)
    everyone = Mesh(placed.reshape(-1, 3), faces.reshape(-1, 4), up_axis=subject.up_axis)
    colors = None if values is None else np.repeat(_numbers("values", values, (count,)), size)
    return mesh(everyone, values=colors, top=top, unit=unit, turn=turn, rise=rise, width=width)


def _numbers(argument: str, values: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    array = as_array("group", argument, values, f"numbers {shape}")
    if array.dtype.kind not in "fiu" or array.shape != shape:
        raise bad_argument("group", argument, f"{array.dtype} {array.shape}", f"numbers {shape}")
    check_finite("group", argument, array)
    return array.astype(np.float64)
