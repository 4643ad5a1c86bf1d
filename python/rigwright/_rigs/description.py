"""The parts of a rig with joints, linear skinning and morphs, checked when they are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright._rigs.rotations import globals_of
from rigwright._validate import bad_argument

ROTATIONS = ("rotate_x", "rotate_y", "rotate_z")
TRANSLATIONS = ("translate_x", "translate_y", "translate_z")
DIAL = "dial"
KINDS = (*ROTATIONS, *TRANSLATIONS, DIAL)

WEIGHT_SUM_TOLERANCE = 1e-3  # weights stored in 8 or 16 bits miss 1 by this much; larger is a mistake in the file
ROUNDING = 1e-14  # of a float64 sum of a few weights
SINGULAR = 1e-12  # determinant of a joint's rest transform, relative to the cube of its largest entry


def finite_array(values: ArrayLike, shape: tuple[int | None, ...], function: str, argument: str) -> NDArray[np.float64]:
    """``values`` as float64 after checking its shape (None: any length) and that all of it is finite in float32."""
    array = np.asarray(values)
    expected = f"a finite array ({', '.join('any' if size is None else str(size) for size in shape)})"
    fits = array.ndim == len(shape) and all(b is None or a == b for a, b in zip(array.shape, shape, strict=True))
    if not fits or array.dtype.kind not in "fiu":
        raise bad_argument(function, argument, f"{array.dtype} {array.shape}", expected)
    if not (np.abs(array) <= np.finfo(np.float32).max).all():
        raise bad_argument(function, argument, "not finite everywhere", expected)
    return array.astype(np.float64)


def index_array(
    values: ArrayLike, shape: tuple[int | None, ...], low: int, high: int, function: str, argument: str
) -> NDArray[np.int32]:
    """``values`` as int32 after checking its shape (None: any length) and that ``low <= value < high``."""
    array = np.asarray(values)
    expected = f"integers ({', '.join('any' if size is None else str(size) for size in shape)}) in [{low}, {high})"
    fits = array.ndim == len(shape) and all(b is None or a == b for a, b in zip(array.shape, shape, strict=True))
    if not fits or array.dtype.kind not in "iu":
        raise bad_argument(function, argument, f"{array.dtype} {array.shape}", expected)
    if array.size and (array.min() < low or array.max() >= high):
        raise bad_argument(function, argument, f"in [{array.min()}, {array.max()}]", expected)
    return array.astype(np.int32)


def check_names(names: Sequence[str], function: str, argument: str) -> list[str]:
    """``names`` as a list after checking that they are different, non-empty strings."""
    result = list(names)
    if not all(isinstance(name, str) and name for name in result):
        raise bad_argument(
            function, argument, "a list with an empty entry or no string", "different, non-empty strings"
        )
    if len(set(result)) != len(result):
        twice = next(name for name in result if result.count(name) > 1)
        raise bad_argument(function, argument, f"a list with {twice!r} twice", "different, non-empty strings")
    return result


@dataclass(frozen=True)
class Facts:
    """What travels with a rig: its name, unit, up axis, licence and where it comes from."""

    name: str = ""
    meters_per_unit: float = 1.0
    up_axis: str = "Y"
    licence: str = ""
    origin: str = ""

    def __post_init__(self) -> None:
        if not (np.isfinite(self.meters_per_unit) and self.meters_per_unit > 0):
            raise bad_argument("Facts", "meters_per_unit", repr(self.meters_per_unit), "a positive number")
        if self.up_axis not in ("X", "Y", "Z"):
            raise bad_argument("Facts", "up_axis", repr(self.up_axis), "X, Y or Z")


@dataclass(frozen=True)
class Joints:
    """A skeleton at rest.

    Attributes
    ----------
    names : list of J str
    parents : (J,) int32 array, -1 for a root, parents before children
    rest : (J, 3, 4) float64 array, parent-relative; a root's is its world transform
    """

    names: list[str]
    parents: NDArray[np.int32]
    rest: NDArray[np.float64]

    def __post_init__(self) -> None:
        names = check_names(self.names, "Joints", "names")
        count = len(names)
        if count == 0:
            raise bad_argument("Joints", "names", "empty", "at least one joint (a rig without joints has Joints None)")
        parents = index_array(self.parents, (count,), -1, count, "Joints", "parents")
        late = np.flatnonzero(parents >= np.arange(count))
        if len(late):
            joint = int(late[0])
            got = f"{parents[joint]} at joint {joint} ({names[joint]})"
            raise bad_argument("Joints", "parents", got, "smaller than the joint's own index (parents before children)")
        rest = finite_array(self.rest, (count, 3, 4), "Joints", "rest")
        scale = np.abs(rest[..., :3]).max((1, 2))
        flat = np.flatnonzero(~(np.abs(np.linalg.det(rest[..., :3])) > SINGULAR * scale**3))
        if len(flat):
            raise bad_argument(
                "Joints", "rest", f"singular at joint {names[flat[0]]}", "transforms that can be inverted"
            )
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "parents", parents)
        object.__setattr__(self, "rest", rest)

    @property
    def rest_globals(self) -> NDArray[np.float64]:
        """(J, 3, 4) world transforms at rest."""
        return globals_of(self.parents, self.rest)


@dataclass(frozen=True)
class Skin:
    """Which joints move which vertices.

    Attributes
    ----------
    joint : (V, K) int32 array of joint indices
    weight : (V, K) float64 array, not negative, each row normalized to the sum 1
    """

    joint: NDArray[np.int32]
    weight: NDArray[np.float64]

    def __post_init__(self) -> None:
        weight = finite_array(self.weight, (None, None), "Skin", "weight")
        joint = index_array(self.joint, weight.shape, 0, np.iinfo(np.int32).max, "Skin", "joint")
        if (weight < 0).any():
            raise bad_argument("Skin", "weight", f"as low as {weight.min():.4g}", "not negative")
        total = weight.sum(axis=1, keepdims=True)
        if (np.abs(total - 1) > WEIGHT_SUM_TOLERANCE).any():
            row = int(np.argmax(np.abs(total - 1)))
            expected = f"rows of sum 1 (to {WEIGHT_SUM_TOLERANCE})"
            raise bad_argument("Skin", "weight", f"of sum {total[row, 0]:.4g} at vertex {row}", expected)
        object.__setattr__(self, "joint", joint)
        if (np.abs(total - 1) > ROUNDING).any():  # else leave it, so that saved weights come back bit for bit
            weight = weight / total
        object.__setattr__(self, "weight", weight)


@dataclass(frozen=True)
class Channel:
    """One number that an artist turns.

    ``kind`` is ``rotate_x|y|z`` (degrees) or ``translate_x|y|z`` (scene units), both in the joint's rest frame, or
    ``dial`` (``joint`` -1: a numeric control of the pose row).
    """

    name: str
    kind: str
    joint: int
    low: float
    high: float
    rest: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise bad_argument("Channel", "kind", repr(self.kind), f"one of {', '.join(KINDS)}")
        if (self.joint == -1) != (self.kind == DIAL) or self.joint < -1:
            raise bad_argument("Channel", "joint", f"{self.joint} for a {self.kind}", "a joint, or -1 for a dial")
        if not (np.isfinite([self.low, self.high, self.rest]).all() and self.low <= self.rest <= self.high):
            got = f"[{self.low}, {self.high}] with rest {self.rest} ({self.name})"
            raise bad_argument("Channel", "range", got, "finite, with low <= rest <= high")


@dataclass(frozen=True)
class Morph:
    """A shape added in the rest pose before the joints bend, driven by channels.

    The amount is ``clip(sum_k slope_k channel_k + constant, *clamp)``.

    Attributes
    ----------
    name : str
    vertices : (n,) int32 array, ascending
    deltas : (n, 3) float32 array, world axes of the rest pose, scene units
    drivers : tuple of (channel index, slope)
    constant : float
    clamp : (low, high), may be infinite
    """

    name: str
    vertices: NDArray[np.int32]
    deltas: NDArray[np.float32]
    drivers: tuple[tuple[int, float], ...] = ()
    constant: float = 0.0
    clamp: tuple[float, float] = field(default=(-np.inf, np.inf))

    def __post_init__(self) -> None:
        vertices = index_array(self.vertices, (None,), 0, np.iinfo(np.int32).max, "Morph", "vertices")
        deltas = finite_array(self.deltas, (len(vertices), 3), "Morph", "deltas")
        if (np.diff(vertices) <= 0).any():
            raise bad_argument("Morph", "vertices", f"not ascending ({self.name})", "strictly ascending indices")
        slopes = np.array([slope for _, slope in self.drivers] + [self.constant], np.float64)
        if not np.isfinite(slopes).all():
            raise bad_argument("Morph", "drivers", f"not finite ({self.name})", "finite slopes and a finite constant")
        if not self.clamp[0] <= self.clamp[1]:
            raise bad_argument("Morph", "clamp", f"{self.clamp} ({self.name})", "a pair low <= high")
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "deltas", deltas.astype(np.float32))

    @classmethod
    def dense(cls, name: str, deltas: ArrayLike, **settings: Any) -> Morph:
        """A morph from (V, 3) displacements: keeps the vertices that move."""
        full = finite_array(deltas, (None, 3), "Morph.dense", "deltas").astype(np.float32)
        moving = np.flatnonzero(full.any(axis=1))
        return cls(name, moving.astype(np.int32), full[moving], **settings)
