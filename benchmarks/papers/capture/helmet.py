"""Shots of synthetic actors and of the character by a camera that does not move against the head, at 64 pixels.

Every picture is rendered, every albedo and light constructed. In place of the paper's 104 poses of an artist: frames of
compskin's curves after its dense performance, which is the test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from benchmarks.papers.capture.gaze import Eyes, drawn_gaze, glances
from benchmarks.systems.capture.filmed import DENSE, dense_weights, gaze
from rigcast._atomic_files import atomic_npz
from rigcast.capture import Actor, Capture, Cast, ShotPlan
from rigcast.capture._actors.look import look_of
from rigcast.capture._actors.shot import _motion
from rigcast.training import StyleRecording

Float64 = NDArray[np.float64]

SIZE = 64  # pixels: 2.9 mm each on the face
NOISE = 1.0 * SIZE / 256  # pixels: of the landmarks that regions and crops are made of
AWAY = 7.5  # distance of the camera in radii of the landmarks
ROOM, LOWER = 0.64, 0.06  # half of the picture in widths of the landmarks; its center below theirs, in heights
POSES, RENDERS, CHANGED = 104, 2000, 0.15  # as in the paper; noise on weights that are not 0
FRAMES = 160  # of a training actor: half of them of curves, half random expressions
UPPER = ("brow", "eye", "cheekSquint", "Pupil")
STEP = 4  # frames of the dense performance from one test frame to the next
NUMBERS = ("exact", "points", "weights", "focal", "pupils", "gaze")
CHARACTER = 73  # seed of the character's albedo, and of its poses


@dataclass(frozen=True, eq=False)
class HelmetShot:
    """Pictures (T, H, H, 3) with black background, their regions, and labels.

    Attributes
    ----------
    recording : StyleRecording
    exact, points : (T, 68, 2) float64
        Landmarks in pixels, without and with a detector's noise.
    weights : (T, K) float64
    focal : float
    pupils : (T, 2, 2) float64
        Right, left, in pixels, seen or not.
    gaze : (T, 2) float64
        Angles of both eyes.
    """

    recording: StyleRecording
    exact: Float64
    points: Float64
    weights: Float64
    focal: float
    pupils: Float64
    gaze: Float64


def kept(path: Path, make: Callable[[], list[HelmetShot]]) -> list[HelmetShot]:
    """Shots of a file, or made and written there."""
    if not path.exists():
        arrays = {}
        for i, shot in enumerate(make()):
            arrays |= {f"{i}.pictures": shot.recording.pictures, f"{i}.masks": shot.recording.masks}
            arrays |= {f"{i}.{name}": np.asarray(getattr(shot, name)) for name in NUMBERS}
        atomic_npz(path, arrays)
    with np.load(path) as file:
        arrays = dict(file)
    shots = []
    for i in range(sum(name.endswith("focal") for name in arrays)):
        recording = StyleRecording(arrays[f"{i}.pictures"], arrays[f"{i}.masks"])
        shots.append(HelmetShot(recording, *(arrays[f"{i}.{name}"] for name in NUMBERS)))
    return shots


def training_shots(cast: Cast, folder: Path, seeds: range) -> list[HelmetShot]:
    """A recording of each actor, the first frame neutral."""
    return [
        helmet_shot(cast.actor(seed), _expressions(cast, folder, FRAMES, seed), drawn_gaze(FRAMES, seed))
        for seed in seeds
    ]


def test_shot(cast: Cast, folder: Path, seed: int) -> HelmetShot:
    """An actor in compskin's dense performance, the first frame neutral."""
    weights = dense_weights(folder, cast.character.shape_names)[::STEP]
    return helmet_shot(cast.actor(seed), np.concatenate([np.zeros_like(weights[:1]), weights]), glances(len(weights) + 1))


def character_shot(cast: Cast, weights: Float64, gaze: Float64) -> HelmetShot:
    """The character in some expressions, under one light."""
    return helmet_shot(Actor(cast.character, cast, CHARACTER), weights, gaze)


def rendered_poses(cast: Cast, folder: Path) -> Float64:
    """(2000, K) weights as the paper makes them of 104 poses; the first ones are 0."""
    known = _expressions(cast, folder, POSES + 1, CHARACTER)[1:]
    weights = synthesized(known, cast.character.shape_names, RENDERS, np.random.default_rng(CHARACTER))
    weights[0] = 0.0
    return weights


