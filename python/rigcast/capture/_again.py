"""``solve_again``: a shot after a change of its pins, of which only the frames are solved that depend on it.

A capture is made in stages: points with fixed lips, points with lips that slid as the stage before has them, pictures.
Each stage is solved again where its pins or the stage before it changed, and on until the effect has died away.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig, PointModel, solve_points
from rigcast._validate import Arguments, check_blendshape_rig
from rigcast.capture._lips import SlidLips, lips_of
from rigcast.capture._neutral import engine_terms, upright
from rigcast.capture._refine import FrameResult, ShotRefinement
from rigcast.capture._refine_request import RefineRequest
from rigcast.capture._sides import Sides
from rigcast.capture._solution import Capture
from rigcast.capture._still import at_rest
from rigcast.capture._tracks import CaptureSettings, Tracks, checked_tracks

Float64 = NDArray[np.float64]
Flags = NDArray[np.bool_]

CHUNK = 24  # frames solved before it is asked whether the change has died away
ALIKE = 1e-6  # of a weight: a frame that the change does not reach


def solve_again(
    rig: BlendshapeRig,
    found: Capture,
    points: Tracks | ArrayLike,
    *,
    fixed: ArrayLike | None,
    priors: tuple[ArrayLike, ArrayLike] | None = None,
    settings: CaptureSettings | None = None,
    whole: bool = False,
) -> tuple[Capture, Flags]:
    """Solve a shot again after a change of its pins, with neutral, camera and noise as they were.

    A frame depends on the one before it, by the smoothing and by where it starts. So frames before the first change
    stay as they are, bit by bit, and those after a change are solved until its effect has died away (1e-6 of a weight).
    A capture that was refined by pictures is refined by them again, in these frames; if it was in several passes, whose
    frames depend on those after them, too, all frames are.

    Parameters
    ----------
    rig : BlendshapeRig
    found : Capture
        Of :func:`solve` on that rig, or of :func:`refine`.
    points : Tracks or (T, P, D) array
        Those that were solved, with the axes of the capture.
    fixed : (K,) or (T, K) array, or None
        All pins, as of :func:`solve`, NaN where weights are free; compared with those of ``found``.
    priors, settings
        As they were for ``found``.
    whole : bool
        Solve all frames, such as on the rig of :func:`personalize`; not of a capture with slid lips or pictures.

    Returns
    -------
    Capture
    (T,) bool array
        Frames that were solved.

    Raises
    ------
    ValueError
        If shapes do not fit, lips are to slide that did not, or pictures that refined the capture are not in memory.

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
    >>> edited, solved = rc.capture.solve_again(rig, found, pixels, fixed=pins)
    >>> bool(solved[:40].any()), bool((edited.weights[:40] == found.weights[:40]).all())
    (False, True)
    """
    check_blendshape_rig("solve_again", rig)
    frames, shapes = found.weights.shape
    check = Arguments("solve_again", T=frames, K=rig.num_shapes)
    if shapes != rig.num_shapes:
        raise check.wrong("found", f"with {shapes} weights", f"a capture with the {rig.num_shapes} weights of the rig")
    if settings is not None and settings.silhouettes and found.slides is None:
        raise check.wrong("settings", "with silhouettes of lips, which the capture was made without", "those of it")
    tracks = points if isinstance(points, Tracks) else checked_tracks("solve_again", points, None, found.fps, None)
    if tracks.points.shape[:2] != found.residual.shape:
        raise check.wrong("points", f"of shape {tracks.points.shape}", f"of {found.residual.shape}, as of the capture")
    if found.pictures is not None and found.pictures.request is None:
        got = "refined by pictures and read from a file, which has none of them"
        raise check.wrong("found", got, "a capture in memory: solve and refine the shot")
    pins = np.full((frames, shapes), np.nan)
    if fixed is not None:
        pins[:] = check.numbers("fixed", fixed, "K", "T K", missing=True)
    if ((pins < rig.bounds[:, 0]) | (pins > rig.bounds[:, 1])).any():
        raise check.wrong("fixed", "outside the bounds of the rig somewhere", "inside them")
    given = (0.0, 0.0) if priors is None else priors
    target, pull = (np.broadcast_to(check.numbers("priors", v, "", "K", "T K"), pins.shape) for v in given)
    pins = at_rest(rig, pins, found.still)
    sides = Sides(rig, found)
    edit = _Edit(
        rig, tracks, sides.filmed(pins), sides.filmed(target), sides.filmed(pull), settings or CaptureSettings()
    )
    if whole and (found.slides is not None or found.pictures is not None):
        raise check.wrong("whole", "set for a capture with slid lips or pictures", "False: solve and refine it anew")
    every = np.ones(frames, np.bool_)
    again, solved = _Again(sides.found, edit).run(every) if whole else _again(sides.found, edit)
    return sides.shown(again), solved


@dataclass(frozen=True)
class _Edit:
    """A shot and its pins after the change, with the sides of the video."""

    rig: BlendshapeRig
    tracks: Tracks
    pins: Float64
    target: Float64
    pull: Float64
    settings: CaptureSettings

    def changed(self, found: Capture) -> Flags:
        """(T,) frames whose pins differ from those of a capture."""
        pins, before = self.pins, np.full_like(self.pins, np.nan) if found.fixed is None else found.fixed
        return np.asarray(~((pins == before) | (np.isnan(pins) & np.isnan(before))).all(axis=1))


def _again(found: Capture, edit: _Edit) -> tuple[Capture, Flags]:
    """All stages of a capture."""
    if found.pictures is not None:
        assert isinstance(found.pictures.request, RefineRequest)
        start = found.pictures.request.found
        base, _ = _again(start, edit)
        return _refined_again(found, base, edit, edit.changed(found) | _moved(start, base))
    if found.slides is None:
        return _Again(found, edit).run(edit.changed(found))
    lips, facing, solved = lips_of(edit.rig, found), upright(edit.rig), np.zeros(len(found.weights), np.bool_)
    weights, pose = found.slides.weights.copy(), found.slides.pose.copy()
    moved, slid = edit.changed(found), None
    for n in range(len(weights)):
        stage = replace(found, weights=found.slides.weights[n], head=facing.T @ found.slides.pose[n])
        again, now = _Again(stage, edit, slid).run(moved)
        weights[n], pose[n] = again.weights, facing @ again.head
        moved, solved, slid = moved | _moved(stage, again), solved | now, _Slid(lips, weights[n], pose[n])
    again, now = _Again(found, edit, slid).run(moved)
    return replace(again, slides=replace(found.slides, weights=weights, pose=pose)), solved | now


def _moved(before: Capture, after: Capture) -> Flags:
    """(T,) frames of which anything changed."""
    pairs = (before.weights, after.weights), (before.head.reshape(-1, 12), after.head.reshape(-1, 12))
    return np.asarray(np.any([(a != b).any(axis=1) for a, b in pairs], axis=0))


def _refined_again(found: Capture, base: Capture, edit: _Edit, changed: Flags) -> tuple[Capture, Flags]:
    """A capture refined again from another start, in the frames that changed and on until the effect has died away."""
    fit, frames = found.pictures, len(changed)
    assert fit is not None
    assert isinstance(fit.request, RefineRequest)
    solved = np.zeros(frames, np.bool_)
    if not changed.any():
        return found, solved
    request = replace(fit.request, found=base, fixed=edit.pins, prior_target=edit.target, prior_strength=edit.pull)
    refinement = ShotRefinement(request)
    if request.settings.passes > 1:
        return refinement.run(), ~solved
    refinement.calibrate()
    poses, gates = upright(edit.rig) @ found.head, fit.gates.copy()
    results: list[FrameResult] = [
        {"weights": found.weights[t], "pose": poses[t], "light": fit.light[t], "lost": not fit.steps[t],
         "energy": found.energy[t], "start_energy": fit.start_energy[t], "steps": fit.steps[t], "used": fit.used[t]}
        for t in range(frames)
    ]  # fmt: skip
    at = 0
    while at < frames:
        if not changed[at]:
            at += 1
            continue
        refinement.stand_before(at, results)
        for t in range(at, frames):
            before = results[t]["weights"]
            refinement.frame(t, results, gates)
            solved[t] = True
            if not changed[t] and np.abs(results[t]["weights"] - before).max() <= ALIKE:
                break
        at = t + 1
    return refinement.result(results, gates, found.seconds), solved


@dataclass(frozen=True)
class _Slid:
    """Points of inner lips as a stage has them."""

    lips: SlidLips
    weights: Float64
    pose: Float64

    def of(self, begin: int, end: int, lost: Flags) -> Float64:
        """(end - begin, P, 2) pixels."""
        return self.lips.slid(self.weights[begin:end], self.pose[begin:end], lost[begin:end])


class _Again:
    """A shot whose frames are solved piece by piece."""

    def __init__(self, found: Capture, edit: _Edit, slid: _Slid | None = None) -> None:
        self.found, self.edit, self.pins, self.slid, rig = found, edit, edit.pins, slid, edit.rig
        self.used = used = found.places.used
        self.model = PointModel(
            rig, found.places.vertices[used], found.places.weights[used], found.strength, found.offsets[used]
        )
        self.terms = engine_terms(edit.settings, found.noise, found.fps)
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
            before = {key: rows[begin:end].copy() for key, rows in self.rows.items()}
            self._solve(begin, end)
            off = np.abs(self.rows["weights"][begin:end] - before["weights"]).max(axis=1)
            last = begin + int(np.max(np.flatnonzero(changed[begin:end]), initial=-1))
            for t in range(max(last, begin), end):
                if t > last and off[t - begin] <= ALIKE and not self.found.lost[t]:
                    for key, rows in before.items():
                        self.rows[key][t + 1 : end] = rows[t + 1 - begin :]
                    self.solved[t + 1 : end] = False
                    return t + 1
            begin = end
        return frames

    def _solve(self, begin: int, end: int) -> None:
        """Solve frames, the one before them held as it is."""
        found, first = self.found, max(begin - 1, 0)
        held = self.pins[first:end].copy()
        if first < begin:
            held[0] = self.rows["weights"][first]
        facing, tracks = upright(self.edit.rig), self.edit.tracks
        points = tracks.points[first:end]
        if self.slid is not None:
            points = points - self.slid.of(first, end, found.lost)
        result = solve_points(
            self.model,
            points[:, self.used],
            tracks.certainty[first:end, self.used],
            held,
            self.edit.target[first:end],
            self.edit.pull[first:end],
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
