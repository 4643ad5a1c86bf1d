"""A moving mesh written over a stage of another program."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from rigcast._formats.registry import USD
from rigcast._formats.usd.write_on_stage import FUNCTION, write_usd_on_stage
from rigcast._rigs.motions.moving_mesh import MeshFrames
from rigcast._rigs.surface import Surface, check_surface
from rigcast._validate import FPS, Arguments, bad_argument, missing_file
from rigcast.exports._playback import Playback
from rigcast.exports._vertices import moving_mesh


def write_on_stage(
    path: str | os.PathLike[str],
    stage: str | os.PathLike[str],
    vertices: ArrayLike | MeshFrames,
    *,
    faces: ArrayLike | None = None,
    fps: float = FPS,
    meters_per_unit: float = 1.0,
    up_axis: str = "Y",
    name: str = "",
    surface: Surface | None = None,
    rest: ArrayLike | None = None,
    under: str | None = None,
    start: float | None = None,
) -> list[str]:
    """Write a moving mesh (T, V, 3) as a layer over a stage that has the character.

    The layer (``.usd``, ``.usda``, ``.usdc``) has the stage as its sublayer, by a relative path, and time samples of
    the points of its meshes. Materials, subdivision, names and transforms stay the stage's. Parts are matched with
    meshes by name and number of points, else by faces, else by number of points alone. Time codes, unit and up axis are
    the stage's; frames at another rate fall between its time codes. The stage itself is not changed.

    Parameters
    ----------
    path : path-like
    stage : path-like
        A file of USD.
    vertices : array_like, shape (T, V, 3)
        An array, or anything that is sliced like one: :class:`rigcast.exports.Playback`.
    faces : array_like, shape (F, 3) or (F, 4), optional
    fps : float
        Frames per second of the vertices.
    meters_per_unit, up_axis : float, "X", "Y" or "Z"
        Of the vertices.
    name : str
        Of the character; a mesh of a single part is looked for by it.
    surface : Surface, optional
        Named parts of the mesh.
    rest : array_like, shape (V, 3), optional
        The character at rest, which is compared with the stage's points to find whether these stand in the world or
        below transforms. Default: that of the model of a :class:`Playback`, else the first frame.
    under : str, optional
        Path of the prim below which the character stands, where a stage has several.
    start : float, optional
        Time code of the first frame. Default: the first of the stage, 1 if it states none.

    Returns
    -------
    list of str
        Notes: which part lies on which mesh, what was converted, and what of the stage no longer counts.

    Raises
    ------
    FileNotFoundError
        If there is no such stage.
    ValueError
        If the ending is unknown, the stage has no meshes that fit, naming both sides, or an argument is not as it must
        be.
    MissingExtra
        Without ``usd-core``.

    Examples
    --------
    >>> face = rc.faces.example()
    >>> smile = np.linspace(0, 1, 24)[:, None] * (np.arange(face.num_shapes) == 4)
    >>> notes = rc.exports.write_character("stage.usda", face)
    >>> moving = rc.exports.Playback(face, smile)
    >>> rc.exports.write_on_stage("shot.usdc", "stage.usda", moving, faces=face.faces, fps=24)[0]
    'shot.usdc lies over stage.usda: the mesh on /example_face/example_face (by faces)'
    """
    file, below = (Path(given) if isinstance(given, (str, os.PathLike)) else None for given in (path, stage))
    for argument, found, endings in (("path", file, USD.written), ("stage", below, USD.endings)):
        if found is None or found.suffix.lower() not in endings:
            got = repr(str(path if argument == "path" else stage))
            raise bad_argument(FUNCTION, argument, got, f"a file that ends in {', '.join(endings)}", found)
    assert file is not None
    assert below is not None
    if not below.is_file():
        raise missing_file(FUNCTION, "stage", below)
    if file.exists() and file.samefile(below):
        raise bad_argument(FUNCTION, "path", f"{str(file)!r}, the stage itself", "another file", file)
    mesh = moving_mesh(vertices, faces, fps, meters_per_unit, up_axis, name, "")
    check = Arguments(FUNCTION, V=mesh.num_vertices)
    if surface is not None:
        mesh = replace(mesh, surface=check_surface(surface, mesh.num_vertices, mesh.faces, FUNCTION))
    if rest is None:
        rest = vertices.model.rest_vertices if isinstance(vertices, Playback) else mesh.first
    still = np.asarray(check.numbers("rest", rest, "V 3", dtype=np.float32))
    at = None if start is None else check.number("start", start)
    return write_usd_on_stage(file, below, mesh, still, under, at)
