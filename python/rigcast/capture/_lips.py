"""Inner lips as a detector sees them: points on the silhouette of each lip, which slides over the mesh as it moves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast._rigs.matching import plain_name
from rigcast._validate import bad_argument
from rigcast.capture._detectors import DETECTORS, Detector
from rigcast.capture._neutral import Ready, ShotStage, upright
from rigcast.capture._places import Places
from rigcast.capture._request import CaptureRequest
from rigcast.capture._samples import connected
from rigcast.capture._solution import Capture, LipSlides
from rigcast.metrics._distortion import triangles

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

SLIDES = 2  # times that the silhouettes are found, each time on the frames solved last
REACH = 0.7  # of the mouth's width: vertices around the middle of the mouth that belong to lips
FOLLOWS = 0.3  # of the jaw's largest motion: vertices that move more belong to the lower lip


@dataclass(frozen=True)
class _Lip:
    """One lip: its points from the right to the left, the corners between which they lie, and its triangles."""

    points: Int64
    corners: tuple[int, int]
    faces: Int64  # (F, 3)


class InnerLips:
    """The points of the inner lips of a detector on the silhouettes of a character's lips (Bailey 2020, section 6.4).

    A silhouette is where the lip's normal is at right angles to the view: a polyline through the triangles, one segment
    per triangle. Points lie on it at even shares of its length between the corners of the mouth.

    Parameters
    ----------
    rig : BlendshapeRig
        With a shape ``jawOpen``, which tells the lower lip.
    places : Places
    layout : Detector

    Raises
    ------
    ValueError
        If the rig has no such shape, or the inner lips of the detector have no places.
    """

    def __init__(self, rig: BlendshapeRig, places: Places, layout: Detector) -> None:
        names = [plain_name(name) for name in rig.shape_names]
        ends = np.array([layout.inner_corners[0], layout.inner_corners[1]])
        if "jawopen" not in names or not np.isin(ends, places.used).all():
            got = "a rig without jawOpen" if "jawopen" not in names else "points without places at the corners"
            raise bad_argument("solve", "settings", f"silhouettes of inner lips, and {got}", "fixed inner lips")
        self.rig, self.places = rig, places
        at = np.zeros((len(places.vertices), 3))
        at[places.used] = places.positions(np.asarray(rig.rest_vertices, np.float64))
        width = float(np.linalg.norm(at[ends[0]] - at[ends[1]]))
        near = np.linalg.norm(rig.rest_vertices - at[ends].mean(axis=0), axis=1) < REACH * width
        label = connected(rig.faces, rig.num_vertices)  # without teeth and gums
        near &= label == label[places.vertices[ends[0], 0]]
        jaw = np.linalg.norm(rig.column(names.index("jawopen")), axis=1)
        lower = jaw > FOLLOWS * jaw.max()
        halves = triangles(rig.faces).astype(np.int64)
        self.lips = [
            _Lip(points, layout.inner_corners, halves[(near & side)[halves].all(axis=1)])
            for points, side in ((layout.inner_upper_lip, ~lower), (layout.inner_lower_lip, lower))
        ]

    def away(self, weights: Float64, pose: Float64, focal: float, center: tuple[float, float]) -> Float64:
        """(T, P, 2) pixels from the fixed places to those on the silhouettes, under poses (T, 3, 4) before the camera.

        0 for points that do not slide, and where a lip has no silhouette.
        """
        result = np.zeros((len(weights), len(self.places.vertices), 2))
        for t, row in enumerate(weights):
            vertices = self.rig.evaluate(row.astype(np.float32)).astype(np.float64) @ pose[t, :, :3].T + pose[t, :, 3]
            corners, shares = self.places.vertices, self.places.weights
            fixed = (vertices[corners] * shares[:, :, None]).sum(axis=1)
            for lip in self.lips:
                line = silhouette(vertices, lip.faces)
                slid = _spread(line, fixed[lip.corners[0]], fixed[lip.corners[1]], len(lip.points))
                if slid is not None:
                    result[t, lip.points] = _image(slid, focal, center) - _image(fixed[lip.points], focal, center)
        return result


def on_silhouettes(
    request: CaptureRequest,
    stage: ShotStage,
    ready: Ready,
    solved: dict[str, Any],
    solve: Callable[[Float64], dict[str, Any]],
) -> tuple[dict[str, Any], LipSlides]:
    """The frames solved again with the inner lips where the lips' silhouettes are, held while a frame is solved.

    A point that slid has its observation moved back by as far as it slid since the neutral, where all points are exact.
    Returns the solves before the last, too.

    Parameters
    ----------
    request, stage, ready
        Of the shot.
    solved : dict
        Of the engine, with the inner lips at their places.
    solve : callable
        The engine on points (T, P, 2).

    Raises
    ------
    ValueError
        For points in space, or of no known detector.
    """
    if request.layout is None or stage.tracks.points.shape[2] == 3:
        got = "silhouettes of inner lips for points in space, or of no known detector"
        raise bad_argument("solve", "settings", got, "images, and points of mediapipe, ibug68 or openface")
    lips = SlidLips(stage.rig, stage.places, request.layout, (ready.camera.focal, ready.camera.center))
    lips.rest_at(ready.neutral_pose)
    before = []
    for _ in range(SLIDES):
        before.append(solved)
        solved = solve(stage.tracks.points - lips.slid(solved["weights"], solved["pose"], solved["lost"] > 0))
    weights, pose = (np.stack([one[key] for one in before]) for key in ("weights", "pose"))
    return solved, LipSlides(request.layout.name, weights, pose)


class SlidLips(InnerLips):
    """Inner lips, whose points are counted from the neutral, where all points are exact.

    Parameters
    ----------
    rig, places, layout
        As of :class:`InnerLips`.
    camera : (focal, center)
    """

    def __init__(
        self, rig: BlendshapeRig, places: Places, layout: Detector, camera: tuple[float, tuple[float, float]]
    ) -> None:
        super().__init__(rig, places, layout)
        self.camera = camera
        self.at_rest: Float64 = np.zeros((1, len(places.vertices), 2))

    def rest_at(self, neutral_pose: Float64) -> None:
        """Count from the neutral, whose head has a pose (3, 4) before the camera."""
        rest = np.clip(0.0, *self.rig.bounds.T).astype(np.float64)[None]
        self.at_rest = self.away(rest, neutral_pose[None], *self.camera)

    def slid(self, weights: Float64, pose: Float64, lost: NDArray[np.bool_]) -> Float64:
        """(T, P, 2) pixels, 0 in frames that are lost."""
        away = self.away(weights, pose, *self.camera) - self.at_rest
        away[lost] = 0.0
        return away


def lips_of(rig: BlendshapeRig, found: Capture) -> SlidLips:
    """The inner lips of a capture that has slides, as it was filmed."""
    assert found.slides is not None
    lips = SlidLips(rig, found.places, DETECTORS[found.slides.detector], (found.focal, found.center))
    lips.rest_at(upright(rig) @ found.neutral_head)
    return lips


def _image(places: Float64, focal: float, center: tuple[float, float]) -> Float64:
    return np.asarray(np.array(center) + focal * places[:, :2] / places[:, 2:])


def silhouette(vertices: Float64, faces: Int64) -> list[Float64]:
    """Polylines (n, 3) where normals of a surface before the camera are at right angles to the view.

    Parameters
    ----------
    vertices : (V, 3) array
        In the camera's axes, with the camera at the origin.
    faces : (F, 3) array
    """
    sides = vertices[faces]
    across = np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0])
    normals = np.zeros_like(vertices)
    for corner in range(3):
        np.add.at(normals, faces[:, corner], across)
    facing = (normals * vertices).sum(axis=1)
    front = facing < 0.0
    mixed = faces[front[faces].any(axis=1) & ~front[faces].all(axis=1)]
    joined: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for face in mixed:
        a, b, c = (int(v) for v in face)
        cut = [(min(p, q), max(p, q)) for p, q in ((a, b), (b, c), (c, a)) if front[p] != front[q]]
        joined[cut[0]].append(cut[1])
        joined[cut[1]].append(cut[0])
    lines = []
    while joined:
        ends = [edge for edge, others in joined.items() if len(others) == 1]
        edge = ends[0] if ends else next(iter(joined))
        walked = [edge]
        while joined[edge]:
            following = joined[edge].pop()
            joined[following].remove(edge)
            edge = following
            walked.append(edge)
        lines.append(np.array([_crossing(vertices, facing, p, q) for p, q in walked]))
        joined = defaultdict(list, {key: others for key, others in joined.items() if others})
    return lines


def _crossing(vertices: Float64, facing: Float64, p: int, q: int) -> Float64:
    """The point of an edge where the facing is 0."""
    share = facing[p] / (facing[p] - facing[q])
    return np.asarray((1.0 - share) * vertices[p] + share * vertices[q])


def _spread(lines: list[Float64], right: Float64, left: Float64, count: int) -> Float64 | None:
    """Places (count, 3) at even shares of the length of a polyline from one corner to the other.

    Of the polylines the one that comes nearest to both corners; None if there is none.
    """
    if not lines:
        return None
    gaps = [sum(np.linalg.norm(line - end, axis=1).min() for end in (right, left)) for line in lines]
    line = lines[int(np.argmin(gaps))]
    if min(gaps) > np.linalg.norm(right - left):
        return None
    first, last = (int(np.argmin(np.linalg.norm(line - end, axis=1))) for end in (right, left))
    part = line[first : last + 1] if first <= last else line[last : first + 1][::-1]
    steps = np.linalg.norm(np.diff(part, axis=0), axis=1)
    if not steps.any():
        return None
    along = np.concatenate([[0.0], np.cumsum(steps)])
    wanted = along[-1] * np.arange(1, count + 1) / (count + 1)
    return np.stack([np.interp(wanted, along, column) for column in part.T], axis=1)
