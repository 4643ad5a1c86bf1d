"""The whole shot's unknowns: its neutral, how it lies before the camera, noise and focal length."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig, PointModel, PointTerms, solve_points
from rigcast._rigs.motions.shot import TO_Y_UP
from rigcast._similarity import best_turn
from rigcast._validate import bad_argument
from rigcast.capture._detectors import Detector
from rigcast.capture._places import Places
from rigcast.capture._tracks import CaptureSettings, Tracks

Float64 = NDArray[np.float64]

FRONT = np.diag([1.0, -1.0, -1.0])  # a face with y up, before a camera with y down that looks along z
IMPLAUSIBLE = 0.3  # share of the face that a similarity leaves: no face, or points of another detector
MIRRORED = 0.6  # of that residual which a reflection leaves, if points are mirrored
LEAST_NOISE = 0.002  # of the face's size in the image
USUAL_FOCAL = 1.2  # of the image's longer side, where nothing says more
DETERMINED = 1.05  # ratio of the energies of the worst and the best focal length that tells them apart
FOCALS = (0.6, 0.9, 1.2, 1.7, 2.4, 3.4, 4.8)  # of the image's longer side
SOME = 24  # frames that find a focal length
ALIKE = 1.5  # of the distance between frames that noise makes: frames that are averaged to a neutral
QUIET = 0.2  # share of the frames with the least open mouth, among which a neutral is sought


@dataclass(frozen=True)
class Lens:
    """Focal length in pixels, or the scale of 3-D points, and the center of the image."""

    focal: float
    center: tuple[float, float]
    rotation: Float64  # (3, 3) from the rig's axes to an upright head before the camera

    @property
    def array(self) -> Float64:
        """The three numbers that the engine takes."""
        return np.array([self.focal, *self.center])


@dataclass(frozen=True)
class Ready:
    """All that a shot's frames have in common."""

    camera: Lens
    offsets: Float64  # (U, 3) of the used points
    noise: float
    neutral_pose: Float64  # (3, 4) before the camera


def face_size(points: Float64) -> float:
    """Root mean square distance of points (P, D) from their mean."""
    seen = points[np.isfinite(points).all(axis=1)]
    return float(np.sqrt(np.square(seen - seen.mean(axis=0)).sum(axis=1).mean()))


def jitter_of(tracks: Tracks) -> float:
    """Standard deviation of a coordinate's noise, by second differences; 0 for fewer than five frames."""
    bends = np.diff(tracks.points, n=2, axis=0)
    bends = bends[np.isfinite(bends)]
    if len(tracks.points) < 5 or not len(bends):
        return 0.0
    return float(1.4826 * np.median(np.abs(bends)) / np.sqrt(6.0))


def find_neutral(tracks: Tracks, layout: Detector | None, away: Float64 | None) -> NDArray[np.int64]:
    """Frames that show the neutral: the one most like it, and all that differ from it by noise alone.

    Given how far the points of each frame (T,) are from the character at rest, the nearest frame. Else, of the frames
    whose lips are nearest to each other, the one nearest to the median of all.
    """
    full = full_frames(tracks)
    known = np.flatnonzero((tracks.certainty[full] > 0.0).all(axis=0))
    if len(known) < 4:
        return full[:1]
    flat = tracks.points[full][:, known, :2]
    shapes = np.stack([_aligned(frame, flat[0]) for frame in flat])
    if away is None:
        distance = np.sqrt(np.square(shapes - np.median(shapes, axis=0)).sum(axis=2).mean(axis=1))
        if layout is not None and {layout.inner_upper, layout.inner_lower} <= set(known.tolist()):
            upper, lower = (int(np.searchsorted(known, i)) for i in (layout.inner_upper, layout.inner_lower))
            gap = np.linalg.norm(shapes[:, upper] - shapes[:, lower], axis=1)
            distance = np.where(gap <= np.quantile(gap, QUIET), distance, np.inf)
    else:
        distance = away[full]
    best = int(np.argmin(distance))
    apart = np.sqrt(np.square(shapes - shapes[best]).sum(axis=2).mean(axis=1))
    noise = jitter_of(tracks) / face_size(flat[best])
    return np.sort(full[apart <= ALIKE * 2.0 * noise]) if noise > 0 else full[[best]]


