"""Pictures of a character, drawn without a display by PyVista."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._extras import require
from rigcast._shown import no_pickle, one_line
from rigcast._validate import bad_argument
from rigcast.plot._colors import CLAY, rgb
from rigcast.plot._image import Pixels

Points = NDArray[np.float32] | NDArray[np.float64]

# For each up axis: up, and where a viewer stands to see the character's front (glTF's and Blender's habit).
UP_AND_FRONT = {"X": ((1, 0, 0), (0, 0, 1)), "Y": ((0, 1, 0), (0, 0, 1)), "Z": ((0, 0, 1), (0, -1, 0))}


@one_line
@dataclass(frozen=True)
class View:
    """The camera of a picture: the direction to the viewer, up, the point looked at, and half the picture's height."""

    toward: NDArray[np.float64]
    up: NDArray[np.float64]
    center: NDArray[np.float64]
    extent: float


def view_of(vertices: Points, up_axis: str, *, turn: float = 25.0, rise: float = 8.0, aspect: float = 0.7) -> View:
    """A view that holds all vertices.

    Parameters
    ----------
    vertices : (V, 3) array
    up_axis : str
    turn, rise : float
        Degrees to the character's left, and upward, from the front.
    aspect : float
        Width of the picture over its height.

    Returns
    -------
    View
    """
    up, right, toward = _directions(up_axis, turn, rise)
    axes = np.stack([right, up - (up @ toward) * toward, toward])
    axes[1] /= np.linalg.norm(axes[1])
    placed = np.asarray(vertices, np.float64) @ axes.T
    low, high = placed.min(axis=0), placed.max(axis=0)
    half = 0.5 * (high - low)
    return View(toward, axes[1], (0.5 * (low + high)) @ axes, 1.05 * max(half[1], half[0] / aspect, 1e-9))


def close_view(vertices: Points, vertex: int, normal: Points, *, up_axis: str, part: float = 0.2) -> View:
    """A view of one vertex and what lies around it, seen along its normal.

    Parameters
    ----------
    vertices : array_like, shape (V, 3)
    vertex : int
        Its index.
    normal : array_like, shape (3,)
    up_axis : str
        ``"X"``, ``"Y"`` or ``"Z"``.
    part : float
        What is seen, as a share of the character's size.

    Returns
    -------
    View
    """
    up, _, front = _directions(up_axis, 0.0, 0.0)
    toward = np.asarray(normal, np.float64) + 0.35 * front + 0.2 * up
    toward /= max(float(np.linalg.norm(toward)), 1e-9)
    if abs(toward @ up) > 0.95:
        toward = toward + 0.5 * front
        toward /= np.linalg.norm(toward)
    size = np.ptp(np.asarray(vertices, np.float64), axis=0).max()
    return View(toward, up, np.asarray(vertices[vertex], np.float64), part * max(float(size), 1e-9))


