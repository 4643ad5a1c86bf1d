"""Shots of synthetic actors: motion, head, camera, light and sensor, pictures, and exact labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._rigs.matching import plain_name
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument
from rigcast.capture._actors.cast import Actor
from rigcast.capture._actors.look import look_of
from rigcast.capture._actors.occluders import drawn_with, occluders
from rigcast.render._camera import Camera
from rigcast.render._render import render, survey, visible
from rigcast.render._scene import Lights, Sensor

Float64 = NDArray[np.float64]

AWAY = 7.5  # distance of the camera in radii of the landmarks
FOCAL = 2.2  # focal length in widths of the picture
CLOSED = 0.8  # of jawOpen: the most of mouthClose, beyond which lips tear
WORN = 3  # the part after skin, eyes and mouth: glasses or hand
TOLERANCE = 0.05  # of the landmarks' radius: a landmark so far behind the surface is hidden


@one_line
@dataclass(frozen=True)
class ShotPlan:
    """Length, size and noise of a shot.

    Parameters
    ----------
    frames : int
        Of the shot; the first one shows the neutral.
    size : int
        Width and height of the pictures in pixels, 16 to 2048.
    turn : float
        Standard deviation of the head's rotation about each axis, radians.
    noise : float
        Largest standard deviation of the sensor's noise; each actor draws one from a fifth of it on.
    glasses : bool
        Whether frames of glasses are worn, without lenses.
    hand : bool
        Whether a hand comes before the mouth for a part of every forty frames.
    """

    frames: int = 50
    size: int = 128
    turn: float = 0.05
    noise: float = 0.02
    glasses: bool = False
    hand: bool = False

    def __post_init__(self) -> None:
        check = Arguments("ShotPlan")
        check.whole("frames", self.frames, least=2)
        check.whole("size", self.size, least=16, most=2048)
        check.number("turn", self.turn, least=0.0, most=1.0)
        check.number("noise", self.noise, least=0.0, most=1.0)
        for name in ("glasses", "hand"):
            if not isinstance(getattr(self, name), bool):
                raise bad_argument("ShotPlan", name, repr(getattr(self, name)), "True or False")


@one_line
@dataclass(frozen=True, eq=False)
class ActorShot:
    """Pictures of an actor and their labels.

    Attributes
    ----------
    color : (T, H, W, 3) uint8 array
    labels : dict of arrays
        ``weights`` (T, K) and ``names`` (K,); ``head`` (T, 3, 4), rotation and translation from the rig to camera
        coordinates (x right, y down, z forward); ``focal`` and ``center``; ``landmarks_3d`` (T, P, 3) in camera
        coordinates, ``landmarks_2d`` (T, P, 2) in pixels, ``visible`` (T, P); ``parts`` (T, H, W) at the centers of
        pixels: 0 nothing, 1 skin, 2 eyes, 3 inside of the mouth, 4 glasses or hand; ``lights`` (L, 6), directions and
        colors, and ``hemisphere`` (9,), sky, ground and up, in camera-fixed world axes; ``sensor`` (3,): exposure,
        blur, noise.
    """

    color: NDArray[np.uint8]
    labels: dict[str, NDArray[np.generic]]


def film(actor: Actor, plan: ShotPlan, weights: ArrayLike | None = None, *, threads: int = 0) -> ActorShot:
    """Film an actor; head, camera, light and sensor are drawn from the actor's seed.

    Parameters
    ----------
    actor : Actor
    plan : ShotPlan
    weights : (T, K) array, optional
        Of the frames after the neutral one, repeated from their beginning if there are fewer; default a motion of
        random expressions, which is the same for all actors of a seed.
    threads : int
        Number of threads; 0 means all processors that this process may use.
        The bytes do not depend on it.

    Examples
    --------
    >>> actor = rc.capture.example_cast().actor(3)
    >>> shot = rc.capture.film(actor, rc.capture.ShotPlan(frames=3, size=48))
    >>> shot.color.shape, float(abs(shot.labels["weights"][0]).max())
    ((3, 48, 48, 3), 0.0)
    """
    check = Arguments("film", K=actor.rig.num_shapes)
    check.threads(threads)
    rng = np.random.default_rng([actor.seed, 3])
    motion = _motion(actor.rig.shape_names, plan.frames - 1, rng)
    if weights is not None:
        given = check.numbers("weights", weights, "T+ K")
        motion = given[np.arange(plan.frames - 1) % len(given)]
    played = np.concatenate([np.zeros((1, actor.rig.num_shapes)), motion]).astype(np.float32)
    own = actor.rig.evaluate(played, threads=threads)
    before = occluders(actor, len(own), plan.glasses, plan.hand, np.random.default_rng([actor.seed, 5]))
    own = np.concatenate([own, before.vertices], axis=1)
    head, camera = _head_and_camera(actor, plan, rng)
    world = (own @ head[:, :, :3].transpose(0, 2, 1) + head[:, None, :, 3]).astype(np.float32)
    lights, sensor = _light(rng), _sensor(plan, rng, actor.seed)
    drawn = np.concatenate([actor.cast.drawn, before.faces + actor.rig.num_vertices])
    look = drawn_with(look_of(actor, threads), before)
    color = render(world, drawn, camera, material=look, lights=lights, sensor=sensor, threads=threads).color
    points = world[:, actor.cast.landmarks]
    radius = _radius(actor)
    seen = visible(world, drawn, camera, points=points, tolerance=TOLERANCE * radius, threads=threads)
    maps = survey(world, drawn, camera, threads=threads)
    rays, around = lights.arrays(1)
    parts = np.concatenate([actor.cast.parts, np.full(before.vertices.shape[1], WORN)])
    return ActorShot(
        color,
        {
            "weights": played,
            "names": np.array(actor.rig.shape_names),
            "head": head,
            "focal": np.asarray(camera.focal),
            "center": np.asarray(camera.center),
            "landmarks_3d": points,
            "landmarks_2d": camera.project(points.astype(np.float64)),
            "visible": seen,
            "parts": np.where(maps.face >= 0, 1 + parts[maps.corners[..., 0]], 0).astype(np.uint8),
            "lights": rays[0],
            "hemisphere": around[0],
            "sensor": sensor.arrays(1)["sensors"][0, :3],
        },
    )


def _radius(actor: Actor) -> float:
    points = actor.rig.rest_vertices[actor.cast.landmarks].astype(np.float64)
    return float(np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1).mean()))


def _smooth(frames: int, columns: int, rng: np.random.Generator) -> Float64:
    """Slow random motion (T, columns) of mean square 1: three waves per column, of 20 to 200 frames."""
    time = np.arange(frames)[:, None, None]
    length = rng.uniform(20.0, 200.0, (columns, 3))
    phase = rng.uniform(0.0, 2.0 * np.pi, (columns, 3))
    return np.asarray(np.sin(2.0 * np.pi * time / length + phase).sum(axis=2) * np.sqrt(2.0 / 3.0))


def _motion(names: list[str], frames: int, rng: np.random.Generator) -> Float64:
    """Weights (T, K) of expressions that come and go: each a few shapes, 12 to 36 frames long."""
    weights = np.zeros((frames, len(names)))
    time = np.arange(frames)
    for begin in range(-18, frames, 6):
        length = int(rng.integers(12, 37))
        bump = np.sin(np.pi * np.clip((time - begin) / length, 0.0, 1.0)) ** 2
        chosen = rng.choice(len(names), min(3, len(names)), replace=False)
        weights[:, chosen] += bump[:, None] * rng.uniform(0.3, 1.0, len(chosen))
    plain = [plain_name(name) for name in names]
    if "mouthclose" in plain and "jawopen" in plain:
        closing, jaw = plain.index("mouthclose"), plain.index("jawopen")
        weights[:, closing] = np.minimum(weights[:, closing], CLOSED * np.minimum(weights[:, jaw], 1.0))
    return np.asarray(np.clip(weights, 0.0, 1.0))


def _head_and_camera(actor: Actor, plan: ShotPlan, rng: np.random.Generator) -> tuple[Float64, Camera]:
    """Poses (T, 3, 4) into the camera's axes, and a camera at the origin of these."""
    radius = _radius(actor)
    middle = actor.rig.rest_vertices[actor.cast.landmarks].astype(np.float64).mean(axis=0)
    angles = plan.turn * (_smooth(plan.frames, 3, rng) + 0.5 * rng.normal(size=3))
    upright = np.diag([1.0, -1.0, -1.0])
    head = np.empty((plan.frames, 3, 4))
    head[:, :, :3] = upright @ _rotations(angles)
    place = radius * (0.05 * _smooth(plan.frames, 3, rng) + np.array([0.0, 0.0, AWAY]))
    head[:, :, 3] = place - head[:, :, :3] @ middle
    center = 0.5 * plan.size + rng.normal(0.0, 0.015 * plan.size, 2)
    focal = FOCAL * plan.size * rng.uniform(0.95, 1.05)
    near = 0.2 * AWAY * radius
    return head, Camera(plan.size, plan.size, focal=focal, rotation=np.eye(3), center=center, near=near)


