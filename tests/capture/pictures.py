"""The energy of a picture in slow NumPy, and a filmed example face, for the tests of refinement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from rigcast.capture import ActorShot, ActorVariation, Capture, CaptureSettings, Cast, RefineSettings, ShotPlan
from rigcast.capture._refine import ShotRefinement, checked_refinement

Float64 = NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """A filmed actor and the capture of its landmarks, which have noise."""

    rig: rc.BlendshapeRig
    shot: ActorShot
    points: Float64
    found: Capture

    def started(self, **settings) -> ShotRefinement:
        """The engine's solver of the shot, with the neutral taken in."""
        given = RefineSettings(**{"samples": 400, "offsets": False, **settings})
        region = np.ones(self.rig.num_vertices) + (self.rig.rest_vertices[:, 1] < 0.0)
        covariance = np.tile([[2.0, 0.7], [0.7, 1.5]], (self.points.shape[1], 1, 1)) * self.found.noise**2
        request = checked_refinement(
            self.rig, self.found, self.shot.color, self.points, covariance, region, None, None, given
        )
        refinement = ShotRefinement(request)
        refinement.solver.calibrate(self.shot.color[0], refinement.rest, refinement.neutral_pose)
        return refinement

    def refine(self, **settings) -> Capture:
        given = RefineSettings(**{"samples": 400, "offsets": False, **settings})
        return rc.capture.refine(self.rig, self.found, self.shot.color, points=self.points, settings=given)


def filmed(cast: Cast, frames: int = 6, size: int = 128, noise: float = 0.5) -> Example:
    actor = cast.actor(5, ActorVariation(identity=0.8, strength=0.0, mix=0.0))
    shot = rc.capture.film(actor, ShotPlan(frames=frames, size=size))
    exact = np.asarray(shot.labels["landmarks_2d"])
    points = exact + noise * np.random.default_rng(0).normal(size=exact.shape)
    found = rc.capture.solve(
        actor.rig,
        points,
        cast.landmarks,
        size=(size, size),
        neutral=0,
        focal=float(shot.labels["focal"]),
        settings=CaptureSettings(noise=noise),
    )
    return Example(actor.rig, shot, points, found)


def blurred(picture: NDArray[np.uint8], sigma: float, gamma: float = 2.2) -> Float64:
    """Linear light (H, W, 3) under a Gaussian that is cut off at 2.5 sigma."""
    image = (picture / 255.0) ** gamma
    reach = int(np.ceil(2.5 * sigma))
    weight = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    weight /= weight.sum()
    for axis in (0, 1):
        pad = [(reach, reach) if a == axis else (0, 0) for a in range(3)]
        padded = np.pad(image, pad, mode="edge")
        image = sum(w * np.take(padded, np.arange(k, k + image.shape[axis]), axis) for k, w in enumerate(weight))
    return image


def keys(distance: float) -> float:
    """Keys' cubic kernel with a = -1/2."""
    x = abs(distance)
    if x <= 1.0:
        return 1.5 * x**3 - 2.5 * x**2 + 1.0
    return -0.5 * x**3 + 2.5 * x**2 - 4.0 * x + 2.0 if x < 2.0 else 0.0


def sampled(image: Float64, x: float, y: float) -> Float64:
    """Color (3,) at an image position, by cubic convolution."""
    total = np.zeros(3)
    for row in range(int(y) - 3, int(y) + 4):
        for column in range(int(x) - 3, int(x) + 4):
            weight = keys(x - column - 0.5) * keys(y - row - 0.5)
            pixel = image[np.clip(row, 0, len(image) - 1), np.clip(column, 0, image.shape[1] - 1)]
            total += weight * pixel
    return total


def harmonics(n: Float64) -> Float64:
    """Nine real spherical harmonics at a unit vector, by their closed forms."""
    x, y, z = n
    half = np.sqrt(1.0 / np.pi) / 2.0
    return half * np.array(
        [
            1.0,
            np.sqrt(3.0) * x,
            np.sqrt(3.0) * y,
            np.sqrt(3.0) * z,
            np.sqrt(15.0) * x * y,
            np.sqrt(15.0) * x * z,
            np.sqrt(15.0) * y * z,
            np.sqrt(5.0) / 2.0 * (3.0 * z * z - 1.0),
            np.sqrt(15.0) / 2.0 * (x * x - y * y),
        ]
    )


def huber(u: float) -> float:
    return u * u if abs(u) <= 1.0 else 2.0 * abs(u) - 1.0


@dataclass(frozen=True)
class Shown:
    """Where a sample is at some weights and pose, and its normal before the camera."""

    image: Float64
    normal: Float64


def shown(refinement: ShotRefinement, sample: int, vertices: Float64, pose: Float64) -> Shown:
    found = refinement.request.found
    corners = vertices[refinement.surface.vertices[sample]] @ pose[:, :3].T + pose[:, 3]
    place = refinement.surface.shares[sample] @ corners
    across = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    image = np.array(found.center) + found.focal * place[:2] / place[2]
    return Shown(image, across / np.linalg.norm(across))


def slow_energy(
    refinement: ShotRefinement, image: Float64, used, weights, pose, light, points, strength, target
) -> float:
    """The energy that the engine minimizes on the fine picture, term by term."""
    settings, solver, found = refinement.settings, refinement.solver, refinement.request.found
    rig, unit, albedo = refinement.request.rig, solver.unit, solver.albedo
    vertices = rig.evaluate(np.asarray(weights, np.float32)[None])[0].astype(np.float64)
    heavy = refinement.surface.importance
    color = 0.0
    for i in used:
        at = shown(refinement, i, vertices, pose)
        y = harmonics(at.normal)
        seen = sampled(image, *at.image)
        color += heavy[i] * sum(huber((seen[c] - albedo[i, c] * (light[c] @ y)) / unit) for c in range(3))
    total = settings.photometric * color / (3.0 * heavy[used].sum())
    covariance = found.noise**2 * np.array([[2.0, 0.7], [0.7, 1.5]])
    placed = found.places.positions(vertices) @ pose[:, :3].T + pose[:, 3]
    miss = np.array(found.center) + found.focal * placed[:, :2] / placed[:, 2:] - points
    for d in miss:
        far = np.sqrt(d @ np.linalg.solve(covariance, d))  # in standard deviations
        total += settings.landmarks / len(miss) * (far**2 if far <= 4.0 else 8.0 * far - 16.0)
    total += (strength * (weights - target) ** 2).sum() + settings.sparsity * weights.sum()
    moved = (light - solver.calibrated_light) / unit
    return float(total + 0.25 * settings.photometric * 1e-3 * (moved**2).sum())
