"""Corrective shapes of the demo character, constructed from its geometry (they are no part of the CC0 assets).

Each shape is a sum of bumps: displacements along the surface normal (or against it) that fade out with the distance
from a point of the limb, as exp(-d^2 / 2), and with the angle between the normal and a direction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from examples.characters.anatomy import BACK, FRONT, UP, unit
from examples.characters.assets import Body

Vectors = NDArray[np.float64]
PREFIX = "constructed."
SMALLEST = 2e-5  # meters; smaller displacements are left out


@dataclass(frozen=True)
class Corrective:
    """A shape key and what drives it: value = smoothstep(start, end, sign * angle), angles in radians.

    ``bone`` None is a dial of the artist's.
    """

    name: str
    delta: Vectors
    bone: str | None = None
    axis: int = 0
    sign: float = 1.0
    start: float = 0.0
    end: float = 1.0


@dataclass(frozen=True)
class Bump:
    """A displacement of ``height`` meters around ``center`` on the surface that faces ``facing``."""

    center: Vectors
    facing: Vectors
    height: float
    along: float  # meters, spread along ``axis``
    around: float  # meters, spread across it
    axis: Vectors

    def on(self, vertices: Vectors, normals: Vectors) -> Vectors:
        offset = vertices - self.center
        along = offset @ self.axis
        across = np.linalg.norm(offset - along[:, None] * self.axis, axis=1)
        falloff = np.exp(-0.5 * ((along / self.along) ** 2 + (across / self.around) ** 2))
        toward = np.clip(normals @ self.facing, 0.0, None)
        return np.asarray((self.height * falloff * toward)[:, None] * normals)


def correctives(body: Body) -> list[Corrective]:
    """All constructed shapes: elbow, knee and shoulder of both sides, and a breathing dial."""
    normals = vertex_normals(body.vertices, body.faces)
    heads = {bone.name: bone.head for bone in body.bones}
    shapes = []
    for side in "LR":
        sign = 1.0 if side == "L" else -1.0
        arm = _part(body, [f"upperarm01.{side}", f"upperarm02.{side}", f"lowerarm01.{side}", f"lowerarm02.{side}"])
        leg = _part(body, [f"upperleg01.{side}", f"upperleg02.{side}", f"lowerleg01.{side}", f"lowerleg02.{side}"])
        elbow = _sum(_elbow(heads, side), body.vertices, normals, arm)
        knee = _sum(_knee(heads, side), body.vertices, normals, leg)
        girdle = _part(body, ["spine01", f"clavicle.{side}", f"shoulder01.{side}", f"upperarm01.{side}"])
        shoulder = _sum(_shoulder(heads, side), body.vertices, normals, girdle)
        shapes += [
            Corrective(f"{PREFIX}elbow_flexion.{side}", elbow, f"lowerarm01.{side}", 0, 1.0, 0.05, 1.6),
            Corrective(f"{PREFIX}knee_flexion.{side}", knee, f"lowerleg01.{side}", 0, 1.0, 0.2, 2.2),
            Corrective(f"{PREFIX}shoulder_raise.{side}", shoulder, f"upperarm01.{side}", 2, sign, 0.2, 1.4),
        ]
    everywhere = np.ones(len(body.vertices))
    breath = _sum(_breath(heads), body.vertices, normals, everywhere)
    return [*shapes, Corrective(f"{PREFIX}breath", breath)]


def vertex_normals(vertices: Vectors, faces: NDArray[np.int32]) -> Vectors:
    """Unit normals (V, 3) of a quad mesh, faces weighted by area."""
    corners = vertices[faces]
    areas = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    normals = np.zeros_like(vertices)
    for corner in range(4):
        np.add.at(normals, faces[:, corner], areas)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.asarray(normals / np.where(lengths > 0, lengths, 1.0))


def _part(body: Body, bones: list[str]) -> Vectors:
    """(V,) share of each vertex's weights that belongs to some bones: 1 on the limb, fading where it is attached."""
    share = np.zeros(len(body.vertices))
    for name in bones:
        if name in body.weights:
            indices, weights = body.weights[name]
            share[indices] += weights
    return np.clip(share, 0.0, 1.0)


def _sum(bumps: list[Bump], vertices: Vectors, normals: Vectors, mask: Vectors) -> Vectors:
    delta = mask[:, None] * np.sum([bump.on(vertices, normals) for bump in bumps], axis=0)
    delta[np.linalg.norm(delta, axis=1) < SMALLEST] = 0.0
    return np.asarray(delta)


def _elbow(heads: dict[str, Vectors], side: str) -> list[Bump]:
    shoulder, elbow, hand = (heads[f"{name}.{side}"] for name in ("upperarm01", "lowerarm01", "wrist"))
    upper, lower = unit(elbow - shoulder), unit(hand - elbow)
    front = unit(lower - upper * (upper @ lower))
    inner = unit(unit(shoulder - elbow) + lower)
    biceps = shoulder + 0.62 * (elbow - shoulder) + 0.04 * front
    return [
        Bump(biceps, front, 0.016, 0.045, 0.06, upper),
        Bump(elbow + 0.25 * (hand - elbow) + 0.03 * front, front, 0.008, 0.04, 0.05, lower),
        Bump(elbow + 0.035 * inner, inner, -0.007, 0.03, 0.04, np.cross(upper, front)),
        Bump(elbow - 0.03 * inner, -inner, 0.008, 0.02, 0.025, np.cross(upper, front)),
    ]


def _knee(heads: dict[str, Vectors], side: str) -> list[Bump]:
    hip, knee, ankle = (heads[f"{name}.{side}"] for name in ("upperleg01", "lowerleg01", "foot"))
    upper, lower = unit(knee - hip), unit(ankle - knee)
    return [
        Bump(knee + 0.28 * (ankle - knee) + 0.05 * BACK, BACK, 0.014, 0.06, 0.06, lower),
        Bump(hip + 0.72 * (knee - hip) + 0.06 * BACK, BACK, 0.012, 0.06, 0.07, upper),
        Bump(knee + 0.05 * BACK, BACK, -0.012, 0.03, 0.05, lower),
        Bump(knee + 0.05 * FRONT, FRONT, 0.009, 0.03, 0.035, lower),
    ]


def _shoulder(heads: dict[str, Vectors], side: str) -> list[Bump]:
    neck, clavicle, shoulder, elbow = (
        heads["neck01"],
        heads[f"clavicle.{side}"],
        heads[f"upperarm01.{side}"],
        heads[f"lowerarm01.{side}"],
    )
    arm = unit(elbow - shoulder)
    across = unit(shoulder - clavicle)
    deltoid = shoulder + 0.15 * (elbow - shoulder) + 0.05 * UP
    trapezius = neck + 0.5 * (shoulder - neck) + 0.04 * UP
    armpit = shoulder - 0.09 * UP
    return [
        Bump(deltoid, UP, 0.013, 0.05, 0.05, arm),
        Bump(trapezius, unit(UP + 0.3 * BACK), 0.010, 0.05, 0.04, across),
        Bump(armpit, unit(-UP), -0.010, 0.04, 0.05, across),
    ]


def _breath(heads: dict[str, Vectors]) -> list[Bump]:
    chest = heads["spine01"] + 0.10 * FRONT
    belly = heads["spine04"] + 0.12 * FRONT
    return [
        Bump(chest, unit(FRONT + 0.3 * UP), 0.018, 0.09, 0.13, UP),
        Bump(belly, FRONT, 0.008, 0.06, 0.09, UP),
    ]
