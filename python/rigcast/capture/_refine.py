"""``refine``: a capture made better by the pictures that its points were found in."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig, PictureSolver, PointModel, PointTerms, SurfaceSamples
from rigcast._validate import bad_argument, check_blendshape_rig
from rigcast.capture._lips import lips_of
from rigcast.capture._neutral import face_size, upright
from rigcast.capture._refine_request import RefineRequest, RefineSettings, checked_refinement, picture_terms
from rigcast.capture._samples import SampledSurface, draw_surface
from rigcast.capture._sides import Sides
from rigcast.capture._solution import Capture, PictureFit
from rigcast.capture._still import at_rest
from rigcast.capture._tracks import FEWEST, Tracks
from rigcast.render._camera import Camera

Float64 = NDArray[np.float64]
FrameResult = dict[str, Any]  # of the engine

REST = 1e-3  # pull on weights toward 0, which shapes without samples follow
ELSEWHERE = 0.2  # of the face's size: points of another shot, or of a mirrored one
OUTLIER = 4.0  # noises beyond which a point pulls with constant force


def refine(
    rig: BlendshapeRig,
    found: Capture,
    pictures: Sequence[NDArray[np.uint8]],
    *,
    points: Tracks | ArrayLike | None = None,
    covariance: ArrayLike | None = None,
    region: ArrayLike | None = None,
    fixed: ArrayLike | None = None,
    priors: tuple[ArrayLike, ArrayLike] | None = None,
    settings: RefineSettings | None = None,
) -> Capture:
    """Refine the weights and the head of a capture so that the character, lit as the actor is, looks like the pictures.

    Each frame minimizes, over weights in their bounds, the head and 27 coefficients of light (Bailey 2020, chapter 6)::

        photometric mean_(i, color) huber((picture at sample i - albedo_i light(normal_i)) / (.13 brightness))
          + landmarks mean_i certainty_i huber(|projected_i - point_i| / noise)^2
          + sum_k smoothing g_k (w_k - w_k of the frame before)^2 + sparsity sum_k w_k + priors

    first on a coarse, then on a fine blurred picture. The albedo needs not be known: it is the color of each sample in
    the neutral frames over the light that is fitted to them, occlusion included. The gate g_k is 1 where the picture
    does not move along a shape, and falls with the optical flow. It pays if the rig is the actor's own: with another
    person's shapes, what looks alike is no nearer to the performance.

    Parameters
    ----------
    rig : BlendshapeRig
    found : Capture
        Of :func:`solve`, with a neutral frame of the shot.
    pictures : sequence of (H, W, 3) uint8 arrays
        One per frame, such as an array (T, H, W, 3) or :class:`Pictures`; the points of ``found`` are in their pixels.
        Of a mirrored video, as it is.
    points : Tracks or (T, P, 2) array, optional
        Those that were solved; without them the pictures decide alone. Inner lips slide if they did in the solve.
    covariance : (P, 2, 2) or (T, P, 2, 2) array, optional
        Of each point's error, in square pixels; by default ``found.noise`` along both axes.
    region : (V,) array, optional
        Importance of the surface around each vertex, such as 3 around the mouth; 0: not compared. By default 1 where
        shapes move the face.
    fixed, priors : optional
        As of :func:`solve`.
    settings : RefineSettings, optional

    Returns
    -------
    Capture
        ``pictures`` has the light, the albedo and the gates; residuals stay those of the points that were solved.

    Raises
    ------
    ValueError
        If lengths or sizes differ, or the neutral does not show the face where the capture says.

    Examples
    --------
    >>> actor = rc.capture.example_cast().actor(3)
    >>> shot = rc.capture.film(actor, rc.capture.ShotPlan(frames=3, size=96))
    >>> focal = float(shot.labels["focal"])
    >>> found = rc.capture.solve(
    ...     actor.rig, shot.labels["landmarks_2d"], actor.cast.landmarks, size=(96, 96), focal=focal, neutral=0
    ... )
    >>> better = rc.capture.refine(actor.rig, found, shot.color, points=shot.labels["landmarks_2d"])
    >>> better.weights.shape == found.weights.shape, better.pictures.light.shape
    (True, (3, 3, 9))
    """
    check_blendshape_rig("refine", rig)
    sides = Sides(rig, found)
    request = checked_refinement(
        rig, sides.found, pictures, points, covariance, region, fixed, priors, settings or RefineSettings()
    )
    target, strength = sides.filmed(request.prior_target), sides.filmed(request.prior_strength)
    pins = sides.filmed(at_rest(rig, request.fixed, found.still))
    request = replace(request, fixed=pins, prior_target=target, prior_strength=strength)
    return sides.shown(ShotRefinement(request).run())


class ShotRefinement:
    """The engine's solver of a shot, and what its frames are started from."""

    def __init__(self, request: RefineRequest) -> None:
        self.request, found, rig = request, request.found, request.rig
        self.settings = request.settings
        facing = upright(rig)
        self.pose = facing @ found.head
        self.neutral_pose = facing @ found.neutral_head
        height, width = np.shape(request.pictures[0])[:2]
        camera = Camera(width, height, focal=found.focal, rotation=np.eye(3), center=found.center)
        self.surface: SampledSurface = draw_surface(
            rig, request.region, self.neutral_pose, camera, (self.settings.samples, self.settings.seed)
        )
        self.samples = SurfaceSamples(
            rig, self.surface.vertices, self.surface.shares, self.surface.importance, found.strength
        )
        used = found.places.used
        self.used = used
        offsets = found.offsets[used] if self.settings.offsets else np.zeros((len(used), 3))
        self.points = PointModel(rig, found.places.vertices[used], found.places.weights[used], found.strength, offsets)
        terms = picture_terms(self.settings, found.focal * self.points.radius / self.neutral_pose[2, 3])
        self.draw_every, self.frames = terms.draw_every, 0
        self.solver = PictureSolver(
            rig,
            self.samples,
            self.points,
            self.surface.occluder,
            self.surface.faces,
            np.array([found.focal, *found.center]),
            PointTerms(
                noise=found.noise,
                outlier=OUTLIER,
                smoothing=0.0,
                gate=0.0,
                sparsity=0.0,
                rest=REST,
                tolerance=1e-8,
                max_iterations=1,
                debias=False,
            ),
            terms,
        )
        self.rest = np.clip(0.0, *rig.bounds.T).astype(np.float64)
        self.lips = None if found.slides is None else lips_of(rig, found)
        self._check_points()

    def _check_points(self) -> None:
        """Raise an error if the points of the neutral are not where the capture has them: an axis was turned around."""
        found, t = self.request.found, self.request.found.neutral[0]
        seen = self.request.tracks.points[t, self.used][self.request.tracks.certainty[t, self.used] > 0.0]
        if len(seen) < FEWEST:
            return
        placed = self.points.evaluate(self.rest) @ self.neutral_pose[:, :3].T + self.neutral_pose[:, 3]
        image = np.array(found.center) + found.focal * placed[:, :2] / placed[:, 2:]
        image = image[self.request.tracks.certainty[t, self.used] > 0.0]
        off = float(np.median(np.linalg.norm(image - seen, axis=1)) / face_size(seen))
        if off > ELSEWHERE:
            got = f"{100 * off:.0f} % of the face's size from where the capture has them"
            raise bad_argument("refine", "points", got, "those of the pictures, not mirrored, as they were solved")

    def run(self) -> Capture:
        """Calibrate, solve all frames once or several times, and make the result."""
        self.calibrate()
        started = time.perf_counter()
        frames = len(self.request.found.weights)
        results: list[FrameResult] = [{}] * frames
        gates = np.zeros((frames, self.request.rig.num_shapes))
        for t in range(frames):
            self.frame(t, results, gates)
        for number in range(1, self.settings.passes):
            order = range(frames) if number % 2 == 0 else range(frames - 1, -1, -1)
            for t in order:
                self.frame(t, results, gates, alone=False)
        return self.result(results, gates, time.perf_counter() - started)

    def calibrate(self) -> None:
        """Show the solver the neutral frames."""
        neutral = self.request.found.neutral
        for t in neutral:
            pose = self.neutral_pose if t == neutral[0] else self.pose[t]
            self.solver.calibrate(self.request.pictures[t], self.rest, pose)

    def frame(self, t: int, results: list[FrameResult], gates: Float64, alone: bool = True) -> None:
        """Solve frame t, smoothed toward the frame before, or toward both of its neighbors."""
        request, found = self.request, self.request.found
        begin = (found.weights[t], self.pose[t]) if alone else (results[t]["weights"], results[t]["pose"])
        self.solver.open(request.pictures[t], *begin)
        if alone:
            gates[t] = self.solver.gates(self.settings.flow) if t else 0.0
        strength = REST + request.prior_strength[t]
        pulled = request.prior_strength[t] * request.prior_target[t]
        rate = self.settings.smoothing * found.fps / 30.0
        for other, gate in ((t - 1, t), (t + 1, t + 1)):
            if 0 <= other < len(results) and results[other] and (other < t or not alone):
                strength = strength + rate * gates[gate]
                pulled = pulled + rate * gates[gate] * results[other]["weights"]
        found_here = self.solver.solve(
            np.nan_to_num(self._points(t, *begin)),
            self.settings.landmarks * request.tracks.certainty[t, self.used],
            request.whitening[t, self.used],
            pulled / strength,
            strength,
            *self._box(t),
            *begin,
        )
        self.frames += 1
        results[t] = found_here | {"used": len(found_here["used"])}
        self.solver.close()

    def recall(self, t: int, result: FrameResult) -> None:
        """Stand where frame t ended, without solving it again."""
        begin = self.request.found.weights[t], self.pose[t]
        self.solver.open(self.request.pictures[t], *begin)
        start = np.clip(begin[0], *self._box(t))
        self.solver.recall(start, begin[1], result["weights"], result["pose"], result["light"])
        self.frames += 1
        self.solver.close()

    def stand_before(self, t: int, results: list[FrameResult]) -> None:
        """Recall the frames since the z-buffer before frame t was drawn: then it is solved as if all before it were."""
        first = max(t - 1, 0) // self.draw_every * self.draw_every
        if t > 0:
            while self.frames % self.draw_every:
                self.recall(first, results[first])
        for before in range(first, t):
            self.recall(before, results[before])

    def _box(self, t: int) -> tuple[Float64, Float64]:
        """Bounds (K,) of a frame's weights."""
        pins = self.request.fixed[t]
        low, high = (np.where(np.isnan(pins), bound, pins) for bound in self.request.rig.bounds.T.astype(np.float64))
        return low, high

    def _points(self, t: int, weights: Float64, pose: Float64) -> Float64:
        """(U, 2) points of a frame, those of inner lips back by as far as they slid where the frame starts."""
        points = self.request.tracks.points[t]
        if self.lips is not None:
            points = points - self.lips.slid(weights[None], pose[None], self.request.found.lost[t : t + 1])[0]
        return np.asarray(points[self.used])

    def result(self, results: list[FrameResult], gates: Float64, seconds: float) -> Capture:
        """The capture of all frames."""
        found = self.request.found
        lost = np.array([row["lost"] for row in results])
        notes = list(found.notes)
        if lost.any():
            notes.append(f"{lost.sum()} frames show too little of the face, first {int(np.argmax(lost))}: not refined")
        fit = PictureFit(
            light=np.array([row["light"] for row in results]),
            albedo=np.array(self.solver.albedo),
            vertices=self.surface.vertices,
            shares=self.surface.shares,
            used=np.array([row["used"] for row in results]),
            gates=gates,
            start_energy=np.array([row["start_energy"] for row in results]),
            steps=np.array([row["steps"] for row in results]),
            request=self.request,
        )
        return replace(
            found,
            weights=np.array([row["weights"] for row in results]),
            head=upright(self.request.rig).T @ np.array([row["pose"] for row in results]),
            energy=np.array([row["energy"] for row in results]),
            notes=tuple(notes),
            seconds=seconds,
            pictures=fit,
            fixed=self.request.fixed,
        )
