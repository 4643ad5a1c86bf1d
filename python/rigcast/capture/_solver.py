"""``solve``: what a user calls, and the order in which things happen."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig, solve_points
from rigcast._validate import FPS, bad_argument, check_blendshape_rig
from rigcast.capture._detectors import Detector
from rigcast.capture._findings import notes_of, seeming_expression
from rigcast.capture._fit_places import eyes_and_mouth, fit_places
from rigcast.capture._lips import on_silhouettes
from rigcast.capture._neutral import (
    LEAST_NOISE,
    USUAL_FOCAL,
    Lens,
    Ready,
    ShotStage,
    check_layout,
    engine_terms,
    face_size,
    find_focal,
    find_neutral,
    full_frames,
    jitter_of,
    neutral_points,
    upright,
)
from rigcast.capture._places import Places
from rigcast.capture._request import CaptureRequest, checked_request, given_tracks
from rigcast.capture._sides import exchanged, mirror_image
from rigcast.capture._solution import Capture
from rigcast.capture._still import note_of
from rigcast.capture._tracks import CaptureSettings, Tracks, with_note

Float64 = NDArray[np.float64]

UNKNOWN_SIZE = 8.0  # longer side of the image in sizes of the face, where the size is not given


def solve(
    rig: BlendshapeRig,
    points: Tracks | ArrayLike,
    landmarks: Places | ArrayLike | None = None,
    *,
    detector: str | None = None,
    certainty: ArrayLike | None = None,
    size: tuple[int, int] | None = None,
    fps: float = FPS,
    neutral: int | ArrayLike | None = None,
    focal: float | None = None,
    strength: ArrayLike | None = None,
    fixed: ArrayLike | None = None,
    priors: tuple[ArrayLike, ArrayLike] | None = None,
    mirrored: bool = False,
    settings: CaptureSettings | None = None,
) -> Capture:
    """Find a character's weights and head motion from the points that a face detector found in a video.

    Each frame minimizes, over weights in their bounds, the head's rotation and its translation, with the actor's points
    at the neutral as the place of each point at rest::

        1/P sum_i certainty_i huber(|projected_i - point_i| / noise)^2
          + sum_k smoothing g_k (w_k - w_k of the frame before)^2 + sparsity sum_k w_k + priors

    The gate g_k is 1 where the points show no motion along a shape beyond their noise, and falls to 0 with it. Frames
    are solved one after another, each from the one before. After Bailey 2020, chapter 6; its photometric term is no
    part of this function.

    Parameters
    ----------
    rig : BlendshapeRig
    points : Tracks, or (T, P, 2) or (T, P, 3) array
        Pixels, x to the right and y down, or positions in any unit. NaN, or a frame of zeros: nothing was found.
        Coordinates between 0 and 1 are shares of the image.
    landmarks : Places or (P,) int, optional
        Where the points lie on the rig; -1: not used. By default found by :func:`fit_places` on the neutral, for rigs
        whose shapes have ARKit's names.
    detector : "mediapipe", "ibug68" or "openface", optional
        Layout of the points; by default told by their number.
    certainty : (T, P) array, optional
        In [0, 1]; 0: occluded.
    size : (int, int), optional
        Width and height of the image in pixels.
    fps : float
        Frames per second of arrays, 30 unless stated; :class:`Tracks` have their own.
    neutral : int or (P, 2) array, optional
        A frame in which the face is at rest, or such points. By default the frames that look most like it.
    focal : float, optional
        Focal length in pixels; by default found if the head turns enough, else 1.2 times the longer side of the image.
    strength : (K,) array, optional
        How much stronger than the character's the actor's motion is: 1.2 lowers the weights by a sixth.
    fixed : (K,) or (T, K) array, optional
        Values of pinned weights, NaN where free. They survive another solve.
    priors : pair (target, strength), optional
        As of :func:`rigcast.inverse.solve`, such as the weights of another capture. A strength of 1 counts as much as
        all points at one noise from their places.
    mirrored : bool
        The video is a mirror image, as front cameras show it: sides are exchanged in the result.
    settings : CaptureSettings, optional
        Smoothing, sparsity, noise and others.

    Returns
    -------
    Capture
        Its ``notes`` say what was decided, and what seems wrong.

    Raises
    ------
    ValueError
        Naming argument, value and bound; for points of several faces, of another detector, or without a face.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> landmarks = np.arange(0, 1500, 20)
    >>> weights = np.linspace(0, 0.6, 12)[:, None] * np.array([name == "jawOpen" for name in rig.shape_names])
    >>> shown = rig.evaluate(weights)[:, landmarks] + [0, 0, -60]
    >>> pixels = np.array([320, 240]) + 800 * shown[:, :, :2] / shown[:, :, 2:] * [-1, 1]
    >>> found = rc.capture.solve(rig, pixels, landmarks, size=(640, 480), neutral=0, focal=800)
    >>> bool(np.abs(found.weights - weights).max() < 0.05)
    True
    """
    check_blendshape_rig("solve", rig)
    given = given_tracks(points, certainty, size, fps)
    request = checked_request(
        rig, given, landmarks, detector, neutral, focal, strength, fixed, priors, settings or CaptureSettings()
    )
    if not mirrored:
        return _solved(request)
    swap = exchanged(rig)
    pinned = replace(
        request,
        strength=request.strength[swap],
        fixed=request.fixed[:, swap],
        prior_target=request.prior_target[:, swap],
        prior_strength=request.prior_strength[:, swap],
        still=np.sort(swap[request.still]),
    )
    said = "the video is a mirror image: left and right of the result were exchanged"
    result = mirror_image(rig, _solved(pinned))
    return replace(result, notes=(*result.notes, said))


def _solved(request: CaptureRequest) -> Capture:
    """The shot's own unknowns, then its frames."""
    rig, places = request.rig, request.places
    tracks = _facing(request.tracks, request.layout)
    if places is not None:
        first = tracks.points[full_frames(tracks)[0]]
        _, axis = check_layout(rig, places, first, "solve")
        tracks = _flipped(tracks, axis) if axis else tracks
    neutral, chosen = _neutral(request, tracks)
    if places is None:
        assert request.layout is not None
        if neutral.shape[1] == 3:
            raise bad_argument(
                "solve", "landmarks", "None for points in space", "given: they are found in images alone"
            )
        places = fit_places(rig, neutral, request.layout.name)
    turn, axis = check_layout(rig, places, neutral, "solve")
    if axis:
        raise bad_argument("solve", "neutral", "a mirror image of the shot", "a frame as those of the shot")
    stage = ShotStage(rig, places, request.strength, tracks, request.settings)
    noise = request.settings.noise or max(jitter_of(tracks), LEAST_NOISE * face_size(neutral[places.used]))
    camera, found = _camera(stage, neutral, turn, noise, request.focal)
    pose, offsets = stage.placed(neutral, camera, noise)
    ready = Ready(camera, offsets, noise, pose)
    return _frames(request, stage, ready, chosen, found, seeming_expression(stage, neutral, ready))


