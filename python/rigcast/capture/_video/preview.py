"""A video beside what was solved of it: the input, the input with points and mesh, the character."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast._validate import Arguments, check_blendshape_rig
from rigcast.capture._neutral import upright
from rigcast.capture._sides import mirror_image
from rigcast.capture._solution import Capture
from rigcast.capture._tracks import Tracks
from rigcast.capture._video.crops import averaged
from rigcast.capture._video.ffmpeg import write_video
from rigcast.progress import Progress, ProgressOption, as_callback
from rigcast.render._camera import Camera
from rigcast.render._render import render, visible
from rigcast.render._scene import Lights, Sensor

Float64 = NDArray[np.float64]
Picture = NDArray[np.uint8]

MESH, TRACKED, SOLVED = (90, 170, 255), (60, 255, 90), (255, 80, 60)  # colors of dots
FAINT = 0.3  # of the mesh over the picture
LINE = 6  # dots along an edge of the mesh
BACKGROUND = (0.03, 0.035, 0.04)
# From the upper left, before the face; axes are the camera's, y down.
LIGHTS = Lights([[-0.5, -0.7, -1.0]], [[0.75, 0.72, 0.68]], [0.3, 0.31, 0.34], [0.12, 0.12, 0.12], up=(0.0, -1.0, 0.0))


@dataclass(frozen=True)
class PreviewScene:
    """A preview apart from its frames; lengths of pictures are divided by ``box``."""

    rig: BlendshapeRig
    found: Capture
    tracks: Tracks | None
    box: int

    @functools.cached_property
    def edges(self) -> NDArray[np.int64]:
        """(E, 2) vertices of the mesh's edges, each once."""
        faces = np.asarray(self.rig.faces, np.int64)
        pairs = []
        for corner in range(faces.shape[1]):
            after = faces[:, (corner + 1) % faces.shape[1]]
            after = np.where(after < 0, faces[:, 0], after)
            pairs.append(np.stack([faces[:, corner], after], axis=1)[faces[:, corner] >= 0])
        return np.unique(np.sort(np.concatenate(pairs), axis=1), axis=0)


