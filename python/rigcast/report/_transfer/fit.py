"""The match of a target of another topology: both faces with landmarks, unmatched parts, torn edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._pages import words
from rigcast._pages.gallery import Picture, Row
from rigcast._pages.pictures import data_uri
from rigcast.plot._colors import CLAY, INK, heat, nice_top, rgb
from rigcast.plot._drawing import blank_figure, pixels_of
from rigcast.plot._image import Pixels
from rigcast.plot._studio import Studio, View
from rigcast.report._transfer.measured import MeasuredTransfer

UNMATCHED = "#e07b1f"
TORN = "#c2182b"
WORST = 3  # landmarks and edges named
MISSED = 0.01  # of the target's largest side: a landmark farther off is named
Marks = NDArray[np.int64]


def fit_row(measured: MeasuredTransfer, draw: Callable[[int, Any, Any, Any], str]) -> Row | None:
    """Source and target with numbered landmarks, and how far the target lies from the fitted source; None unfitted.

    Parameters
    ----------
    measured : MeasuredTransfer
    draw : callable
        Address of a picture of side 0 or 1 with colors (V, 3) or None, landmarks and torn edges (N, 2).
    """
    match = measured.match
    if match is None:
        return None
    clay = (255 * rgb(CLAY)).astype(np.uint8)
    missing = (255 * rgb(UNMATCHED)).astype(np.uint8)
    colors = np.where(match.matched[:, None], clay, missing).astype(np.uint8)
    away = measured.millimeters * np.where(match.matched, match.distance, 0.0)
    top = nice_top(float(np.percentile(away, 99)))
    none = np.zeros((0, 2), np.int64)
    count = words.plural(len(match.landmarks), "landmark")
    torn = words.plural(len(match.torn), "torn edge")
    apart = f"mean {words.figure(float(away[match.matched].mean()))}, largest {words.figure(float(away.max()))} mm"
    pictures = [
        Picture([draw(0, None, match.landmarks[:, 0], none)], "source", count),
        Picture([draw(1, colors, match.landmarks[:, 1], match.torn)], "target", f"{torn}; unmatched in orange"),
        Picture([draw(1, heat(away / top), none[:, 0], none)], "distance from the fitted source", apart),
    ]
    return Row("", "", pictures, top)


def fit_advice(measured: MeasuredTransfer) -> list[str]:
    """Shortcomings of the fit, and what to do about them, in sentences."""
    match = measured.match
    if match is None:
        return []
    advice = []
    missing = int((~match.matched).sum())
    if missing:
        parts = len(match.unmatched_components)
        whole = f", {words.plural(parts, 'separate part')} of the mesh among them" if parts else ""
        advice.append(
            f"{words.plural(missing, 'vertex')} of {len(match.matched):,} {'has' if missing == 1 else 'have'} no match"
            f"{whole}: they follow their neighbors, or rest; a landmark on a part ties it to its counterpart."
        )
    if len(match.torn):
        edges = ", ".join(f"{a}-{b}" for a, b in match.torn[:WORST].tolist())
        advice.append(
            f"{words.plural(len(match.torn), 'edge')} of the target {'is' if len(match.torn) == 1 else 'are'} torn "
            f"({edges}{', ...' if len(match.torn) > WORST else ''}): right across a mouth that is one surface; "
            "elsewhere add landmarks there."
        )
    if len(match.landmark_error):
        error = measured.millimeters * match.landmark_error
        far = [
            n
            for n in np.argsort(-error)[:WORST]
            if match.landmark_error[n] > MISSED * np.ptp(measured.neutral, 0).max()
        ]
        lines = ", ".join(f"line {n + 1} ({words.figure(float(error[n]))} mm)" for n in far)
        met = f"The fit meets every landmark to {words.figure(float(error.max()))} mm."
        advice.append(f"The fit misses landmarks: {lines}; look at both vertices of these." if far else met)
    return advice


def marked_picture(
    studio: Studio,
    size: tuple[int, int],
    vertices: NDArray[Any],
    view: View,
    colors: NDArray[np.uint8] | None,
    marks: Marks,
    edges: NDArray[np.int64],
    faces: NDArray[np.int32],
    *,
    through: bool = False,
) -> str:
    """A picture with numbered landmarks (from 1, as lines of the file) and edges over it: those in front, or all."""
    pixels = studio.picture(vertices, view, colors)
    if not len(marks) and not len(edges):
        return data_uri(pixels)
    facing = _core.vertex_normals(np.asarray(vertices, np.float32), faces) @ view.toward > 0.0
    facing |= through
    return data_uri(_written(pixels, size, _projected(vertices, view, size), facing, marks, edges))


def _projected(vertices: NDArray[Any], view: View, size: tuple[int, int]) -> NDArray[np.float64]:
    """(V, 2) pixels from the left and from below."""
    away = np.asarray(vertices, np.float64) - view.center
    right = np.cross(view.up, view.toward)
    scale = 0.5 * size[1] / view.extent
    return np.stack([0.5 * size[0] + scale * (away @ right), 0.5 * size[1] + scale * (away @ view.up)], axis=1)


def _written(
    pixels: Pixels,
    size: tuple[int, int],
    places: NDArray[np.float64],
    facing: NDArray[np.bool_],
    marks: Marks,
    edges: NDArray[np.int64],
) -> Pixels:
    canvas = blank_figure(*size)
    axis = canvas.add_axes((0.0, 0.0, 1.0, 1.0))
    axis.set_axis_off()
    axis.set_xlim(0.0, size[0])
    axis.set_ylim(0.0, size[1])
    axis.imshow(pixels, extent=(0.0, size[0], 0.0, size[1]), interpolation="nearest", aspect="auto")
    for a, b in edges[facing[edges].any(axis=1)].tolist():
        axis.plot(*places[[a, b]].T, color=TORN, linewidth=1.6)
    for number, vertex in enumerate(marks.tolist()):
        if facing[vertex]:
            x, y = places[vertex]
            axis.plot([x], [y], "o", color=INK, markersize=3.0)
            axis.annotate(f"{number + 1}", (x, y), (2.5, 2.0), textcoords="offset points", color=INK, fontsize=8.0)
    return pixels_of(canvas)