def _rotations(angles: Float64) -> Float64:
    """Rotations (T, 3, 3) by Euler angles about x, then y, then z."""
    result = np.broadcast_to(np.eye(3), (len(angles), 3, 3))
    for axis, (i, j) in enumerate(((1, 2), (2, 0), (0, 1))):
        turn = np.tile(np.eye(3), (len(angles), 1, 1))
        turn[:, i, i] = turn[:, j, j] = np.cos(angles[:, axis])
        turn[:, j, i] = np.sin(angles[:, axis])
        turn[:, i, j] = -turn[:, j, i]
        result = turn @ result
    return np.asarray(result)


def _light(rng: np.random.Generator) -> Lights:
    """One to three lights before the face, and hemisphere light; in the camera's axes, y down."""
    count = int(rng.integers(1, 4))
    directions = rng.normal([0.0, -0.4, -1.0], 0.6, (count, 3))
    directions[:, 2] = -np.abs(directions[:, 2]) - 0.2
    colors = rng.uniform(0.5, 1.1) / count * rng.uniform(0.85, 1.15, (count, 3))
    sky = rng.uniform(0.15, 0.45) * rng.uniform(0.9, 1.1, 3)
    return Lights(directions, colors, sky, sky * rng.uniform(0.2, 0.7), up=(0.0, -1.0, 0.0))


def _sensor(plan: ShotPlan, rng: np.random.Generator, seed: int) -> Sensor:
    return Sensor(
        exposure=rng.uniform(0.8, 1.2),
        blur=rng.uniform(0.3, 1.0),
        noise=plan.noise * rng.uniform(0.2, 1.0),
        background=rng.uniform(0.0, 0.3) * rng.uniform(0.7, 1.3, 3),
        seed=int(np.random.default_rng([seed, 4]).integers(1 << 40)),
    )
