"""The maps that a face's networks draw at a pose, as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import Deformer
from rigcast._hashing import padded_faces
from rigcast._rigs.drawn_maps import DrawnMap, check_mapped, drawn_maps, segment_names
from rigcast._validate import Arguments
from rigcast.plot._colors import INK
from rigcast.plot._drawing import new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ACROSS = 4  # maps in a row
SIZE = 2.6, 2.85  # inches of each
PALE = 0.85  # share of white in texels that no vertex reads
LONGEST = 0.2  # of the square: longer edges cross a seam


def deformation_maps(
    model: Deformer,
    pose: ArrayLike,
    segments: Sequence[int | str] | None = None,
    *,
    axes: Sequence[Axes] | None = None,
) -> NDArray[np.object_]:
    """Draw the maps of a face at one pose, with the mesh that reads them.

    Red, green and blue are the offsets along x, y and z; gray is none. Full color is as many millimeters as a map's
    title says. Maps of refinement segments show what they add to the coarse ones. Pale texels are read by no vertex.

    Parameters
    ----------
    model : Deformer
        Of kind "face_maps".
    pose : (C,) array
    segments : sequence of int or str, optional
        Numbers or names. Default: all.
    axes : sequence of matplotlib axes, optional
        One per map. Default: a new pyplot figure.

    Returns
    -------
    (maps,) array of matplotlib axes

    Raises
    ------
    ValueError
        If the model is of another kind, the pose has another width, or a segment is unknown.
    rigcast._extras.MissingExtra
        Without matplotlib.

    Examples
    --------
    >>> rc.plot.deformation_maps(rc.faces.example(), [0.0])
    Traceback (most recent call last):
    ...
    rigcast.errors.ArgumentError: deformation_maps: model is of kind 'blendshape'; ...
    """
    check_mapped(model, "deformation_maps")
    check = Arguments("deformation_maps", C=len(model.control_names))
    row = check.numbers("pose", pose, "C", dtype=np.float32)
    names = segment_names(model)
    chosen = [_number(check, names, segment) for segment in (range(len(names)) if segments is None else segments)]
    if not chosen:
        raise check.wrong("model", "without maps: its base alone moves it", "one with maps")
    maps = drawn_maps(model, row, chosen)
    rows = -(-len(maps) // ACROSS)
    size = (SIZE[0] * min(ACROSS, max(len(maps), 1)), SIZE[1] * rows)
    found = np.asarray(new_axes(rows, min(ACROSS, len(maps)), size) if axes is None else axes)
    millimeters = 1e3 * model.meters_per_unit
    faces = padded_faces(model.faces, "deformation_maps")
    for axis, drawn in zip(found, maps, strict=False):
        used = texels_read(drawn)
        top = float(np.abs(drawn.offsets[used]).max(initial=0.0))
        _draw(axis, drawn, used, top, faces)
        axis.set_title(f"{drawn.name}, full color {millimeters * top:.3g} mm", loc="left", fontsize=8)
    for axis in found[len(maps) :]:
        axis.set_axis_off()
    return found[: len(maps)]


def _number(check: Arguments, names: list[str], segment: int | str) -> int:
    if isinstance(segment, str) and segment in names:
        return names.index(segment)
    if isinstance(segment, str) or not 0 <= segment < len(names):
        raise check.wrong("segments", repr(segment), f"one of {', '.join(map(repr, names))}, or its number")
    return int(segment)


def texels_read(drawn: DrawnMap) -> NDArray[np.bool_]:
    """The texels (R, R) that some vertex samples with a weight above 0."""
    side = len(drawn.offsets)
    at = np.asarray(drawn.uvs, np.float64) * (side - 1)
    corner = np.clip(at.astype(np.int64), 0, side - 2)
    used = np.zeros((side, side), bool)
    for right in (0, 1):
        for up in (0, 1):
            share = np.abs(np.array([1 - right, 1 - up]) - (at - corner)).prod(axis=1)
            inside = corner[share > 0.0]
            used[inside[:, 1] + up, inside[:, 0] + right] = True
    return used


def _draw(axis: Any, drawn: DrawnMap, used: NDArray[np.bool_], top: float, faces: NDArray[np.int32]) -> None:
    from matplotlib.collections import LineCollection

    side = len(drawn.offsets)
    half = 0.5 / (side - 1)
    shown = np.clip(0.5 + 0.5 * drawn.offsets / (top if top > 0.0 else 1.0), 0.0, 1.0)
    shown[~used] = PALE + (1.0 - PALE) * shown[~used]
    extent = (-half, 1.0 + half, -half, 1.0 + half)
    axis.imshow(shown, origin="lower", extent=extent, interpolation="nearest")
    axis.set(xlim=extent[:2], ylim=extent[2:], aspect="equal", xticks=[], yticks=[])
    axis.grid(False)
    edges = edges_among(drawn.vertices, faces)
    ends = drawn.uvs[edges]
    short = np.abs(ends[:, 0] - ends[:, 1]).max(axis=1, initial=0.0) < LONGEST
    axis.add_collection(LineCollection(ends[short], colors=INK, linewidths=0.25, alpha=0.45))


def edges_among(vertices: NDArray[Any], faces: NDArray[np.int32]) -> NDArray[np.int64]:
    """Edges (E, 2) of faces (F, 4) among some vertices, as places in the list of these."""
    place = np.full(max(int(faces.max(initial=0)), int(vertices.max(initial=0))) + 1, -1)
    place[vertices] = np.arange(len(vertices))
    last = np.where(faces[:, 3] < 0, faces[:, 2], faces[:, 3])
    corners = [faces[:, 0], faces[:, 1], faces[:, 2], last]
    sides = [np.stack([place[a], place[b]], axis=1) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
    edges = np.sort(np.concatenate(sides), axis=1)
    return np.asarray(np.unique(edges[(edges >= 0).all(axis=1) & (edges[:, 0] != edges[:, 1])], axis=0))