def _neutral(request: CaptureRequest, tracks: Tracks) -> tuple[Float64, NDArray[np.int64]]:
    """Points of the neutral, and the frames whose mean they are."""
    if isinstance(request.neutral, np.ndarray):
        return request.neutral, np.zeros(0, np.int64)
    if request.neutral is not None:
        return tracks.points[request.neutral], np.array([request.neutral])
    away = None
    if request.places is not None:
        stage = ShotStage(request.rig, request.places, request.strength, tracks, request.settings)
        first = tracks.points[full_frames(tracks)[0]]
        turn, _ = check_layout(request.rig, request.places, first, "solve")
        away = stage.away(usual_camera(stage, first, turn, request.focal))
    chosen = find_neutral(tracks, request.layout, away)
    return neutral_points(tracks, chosen), chosen


def _facing(tracks: Tracks, layout: Detector | None) -> Tracks:
    """Tracks whose x points right and y down, as their eyes and mouth show."""
    if layout is None or tracks.points.shape[2] != 2:
        return tracks
    with np.errstate(invalid="ignore"):
        pairs = [eyes_and_mouth(frame, layout) for frame in tracks.points if np.isfinite(frame).all()]
    if not pairs:
        return tracks
    across, down = np.median([pair[0] for pair in pairs], axis=0), np.median([pair[1] for pair in pairs], axis=0)
    if across[0] * down[1] - across[1] * down[0] >= 0.0:
        return tracks
    return _flipped(tracks, "x" if across[0] < 0.0 and down[1] > 0.0 else "y")


def _flipped(tracks: Tracks, axis: str) -> Tracks:
    said = {
        "x": "the points are mirrored, left and right exchanged: x was turned around",
        "y": "y points up in the points: it was turned around",
    }
    return with_note(tracks, said[axis], points=_flip(tracks.points, axis, tracks))


def _flip(points: Float64, axis: str, tracks: Tracks) -> Float64:
    at = "xy".index(axis)
    middle = np.nanmedian(tracks.points[:, :, at]) if tracks.size is None else tracks.size[at] / 2
    flipped: Float64 = points.copy()
    flipped[..., at] = 2 * middle - flipped[..., at]
    return flipped


