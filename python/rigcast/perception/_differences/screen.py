"""Motion on the screen: how far the vertices of two animations are apart in pixels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._shown import one_line
from rigcast._validate import Arguments
from rigcast.perception._differences.surface import checked_triangles, facing_areas, per_vertex, weighted_mean
from rigcast.render import Camera

Float64 = NDArray[np.float64]


@one_line
@dataclass(frozen=True)
class ScreenMotion:
    """Distances on the screen over T frames, in pixels.

    Attributes
    ----------
    max : float
        The largest of a vertex that is seen from its front.
    mean, rms : float
        Over the frames, weighted by the area on the screen.
    per_frame : (T,) float64
        The largest of each frame.
    per_vertex : (V,) float64
        The largest of each vertex; 0 if it always faces away.
    """

    max: float
    mean: float
    rms: float
    per_frame: Float64
    per_vertex: Float64

    def __repr__(self) -> str:
        return f"ScreenMotion(max={self.max:.3g}, mean={self.mean:.3g}, rms={self.rms:.3g}) pixels"


def screen_motion(a: ArrayLike, b: ArrayLike, faces: ArrayLike, *, camera: Camera) -> ScreenMotion:
    """Distances on the screen between a mesh and the same mesh in another pose, or between two animations.

    The largest distance on the screen orders the shapes of a face nearly as people's ratings do, as far as eleven of
    them can show; sums over a mesh are far behind. A vertex counts if a triangle around it faces the camera in one of
    the two; what hides behind other parts of the mesh counts, too, so that the largest distance is never too small.

    Parameters
    ----------
    a, b : (V, 3) or (T, V, 3) array
        Vertices; one mesh is compared with every frame of the other argument.
    faces : (F, 3) or (F, 4) integers
        -1 pads triangles.
    camera : rigcast.render.Camera
        One for all frames, or one each; see :meth:`Viewing.camera`.

    Returns
    -------
    ScreenMotion

    Raises
    ------
    ValueError
        If shapes do not fit, a vertex is not finite or behind the camera, or a corner is no vertex.

    Examples
    --------
    >>> face = rc.faces.example()
    >>> camera = rc.perception.Viewing(distance=2.0).camera(face.rest_vertices, face.meters_per_unit)
    >>> smile = face.evaluate(np.eye(face.num_shapes)[4])
    >>> bool(rc.perception.screen_motion(face.rest_vertices, smile, face.faces, camera=camera).max > 1.0)
    True
    """
    check = Arguments("screen_motion")
    first, second = (check.numbers(name, mesh, "V 3", "T V 3") for name, mesh in (("a", a), ("b", b)))
    if not isinstance(camera, Camera):
        raise check.wrong("camera", f"a {type(camera).__name__}", "a rigcast.render.Camera")
    if not first.size or not second.size:
        raise check.wrong("a" if not first.size else "b", "empty", "at least one vertex in one frame")
    corners = checked_triangles("screen_motion", faces, first.shape[-2])
    places = [camera.project(mesh) for mesh in (first, second)]
    for name, place in zip("ab", places, strict=True):
        if np.isnan(place).any():
            raise check.wrong(name, "with a vertex behind the camera", "in front of it")
    return _measured(places, corners, max(len(place) for place in places))


def _measured(places: list[Float64], corners: NDArray[np.int32], frames: int) -> ScreenMotion:
    count = places[0].shape[1]
    per_frame, means, squares, per = np.zeros(frames), np.zeros(frames), np.zeros(frames), np.zeros(count)
    for t in range(frames):
        here, there = (place[min(t, len(place) - 1)] for place in places)
        areas = sum(facing_areas(place, corners) for place in (here, there))
        weights = per_vertex(np.asarray(areas), corners, count)
        moved = np.where(weights > 0.0, np.linalg.norm(there - here, axis=1), 0.0)
        per_frame[t] = moved.max()
        means[t], squares[t] = weighted_mean(moved, weights), weighted_mean(np.square(moved), weights)
        np.maximum(per, moved, out=per)
    return ScreenMotion(float(per_frame.max()), float(means.mean()), float(np.sqrt(squares.mean())), per_frame, per)