def full_frames(tracks: Tracks) -> NDArray[np.int64]:
    """Frames that have nearly as many points as any."""
    share = (tracks.certainty > 0.0).mean(axis=1)
    return np.flatnonzero(share > 0.9 * share.max())


def _aligned(points: Float64, target: Float64) -> Float64:
    """Points (P, 2) of size 1, turned as a target is."""
    a = points - points.mean(axis=0)
    return np.asarray(a @ best_turn(points, target)[0].T / face_size(points))


def neutral_points(tracks: Tracks, frames: NDArray[np.int64]) -> Float64:
    """Mean points (P, D) of frames, after each was brought onto the first by a similarity."""
    first: Float64 = tracks.points[frames[0]]
    known = np.isfinite(tracks.points[frames]).all(axis=(0, 2))
    if len(frames) == 1 or known.sum() < 4:
        return first
    target = first[known]
    rows = []
    for points in tracks.points[frames]:
        turn, _ = best_turn(points[known], target)
        scale = face_size(target) / face_size(points[known])
        rows.append(scale * (points - points[known].mean(axis=0)) @ turn.T + target.mean(axis=0))
    return np.asarray(np.mean(rows, axis=0))


def upright(rig: BlendshapeRig) -> Float64:
    """The rotation (3, 3) of a rig that faces the camera."""
    return np.asarray(FRONT @ TO_Y_UP[str(rig.up_axis)])


def check_layout(rig: BlendshapeRig, places: Places, neutral: Float64, function: str) -> tuple[Float64, str]:
    """The turn (3, 3) of the head before the camera, as the neutral shows it, and "x", "y" or "" for a mirrored axis.

    Raises
    ------
    ValueError
        If the points lie otherwise than their places on the character.
    """
    used = places.used[np.isfinite(neutral[places.used]).all(axis=1)]
    if len(used) < 4:
        raise bad_argument(
            function, "neutral", f"a frame with {len(used)} of the points that have places", "at least 4"
        )
    at = places.positions(np.asarray(rig.rest_vertices, np.float64))[np.isin(places.used, used)] @ upright(rig).T
    if neutral.shape[1] == 3:
        return _turn_in_space(at, neutral[used], function)
    turn, off = best_turn(at[:, :2], neutral[used])
    flipped, other = best_turn(at[:, :2], neutral[used], mirrored=True)
    if other < MIRRORED * off and other < IMPLAUSIBLE:
        return np.eye(3), "x" if flipped[0, 0] < 0.0 else "y"
    if off > IMPLAUSIBLE:
        got = f"points that lie otherwise than on the character, by {100 * off:.0f} % of the face's size"
        raise bad_argument(function, "points", got, "points in the order of the detector, or of `landmarks`")
    around = np.eye(3)
    around[:2, :2] = turn
    return around, ""


def _turn_in_space(at: Float64, seen: Float64, function: str) -> tuple[Float64, str]:
    turn, off = best_turn(at, seen)
    if off > IMPLAUSIBLE:
        got = f"points that lie otherwise than on the character, by {100 * off:.0f} % of the face's size"
        raise bad_argument(function, "points", got, "positions of the character's points, not mirrored")
    return turn, ""


def engine_terms(settings: CaptureSettings, noise: float, fps: float) -> PointTerms:
    """The engine's terms: smoothing in proportion to the rate."""
    return PointTerms(
        noise=noise,
        outlier=settings.outlier,
        smoothing=settings.smoothing * fps / 30.0,
        gate=settings.gate,
        sparsity=settings.sparsity,
        rest=1e-3,
        tolerance=1e-8,
        max_iterations=settings.iterations,
        debias=True,
    )


