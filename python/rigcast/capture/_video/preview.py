"""A video beside what was solved of it: the input, the input with points and mesh, the character."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast._validate import Arguments, check_blendshape_rig
from rigcast.capture._neutral import upright
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
FAINT = 0.45  # of the mesh over the picture
BACKGROUND = (0.03, 0.035, 0.04)
# From the upper left, before the face; axes are the camera's, y down.
LIGHTS = Lights([[-0.5, -0.7, -1.0]], [[0.75, 0.72, 0.68]], [0.3, 0.31, 0.34], [0.12, 0.12, 0.12], up=(0.0, -1.0, 0.0))


@dataclass(frozen=True)
class _Scene:
    """What all frames of a preview have in common; lengths of pictures are divided by ``box``."""

    rig: BlendshapeRig
    found: Capture
    tracks: Tracks | None
    mirrored: bool
    box: int


def write_preview(
    path: str | os.PathLike[str],
    rig: BlendshapeRig,
    found: Capture,
    pictures: Sequence[Any],
    tracks: Tracks | None = None,
    *,
    mirrored: bool = False,
    height: int = 480,
    progress: ProgressOption = None,
) -> None:
    """Write an ``.mp4``: the video, the video with points and the character's mesh on it, the character alone.

    Dots are green where a detector found a point, red where the solve has it, blue at the mesh's visible vertices, which
    lie beside the actor's face as far as the character is another person. Needs the extra ``capture``.

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

    Examples
    --------
    >>> rc.capture.write_preview("preview.mp4", rig, found, rc.capture.Pictures("webcam.mp4"))  # doctest: +SKIP
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
    scene = _Scene(rig, found, tracks, mirrored, -(-shape[0] // most))
    write_video(path, _panels(scene, pictures, as_callback(progress)), found.fps)


def _panels(scene: _Scene, pictures: Sequence[Any], report: Callable[[Progress], None]) -> Iterator[Picture]:
    count = len(scene.found.weights)
    for t in range(count):
        yield preview_frame(scene, np.asarray(pictures[t], np.uint8), t)
        report(Progress("drawing the preview", t + 1, count))


def preview_frame(scene: _Scene, picture: Picture, t: int) -> Picture:
    """The three pictures (H, 3 W, 3) of a frame side by side."""
    seen = np.rint(averaged(picture, scene.box)).astype(np.uint8)
    vertices, camera = _placed(scene, t, seen.shape)
    drawn = render(vertices, scene.rig.faces, camera, None, LIGHTS, Sensor(background=BACKGROUND)).color[0]
    shown = visible(vertices, scene.rig.faces, camera, vertices[None], tolerance=0.02 * float(np.ptp(vertices[:, 1])))[0]
    dots = camera.project(vertices[shown].astype(np.float64))[0] if shown.any() else np.zeros((0, 2))
    over = _with_dots(seen, _flipped(scene, dots, seen.shape[1]), MESH, FAINT, 1)
    if scene.tracks is not None:
        tracked = scene.tracks.points[t, scene.found.places.used, :2] / scene.box
        over = _with_dots(over, tracked, TRACKED, 1.0, 2)
        over = _with_dots(over, _solved_points(scene, t, camera, seen.shape[1]), SOLVED, 1.0, 1)
    if scene.mirrored:
        drawn = drawn[:, ::-1]
    return np.concatenate([seen, over, drawn], axis=1)


def _placed(scene: _Scene, t: int, shape: tuple[int, ...]) -> tuple[NDArray[np.float32], Camera]:
    """Vertices before the camera, and the camera of a picture of this size."""
    found, box = scene.found, scene.box
    pose = upright(scene.rig) @ found.head[t]
    vertices = scene.rig.evaluate(found.weights[t].astype(np.float32)[None])[0].astype(np.float64)
    placed = vertices @ pose[:, :3].T + pose[:, 3]
    near = 0.05 * float(np.linalg.norm(pose[:, 3]))
    center = np.array(found.center) / box
    if scene.mirrored:
        center = np.array([shape[1] - center[0], center[1]])
    camera = Camera(shape[1], shape[0], focal=found.focal / box, rotation=np.eye(3), center=center, near=near)
    return placed.astype(np.float32), camera


def _solved_points(scene: _Scene, t: int, camera: Camera, width: int) -> Float64:
    """(U, 2) where the solve has the used points."""
    found = scene.found
    used, pose = found.places.used, upright(scene.rig) @ found.head[t]
    vertices = scene.rig.evaluate(found.weights[t].astype(np.float32)[None])[0].astype(np.float64)
    offsets = found.offsets[used] * (np.array([-1.0, 1.0, 1.0]) if scene.mirrored else 1.0)
    at = (found.places.positions(vertices) + offsets) @ pose[:, :3].T + pose[:, 3]
    return _flipped(scene, camera.project(at)[0], width)


def _flipped(scene: _Scene, points: Float64, width: int) -> Float64:
    return np.stack([width - points[:, 0], points[:, 1]], axis=1) if scene.mirrored else points


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
