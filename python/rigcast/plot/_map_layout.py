"""Pictures of a face's deformation maps: texture coordinates before and after mending, refined parts, errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._hashing import padded_faces
from rigcast._validate import Arguments
from rigcast.plot._colors import INK, QUIET, RULE
from rigcast.plot._deformation_maps import LONGEST, edges_among
from rigcast.plot._drawing import new_axes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

SIZE = 11.0, 5.4  # inches
LEAST = 1e-3  # millimeters at the end of the scale: less is no error that one could see
MOST_DRAWN_TEXELS = 64  # along an axis: finer grids are a gray surface


class _Segment(Protocol):
    name: str
    level: int
    vertices: NDArray[np.int64]
    uvs: NDArray[np.float64]
    resolution: int


class _Layout(Protocol):
    @property
    def segments(self) -> list[Any]: ...

    @property
    def original_uvs(self) -> list[NDArray[np.float64]]: ...


def map_layout(
    layout: _Layout,
    segment: int | str = 0,
    *,
    faces: ArrayLike | None = None,
    error: ArrayLike | None = None,
    label: str = "left by the best map, mm",
    axes: Sequence[Axes] | None = None,
) -> NDArray[np.object_]:
    """Draw how a coarse segment lies on its map: before and after its texture coordinates were mended.

    Thin lines of the background are between texels, those of the mesh its edges; points are vertices, colored by
    ``error``, usually the residual of the best map. Rectangles are what refinement maps show.

    Parameters
    ----------
    layout : rigcast.training.Layout
    segment : int or str
        Number or name of a coarse segment.
    faces : (F, 3) or (F, 4) array, optional
        Of the whole mesh. Default: no edges are drawn.
    error : (V,) array, optional
        Of all vertices, in millimeters.
    label : str
        What ``error`` is.
    axes : two matplotlib axes, optional
        Default: a new pyplot figure.

    Returns
    -------
    (2,) array of matplotlib axes; (1,) if the texture coordinates before mending are not known

    Raises
    ------
    ValueError
        If there are no maps or no such segment, or arrays are of another mesh.
    rigcast._extras.MissingExtra
        Without matplotlib.

    Examples
    --------
    >>> ds = rc.sampling.sample(rc.sources.example_body(), "arm.rwdata", count=20, seed=0)
    >>> layout = rc.training.face_layout(ds, fields=0)
    >>> before, after = rc.plot.map_layout(layout, faces=ds.faces)
    """
    check = Arguments("map_layout")
    coarse = [item for item in layout.segments if item.level == 0]
    if not coarse:
        raise check.wrong("layout", "without maps: the base of its model alone moves the face", "one with maps")
    names = [item.name for item in coarse]
    if segment in names:
        segment = names.index(str(segment))
    if isinstance(segment, str) or not 0 <= segment < len(coarse):
        raise check.wrong("segment", repr(segment), f"one of {', '.join(map(repr, names))}, or its number")
    chosen = coarse[segment]
    colors = None
    if error is not None:
        given = check.numbers("error", error, "V")
        least = int(chosen.vertices.max()) + 1
        if len(given) < least:
            raise check.wrong("error", f"{len(given)} numbers", f"of all vertices, at least {least}")
        colors = given[chosen.vertices]
    edges = (
        np.zeros((0, 2), np.int64) if faces is None else edges_among(chosen.vertices, padded_faces(faces, "map_layout"))
    )
    drawn = [(layout.original_uvs[segment], "before"), (chosen.uvs, "after mending")]
    if len(drawn[0][0]) != len(chosen.uvs):
        drawn = [(chosen.uvs, "on charts of least stretch")]
    count = len(drawn)
    found = np.asarray(new_axes(1, count, (0.5 * count * SIZE[0], SIZE[1])) if axes is None else axes[:count])
    for axis, (uvs, words) in zip(found, drawn, strict=True):
        points = _draw(axis, uvs, edges, chosen.resolution, colors)
        axis.set_title(f"{chosen.name}, {words}", loc="left", fontsize=10)
    for number, corners in enumerate(_refined(layout, chosen)):
        _outline(found[-1], *corners, str(number + 1))
    if colors is not None:
        found[-1].figure.colorbar(points, ax=list(found), label=label, shrink=0.8)
    return found


def _draw(
    axis: Any, uvs: NDArray[np.float64], edges: NDArray[np.int64], resolution: int, colors: NDArray[np.float64] | None
) -> Any:
    from matplotlib.collections import LineCollection
    from matplotlib.colors import LogNorm

    axis.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal", xticks=[], yticks=[])
    axis.grid(False)
    if resolution <= MOST_DRAWN_TEXELS:
        between = (np.arange(resolution - 1) + 0.5) / (resolution - 1)
        axis.hlines(between, 0.0, 1.0, color=RULE, linewidth=0.3, zorder=0)
        axis.vlines(between, 0.0, 1.0, color=RULE, linewidth=0.3, zorder=0)
    short = np.abs(uvs[edges[:, 0]] - uvs[edges[:, 1]]).max(axis=1, initial=0.0) < LONGEST
    axis.add_collection(LineCollection(uvs[edges[short]], colors=QUIET, linewidths=0.25, zorder=1))
    size = float(np.clip(4e4 / max(len(uvs), 1), 1.5, 20.0))
    if colors is None:
        return axis.scatter(*uvs.T, s=size, color=INK, linewidths=0, zorder=2)
    high = max(float(colors.max()), LEAST)
    shown, norm = np.maximum(colors, 1e-3 * high), LogNorm(1e-3 * high, high)
    order = np.argsort(shown, kind="stable")
    return axis.scatter(
        *uvs[order].T, s=size, c=shown[order], norm=norm, cmap="viridis_r", linewidths=0, zorder=2, rasterized=True
    )


def _refined(layout: _Layout, coarse: _Segment) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Low and high corners of what refinement maps show of a coarse segment's map, from vertices that both have.

    A region has the extent of its refinement: nothing to draw.
    """
    found: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
    if any(item.level > 0 and np.array_equal(item.vertices, coarse.vertices) for item in layout.segments):
        return found
    for item in layout.segments:
        shared, theirs, own = np.intersect1d(item.vertices, coarse.vertices, return_indices=True)
        if item.level == 0 or len(shared) == 0:
            continue
        near, there = item.uvs[theirs], coarse.uvs[own]
        size = np.ptp(near, axis=0)
        step = np.where(size > 0.0, np.ptp(there, axis=0) / np.where(size > 0.0, size, 1.0), 0.0)
        low = there.min(axis=0) - near.min(axis=0) * step
        if (step > 0.0).any():
            found.append((low, low + step))
    return found


def _outline(axis: Any, low: NDArray[np.float64], high: NDArray[np.float64], words: str) -> None:
    from matplotlib.patches import Rectangle

    axis.add_patch(Rectangle(tuple(low), *(high - low), fill=False, edgecolor="#c0392b", linewidth=1.5, zorder=3))
    at = np.clip([low[0], high[1]], 0.0, 1.0)
    axis.text(*at, words, color="#c0392b", fontsize=9, va="bottom", zorder=4)
