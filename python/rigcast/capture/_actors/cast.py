"""Synthetic actors: identities with shapes of their own."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig, DeformationTransfer
from rigcast._shown import one_line
from rigcast._validate import Arguments
from rigcast.capture._samples import connected
from rigcast.faces._example import example
from rigcast.faces._ict import SEGMENTS, _modes, ict, ict_folder, landmarks
from rigcast.transfer._resting import resting_vertices

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

MOVED = 0.05  # of a shape's largest offset: what counts as moved where shapes are compared
SHARED = 0.3  # of the vertices that a shape moves: neighbors are shapes that move as many of them
NOT_DRAWN = ("lacrimal_fluid", "eye_blend", "eye_occlusion", "eyelashes")  # transparent parts of the ICT face
UP = 0.3  # of a tongue that comes out: least upward part of the normals on its top
WIDE, TOP, FRONT = 1.5, -3.1, 9.3  # centimeters: half its width, its height below, its tip before the origin
ROOT = 4.0  # where it begins to move
REACH = np.array([0.0, 0.45, 4.2])  # centimeters that its tip moves
ROUNDS = 6  # of averaging over the faces, which ends the motion smoothly
EYES, MOUTH = 1, 2  # parts of a face beside its skin, 0


@one_line
@dataclass(frozen=True)
class ActorVariation:
    """Differences between actors and the character that they are made of.

    Parameters
    ----------
    identity : float
        Standard deviation of the identity modes.
    strength : float
        Standard deviation of the logarithm of each shape's strength.
    mix : float
        How much of its neighbors each shape of an actor has.
    """

    identity: float = 0.8
    strength: float = 0.2
    mix: float = 0.3

    def __post_init__(self) -> None:
        check = Arguments("ActorVariation")
        for name in ("identity", "strength", "mix"):
            check.number(name, getattr(self, name), least=0.0, most=3.0)


@one_line
@dataclass(frozen=True, eq=False)
class Cast:
    """Material of actors: a character, identities, landmarks.

    Attributes
    ----------
    character : BlendshapeRig
        The face that actors' performances are wanted on; its shapes are linear.
    modes : (M, V, 3) float32 array
        Offsets of the neutral at one standard deviation of each identity mode.
    landmarks : (P,) int64 array
        Vertices.
    parts : (V,) int64 array
        0 skin, 1 eyes, 2 inside of the mouth.
    drawn : (F, 4) int32 array
        Faces without transparent parts.
    note : str
        Where it comes from, and what of it is constructed.
    """

    character: BlendshapeRig
    modes: Float32
    landmarks: Int64
    parts: Int64
    drawn: NDArray[np.int32]
    note: str

    def actor(self, seed: int, variation: ActorVariation | None = None) -> Actor:
        """Make the actor of a seed: the same on every call.

        The neutral is the character's with normal weights on the identity modes. Each of the character's shapes is
        brought to it by deformation transfer (Sumner and Popovic 2004), so that it follows the identity's deformation
        gradient; then it is scaled by its own strength, and given shares of shapes that move the same vertices.

        Examples
        --------
        >>> cast = rc.capture.example_cast()
        >>> actor = cast.actor(7)
        >>> bool(abs(actor.rig.rest_vertices - cast.character.rest_vertices).max() > 0.1)
        True
        """
        seed = Arguments("Cast.actor").whole("seed", seed)
        change = variation or ActorVariation()
        rng = np.random.default_rng([seed, 1])
        own = np.tensordot(rng.normal(0.0, change.identity, len(self.modes)), self.modes, axes=1)
        neutral = (self.character.rest_vertices + own).astype(np.float32)
        deltas = _own_shapes(self.character, neutral, change, rng)
        rig = BlendshapeRig(
            neutral,
            deltas,
            names=self.character.shape_names,
            faces=self.character.faces,
            metadata={**self.character.metadata, "name": f"synthetic actor {seed}"},
        )
        return Actor(rig, self, seed)


@one_line
@dataclass(frozen=True, eq=False)
class Actor:
    """A synthetic actor.

    Attributes
    ----------
    rig : BlendshapeRig
        Of the topology and with the names of ``cast.character``, with a neutral and shapes of its own.
    cast : Cast
    seed : int
        Of identity, shapes and looks.
    """

    rig: BlendshapeRig
    cast: Cast
    seed: int


def ict_cast(folder: str | os.PathLike[str], *, tongue: bool = False) -> Cast:
    """Actors made of the ICT FaceKit face.

    Parameters
    ----------
    folder : path-like
        As :func:`rigcast.faces.ict` takes it.
    tongue : bool
        Add a shape ``tongueOut``, which the data set lacks: constructed.

    Raises
    ------
    FileNotFoundError
        If a file is missing.
    """
    character = _with_tongue(ict(folder), SEGMENTS["gums_and_tongue"]) if tongue else ict(folder)
    _, modes = _modes(ict_folder(folder, "capture.ict_cast"))
    parts = np.zeros(character.num_vertices, np.int64)
    hidden = np.zeros(character.num_vertices, np.bool_)
    for name, (begin, end) in SEGMENTS.items():
        parts[begin:end] = (
            EYES if name.startswith("eyeball") else MOUTH if name.startswith(("mouth", "gums", "teeth")) else 0
        )
        hidden[begin:end] = name.startswith(NOT_DRAWN)
    drawn = character.faces[~hidden[character.faces[:, 0]]]
    note = "ICT FaceKit identities and shapes (MIT); albedo, light and motion constructed"
    note += ", tongueOut, too" if tongue else ""
    return Cast(character, modes, landmarks(folder), parts, drawn, note)


def example_cast() -> Cast:
    """Actors made of the built-in face, where no data set is at hand: all of it is constructed."""
    face = example()
    deltas = np.stack([face.column(k) for k in range(face.num_shapes)])
    character = BlendshapeRig(
        face.rest_vertices, deltas, names=face.shape_names, faces=face.faces, metadata=face.metadata
    )
    still = np.zeros(character.num_vertices, np.bool_)
    still[_eyeballs(character)] = True
    modes = _waves(character.rest_vertices)
    modes[:, still] = modes[:, still].mean(axis=1, keepdims=True)
    points = _spread(character.rest_vertices, np.flatnonzero(np.abs(deltas).max(axis=(0, 2)) > 0.02), 40)
    note = "the built-in face: identities, shapes, albedo, light and motion are constructed"
    return Cast(character, modes, points, np.where(still, EYES, 0), character.faces, note)


def carried(character: BlendshapeRig, neutral: Float32) -> Float32:
    """(K, V, 3) the shapes of a character on another neutral of its topology, by deformation transfer."""
    rest = character.rest_vertices
    deltas = np.stack([character.column(k) for k in range(character.num_shapes)])
    if np.array_equal(rest, neutral):
        return deltas
    fixed = resting_vertices(rest, rest + deltas)
    solver = DeformationTransfer(rest, neutral, character.faces, fixed)
    return np.asarray(solver.transfer(rest + deltas) - neutral, np.float32)


def face_of(character: BlendshapeRig, neutral: Float32, name: str) -> BlendshapeRig:
    """A character's shapes on another neutral, without strengths or mixes."""
    facts = {**character.metadata, "name": name}
    deltas, names = carried(character, neutral), character.shape_names
    return BlendshapeRig(neutral, deltas, names=names, faces=character.faces, bounds=character.bounds, metadata=facts)


