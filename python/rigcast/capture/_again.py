"""``solve_again``: a shot after a change of its pins, of which only the frames are solved that depend on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig, PointModel, solve_points
from rigcast._validate import Arguments, check_blendshape_rig
from rigcast.capture._neutral import engine_terms, upright
from rigcast.capture._solution import Capture
from rigcast.capture._tracks import CaptureSettings, Tracks, checked_tracks

Float64 = NDArray[np.float64]
Flags = NDArray[np.bool_]

CHUNK = 24  # frames solved before it is asked whether the change has died away
ALIKE = 1e-6  # of a weight: a frame that the change does not reach


def solve_again(
    rig: BlendshapeRig,
    found: Capture,
    points: Tracks | ArrayLike,
    fixed: ArrayLike | None,
    *,
    priors: tuple[ArrayLike, ArrayLike] | None = None,
    settings: CaptureSettings | None = None,
) -> tuple[Capture, Flags]:
    """Solve a shot again after a change of its pins, with neutral, camera and noise as they were.

    A frame depends on the one before it, by the smoothing and by where it starts. So frames before the first change
    stay as they are, bit by bit, and those after a change are solved until its effect has died away (1e-6 of a weight).

    Parameters
    ----------
    rig : BlendshapeRig
    found : Capture
        Of :func:`solve` on that rig, not refined.
    points : Tracks or (T, P, D) array
        Those that were solved, with the axes of the capture.
    fixed : (K,) or (T, K) array, or None
        All pins, as of :func:`solve`, NaN where weights are free; compared with those of ``found``.
    priors, settings
        As they were for ``found``.

    Returns
    -------
    Capture
    (T,) bool array
        Frames that were solved.

    Raises
    ------
    ValueError
        If shapes do not fit, or the capture was refined by pictures.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> landmarks = np.arange(0, 1500, 20)
    >>> weights = np.linspace(0, 0.6, 60)[:, None] * np.array([name == "jawOpen" for name in rig.shape_names])
    >>> shown = rig.evaluate(weights)[:, landmarks] + [0, 0, -60]
    >>> pixels = np.array([320, 240]) + 800 * shown[:, :, :2] / shown[:, :, 2:] * [-1, 1]
    >>> found = rc.capture.solve(rig, pixels, landmarks, size=(640, 480), neutral=0, focal=800)
    >>> pins = np.full(weights.shape, np.nan)
    >>> pins[40, rig.shape_names.index("mouthPucker")] = 0.3
    >>> edited, solved = rc.capture.solve_again(rig, found, pixels, pins)
    >>> bool(solved[:40].any()), bool((edited.weights[:40] == found.weights[:40]).all())
    (False, True)
    """
    check_blendshape_rig("solve_again", rig)
    frames, shapes = found.weights.shape
    check = Arguments("solve_again", T=frames, K=rig.num_shapes)
    if found.pictures is not None or shapes != rig.num_shapes:
        got = "refined by pictures" if shapes == rig.num_shapes else f"with {shapes} weights"
        raise check.wrong("found", got, f"of `solve`, with the {rig.num_shapes} weights of the rig")
    if settings is not None and settings.silhouettes:
        raise check.wrong("settings", "with silhouettes of lips", "fixed places, on which a frame depends on the last")
    tracks = points if isinstance(points, Tracks) else checked_tracks("solve_again", points, None, found.fps, None)
    if tracks.points.shape[:2] != found.residual.shape:
        raise check.wrong("points", f"of shape {tracks.points.shape}", f"of {found.residual.shape}, as of the capture")
    pins = np.full((frames, shapes), np.nan)
    if fixed is not None:
        pins[:] = check.numbers("fixed", fixed, "K", "T K", missing=True)
    if ((pins < rig.bounds[:, 0]) | (pins > rig.bounds[:, 1])).any():
        raise check.wrong("fixed", "outside the bounds of the rig somewhere", "inside them")
    given = (0.0, 0.0) if priors is None else priors
    target, pull = (np.broadcast_to(check.numbers("priors", v, "", "K", "T K"), pins.shape) for v in given)
    before = np.full_like(pins, np.nan) if found.fixed is None else found.fixed
    changed = ~((pins == before) | (np.isnan(pins) & np.isnan(before))).all(axis=1)
    return _Again(rig, found, tracks, (pins, target, pull), settings or CaptureSettings()).run(changed)


class _Again:
    """A shot whose frames are solved piece by piece."""

    def __init__(
        self,
        rig: BlendshapeRig,
        found: Capture,
        tracks: Tracks,
        terms: tuple[Float64, Float64, Float64],
        settings: CaptureSettings,
    ) -> None:
        self.rig, self.found, self.tracks, (self.pins, self.target, self.pull) = rig, found, tracks, terms
        self.used = used = found.places.used
        self.model = PointModel(
            rig, found.places.vertices[used], found.places.weights[used], found.strength, found.offsets[used]
        )
        self.terms = engine_terms(settings, found.noise, found.fps)
        self.rows: dict[str, NDArray[Any]] = {
            "weights": found.weights.copy(),
            "head": found.head.copy(),
            "residual": found.residual.copy(),
            "energy": found.energy.copy(),
            "settled": found.settled.copy(),
        }
        self.solved = np.zeros(len(found.weights), np.bool_)

    def run(self, changed: Flags) -> tuple[Capture, Flags]:
        """Solve from each changed frame on until its effect has died away."""
        frames, at = len(changed), 0
        while at < frames:
            if not changed[at]:
                at += 1
                continue
            at = self._from(at, changed)
        self.rows["weights"] = np.where(np.isnan(self.pins), self.rows["weights"], self.pins)
        changes: dict[str, Any] = {**self.rows, "fixed": self.pins}
        return replace(self.found, **changes), self.solved

    def _from(self, begin: int, changed: Flags) -> int:
        """Solve on from a changed frame; returns the first frame that is as it was, with no change after it yet."""
        frames = len(changed)
        while begin < frames:
            end = min(begin + CHUNK, frames)
            before = self.rows["weights"][begin:end].copy()
            self._solve(begin, end)
            off = np.abs(self.rows["weights"][begin:end] - before).max(axis=1)
            last = begin + int(np.max(np.flatnonzero(changed[begin:end]), initial=-1))
            for t in range(max(last, begin), end):
                if t > last and off[t - begin] <= ALIKE and not self.found.lost[t]:
                    return t + 1
            begin = end
        return frames

    def _solve(self, begin: int, end: int) -> None:
        """Solve frames, the one before them held as it is."""
        found, first = self.found, max(begin - 1, 0)
        held = self.pins[first:end].copy()
        if first < begin:
            held[0] = self.rows["weights"][first]
        facing = upright(self.rig)
        result = solve_points(
            self.model,
            self.tracks.points[first:end, self.used],
            self.tracks.certainty[first:end, self.used],
            held,
            self.target[first:end],
            self.pull[first:end],
            np.array([found.focal, *found.center]),
            (facing @ self.rows["head"][first])[:, :3],
            self.terms,
        )
        own = slice(begin - first, None)
        known = ~result["lost"].astype(np.bool_)[own]
        rows = np.arange(begin, end)[known]
        self.rows["weights"][rows] = result["weights"][own][known]
        self.rows["head"][rows] = (facing.T @ result["pose"][own])[known]
        self.rows["residual"][np.ix_(rows, self.used)] = result["residual"][own][known]
        self.rows["energy"][rows] = result["energy"][own][known]
        self.rows["settled"][rows] = result["settled"][own][known]
        self.solved[begin:end] = True
        self._between(begin, end)

    def _between(self, begin: int, end: int) -> None:
        """Weights of frames without a face, between those beside them."""
        known = np.flatnonzero(~self.found.lost)
        for t in np.flatnonzero(self.found.lost[begin:end]) + begin:
            for column in self.rows["weights"].T:
                column[t] = np.interp(t, known, column[known])
