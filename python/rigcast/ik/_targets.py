"""Targets of a pose: positions for points of the skin and for joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, shown

VALUES = 9  # numbers that describe a target in a frame
SkinPoint = int | Sequence[int]


@one_line
@dataclass(frozen=True)
class Point:
    """A point of the skin shall be at a position.

    Parameters
    ----------
    vertex : int or three of them
        Index of a vertex of the model; or the corners of a triangle, with ``barycentric``. Of a skeleton: a joint.
    position : (3,) or (T, 3)
        In the rig's unit; one for all frames, or one per frame.
    weight : float
        Factor of the squared distance.
    hard : bool
        Whether it comes before all targets that are not hard.
    barycentric : (3,), optional
        Weights of the three corners.

    Examples
    --------
    >>> rc.ik.Point(7, [0.0, 1.0, 0.0], weight=2.0).weight
    2.0
    """

    kind: ClassVar[int] = 0
    vertex: SkinPoint
    position: ArrayLike
    weight: float = 1.0
    hard: bool = False
    barycentric: ArrayLike | None = None

    def points(self) -> list[tuple[SkinPoint, ArrayLike | None]]:
        return [(self.vertex, self.barycentric)]

    def values(self) -> list[tuple[str, ArrayLike, str]]:
        return [("position", self.position, "3")]


@one_line
@dataclass(frozen=True)
class Ray:
    """A point of the skin shall lie on a viewing ray: a target in an image.

    Parameters
    ----------
    vertex : int or three of them
        As in :class:`Point`.
    origin, direction : (3,) or (T, 3)
        The line through ``origin`` along ``direction``, of any length above 0. Its error is the distance to the line.
    weight, hard, barycentric
        As in :class:`Point`.

    Examples
    --------
    >>> rc.ik.Ray(7, origin=[0.0, 1.0, 5.0], direction=[0.0, 0.0, -1.0]).hard
    False
    """

    kind: ClassVar[int] = 1
    vertex: SkinPoint
    origin: ArrayLike
    direction: ArrayLike
    weight: float = 1.0
    hard: bool = False
    barycentric: ArrayLike | None = None

    def points(self) -> list[tuple[SkinPoint, ArrayLike | None]]:
        return [(self.vertex, self.barycentric)]

    def values(self) -> list[tuple[str, ArrayLike, str]]:
        return [("origin", self.origin, "3"), ("direction", self.direction, "3")]


@one_line
@dataclass(frozen=True)
class Orientation:
    """A joint shall have a global orientation.

    Parameters
    ----------
    joint : str or int
    rotation : (3, 3) or (T, 3, 3)
        The rotation of the joint's global transform. Its error is an angle in radians; in the objective a radian
        counts as a tenth of the character's size.
    weight, hard
        As in :class:`Point`.

    Examples
    --------
    >>> rc.ik.Orientation("hand", np.eye(3)).joint
    'hand'
    """

    kind: ClassVar[int] = 2
    joint: str | int
    rotation: ArrayLike
    weight: float = 1.0
    hard: bool = False

    def points(self) -> list[tuple[SkinPoint, ArrayLike | None]]:
        return []

    def values(self) -> list[tuple[str, ArrayLike, str]]:
        return [("rotation", self.rotation, "3 3")]


@one_line
@dataclass(frozen=True)
class Distance:
    """Two points of the skin shall have a distance, as of hands that hold something.

    Parameters
    ----------
    first, second : int or three of them
        As ``vertex`` of :class:`Point`.
    length : float or (T,)
        In the rig's unit.
    weight, hard
        As in :class:`Point`.
    first_barycentric, second_barycentric : (3,), optional

    Examples
    --------
    >>> rc.ik.Distance(7, 12, 0.3).length
    0.3
    """

    kind: ClassVar[int] = 3
    first: SkinPoint
    second: SkinPoint
    length: ArrayLike
    weight: float = 1.0
    hard: bool = False
    first_barycentric: ArrayLike | None = None
    second_barycentric: ArrayLike | None = None

    def points(self) -> list[tuple[SkinPoint, ArrayLike | None]]:
        return [(self.first, self.first_barycentric), (self.second, self.second_barycentric)]

    def values(self) -> list[tuple[str, ArrayLike, str]]:
        return [("length", self.length, "")]


Target = Point | Ray | Orientation | Distance
Goals = tuple[NDArray[Any], ...]  # what the engine's solver takes


@dataclass(frozen=True)
class PackedTargets:
    """Targets as the engine takes them: ``goals`` with vertices of the whole model, and their numbers per frame."""

    kinds: NDArray[np.int32]  # (M,)
    points: NDArray[np.int32]  # (M, 2, 3)
    barycentric: NDArray[np.float64]  # (M, 2, 3)
    joints: NDArray[np.int32]  # (M,)
    weights: NDArray[np.float64]  # (M,)
    hard: NDArray[np.int32]  # (M,)
    values: NDArray[np.float64]  # (T, M, VALUES)

    def vertices(self) -> NDArray[np.int32]:
        """The vertices that targets refer to, ascending."""
        if (self.kinds <= Ray.kind).all() and (self.barycentric[:, 0, 1:] == 0).all():
            return np.asarray(np.unique(self.points[:, 0, 0]), np.int32)
        used = np.ones(self.points.shape, bool)
        used[self.kinds == Orientation.kind] = False
        used[self.kinds != Distance.kind, 1] = False
        return np.asarray(np.unique(self.points[used & (self.barycentric != 0)]), np.int32)

    def goals(self, vertices: NDArray[np.int32]) -> Goals:
        """The engine's arrays for the model of the given vertices, those of :meth:`vertices`."""
        points = np.minimum(np.searchsorted(vertices, self.points), max(len(vertices) - 1, 0)).astype(np.int32)
        return self.kinds, points, self.barycentric, self.joints, self.weights, self.hard