@dataclass(frozen=True)
class ShotStage:
    """A rig's used points and the tracks of a shot, for solves of some of its frames."""

    rig: BlendshapeRig
    places: Places
    strength: Float64
    tracks: Tracks
    settings: CaptureSettings

    def model(self, offsets: Float64) -> PointModel:
        """The engine's model of the used points."""
        used = self.places.used
        return PointModel(self.rig, self.places.vertices[used], self.places.weights[used], self.strength, offsets)

    def placed(self, neutral: Float64, camera: Lens, noise: float) -> tuple[Float64, Float64]:
        """Pose (3, 4) of the head at rest in the neutral frame, and offsets (U, 3) that make it exact, or none."""
        used, shapes = self.places.used, self.rig.num_shapes
        points = neutral[used][None]
        certainty = np.isfinite(points).all(axis=2).astype(float)
        rest = np.clip(0.0, *self.rig.bounds.T).astype(np.float64)[None]
        none, empty = np.zeros((1, shapes)), np.zeros((len(used), 3))
        loose = replace(self.settings, outlier=1e3)
        terms = engine_terms(loose, max(noise, 1e-9), 30.0)
        model = self.model(empty)
        found = solve_points(model, points, certainty, rest, none, none, camera.array, camera.rotation, terms)
        pose = found["pose"][0]
        if not self.settings.offsets:
            return pose, empty
        placed = model.evaluate(rest[0]) @ pose[:, :3].T + pose[:, 3]
        away = np.zeros((len(used), 3))
        if neutral.shape[1] == 3:
            away = points[0] / camera.focal - placed
        else:
            seen = (points[0] - camera.center) * placed[:, 2:] / camera.focal
            away[:, :2] = seen - placed[:, :2]
        return pose, np.nan_to_num(away) @ pose[:, :3]

    def away(self, camera: Lens) -> Float64:
        """(T,) root mean square distance of each frame's points from the character at rest in its best pose."""
        used, shapes, frames = self.places.used, self.rig.num_shapes, len(self.tracks.points)
        rest = np.tile(np.clip(0.0, *self.rig.bounds.T).astype(np.float64), (frames, 1))
        none = np.zeros((frames, shapes))
        size = face_size(self.tracks.points[full_frames(self.tracks)[0]][used])
        found = solve_points(
            self.model(np.zeros((len(used), 3))),
            self.tracks.points[:, used],
            self.tracks.certainty[:, used],
            rest,
            none,
            none,
            camera.array,
            camera.rotation,
            engine_terms(self.settings, 0.02 * size, self.tracks.fps),
        )
        square = np.square(found["residual"])
        seen = np.maximum(np.isfinite(square).sum(axis=1), 1)
        return np.where(found["lost"] > 0, np.inf, np.sqrt(np.nan_to_num(square).sum(axis=1) / seen))

    def frames(self, chosen: NDArray[np.int64], ready: Ready) -> float:
        """Mean energy of some frames, solved one after another."""
        used, shapes = self.places.used, self.rig.num_shapes
        free, none = np.full((len(chosen), shapes), np.nan), np.zeros((len(chosen), shapes))
        terms = engine_terms(replace(self.settings, smoothing=0.0), ready.noise, self.tracks.fps)
        found = solve_points(
            self.model(ready.offsets),
            self.tracks.points[np.ix_(chosen, used)],
            self.tracks.certainty[np.ix_(chosen, used)],
            free,
            none,
            none,
            ready.camera.array,
            ready.camera.rotation,
            terms,
        )
        return float(np.mean(found["energy"]))


def find_focal(stage: ShotStage, neutral: Float64, camera: Lens, noise: float) -> tuple[Lens, bool]:
    """The camera whose focal length leaves the least energy in some frames, and whether the shot tells it.

    Golden section over the logarithm, between the neighbors of the best of seven. The neutral frame is exact under any
    focal length, so that turns of the head decide.
    """
    longer = camera.focal / USUAL_FOCAL
    chosen = np.unique(np.linspace(0, len(stage.tracks.points) - 1, SOME).round().astype(np.int64))

    def energy(log: float) -> float:
        tried = replace(camera, focal=float(np.exp(log)))
        pose, offsets = stage.placed(neutral, tried, noise)
        return stage.frames(chosen, Ready(tried, offsets, noise, pose))

    logs = np.log(longer * np.array(FOCALS))
    energies = [energy(log) for log in logs]
    best = int(np.argmin(energies))
    if max(energies) < DETERMINED * min(energies) or best in (0, len(logs) - 1):
        return camera, False
    low, high, golden = logs[best - 1], logs[best + 1], (np.sqrt(5.0) - 1.0) / 2.0
    inner = [high - golden * (high - low), low + golden * (high - low)]
    values = [energy(log) for log in inner]
    for _ in range(8):
        if values[0] < values[1]:
            high, inner[1], values[1] = inner[1], inner[0], values[0]
            inner[0] = high - golden * (high - low)
            values[0] = energy(inner[0])
        else:
            low, inner[0], values[0] = inner[0], inner[1], values[1]
            inner[1] = low + golden * (high - low)
            values[1] = energy(inner[1])
    return replace(camera, focal=float(np.exp(inner[int(np.argmin(values))]))), True
