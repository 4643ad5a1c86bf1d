"""Pictures, what each of their pixels sees, and which points a camera sees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._shown import one_line
from rigcast._validate import Arguments
from rigcast.render._camera import Camera
from rigcast.render._scene import Lights, Material, Sensor

Float32 = NDArray[np.float32]
Int32 = NDArray[np.int32]


@one_line
@dataclass(frozen=True, eq=False)
class RenderedPictures:
    """Pictures of a mesh.

    Attributes
    ----------
    color : (T, H, W, 3) uint8 array
    coverage : (T, H, W) float32 array
        The share of a pixel's samples that see the mesh.
    """

    color: NDArray[np.uint8]
    coverage: Float32


@one_line
@dataclass(frozen=True, eq=False)
class SurfaceMaps:
    """Surface at the centers of pixels.

    Attributes
    ----------
    depth : (T, H, W) float32 array
        z in camera coordinates; infinity for nothing.
    face : (T, H, W) int32 array
        -1 for nothing.
    corners : (T, H, W, 3) int32 array
        Vertices of the triangle; -1 for nothing.
    weights : (T, H, W, 3) float32 array
        Perspective-correct barycentric coordinates of the point; 0 for nothing.
    """

    depth: Float32
    face: Int32
    corners: Int32
    weights: Float32

    def interpolate(self, values: ArrayLike, nothing: float = np.nan) -> NDArray[np.float64]:
        """Attributes of the vertices (V, D), interpolated at each pixel (T, H, W, D); ``nothing`` off the mesh."""
        table = Arguments("SurfaceMaps.interpolate").numbers("values", values, "V D")
        mixed = np.einsum("thwc,thwcd->thwd", self.weights, table[self.corners])
        return np.asarray(np.where(self.face[..., None] >= 0, mixed, nothing))


def render(
    vertices: ArrayLike,
    faces: ArrayLike,
    camera: Camera,
    *,
    material: Material | None = None,
    lights: Lights | None = None,
    sensor: Sensor | None = None,
    front_only: bool = False,
    threads: int = 0,
) -> RenderedPictures:
    """Draw a mesh.

    Radiance is wrapped diffuse and specular light (Blinn 1977) of distant lights, which cast no shadows, and
    hemisphere light times ambient occlusion. A triangle covers the samples whose centers lie in it; an edge of two
    triangles covers each sample once.

    Parameters
    ----------
    vertices : (V, 3) or (T, V, 3) array
        World positions; one mesh for all cameras, or one for each.
    faces : (F, 3) or (F, 4) integers
        Counterclockwise as seen from outside; -1 in the last column of triangles.
    camera : Camera
    material : Material, optional
    lights : Lights, optional
    sensor : Sensor, optional
    front_only : bool
        Leave faces out that are seen from behind; else they are drawn with their normals turned around.
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Raises
    ------
    ValueError
        If a shape is wrong, a number is not finite or out of range, or R is no rotation. What is nearer than
        ``camera.near``, as behind the camera, is cut off.

    Examples
    --------
    >>> face = rc.faces.example()
    >>> camera = rc.render.Camera(64, 64, focal=140.0, translation=[0.0, 0.0, 50.0])
    >>> picture = rc.render.render(face.rest_vertices, face.faces, camera)
    >>> picture.color.shape
    (1, 64, 64, 3)
    """
    mesh, engine, numbers = _checked("render", vertices, faces, camera, threads)
    sensor = sensor or Sensor()
    count = len(numbers)
    rays, around = (lights or Lights()).arrays(count)
    color, coverage = engine.draw(
        mesh,
        numbers,
        **(material or Material()).arrays(mesh.shape[1], len(np.asarray(faces))),
        lights=rays,
        hemispheres=around,
        wrap=(lights or Lights()).wrap,
        **sensor.arrays(count),
        height=camera.height,
        width=camera.width,
        samples=sensor.samples,
        front=front_only,
        threads=threads,
    )
    return RenderedPictures(color, coverage)


def survey(
    vertices: ArrayLike, faces: ArrayLike, camera: Camera, *, front_only: bool = False, threads: int = 0
) -> SurfaceMaps:
    """Find what the center of each pixel sees: depth, face, triangle and the place on it.

    Other arguments and errors are those of :func:`render`.

    Parameters
    ----------
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Examples
    --------
    >>> face = rc.faces.example()
    >>> camera = rc.render.Camera(64, 64, focal=140.0, translation=[0.0, 0.0, 50.0])
    >>> maps = rc.render.survey(face.rest_vertices, face.faces, camera)
    >>> bool((maps.face >= 0).any())
    True
    """
    mesh, engine, numbers = _checked("survey", vertices, faces, camera, threads)
    size = {"height": camera.height, "width": camera.width}
    return SurfaceMaps(*engine.survey(mesh, numbers, **size, front=front_only, threads=threads))


def visible(
    vertices: ArrayLike,
    faces: ArrayLike,
    camera: Camera,
    *,
    points: ArrayLike,
    tolerance: float,
    front_only: bool = False,
    threads: int = 0,
) -> NDArray[np.bool_]:
    """Tell which points the camera sees: inside of the picture, and not behind the mesh.

    Parameters
    ----------
    points : (P, 3) or (T, P, 3) array
    tolerance : number
        How far a point may lie behind the surface that its ray meets, in the mesh's unit. The surface is known to one
        sample, half a pixel.
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Returns
    -------
    (T, P) array of bool

    Examples
    --------
    >>> face = rc.faces.example()
    >>> camera = rc.render.Camera(64, 64, focal=140.0, translation=[0.0, 0.0, 50.0])
    >>> places = face.rest_vertices[:2]
    >>> rc.render.visible(face.rest_vertices, face.faces, camera, points=places, tolerance=0.2).shape
    (1, 2)
    """
    mesh, engine, numbers = _checked("visible", vertices, faces, camera, threads)
    check = Arguments("visible", T=len(numbers))
    places = check.numbers("points", points, "P 3", "T P 3", dtype=np.float32)
    if places.ndim == 2:
        places = np.ascontiguousarray(np.broadcast_to(places, (len(numbers), *places.shape)))
    check.number("tolerance", tolerance, least=0.0)
    size = {"height": camera.height, "width": camera.width}
    seen = engine.visible(mesh, numbers, places, **size, tolerance=tolerance, front=front_only, threads=threads)
    return np.asarray(seen, np.bool_)


def _checked(
    function: str, vertices: ArrayLike, faces: ArrayLike, camera: Camera, threads: int
) -> tuple[Float32, _core.Renderer, NDArray[np.float64]]:
    check = Arguments(function)
    check.threads(threads)
    mesh = check.numbers("vertices", vertices, "V 3", "T V 3", dtype=np.float32)
    if not isinstance(camera, Camera):
        raise check.wrong("camera", f"a {type(camera).__name__}", "a Camera")
    numbers = camera.numbers(len(mesh) if mesh.ndim == 3 else None)
    if mesh.ndim == 2:
        mesh = mesh[None]
    if len(mesh) not in (1, len(numbers)):
        raise check.wrong("vertices", f"{len(mesh)} meshes", f"one, or one for each of {len(numbers)} cameras")
    return mesh, _core.Renderer(faces, mesh.shape[1]), numbers
