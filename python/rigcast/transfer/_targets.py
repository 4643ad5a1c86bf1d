"""The target of a transfer, and the source in its topology."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig
from rigcast._hashing import padded_faces
from rigcast._rigs.mesh import Mesh
from rigcast._rigs.up_axis import seeming_up_axis
from rigcast._validate import Arguments
from rigcast.errors import ArgumentError
from rigcast.progress import ProgressOption
from rigcast.sources._meshes import load_mesh
from rigcast.sources._vertex_lists import load_landmarks
from rigcast.transfer._correspondence import Correspondence, correspond
from rigcast.transfer._positions_from_rig import positions_from_rig
from rigcast.transfer._surface import degenerate_faces

Float32 = NDArray[np.float32]

#: A neutral as vertices (V, 3), a mesh, a rig or model, or a file of one of them.
Target = ArrayLike | Mesh | BlendshapeRig | str | os.PathLike[str]
Landmarks = ArrayLike | str | os.PathLike[str] | None


@dataclass(frozen=True)
class Matched:
    """A target, and the source's neutral and expressions in its topology.

    Attributes
    ----------
    neutral, faces : (V, 3), (F, 3 or 4)
        The target's.
    source, shapes : (V, 3), (N, V, 3)
        Positions of the source, vertex by vertex of the target.
    match : Correspondence or None
        None if both have one topology.
    lies : "X", "Y", "Z" or None
        The up axis with which the target would stand as the rig does, if it is not the one that it states, or else the
        rig's.
    """

    neutral: Float32
    faces: NDArray[np.int32]
    source: Float32
    shapes: Float32
    match: Correspondence | None
    lies: str | None


def target_mesh(function: str, target: Target) -> Mesh:
    """The mesh of whatever a user hands over as target."""
    if isinstance(target, Mesh):
        return target
    if isinstance(target, (str, os.PathLike)):
        return load_mesh(target)
    if hasattr(target, "rest_vertices"):
        model: Any = target
        return Mesh(model.rest_vertices, model.faces, "", float(model.meters_per_unit), str(model.up_axis))
    must = "vertices (V, 3), a mesh, a rig, or a file of one"
    return Mesh(Arguments(function).numbers("target", target, "V 3", dtype=np.float32, must=must))


def matched(
    function: str,
    argument: str,
    rig: BlendshapeRig,
    target: Mesh,
    landmarks: Landmarks = None,
    faces: ArrayLike | None = None,
    *,
    threads: int = 0,
    progress: ProgressOption = None,
) -> Matched:
    """Bring the source into the target's topology, by landmarks if it has another one.

    Parameters
    ----------
    function, argument : str
        Public names, for errors.
    rig : BlendshapeRig
    target : Mesh
    landmarks : (L, 2) integers or path, optional
        A source vertex and a target vertex each. Without them both have one topology.
    faces : array_like, shape (F, 3) or (F, 4), optional
        Of the target. Default: the rig's, or with landmarks the target's own.

    Raises
    ------
    ValueError
        If the topologies do not fit or there is no surface.
    """
    count = len(rig.rest_vertices)
    if landmarks is None and len(target.vertices) != count:
        got = f"a mesh of {len(target.vertices):,} vertices where the rig has {count:,}"
        raise ArgumentError(function, argument, f"{got}; a target of another topology needs landmarks", "")
    own = target.faces if landmarks is not None or not len(rig.faces) else rig.faces
    corners = own if faces is None else padded_faces(faces, function, len(target.vertices))
    if not len(corners):
        got = "a mesh without faces; a transfer needs them, the rig's or the target's"
        raise ArgumentError(function, argument, got, "")
    if degenerate_faces(target.vertices, corners).all():
        got = f"a mesh with no area in any of its {len(corners):,} faces"
        raise ArgumentError(function, argument, got, "a surface")
    shapes = positions_from_rig(rig)
    axes = str(rig.up_axis), target.up_axis or str(rig.up_axis)
    if landmarks is None:
        lies = seeming_up_axis(rig.rest_vertices, target.vertices, *axes)
        return Matched(target.vertices, corners, rig.rest_vertices, shapes, None, lies)
    pairs = load_landmarks(landmarks) if isinstance(landmarks, (str, os.PathLike)) else landmarks
    match = correspond(
        rig.rest_vertices, rig.faces, target.vertices, corners, landmarks=pairs, threads=threads, progress=progress
    )
    marks = match.landmarks
    lies = seeming_up_axis(rig.rest_vertices[marks[:, 0]], target.vertices[marks[:, 1]], *axes)
    return Matched(target.vertices, corners, *match.resample(rig.rest_vertices, shapes), match, lies)
