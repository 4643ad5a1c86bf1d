"""Tracked points of a shot, checked: what is wrong with them is an error with a name, or a fallback that is stated."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._shown import one_line
from rigcast._validate import FPS, Arguments, bad_argument

Float64 = NDArray[np.float64]

FEWEST = 4  # points that a frame needs
NORMALIZED = 2.0  # beyond, coordinates are no shares of an image
UNEVEN = 0.01  # share of a frame by which times may differ from a constant rate


@one_line
@dataclass(frozen=True, kw_only=True)
class CaptureSettings:
    """Terms that a solve weighs against the points; see :func:`rigcast.capture.solve`.

    Attributes
    ----------
    smoothing : float
        Of a weight that does not move, at 30 frames per second; in proportion to the rate at others.
    sparsity : float
        L1: keeps shapes off that the points do not ask for.
    gate : float
        Motion, in standard deviations of its noise, that takes the smoothing away.
    outlier : float
        Noises beyond which a point pulls with constant force.
    noise : float, optional
        Standard deviation of a coordinate, in pixels; by default measured on the shot's jitter.
    iterations : int
        Of a frame, at most.
    silhouettes : bool
        Points of the inner lips lie on the lips' silhouettes, as detectors place them, and slide over the mesh; else
        they stay at their places. Of images alone, and of detectors whose layout is known.
    still : tuple of str, optional
        Patterns of names, such as ``("viseme*",)``, of shapes that stay at rest unless they are pinned. By default
        visemes beside ARKit's shapes, as they are mixes of these; ``()``: all shapes are solved.
    offsets : bool
        Count points from where they lay in the neutral, whose noise then shifts all frames. False: the rig is the
        actor's own, as of :func:`fit_actor`, and points lie on it.
    """

    smoothing: float = 1.0
    sparsity: float = 0.1
    gate: float = 3.0
    outlier: float = 4.0
    noise: float | None = None
    iterations: int = 30
    silhouettes: bool = False
    still: tuple[str, ...] | None = None
    offsets: bool = True


@one_line
@dataclass(frozen=True)
class Tracks:
    """Points of a shot.

    Attributes
    ----------
    points : (T, P, 2) or (T, P, 3) float64
        Pixels, x to the right and y down, or positions; NaN where nothing was found.
    certainty : (T, P) float64
        In [0, 1].
    fps : float
    size : (int, int) or None
        Width and height of the image, in pixels.
    notes : tuple of str
        What was decided about them.
    """

    points: Float64
    certainty: Float64
    fps: float = FPS
    size: tuple[int, int] | None = None
    notes: tuple[str, ...] = field(default=())


def with_note(tracks: Tracks, note: str, **changes: Any) -> Tracks:
    """Tracks with changes and one more note."""
    return replace(tracks, notes=(*tracks.notes, note), **changes)


def checked_tracks(
    function: str, points: Any, certainty: Any, fps: float, size: tuple[int, int] | None, notes: tuple[str, ...] = ()
) -> Tracks:
    """Tracks of arrays: shapes and numbers checked, normalized coordinates brought to pixels.

    Raises
    ------
    ValueError
        For several faces in one array, points that no frame has, normalized coordinates without a size.
    """
    if np.ndim(points) == 4:
        got = f"{np.shape(points)[1]} faces in each of {np.shape(points)[0]} frames"
        raise bad_argument(function, "points", got, "one face: (T, P, 2) or (T, P, 3)")
    check = Arguments(function)
    tracked: Float64 = check.numbers("points", points, "T+ P+ 2", "T+ P+ 3", finite=False).copy()
    tracked[~np.isfinite(tracked).all(axis=2)] = np.nan
    tracked[(tracked == 0.0).all(axis=(1, 2))] = np.nan  # what detectors write where there is no face
    shape = tracked.shape[:2]
    certain: Float64 = np.ones(shape) if certainty is None else check.numbers("certainty", certainty, "T P").copy()
    if certain.min() < 0.0 or certain.max() > 1.0:
        raise bad_argument(function, "certainty", f"from {certain.min():g} to {certain.max():g}", "from 0 to 1")
    certain[np.isnan(tracked).any(axis=2)] = 0.0
    if size is not None:
        width, height = check.integers("size", size, "2", low=1)
        size = (int(width), int(height))
    if not ((certain > 0.0).sum(axis=1) >= FEWEST).any():
        raise bad_argument(function, "points", "without a frame that has a face", "a shot with a face in some frame")
    return _in_pixels(function, Tracks(tracked, certain, check.rate("fps", fps), size, notes))


def _in_pixels(function: str, tracks: Tracks) -> Tracks:
    """Coordinates that are shares of the image, in pixels."""
    seen = tracks.points[tracks.certainty > 0.0]
    if seen.shape[1] == 3 or np.abs(seen).max() > NORMALIZED:
        return tracks
    if tracks.size is None:
        got = f"normalized coordinates, from {seen.min():.2f} to {seen.max():.2f}"
        raise bad_argument(function, "points", got, "pixels, or normalized coordinates with the size of the image")
    note = f"normalized coordinates were taken as shares of {tracks.size[0]} x {tracks.size[1]} pixels"
    return with_note(tracks, note, points=tracks.points * np.array(tracks.size))


def at_constant_rate(times: Float64, tracks: Tracks) -> Tracks:
    """Tracks whose frames have times (T,) in seconds, at their median rate.

    Points between frames are linear; where one of both frames lacks a point, so does the result.

    Raises
    ------
    ValueError
        If times do not ascend.
    """
    steps = np.diff(times)
    if len(steps) == 0:
        return tracks
    if not (steps > 0).all():
        at = int(np.argmin(steps > 0)) + 1
        raise bad_argument("load_tracks", "times", f"{times[at]:g} s after {times[at - 1]:g} s", "ascending")
    step = float(np.median(steps))
    rate = round(1.0 / step, 3)
    if np.abs(times - times[0] - step * np.arange(len(times))).max() <= max(UNEVEN, 2e-3 / step) * step:
        return replace(tracks, fps=rate)
    even = np.arange(int(np.floor((times[-1] - times[0]) / step + 1e-6)) + 1) * step + times[0]
    after = np.clip(np.searchsorted(times, even, side="left"), 1, len(times) - 1)
    share = (even - times[after - 1]) / (times[after] - times[after - 1])
    near = np.where(share < 0.5, after - 1, after)
    whole = (share < 1e-9) | (share > 1 - 1e-9)
    mixed = tracks.points[after - 1] * (1 - share)[:, None, None] + tracks.points[after] * share[:, None, None]
    points = np.where(whole[:, None, None], tracks.points[near], mixed)
    certainty = np.where(
        whole[:, None], tracks.certainty[near], np.minimum(tracks.certainty[after - 1], tracks.certainty[after])
    )
    note = f"frames at uneven times, {len(times)} of them, were resampled to {len(even)} at {rate:g} per second"
    return with_note(tracks, note, points=points, certainty=certainty, fps=rate)