def _own_shapes(
    character: BlendshapeRig, neutral: Float32, change: ActorVariation, rng: np.random.Generator
) -> Float32:
    """Deltas (K, V, 3) of an actor."""
    deltas = np.stack([character.column(k) for k in range(character.num_shapes)])
    moved, count = carried(character, neutral), len(deltas)
    strength = np.exp(rng.normal(0.0, change.strength, count))
    shares = rng.normal(0.0, change.mix, (count, count)) * 3.0 / np.sqrt(count) * neighbors(deltas)
    mixed = np.tensordot(shares + np.eye(count), moved, axes=1)
    return np.asarray(strength[:, None, None] * mixed, np.float32)


def neighbors(deltas: NDArray[np.floating[Any]]) -> NDArray[np.bool_]:
    """(K, K) true where a shape moves enough of the vertices that another one moves."""
    size = np.linalg.norm(deltas, axis=2)
    moves = (size > MOVED * size.max(axis=1, keepdims=True)).astype(np.float64)
    shared = moves @ moves.T / np.maximum(moves.sum(axis=1, keepdims=True), 1.0)
    return np.asarray((shared > SHARED) & ~np.eye(len(deltas), dtype=np.bool_))


def _eyeballs(face: BlendshapeRig) -> Int64:
    """Vertices of the built-in face's eyes: the components that no shape moves."""
    moved = np.stack([face.column(k) for k in range(face.num_shapes)]).any(axis=(0, 2))
    label = connected(face.faces, face.num_vertices)
    return np.flatnonzero(~np.isin(label, np.unique(label[moved])))