def _expressions(cast: Cast, folder: Path, count: int, seed: int) -> Float64:
    """Weights (T, K): 0, then half random expressions, half frames of the curves with a total weight above 1."""
    names, rng = cast.character.shape_names, np.random.default_rng([seed, 50])
    curves = dense_weights(folder, names, slice(DENSE, None))
    curves = curves[curves.sum(axis=1) > 1.0]
    own = _motion(names, 6 * (count // 2), rng)[3::6]  # all weights of an expression come and go within 36 frames
    drawn = curves[rng.choice(len(curves), count - 1 - len(own), replace=False)]
    return np.concatenate([np.zeros((1, len(names))), own, drawn])


def synthesized(poses: Float64, names: list[str], count: int, rng: np.random.Generator) -> Float64:
    """Poses of the upper half of one pose and the lower half of another, each mirrored by chance, with noise."""
    upper = np.array([name.startswith(UPPER) for name in names])
    mirror = np.array([names.index(mirrored(name)) for name in names])
    halves = []
    for _ in range(2):
        drawn = poses[rng.integers(len(poses), size=count)]
        halves.append(np.where(rng.random((count, 1)) < 0.5, drawn[:, mirror], drawn))
    found = np.where(upper, *halves)
    noise = rng.uniform(-CHANGED, CHANGED, found.shape)
    return np.asarray(np.clip(np.where(found > 0.0, found + noise, 0.0), 0.0, 1.0))


def mirrored(name: str) -> str:
    """The shape of the other side."""
    for ending, other in (("_L", "_R"), ("_R", "_L"), ("Left", "Right"), ("Right", "Left")):
        if name.endswith(ending):
            return name.removesuffix(ending) + other
    return name


def helmet_shot(actor: Actor, weights: Float64, gaze: Float64) -> HelmetShot:
    """Pictures of an actor under the light of the actor's seed."""
    labels = rc.capture.film(actor, ShotPlan(frames=2, size=16)).labels
    eyes = Eyes(actor.rig.rest_vertices, actor.cast.parts)
    places, focal = _before_camera(actor, eyes.turned(actor.rig.evaluate(np.asarray(weights, np.float32)), gaze))
    camera = rc.render.Camera(SIZE, SIZE, focal=focal, rotation=np.eye(3), near=1.0)
    rays, around, sensor = (np.array(labels[key], np.float64) for key in ("lights", "hemisphere", "sensor"))
    lights = rc.render.Lights(rays[:, :3], rays[:, 3:], around[:3], around[3:6], up=around[6:])
    response = rc.render.Sensor(exposure=sensor[0], noise=0.5 * sensor[2], seed=actor.seed)
    color = rc.render.render(places, actor.cast.drawn, camera, material=look_of(actor), lights=lights, sensor=response).color
    exact, pupils = (camera.project(places[:, rows].astype(np.float64)) for rows in (actor.cast.landmarks, eyes.pupils))
    spread = NOISE * np.random.default_rng([actor.seed, 51]).normal(size=exact.shape)
    recording = StyleRecording.of_landmarks(color, exact + spread)
    return HelmetShot(recording, exact, exact + spread, np.asarray(weights, np.float64), focal, pupils, gaze)


def _before_camera(actor: Actor, shown: Float64) -> tuple[NDArray[np.float32], float]:
    """Vertices (T, V, 3) of an actor in the axes of a camera that looks at the middle of the face, and its focal length."""
    points = actor.rig.rest_vertices[actor.cast.landmarks].astype(np.float64)
    low, high = points.min(axis=0), points.max(axis=0)
    width, height = high[:2] - low[:2]
    middle = 0.5 * (low + high) - [0.0, LOWER * height, 0.0]
    away = AWAY * float(np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1).mean()))
    focal = 0.5 * SIZE / (ROOM * max(width, height)) * away
    return ((shown - middle) * [1.0, -1.0, -1.0] + [0.0, 0.0, away]).astype(np.float32), focal


def solved(cast: Cast, points: Float64, focal: float, noise: float) -> Capture:
    """The character's weights and head from landmarks in pixels; the first frame is the neutral."""
    fixed = np.where(gaze(cast.character.shape_names), 0.0, np.nan)
    settings = rc.capture.CaptureSettings(noise=noise)
    return rc.capture.solve(
        cast.character,
        points,
        cast.landmarks,
        fixed=fixed,
        size=(SIZE, SIZE),
        fps=30.0 / STEP,
        neutral=0,
        focal=focal,
        settings=settings,
    )