@no_pickle("it holds a window of the renderer; make another one")
@one_line
class Studio:
    """Takes pictures of one character; made once for a size, used for many.

    Parameters
    ----------
    faces : (F, 4) int32 array
    num_vertices : int
    width, height : int
        Pixels of a picture.

    Raises
    ------
    MissingExtra
        Without PyVista.
    """

    def __init__(self, faces: NDArray[np.int32], num_vertices: int, *, width: int = 420, height: int = 600) -> None:
        pyvista = require("pyvista", extra="report", purpose="drawing pictures")
        self._mesh = pyvista.PolyData(np.zeros((num_vertices, 3)), polygons(faces))
        self._mesh["color"] = np.zeros((num_vertices, 3), np.uint8)
        self._faces = faces
        with pyvista.vtk_verbosity("off"):  # VTK tries a display first, and says so where there is none
            self._plotter = pyvista.Plotter(off_screen=True, window_size=(width, height), lighting="none")
            self._plotter.render_window.SetOffScreenRendering(1)
            self._plotter.render_window.Render()
        self._plotter.set_background("white")
        self._plotter.enable_anti_aliasing("ssaa")
        self._plotter.enable_parallel_projection()
        self._lights = _lights(pyvista)
        for light in self._lights:
            self._plotter.add_light(light)
        actor = self._plotter.add_mesh(
            self._mesh, scalars="color", rgb=True, ambient=0.3, diffuse=0.85, specular=0.0, copy_mesh=False
        )
        actor.prop.interpolation = "phong"  # shades by the vertex normals that each picture brings

    def picture(self, vertices: Points, view: View, colors: NDArray[np.uint8] | None = None) -> Pixels:
        """Pixels (height, width, 3) of the character.

        Parameters
        ----------
        vertices : (V, 3) array
        view : View
        colors : (V, 3) uint8 array, optional
            Default clay.
        """
        if np.shape(vertices) != self._mesh.points.shape:
            got = f"an array {np.shape(vertices)}"
            raise bad_argument("picture", "vertices", got, f"an array {self._mesh.points.shape}")
        clay = (255 * rgb(CLAY)).astype(np.uint8)
        self._mesh.points = np.asarray(vertices, np.float32)
        self._mesh["color"] = np.broadcast_to(clay, self._mesh.points.shape) if colors is None else colors
        self._mesh.point_data["normal"] = _core.vertex_normals(self._mesh.points, self._faces)
        self._mesh.point_data.active_normals_name = "normal"
        self._aim(view)
        self._plotter.render()
        return np.asarray(self._plotter.screenshot(return_img=True, transparent_background=False))

    def cutout(self, vertices: Points, view: View, colors: NDArray[np.uint8] | None = None) -> Pixels:
        """The same picture without its ground, (height, width, 4): the last channel is 0 where nothing is."""
        self.picture(vertices, view, colors)
        return np.asarray(self._plotter.screenshot(return_img=True, transparent_background=True))

    def close(self) -> None:
        """Free the renderer."""
        self._plotter.close()

    def __enter__(self) -> Studio:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _aim(self, view: View) -> None:
        camera = self._plotter.camera
        distance = 10.0 * view.extent
        camera.focal_point = view.center
        camera.position = view.center + distance * view.toward
        camera.up = view.up
        camera.parallel_scale = view.extent
        self._plotter.reset_camera_clipping_range()
        side = np.cross(view.up, view.toward)
        for light, (right, up, toward) in zip(self._lights, LIGHTS, strict=True):
            offset = right * side + up * view.up + toward * view.toward
            light.position = view.center + distance * offset
            light.focal_point = view.center

    def _facts(self) -> list[str]:
        return [f"{self._mesh.n_points:,} vertices", f"{len(self._faces):,} faces"]


# Lights as (right, up, toward the viewer), and how bright they are: key, fill, rim, and one from below the viewer.
LIGHTS = ((-0.6, 0.8, 1.0), (1.0, 0.1, 0.7), (0.2, 0.9, -1.0), (0.0, -0.4, 1.0))
BRIGHTNESS = (0.56, 0.32, 0.25, 0.18)


def polygons(faces: NDArray[np.int32]) -> NDArray[np.int64]:
    """Faces in VTK's flat form: corner count, corners, corner count, ..."""
    counted = np.concatenate([np.where(faces[:, 3:] < 0, 3, 4), faces], axis=1)
    return np.asarray(counted[np.concatenate([np.ones((len(faces), 4), bool), faces[:, 3:] >= 0], axis=1)], np.int64)


def _directions(up_axis: str, turn: float, rise: float) -> tuple[NDArray[np.float64], ...]:
    up, front = (np.array(axis, np.float64) for axis in UP_AND_FRONT[up_axis])
    side = np.cross(up, front)
    around, above = np.radians([turn, rise])
    level = np.cos(around) * front + np.sin(around) * side
    toward = np.cos(above) * level + np.sin(above) * up
    return up, np.cross(up, level), toward


def _lights(pyvista: Any) -> list[Any]:
    return [pyvista.Light(intensity=brightness, light_type="scene light") for brightness in BRIGHTNESS]