def write_preview(
    path: str | os.PathLike[str],
    rig: BlendshapeRig,
    found: Capture,
    *,
    pictures: Sequence[Picture],
    tracks: Tracks | None = None,
    mirrored: bool = False,
    height: int = 480,
    progress: ProgressOption = None,
) -> None:
    """Write an ``.mp4``: the video, the video with points and the character's mesh on it, the character alone.

    Dots are green where a detector found a point, red where the solve has it; blue lines are the visible edges of the
    character's mesh, which lie beside the actor's face as far as the character is another person. Needs the extra
    ``capture``.

    Parameters
    ----------
    path : path-like
    rig : BlendshapeRig
    found : Capture
    pictures : sequence of (H, W, 3) uint8 arrays
        One per frame, such as :class:`Pictures`.
    tracks : Tracks, optional
        The points that were solved.
    mirrored : bool
        As given to :func:`solve`.
    height : int
        Of the result at most, in pixels: pictures are divided by the least whole number that makes them fit.
    progress : True or callable, optional

    Raises
    ------
    ValueError
        If there is not a picture for each frame, or an argument is wrong.
    MissingExtra
    """
    check_blendshape_rig("write_preview", rig)
    check = Arguments("write_preview")
    most = check.whole("height", height, least=16, most=4096)
    frames = len(found.weights)
    if len(pictures) != frames:
        raise check.wrong("pictures", f"{len(pictures)}", f"one for each of the {frames} frames")
    shape = np.shape(pictures[0])
    if len(shape) != 3 or shape[2] != 3:
        raise check.wrong("pictures", f"of shape {shape}", "pictures (H, W, 3)")
    # Of a mirrored video the mirrored actor is drawn, whom it shows.
    scene = PreviewScene(rig, mirror_image(rig, found) if mirrored else found, tracks, -(-shape[0] // most))
    write_video(path, _panels(scene, pictures, as_callback(progress)), found.fps)


def _panels(scene: PreviewScene, pictures: Sequence[Picture], report: Callable[[Progress], None]) -> Iterator[Picture]:
    count = len(scene.found.weights)
    for t in range(count):
        yield preview_frame(scene, np.asarray(pictures[t], np.uint8), t)
        report(Progress("drawing the preview", t + 1, count))


def preview_frame(scene: PreviewScene, picture: Picture, t: int) -> Picture:
    """The three pictures (H, 3 W, 3) of a frame side by side."""
    seen = np.rint(averaged(picture, scene.box)).astype(np.uint8)
    vertices, camera = _placed(scene, t, seen.shape)
    drawn = render(
        vertices, scene.rig.faces, camera, material=None, lights=LIGHTS, sensor=Sensor(background=BACKGROUND)
    ).color[0]
    shown = visible(
        vertices, scene.rig.faces, camera, points=vertices[None], tolerance=0.02 * float(np.ptp(vertices[:, 1]))
    )[0]
    lines = _lines(camera.project(vertices.astype(np.float64))[0], scene.edges[shown[scene.edges].all(axis=1)])
    over = _with_dots(seen, lines, MESH, FAINT, 1)
    if scene.tracks is not None:
        tracked = scene.tracks.points[t, scene.found.places.used, :2] / scene.box
        over = _with_dots(over, tracked, TRACKED, 1.0, 2)
        over = _with_dots(over, solved_points(scene, t), SOLVED, 1.0, 1)
    return np.concatenate([seen, over, drawn], axis=1)


def _placed(scene: PreviewScene, t: int, shape: tuple[int, ...]) -> tuple[NDArray[np.float32], Camera]:
    """Vertices before the camera, and the camera of a picture of this size."""
    found, box = scene.found, scene.box
    pose = upright(scene.rig) @ found.head[t]
    vertices = scene.rig.evaluate(found.weights[t].astype(np.float32)[None])[0].astype(np.float64)
    placed = vertices @ pose[:, :3].T + pose[:, 3]
    near = 0.05 * float(np.linalg.norm(pose[:, 3]))
    center = np.array(found.center) / box
    camera = Camera(shape[1], shape[0], focal=found.focal / box, rotation=np.eye(3), center=center, near=near)
    return placed.astype(np.float32), camera


def solved_points(scene: PreviewScene, t: int) -> Float64:
    """(U, 2) where the solve has the used points."""
    found, (_, camera) = scene.found, _placed(scene, t, (1, 1))
    used, pose = found.places.used, upright(scene.rig) @ found.head[t]
    vertices = scene.rig.evaluate(found.weights[t].astype(np.float32)[None])[0].astype(np.float64)
    at = (found.places.positions(vertices) + found.offsets[used]) @ pose[:, :3].T + pose[:, 3]
    return np.asarray(camera.project(at)[0])


def _lines(points: Float64, edges: NDArray[np.int64]) -> Float64:
    """Dots (N, 2) along edges between projected vertices (V, 2)."""
    share = (np.arange(LINE) + 0.5)[:, None, None] / LINE
    return ((1.0 - share) * points[edges[:, 0]] + share * points[edges[:, 1]]).reshape(-1, 2)


def _with_dots(picture: Picture, points: Float64, color: tuple[int, int, int], strength: float, side: int) -> Picture:
    """A picture with squares of some pixels at points (P, 2)."""
    result: Picture = picture.copy()
    at = np.floor(points[np.isfinite(points).all(axis=1)] - (side - 1) / 2).astype(np.int64)
    for down in range(side):
        for right in range(side):
            x, y = at[:, 0] + right, at[:, 1] + down
            inside = (x >= 0) & (x < picture.shape[1]) & (y >= 0) & (y < picture.shape[0])
            x, y = x[inside], y[inside]
            mixed = (1.0 - strength) * picture[y, x] + strength * np.array(color)
            result[y, x] = np.rint(mixed).astype(np.uint8)
    return result