def usual_camera(stage: ShotStage, neutral: Float64, turn: Float64, focal: float | None) -> Lens:
    """The camera of a given focal length, else of the usual one; of 3-D points their scale."""
    rotation = turn @ upright(stage.rig)
    if neutral.shape[1] == 3:
        known = np.isfinite(neutral[stage.places.used]).all(axis=1)
        at = stage.places.positions(np.asarray(stage.rig.rest_vertices, np.float64))[known]
        return Lens(focal or face_size(neutral[stage.places.used]) / face_size(at), (0.0, 0.0), rotation)
    size = stage.tracks.size
    if size is None:
        seen = stage.tracks.points[np.isfinite(stage.tracks.points).all(axis=2)]
        center = (seen.min(axis=0) + seen.max(axis=0)) / 2
        longer = UNKNOWN_SIZE * face_size(neutral)
    else:
        center, longer = np.array(size) / 2, float(max(size))
    return Lens(focal or USUAL_FOCAL * longer, (float(center[0]), float(center[1])), rotation)


def _camera(stage: ShotStage, neutral: Float64, turn: Float64, noise: float, focal: float | None) -> tuple[Lens, bool]:
    camera = usual_camera(stage, neutral, turn, focal)
    if focal is not None or neutral.shape[1] == 3:
        return camera, False
    return find_focal(stage, neutral, camera, noise)


def _frames(
    request: CaptureRequest, stage: ShotStage, ready: Ready, chosen: NDArray[np.int64], found: bool, notes: list[str]
) -> Capture:
    tracks, places, used = stage.tracks, stage.places, stage.places.used
    started = time.perf_counter()
    solved, slides = _engine(request, stage, ready, tracks.points), None
    if request.settings.silhouettes:
        solved, slides = on_silhouettes(
            request, stage, ready, solved, lambda moved: _engine(request, stage, ready, moved)
        )
    seconds = time.perf_counter() - started
    lost = solved["lost"].astype(bool)
    weights = _between(solved["weights"], lost)
    weights = np.where(np.isnan(request.fixed), weights, request.fixed)
    facing = upright(stage.rig).T
    head = _rigid(_between((facing @ solved["pose"]).reshape(len(lost), 12), lost).reshape(-1, 3, 4))
    residual = np.full(tracks.points.shape[:2], np.nan)
    residual[:, used] = solved["residual"]
    offsets = np.zeros((len(places.vertices), 3))
    offsets[used] = ready.offsets
    result = Capture(
        weights=weights,
        head=head,
        residual=residual,
        lost=lost,
        neutral=chosen,
        focal=ready.camera.focal,
        focal_found=found,
        noise=ready.noise,
        offsets=offsets,
        places=places,
        strength=request.strength,
        energy=solved["energy"],
        settled=solved["settled"].astype(bool),
        names=tuple(stage.rig.shape_names),
        fps=tracks.fps,
        seconds=seconds,
        neutral_head=facing @ ready.neutral_pose,
        center=ready.camera.center,
        fixed=request.fixed,
        slides=slides,
        still=request.still,
    )
    given = request.focal is not None or tracks.points.shape[2] == 3
    resting = note_of(stage.rig, request.still, request.settings.still)
    return replace(result, notes=(*tracks.notes, *notes, *resting, *notes_of(result, tracks, given)))


def _engine(request: CaptureRequest, stage: ShotStage, ready: Ready, points: Float64) -> dict[str, Any]:
    """All frames, one after another."""
    used = stage.places.used
    return solve_points(
        stage.model(ready.offsets),
        points[:, used],
        stage.tracks.certainty[:, used],
        request.fixed,
        request.prior_target,
        request.prior_strength,
        ready.camera.array,
        ready.camera.rotation,
        engine_terms(stage.settings, ready.noise, stage.tracks.fps),
    )


def _between(rows: Float64, lost: NDArray[np.bool_]) -> Float64:
    """Rows (T, N) with those of lost frames between their neighbors'; at the ends, the nearest."""
    known = np.flatnonzero(~lost)
    if len(known) in (0, len(rows)):
        return rows
    at = np.arange(len(rows))
    return np.stack([np.interp(at, known, column[known]) for column in rows.T], axis=1)


def _rigid(head: Float64) -> Float64:
    """Transforms (T, 3, 4) whose rotations are orthonormal."""
    u, _, vt = np.linalg.svd(head[:, :, :3])
    return np.concatenate([u @ vt, head[:, :, 3:]], axis=2)