def point_goals(vertices: NDArray[np.int32], weights: NDArray[np.float64]) -> Goals:
    """Goals of points at vertices (M,), for the model of those vertices."""
    count = len(vertices)
    places = np.unique(vertices, return_inverse=True)[1].reshape(-1)
    points = np.repeat(places.astype(np.int32), 6).reshape(count, 2, 3)
    none = np.zeros(count, np.int32)
    corners = np.zeros((count, 2, 3))
    corners[:, :, 0] = 1.0
    return none, points, corners, none - 1, weights, none


def point_values(positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """The numbers (T, M, VALUES) of points at positions (T, M, 3)."""
    values = np.zeros((*positions.shape[:2], VALUES))
    values[:, :, :3] = positions
    return values


def pack_targets(function: str, targets: Sequence[Any], num_vertices: int, joints: list[str]) -> PackedTargets:
    """Targets of a list, checked.

    Raises
    ------
    ValueError
        If one is no target, refers to no vertex or joint, or has a number that is not finite or of another shape.
    """
    for i, target in enumerate(targets):
        if not isinstance(target, Target):
            expected = "a rigcast.ik.Point, Ray, Orientation or Distance"
            raise bad_argument(function, f"targets[{i}]", f"a {type(target).__name__}", expected)
    count = len(targets)
    points, corners = np.zeros((count, 2, 3), np.int32), np.zeros((count, 2, 3))
    corners[:, :, 0] = 1.0
    indices, rows = np.full(count, -1, np.int32), []
    for i, target in enumerate(targets):
        check = Arguments(function)
        name = f"targets[{i}]"
        for place, (vertex, barycentric) in enumerate(target.points()):
            points[i, place], corners[i, place] = _skin_point(check, name, vertex, barycentric, num_vertices)
        if isinstance(target, Orientation):
            indices[i] = _joint(function, name, target.joint, joints)
        rows.append(_values(check, name, target))
    frames = _frames(function, rows)
    values = np.zeros((frames, count, VALUES))
    for i, row in enumerate(rows):
        values[:, i, : row.shape[1]] = row
    check = Arguments(function)
    return PackedTargets(
        np.array([target.kind for target in targets], np.int32),
        points,
        corners,
        indices,
        np.array([check.number(f"targets[{i}].weight", t.weight, least=0.0) for i, t in enumerate(targets)]),
        np.array([bool(target.hard) for target in targets], np.int32),
        values,
    )


def _skin_point(
    check: Arguments, name: str, vertex: SkinPoint, barycentric: ArrayLike | None, num_vertices: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    if barycentric is None:
        index = check.integers(f"{name}.vertex", np.asarray(vertex), "", below=num_vertices, dtype=np.int32)
        return np.repeat(index, 3), np.array([1.0, 0.0, 0.0])
    corners = check.integers(f"{name}.vertex", np.asarray(vertex), "3", below=num_vertices, dtype=np.int32)
    return corners, check.numbers(f"{name}.barycentric", barycentric, "3")


def _joint(function: str, name: str, joint: str | int, joints: list[str]) -> int:
    if not joints:
        raise bad_argument(function, "model", "without a skeleton", "one with joints to orient")
    if isinstance(joint, str):
        if joint not in joints:
            raise bad_argument(function, f"{name}.joint", shown(joint), "the name of a joint of the model")
        return joints.index(joint)
    return Arguments(function).whole(f"{name}.joint", joint, most=len(joints) - 1)


def _values(check: Arguments, name: str, target: Target) -> NDArray[np.float64]:
    """The numbers of a target, (1, n) or (T, n)."""
    parts = []
    for argument, value, shape in target.values():
        array = check.numbers(f"{name}.{argument}", value, shape, f"T+ {shape}".rstrip())
        axes = len(shape.split())
        parts.append(array.reshape(1 if array.ndim == axes else len(array), -1))
    frames = max(map(len, parts))
    return np.concatenate([np.broadcast_to(part, (frames, part.shape[1])) for part in parts], axis=1)


def _frames(function: str, rows: list[NDArray[np.float64]]) -> int:
    counts = {len(row) for row in rows} - {1}
    if len(counts) > 1:
        got = f"of {' and of '.join(map(str, sorted(counts)))} frames"
        raise bad_argument(function, "targets", got, "of one number of frames")
    return counts.pop() if counts else 1
