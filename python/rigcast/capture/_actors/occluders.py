"""Occluders of synthetic actors: glasses that are worn, and a hand that comes before the mouth. All constructed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._validate import bad_argument
from rigcast.capture._actors.cast import Actor
from rigcast.capture._actors.look import NUM_ICT
from rigcast.render._scene import Material

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]

EYES, NOSE, MOUTH = (slice(36, 42), slice(42, 48)), 27, slice(48, 60)  # of the landmarks in Multi-PIE order
AROUND, ALONG = 6, 18  # sides of a tube, and its rings around a lens
RIM = 0.03  # radius of a rim in distances between the eyes
CYCLE = 40  # frames from one visit of the hand to the next
FINGERS = 4


@dataclass(frozen=True)
class Occluders:
    """Meshes beside the actor's, in the same axes and unit, and how they look.

    Attributes
    ----------
    vertices : (T, N, 3) float64
        Before the head moves.
    faces : (M, 4) int32
        Counted from 0.
    albedo : (N, 3) float64
    """

    vertices: Float64
    faces: Int32
    albedo: Float64


def occluders(actor: Actor, frames: int, glasses: bool, hand: bool, rng: np.random.Generator) -> Occluders:
    """Meshes that a shot of some frames has before the face; empty without glasses and hand.

    Glasses are frames without lenses, of a size, thickness and color that the actor's seed draws. The hand comes for a
    part of every forty frames, and lies before the mouth at its height.

    Raises
    ------
    ValueError
        If the actor has no landmarks in Multi-PIE order, from which eyes and mouth are known.
    """
    vertices, faces, albedo = np.zeros((frames, 0, 3)), np.zeros((0, 4), np.int32), np.zeros((0, 3))
    made = Occluders(vertices, faces, albedo)
    points = actor.rig.rest_vertices[actor.cast.landmarks].astype(np.float64)
    if (glasses or hand) and len(points) != NUM_ICT:
        got = f"for an actor with {len(points)} landmarks"
        raise bad_argument("ShotPlan", "glasses, hand", got, "68 landmarks, from which eyes and mouth are known")
    if glasses:
        mesh, quads = _glasses(points, rng)
        color = np.tile(rng.uniform(0.02, 0.3) * rng.uniform(0.7, 1.3, 3), (len(mesh), 1))
        made = _joined(made, np.broadcast_to(mesh, (frames, *mesh.shape)), quads, color)
    if hand:
        mesh, quads = _hand(points, rng)
        tone = np.array([0.62, 0.42, 0.33]) * np.exp(rng.normal(-0.35, 0.45)) * rng.uniform(0.94, 1.06, 3)
        path = _visits(points, frames, rng)
        made = _joined(made, mesh + path[:, None], quads, np.tile(np.clip(tone, 0.03, 0.85), (len(mesh), 1)))
    return made


def drawn_with(material: Material, extra: Occluders) -> Material:
    """The look of an actor with occluders after its vertices."""
    count = len(extra.albedo)
    if not count:
        return material
    return Material(
        np.concatenate([np.asarray(material.albedo), extra.albedo]),
        np.concatenate([np.asarray(material.specular), np.full(count, 0.1)]),
        np.concatenate([np.asarray(material.exponent), np.full(count, 20.0)]),
        np.concatenate([np.asarray(material.occlusion), np.full(count, 0.9)]),
    )


def _joined(made: Occluders, vertices: Float64, faces: Int32, albedo: Float64) -> Occluders:
    begin = made.vertices.shape[1]
    return Occluders(
        np.concatenate([made.vertices, vertices], axis=1),
        np.concatenate([made.faces, faces + begin]).astype(np.int32),
        np.concatenate([made.albedo, albedo]),
    )


def _tube(line: Float64, radius: Float64, closed: bool) -> tuple[Float64, Int32]:
    """A tube of some sides along a line (n, 3) of which no part runs along x alone for its whole length."""
    ahead = np.roll(line, -1, axis=0) - np.roll(line, 1, axis=0)
    if not closed:
        ahead[0], ahead[-1] = line[1] - line[0], line[-1] - line[-2]
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    side = np.cross(ahead, [0.05, 0.1, 1.0])
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    up = np.cross(side, ahead)
    angle = 2.0 * np.pi * np.arange(AROUND) / AROUND
    ring = side[:, None] * np.cos(angle)[:, None] + up[:, None] * np.sin(angle)[:, None]
    vertices = (line[:, None] + np.reshape(radius, (-1, 1, 1)) * ring).reshape(-1, 3)
    n = len(line)
    i, k = np.meshgrid(np.arange(n if closed else n - 1), np.arange(AROUND), indexing="ij")
    corners = [((i + a) % n) * AROUND + (k + b) % AROUND for a, b in ((0, 0), (0, 1), (1, 1), (1, 0))]
    faces = np.stack(corners, axis=-1)
    return vertices, faces.reshape(-1, 4).astype(np.int32)


def _glasses(points: Float64, rng: np.random.Generator) -> tuple[Float64, Int32]:
    """Two rims, a bridge and two temples, worn on the nose."""
    eyes = np.stack([points[part].mean(axis=0) for part in EYES])
    apart = float(np.linalg.norm(eyes[0] - eyes[1]))
    radius = RIM * apart * rng.uniform(0.7, 1.6)
    size = apart * rng.uniform([0.36, 0.26], [0.43, 0.36])
    power = rng.uniform(2.0, 4.0)  # 2: round lenses, more: with corners
    front = float(points[NOSE, 2]) + 0.12 * apart
    angle = 2.0 * np.pi * np.arange(ALONG) / ALONG
    shape = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    shape = np.sign(shape) * np.abs(shape) ** (2.0 / power)
    lines, closed = [], []
    for eye in eyes:
        ring = np.empty((ALONG, 3))
        ring[:, :2] = eye[:2] + shape * size - [0.0, 0.05 * apart]
        ring[:, 2] = front - 0.15 * np.abs(ring[:, 0] - points[NOSE, 0])
        lines.append(ring)
        closed.append(True)
    inner = [line[np.argmin(np.abs(line[:, 0] - points[NOSE, 0]))] for line in lines]
    middle = 0.5 * (inner[0] + inner[1]) + [0.0, 0.03 * apart, 0.04 * apart]
    lines.append(np.stack([inner[0], middle, inner[1]]))
    closed.append(False)
    for line in lines[:2]:
        outer = line[np.argmax(np.abs(line[:, 0] - points[NOSE, 0]))]
        away = np.sign(outer[0] - points[NOSE, 0]) * 0.08
        lines.append(outer + apart * np.array([[0.0, 0.0, 0.0], [away, 0.0, -0.6], [away, 0.0, -1.6]]))
        closed.append(False)
    parts = [_tube(line, np.full(len(line), radius), is_closed) for line, is_closed in zip(lines, closed, strict=True)]
    return _stacked(parts)


def _hand(points: Float64, rng: np.random.Generator) -> tuple[Float64, Int32]:
    """The back of a hand and its fingers, pointing to one side, around the origin."""
    eyes = np.stack([points[part].mean(axis=0) for part in EYES])
    size = float(np.linalg.norm(eyes[0] - eyes[1])) * rng.uniform(0.9, 1.15)
    way, tilt = rng.choice([-1.0, 1.0]), rng.uniform(-0.5, 0.5)
    palm = np.stack([way * np.linspace(-0.15, -1.3, 5), 0.1 * np.ones(5), 0.0 * np.ones(5)], axis=1)
    parts = [_tube(size * palm, size * np.array([0.3, 0.4, 0.42, 0.4, 0.3]), closed=False)]
    for finger in range(FINGERS):
        up = 0.3 - 0.2 * finger
        length = rng.uniform(0.75, 1.0)
        along = np.linspace(0.0, 1.0, 5)
        line = np.stack([way * (-0.3 + (length + 0.1) * along), up + 0.02 * along, 0.05 - 0.12 * along**2], axis=1)
        parts.append(_tube(size * line, size * np.array([0.12, 0.12, 0.115, 0.105, 0.04]), closed=False))
    vertices, faces = _stacked(parts)
    vertices[:, 2] *= 0.6
    turn = np.array([[np.cos(tilt), -np.sin(tilt), 0.0], [np.sin(tilt), np.cos(tilt), 0.0], [0.0, 0.0, 1.0]])
    return vertices @ turn.T, faces


def _visits(points: Float64, frames: int, rng: np.random.Generator) -> Float64:
    """(T, 3) of the hand: below the picture, or before the mouth."""
    mouth = points[MOUTH].mean(axis=0)
    size = float(np.linalg.norm(points[EYES[0]].mean(axis=0) - points[EYES[1]].mean(axis=0)))
    place = mouth + size * np.array([rng.uniform(-0.3, 0.3), rng.uniform(-0.35, 0.25), rng.uniform(0.55, 0.8)])
    below = place - [0.0, 5.0 * size, 0.0]
    share = np.sin(np.pi * (np.arange(frames) - 6) / CYCLE * 2.0) - 0.1
    near = np.clip(2.5 * share, 0.0, 1.0)[:, None]
    near[:2] = 0.0  # the neutral is seen
    wander = 0.1 * size * np.sin(np.arange(frames)[:, None] * rng.uniform(0.1, 0.3, 3) + rng.uniform(0.0, 6.0, 3))
    return np.asarray(below + near * (place - below) + wander)


def _stacked(parts: list[tuple[Float64, Int32]]) -> tuple[Float64, Int32]:
    begins = np.cumsum([0, *(len(vertices) for vertices, _ in parts[:-1])])
    faces = [quads + begin for begin, (_, quads) in zip(begins, parts, strict=True)]
    return np.concatenate([vertices for vertices, _ in parts]), np.concatenate(faces).astype(np.int32)
