"""Shots of actors made of the ICT face in the motion of compskin's curves, with landmarks of a detector's noise.

Every picture is rendered, and every albedo and light constructed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from rigcast.capture import ActorShot, ActorVariation, Capture, Cast, RefineSettings, ShotPlan
from rigcast.capture._actors.look import look_of
from rigcast.faces._compskin import compskin_curves, control_table

Float64 = NDArray[np.float64]

SIZE = 256  # pixels: .7 to .8 mm each on the face
FRONT = 6706  # first vertices of the ICT mesh: the front of the face
DENSE = 200  # first frames of the curves: a dense performance
CLOSED = 0.8  # of jawOpen: the most of mouthClose, beyond which lips tear
PLAIN = ActorVariation(identity=0.8, strength=0.0, mix=0.0)


@dataclass(frozen=True)
class Filming:
    """Camera and light of a shot: roll in degrees, shift of the center in pixels, factor of light in the last frame."""

    roll: float = 0.0
    shift: tuple[float, float] = (0.0, 0.0)
    light: float = 1.0
    noise: float = 1.0
    variation: ActorVariation = PLAIN


def dense_weights(folder: Path, names: list[str], frames: slice = slice(0, DENSE)) -> Float64:
    """(T, K) frames of compskin's curves, by default the dense performance, on ICT's shapes: the mean of the controls
    that stand for a shape.
    """
    controls, curves = compskin_curves(folder)
    curves = curves[frames]
    table, sums, counts = control_table(), np.zeros((len(curves), len(names))), np.zeros(len(names))
    for i, control in enumerate(controls):
        for term in table[control] if "tight" not in control.lower() else []:
            if term.get("weight", 1.0) > 0.0:
                sums[:, names.index(term["shape"])] += curves[:, i]
                counts[names.index(term["shape"])] += 1
    weights = np.clip(sums / np.maximum(counts, 1.0), 0.0, 1.0) * ~gaze(names)
    closing, jaw = names.index("mouthClose"), names.index("jawOpen")
    weights[:, closing] = np.minimum(weights[:, closing], CLOSED * weights[:, jaw])
    return np.asarray(weights)


def gaze(names: list[str]) -> NDArray[np.bool_]:
    """(K,) shapes of eyes and pupils, which are solved from pupils."""
    return np.array(["Look" in name or "Pupil" in name for name in names])


class FilmedShot:
    """An actor's shot, its noisy landmarks, and the capture of these; the first frame is the neutral."""

    def __init__(self, cast: Cast, seed: int, weights: Float64, filming: Filming | None = None) -> None:
        self.cast, self.filming = cast, filming or Filming()
        self.actor = cast.actor(seed, self.filming.variation)
        shot = rc.capture.film(self.actor, ShotPlan(frames=len(weights) + 1, size=SIZE), weights)
        self.weights = np.asarray(shot.labels["weights"], np.float64)
        self.focal = float(shot.labels["focal"])
        self.head, self.center = np.array(shot.labels["head"]), np.array(shot.labels["center"])
        self.color, self.exact = shot.color, np.array(shot.labels["landmarks_2d"])
        if self.filming.roll or any(self.filming.shift) or self.filming.light != 1.0:
            self._film_again(shot)
        noise = np.random.default_rng(seed).normal(size=self.exact.shape)
        self.points = self.exact + self.filming.noise * noise
        self.fixed = np.where(gaze(self.actor.rig.shape_names), 0.0, np.nan)
        self.found = self.solve(self.points, self.filming.noise)

    def solve(self, points: Float64, noise: float, rig: rc.BlendshapeRig | None = None, **settings: Any) -> Capture:
        """The capture of points alone, on the actor's rig or another."""
        used = self.actor.rig if rig is None else rig
        given = rc.capture.CaptureSettings(noise=max(noise, 0.1), **settings)
        return rc.capture.solve(
            used,
            points,
            self.cast.landmarks,
            fixed=np.where(gaze(used.shape_names), 0.0, np.nan),
            size=(SIZE, SIZE),
            neutral=0,
            focal=self.focal,
            settings=given,
        )

    def _film_again(self, shot: ActorShot) -> None:
        """Render with another roll, center and light."""
        angle = np.deg2rad(self.filming.roll)
        turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
        self.head, self.center = turn @ self.head, self.center + self.filming.shift
        frames = len(self.head)
        world = self.actor.rig.evaluate(self.weights.astype(np.float32)) @ self.head[:, :, :3].transpose(0, 2, 1)
        world = (world + self.head[:, None, :, 3]).astype(np.float32)
        camera = rc.render.Camera(SIZE, SIZE, focal=self.focal, center=self.center, rotation=np.eye(3), near=0.2)
        stronger = np.linspace(1.0, self.filming.light, frames)[:, None]
        rays, around, sensor = (np.array(shot.labels[key], np.float64) for key in ("lights", "hemisphere", "sensor"))
        lights = rc.render.Lights(
            np.tile(rays[:, :3], (frames, 1, 1)),
            stronger[:, None] * rays[:, 3:],
            stronger * around[:3],
            stronger * around[3:6],
            up=around[6:],
        )
        response = rc.render.Sensor(exposure=sensor[0], blur=sensor[1], noise=sensor[2], background=(0.1, 0.1, 0.1))
        look = look_of(self.actor)
        self.color = rc.render.render(
            world, self.cast.drawn, camera, material=look, lights=lights, sensor=response
        ).color
        self.exact = camera.project(world[:, self.cast.landmarks].astype(np.float64))

    def refine(self, points: bool = True, region: Float64 | None = None, **settings: Any) -> Capture:
        """The capture refined by the pictures, on the actor's own rig unless ``offsets`` is set."""
        given = RefineSettings(**{"offsets": False, **settings})
        tracked = self.points if points else None
        return rc.capture.refine(
            self.actor.rig, self.found, self.color, points=tracked, fixed=self.fixed, region=region, settings=given
        )

    def millimeters(self, weights: Float64) -> Float64:
        """(T - 1,) mean error over the front of the character's face, frames after the neutral."""
        return size_of(self.cast, weights - self.weights)[1:]

    def weight_error(self, weights: Float64) -> float:
        """Mean absolute error of the weights that are solved for."""
        free = np.isnan(self.fixed)
        return float(np.abs(weights - self.weights)[1:, free].mean())

    def image_errors(self, found: Capture) -> tuple[Float64, Float64]:
        """(T, 2) pixels by which the head is beside its place, and (T,) degrees of its roll."""
        nose = self.actor.rig.rest_vertices[self.cast.landmarks[27:36]].astype(np.float64)
        images = []
        poses = np.diag([1.0, -1.0, -1.0]) @ found.head
        for head, center in ((poses, found.center), (self.head, self.center)):
            placed = nose @ head[:, :, :3].transpose(0, 2, 1) + head[:, None, :, 3]
            images.append(np.asarray(center) + self.focal * placed[..., :2] / placed[..., 2:])
        rest = poses[:, :, :3] @ self.head[:, :, :3].transpose(0, 2, 1)
        roll = np.arctan2(rest[:, 1, 0] - rest[:, 0, 1], rest[:, 0, 0] + rest[:, 1, 1])
        return (images[0] - images[1]).mean(axis=1), np.rad2deg(roll)


def size_of(cast: Cast, change: Float64) -> Float64:
    """(T,) millimeters that changes of weights (T, K) move the front of the character's face."""
    moved = cast.character.evaluate(np.asarray(change, np.float32)) - cast.character.rest_vertices
    return np.asarray(10.0 * np.linalg.norm(moved[:, :FRONT], axis=2).mean(axis=1), np.float64)
