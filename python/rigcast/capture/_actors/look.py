"""Albedo and gloss of synthetic actors, all of it constructed."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from rigcast.capture._actors.cast import EYES, MOUTH, Actor
from rigcast.render._occlusion import ambient_occlusion
from rigcast.render._scene import Material

Float64 = NDArray[np.float64]

LIPS, BROWS, NUM_ICT = slice(48, 60), slice(17, 27), 68  # of the landmarks in Multi-PIE order
BROW_REACH = 0.35  # centimeters
LIP_COLOR = np.array([0.95, 0.55, 0.55])  # times that of the skin
SOCKET = np.array([0.25, 0.08, 0.07])
TONGUE = np.array([0.55, 0.22, 0.22])
TEETH = np.array([0.75, 0.72, 0.62])
IRIS, PUPIL = 0.42, 0.17  # radians from an eye's axis


def look_of(actor: Actor, threads: int = 0) -> Material:
    """The surface of an actor: skin of some tone with smooth and fine spots, lips, brows, eyes and mouth.

    Nothing of it is measured on a person. The occlusion is that of the neutral.
    """
    rng = np.random.default_rng([actor.seed, 2])
    rest = actor.rig.rest_vertices.astype(np.float64)
    tone = np.array([0.62, 0.42, 0.33]) * np.exp(rng.normal(-0.35, 0.45)) * rng.uniform(0.94, 1.06, 3)
    albedo = np.clip(tone, 0.03, 0.85) * (1.0 + _spots(rest, rng))[:, None]
    specular, exponent = np.full(len(rest), 0.06), np.full(len(rest), rng.uniform(10.0, 20.0))
    if len(actor.cast.landmarks) == NUM_ICT:
        points = rest[actor.cast.landmarks]
        lips = _inside(rest, points[LIPS]) & (actor.cast.parts == 0)
        albedo[lips] *= LIP_COLOR
        specular[lips] = 0.12
        albedo[_near(rest, points[BROWS], BROW_REACH)] *= rng.uniform(0.15, 0.6)
    mouth = actor.cast.parts == MOUTH
    albedo[mouth] = SOCKET
    if "tongueOut" in actor.rig.shape_names:
        out = np.abs(actor.rig.column(actor.rig.shape_names.index("tongueOut"))).max(axis=1)
        albedo[(out > 0.1) & mouth] = TONGUE
    if "segments" in actor.rig.metadata:
        begin, end = actor.rig.metadata["segments"]["teeth"]
        albedo[begin:end] = TEETH
    eyes = actor.cast.parts == EYES
    albedo[eyes] = _eyes(rest[eyes], rng)
    specular[eyes], exponent[eyes] = 0.5, 40.0
    occlusion = ambient_occlusion(rest, actor.cast.drawn, threads=threads)
    return Material(
        np.clip(albedo, 0.0, 1.0), specular, exponent, np.where(eyes, np.maximum(occlusion, 0.5), occlusion)
    )


def _spots(rest: Float64, rng: np.random.Generator) -> Float64:
    size = np.ptp(rest, axis=0).max()
    spots = 0.04 * rng.normal(size=len(rest))
    for amplitude, scale in ((0.06, 6.0), (0.05, 30.0)):
        waves = rng.normal(0.0, scale / size, (4, 3))
        spots += 0.5 * amplitude * np.cos(rest @ waves.T + rng.uniform(0.0, 2.0 * np.pi, 4)).sum(axis=1)
    return np.asarray(spots)


def _inside(rest: Float64, outline: Float64) -> NDArray[np.bool_]:
    """Vertices whose front view lies inside of a closed line, and that are not far behind it."""
    x, y = rest[:, 0], rest[:, 1]
    result = np.zeros(len(rest), np.bool_)
    for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        crosses = (a[1] > y) != (b[1] > y)
        with np.errstate(divide="ignore", invalid="ignore"):
            result ^= crosses & (x < (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]) + a[0])
    return np.asarray(result & (rest[:, 2] > outline[:, 2].min() - 1.0))


def _near(rest: Float64, points: Float64, reach: float) -> NDArray[np.bool_]:
    """Vertices within reach of one of two lines of five points, the brows."""
    result = np.zeros(len(rest), np.bool_)
    for line in (points[:5], points[5:]):
        for a, b in itertools.pairwise(line):
            along = np.clip((rest - a) @ (b - a) / max(float((b - a) @ (b - a)), 1e-12), 0.0, 1.0)
            result |= np.linalg.norm(rest - a - along[:, None] * (b - a), axis=1) < reach
    return result


def _eyes(rest: Float64, rng: np.random.Generator) -> Float64:
    """Colors of both eyes' vertices: white, iris, pupil, by the angle from the forward axis."""
    color = np.empty((len(rest), 3))
    iris = np.array([0.25, 0.18, 0.10]) * rng.uniform(0.4, 1.6, 3)
    for side in (rest[:, 0] > 0.0, rest[:, 0] <= 0.0):
        if not side.any():
            continue
        middle = 0.5 * (rest[side].min(axis=0) + rest[side].max(axis=0))
        away = rest[side] - middle
        angle = np.arctan2(np.linalg.norm(away[:, :2], axis=1), away[:, 2])
        color[side] = np.where(
            angle[:, None] < PUPIL, [0.01, 0.01, 0.01], np.where(angle[:, None] < IRIS, iris, [0.75, 0.72, 0.7])
        )
    return color