def _waves(points: Float32) -> Float32:
    """Twelve smooth identity modes: long waves along each axis, 2.5 % of the face's size."""
    rng = np.random.default_rng(11)
    size = float(np.ptp(points, axis=0).max())
    waves = rng.normal(0.0, 3.0 / size, (12, 3))
    phases = points @ waves.T + rng.uniform(0.0, 2.0 * np.pi, 12)
    toward = rng.normal(0.0, 1.0, (12, 3))
    toward /= np.linalg.norm(toward, axis=1, keepdims=True)
    return np.asarray(0.025 * size * np.sin(phases).T[:, :, None] * toward[:, None], np.float32)


def _spread(points: Float32, candidates: Int64, count: int) -> Int64:
    """Candidates far from each other: each next one is the farthest from all before."""
    chosen = [int(candidates[np.argmax(points[candidates, 2])])]
    away = np.full(len(candidates), np.inf)
    for _ in range(count - 1):
        away = np.minimum(away, np.linalg.norm(points[candidates] - points[chosen[-1]], axis=1))
        chosen.append(int(candidates[np.argmax(away)]))
    return np.array(chosen, np.int64)


def _with_tongue(face: BlendshapeRig, segment: tuple[int, int]) -> BlendshapeRig:
    """The ICT face with a shape ``tongueOut``: the top of its tongue, and what lies beside it, drawn out of the mouth.

    Parameters
    ----------
    face : BlendshapeRig
    segment : (int, int)
        Vertices of gums and tongue, which are one surface.
    """
    rest = face.rest_vertices.astype(np.float64)
    inside = face.faces[(face.faces[:, 0] >= segment[0]) & (face.faces[:, 0] < segment[1])]
    normals = _normals(rest, inside)
    top = (np.abs(rest[:, 0]) < WIDE) & (normals[:, 1] > UP) & (rest[:, 1] < TOP) & (rest[:, 2] < FRONT)
    share = np.where(top, np.clip((rest[:, 2] - ROOT) / (FRONT - ROOT), 0.0, 1.0) ** 1.5, 0.0)
    for _ in range(ROUNDS):
        share = np.maximum(share * top, 0.95 * _averaged(share, inside))
    delta = (share[:, None] * REACH).astype(np.float32)
    deltas = np.concatenate([[face.column(k) for k in range(face.num_shapes)], delta[None]])
    combined = [(drivers, face.column(face.num_shapes + c)) for c, drivers in enumerate(face.combinations)]
    return BlendshapeRig(
        face.rest_vertices,
        deltas,
        combined,
        names=[*face.shape_names, "tongueOut"],
        faces=face.faces,
        metadata=face.metadata,
    )


def _normals(rest: Float64, faces: NDArray[np.int32]) -> Float64:
    sums = np.zeros_like(rest)
    crosses = np.cross(rest[faces[:, 2]] - rest[faces[:, 0]], rest[faces[:, 3]] - rest[faces[:, 1]])
    for corner in range(4):
        np.add.at(sums, faces[:, corner], crosses)
    return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12))


def _averaged(share: Float64, faces: NDArray[np.int32]) -> Float64:
    """Means of each vertex over the faces around it."""
    total, count = np.zeros_like(share), np.zeros_like(share)
    means = share[faces].mean(axis=1)
    for corner in range(4):
        np.add.at(total, faces[:, corner], means)
        np.add.at(count, faces[:, corner], 1.0)
    return np.asarray(total / np.maximum(count, 1.0))
