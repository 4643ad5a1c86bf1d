"""Pictures of meshes: one, several side by side, and all shapes of a rig."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig
from rigcast._rigs.mesh import Mesh
from rigcast._validate import bad_argument
from rigcast.plot._arguments import PlottedMesh, RestingMesh, Values, focus_of, points_of, subject_of, values_of
from rigcast.plot._colors import heat, nice_top
from rigcast.plot._framing import aspect_of, moving_vertices
from rigcast.plot._image import Image, Pixels
from rigcast.plot._sheet import Scale, sheet
from rigcast.plot._studio import Studio, view_of

WIDTH = 300  # pixels of a picture among several
LARGE = 420  # pixels of a picture alone
TOP = 99.8  # percentile of the values at which a color scale ends
SHEET = 6  # pictures in a row of a contact sheet
GAP = 0.03  # of a picture's width, white before its neighbor


def mesh(
    model: RestingMesh | Mesh,
    vertices: ArrayLike | None = None,
    *,
    values: ArrayLike | None = None,
    top: float | None = None,
    unit: str = "",
    focus: ArrayLike | None = None,
    turn: float = 25.0,
    rise: float = 8.0,
    width: int = LARGE,
) -> Image:
    """Draw one mesh, in clay or as a heat map.

    Parameters
    ----------
    model : rig, model, data set or mesh
        Anything with ``faces`` and ``rest_vertices`` (or ``vertices``); ``up_axis`` is read if present.
    vertices : array_like, shape (V, 3), optional
        Default: at rest.
    values : array_like, shape (V,), optional
        Colors: 0 is pale, ``top`` and more is dark. With them a color scale is drawn.
    top : float, optional
        End of the color scale, above 0. Default: a round number that nearly all values stay below.
    unit : str
        Of the values, written at the scale.
    focus : (M,) integers or (V,) bool, optional
        Vertices that the picture must show. Default: all.
    turn, rise : float
        Where the viewer stands, in degrees to the character's left and upward from its front.
    width : int
        Pixels.

    Returns
    -------
    Image

    Raises
    ------
    ValueError
        If sizes differ, values are not finite or there are no faces.
    rigcast._extras.MissingExtra
        Without PyVista, or matplotlib if there are values.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> weights = [float(name == "jawOpen") for name in rig.shape_names]
    >>> rc.plot.mesh(rig, rig.evaluate(weights), width=100)
    <Image 100 x 146>
    """
    subject = subject_of("mesh", model)
    points = subject.rest if vertices is None else points_of("mesh", vertices, subject, 2)
    given = None if values is None else [values]
    return _drawn("mesh", subject, points[None], None, 1, _Look(given, top, unit, focus, turn, rise, width))


def side_by_side(
    model: RestingMesh | Mesh,
    vertices: ArrayLike,
    *,
    titles: Sequence[str] | None = None,
    columns: int | None = None,
    values: Values | None = None,
    top: float | None = None,
    unit: str = "",
    focus: ArrayLike | None = None,
    turn: float = 25.0,
    rise: float = 8.0,
    width: int = WIDTH,
) -> Image:
    """Draw several states of one mesh from one place, heat maps on one scale.

    Parameters
    ----------
    model : rig, model, data set or mesh
        As for :func:`mesh`.
    vertices : array_like, shape (N, V, 3)
        One picture each.
    titles : N strings, optional
        Written above the pictures.
    columns : int, optional
        Pictures in a row. Default: all.
    values : N of (V,) or None, optional
        Colors of each picture; None draws it in clay.
    top, unit, focus, turn, rise
        As for :func:`mesh`.
    width : int
        Pixels of one picture.

    Returns
    -------
    Image

    Raises
    ------
    ValueError
        If sizes differ, values are not finite or there are no faces.
    rigcast._extras.MissingExtra
        Without PyVista, or matplotlib if there are titles or values.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> truth = rig.evaluate(np.eye(rig.num_shapes)[:2])
    >>> off = np.linalg.norm(truth - rig.rest_vertices, axis=2)
    >>> image = rc.plot.side_by_side(rig, truth, values=10 * off, unit="mm", width=100)
    >>> image.width > 200
    True
    """
    subject = subject_of("side_by_side", model)
    points = points_of("side_by_side", vertices, subject, 3)
    look = _Look(values, top, unit, focus, turn, rise, width)
    return _drawn("side_by_side", subject, points, titles, columns or len(points), look)


def contact_sheet(
    rig: BlendshapeRig,
    weights: ArrayLike | None = None,
    titles: Sequence[str] | None = None,
    *,
    columns: int = SHEET,
    turn: float = 15.0,
    rise: float = 4.0,
    width: int = 200,
) -> Image:
    """Draw a blendshape rig in many poses in one image, by default its neutral and every shape at full weight.

    Parameters
    ----------
    rig : BlendshapeRig
        With faces; the pictures show the part that its columns move.
    weights : array_like, shape (N, K), optional
    titles : N strings, optional
        Default: the names of the shapes, or the numbers of the poses.
    columns : int
        Pictures in a row.
    turn, rise, width
        As for :func:`side_by_side`.

    Returns
    -------
    Image

    Raises
    ------
    ValueError
        If sizes differ or the rig has no faces.
    rigcast._extras.MissingExtra
        Without PyVista and matplotlib.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> image = rc.plot.contact_sheet(rig, np.eye(rig.num_shapes)[:2], rig.shape_names[:2], width=80)
    >>> image.height > 80
    True
    """
    if not isinstance(rig, BlendshapeRig):
        raise bad_argument("contact_sheet", "rig", f"a {type(rig).__name__}", "a blendshape rig")
    if weights is None:
        low, high = np.asarray(rig.bounds, np.float32).T
        poses = np.concatenate([np.zeros((1, rig.num_shapes), np.float32), np.diag(np.where(high > 0, high, low))])
        titles = titles or ["neutral", *rig.shape_names]
    else:
        poses = np.atleast_2d(np.asarray(weights, np.float32))
        titles = titles or [str(number) for number in range(len(poses))]
    look = _Look(None, None, "", moving_vertices(rig), turn, rise, width)
    return _drawn("contact_sheet", subject_of("contact_sheet", rig), rig.evaluate(poses), titles, columns, look)


@dataclass(frozen=True)
class _Look:
    """Options of pictures; the public arguments of that name."""

    values: Values | None
    top: float | None
    unit: str
    focus: ArrayLike | None
    turn: float
    rise: float
    width: int


def _drawn(
    function: str,
    subject: PlottedMesh,
    vertices: NDArray[np.float32],
    titles: Sequence[str] | None,
    columns: int,
    look: _Look,
) -> Image:
    if titles is not None and len(titles) != len(vertices):
        raise bad_argument(function, "titles", f"{len(titles)} strings", f"one per picture, {len(vertices)}")
    if columns < 1 or look.width < 1:
        raise bad_argument(function, "columns and width", f"{columns} and {look.width}", "at least 1")
    colored = values_of(function, look.values, len(vertices), len(subject.rest))
    scale = _scale(function, colored, look)
    pictures = _apart(_pictures(function, subject, vertices, colored, scale, look), columns)
    if titles is None and scale is None:
        return Image(_tiled(pictures, columns))
    return Image(sheet(pictures, columns, titles, scale))


def _scale(function: str, colored: list[NDArray[np.float64] | None], look: _Look) -> Scale | None:
    known = [values for values in colored if values is not None]
    if not known:
        return None
    top = nice_top(float(np.percentile(np.concatenate(known), TOP))) if look.top is None else float(look.top)
    if not 0.0 < top < np.inf:
        raise bad_argument(function, "top", repr(look.top), "a number above 0")
    return Scale(top, look.unit)


def _pictures(
    function: str,
    subject: PlottedMesh,
    vertices: NDArray[np.float32],
    colored: list[NDArray[np.float64] | None],
    scale: Scale | None,
    look: _Look,
) -> list[Pixels]:
    shown = vertices if look.focus is None else vertices[:, focus_of(function, look.focus, len(subject.rest))]
    held = shown.reshape(-1, 3)
    aspect = aspect_of(held, subject.up_axis)
    view = view_of(held, subject.up_axis, turn=look.turn, rise=look.rise, aspect=aspect)
    size = look.width, max(round(look.width / aspect), 1)
    with Studio(subject.faces, len(subject.rest), width=size[0], height=size[1]) as studio:
        return [
            studio.picture(points, view, None if values is None or scale is None else heat(values / scale.top))
            for points, values in zip(vertices, colored, strict=True)
        ]


def _apart(pictures: list[Pixels], columns: int) -> list[Pixels]:
    """Pictures with a white right edge, but for the last of a row: what fills them does not touch its neighbor."""
    gap = max(round(GAP * pictures[0].shape[1]), 1)
    for number, picture in enumerate(pictures):
        if (number + 1) % columns and number + 1 < len(pictures):
            picture[:, -gap:] = 255
    return pictures


def _tiled(pictures: list[Pixels], columns: int) -> Pixels:
    blank = np.full_like(pictures[0], 255)
    padded = [*pictures, *[blank] * (-len(pictures) % columns)]
    return np.concatenate(
        [np.concatenate(padded[first : first + columns], axis=1) for first in range(0, len(padded), columns)]
    )
