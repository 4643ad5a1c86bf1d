"""The parts of a rig with joints, linear skinning and morphs, checked when they are made."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._rigs.rotations import globals_of
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument

ROTATIONS = ("rotate_x", "rotate_y", "rotate_z")
TRANSLATIONS = ("translate_x", "translate_y", "translate_z")
LARGEST = float(np.finfo(np.float32).max)  # end of a range, since poses are float32
DIAL = "dial"
KINDS = (*ROTATIONS, *TRANSLATIONS, DIAL)

MOST_INFLUENCES = 64  # joints per vertex that data sets keep of a skin
WEIGHT_SUM_TOLERANCE = 1e-3  # weights stored in 8 or 16 bits miss 1 by this much; larger is a mistake in the file
ROUNDING = 1e-14  # of a float64 sum of a few weights
SINGULAR = 1e-12  # determinant of a joint's rest transform, relative to the cube of its largest entry


@one_line
@dataclass(frozen=True)
class Facts:
    """Metadata of a rig: name, unit, up axis, licence and where it comes from."""

    name: str = ""
    meters_per_unit: float = 1.0
    up_axis: str = "Y"
    licence: str = ""
    origin: str = ""

    def __post_init__(self) -> None:
        Arguments("Facts").unit("meters_per_unit", self.meters_per_unit)
        if self.up_axis not in ("X", "Y", "Z"):
            raise bad_argument("Facts", "up_axis", repr(self.up_axis), "X, Y or Z")


@one_line
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
        check = Arguments("Joints")
        names = check.names("names", self.names)
        count = check.sizes["J"] = len(names)
        if count == 0:
            raise bad_argument("Joints", "names", "empty", "at least one joint (a rig without joints has Joints None)")
        parents = check.integers("parents", self.parents, "J", low=-1, below=count, dtype=np.int32)
        late = np.flatnonzero(parents >= np.arange(count))
        if len(late):
            joint = int(late[0])
            got = f"{parents[joint]} at joint {joint} ({names[joint]})"
            raise bad_argument("Joints", "parents", got, "smaller than the joint's own index (parents before children)")
        rest = np.array(check.numbers("rest", self.rest, "J 3 4", narrow=True))
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


@one_line
@dataclass(frozen=True)
class Skin:
    """The joints that move each vertex, with weights.

    Attributes
    ----------
    joint : (V, K) int32 array of joint indices
    weight : (V, K) float64 array, not negative, each row normalized to the sum 1
    """

    joint: NDArray[np.int32]
    weight: NDArray[np.float64]

    def __post_init__(self) -> None:
        check = Arguments("Skin")
        weight = np.array(check.numbers("weight", self.weight, "V K", narrow=True))
        joint = check.integers("joint", self.joint, "V K", dtype=np.int32)
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

    def narrowed(self) -> Skin:
        """The largest weights of each vertex first, in as many columns as some vertex needs, at most 64.

        Returns
        -------
        Skin
            Rows of sum 1.
        """
        most = min(MOST_INFLUENCES, int((self.weight > 0).sum(axis=1).max(initial=1)))
        order = np.argsort(-self.weight, axis=1, kind="stable")[:, :most]
        joint = np.take_along_axis(self.joint, order, axis=1)
        weight = np.take_along_axis(self.weight, order, axis=1)
        return Skin(joint, weight / weight.sum(axis=1, keepdims=True))


@one_line
@dataclass(frozen=True)
class RigChannel:
    """One channel of a :class:`SkinnedRig` that you build: a number that an artist sets, with its range and joint.

    ``kind`` is ``rotate_x|y|z`` (degrees) or ``translate_x|y|z`` (scene units), both in the joint's rest frame, or
    ``dial`` (``joint`` -1: a numeric control of the pose row).

    Examples
    --------
    >>> rc.sources.RigChannel("elbow.rx", "rotate_x", joint=1, low=0.0, high=130.0).kind
    'rotate_x'
    """

    name: str
    kind: str
    joint: int
    low: float
    high: float
    rest: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise bad_argument("RigChannel", "kind", repr(self.kind), f"one of {', '.join(KINDS)}")
        if (self.joint == -1) != (self.kind == DIAL) or self.joint < -1:
            raise bad_argument("RigChannel", "joint", f"{self.joint} for a {self.kind}", "a joint, or -1 for a dial")
        if not (self.low >= -LARGEST and self.high <= LARGEST and self.low <= self.rest <= self.high):
            got = f"[{self.low}, {self.high}] with rest {self.rest} ({self.name})"
            raise bad_argument("RigChannel", "range", got, "finite in float32, with low <= rest <= high")


Factor = tuple[int, tuple[float, float, float] | None]  # a channel, and the tent over it if there is one


@one_line
@dataclass(frozen=True)
class Morph:
    """A shape added in the rest pose before the joints bend, driven by channels.

    The amount is ``clip(sum_k slope_k channel_k + constant, *clamp)``, times the product of its factors: a corrective
    has no drivers, the constant 1, and the channels that it belongs to as factors.

    Attributes
    ----------
    name : str
    vertices : (n,) int32 array, ascending
    deltas : (n, 3) float32 array, world axes of the rest pose, scene units
    drivers : tuple of (channel index, slope)
    constant : float
    clamp : (low, high), may be infinite
    factors : tuple of (channel index, tent)
        The channel itself if the tent is None, else a tent over it (x1, x2, x3): 0 at x1, 1 at x2, 0 at x3 and
        outside, straight between.
    """

    name: str
    vertices: NDArray[np.int32]
    deltas: NDArray[np.float32]
    drivers: tuple[tuple[int, float], ...] = ()
    constant: float = 0.0
    clamp: tuple[float, float] = field(default=(-np.inf, np.inf))
    factors: tuple[Factor, ...] = ()

    def __post_init__(self) -> None:
        check = Arguments("Morph")
        vertices = check.integers("vertices", self.vertices, "n", dtype=np.int32)
        deltas = check.numbers("deltas", self.deltas, "n 3", dtype=np.float32)
        if (np.diff(vertices) <= 0).any():
            raise bad_argument("Morph", "vertices", f"not ascending ({self.name})", "strictly ascending indices")
        slopes = np.array([slope for _, slope in self.drivers] + [self.constant], np.float64)
        if not np.isfinite(slopes).all():
            raise bad_argument("Morph", "drivers", f"not finite ({self.name})", "finite slopes and a finite constant")
        if not self.clamp[0] <= self.clamp[1]:
            raise bad_argument("Morph", "clamp", f"{self.clamp} ({self.name})", "a pair low <= high")
        for _, tent in self.factors:
            if tent is not None and not (np.isfinite(tent).all() and tent[0] < tent[1] < tent[2]):
                raise bad_argument("Morph", "factors", f"{tent} ({self.name})", "a tent of finite x1 < x2 < x3")
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "deltas", np.array(deltas))

    @classmethod
    def dense(
        cls,
        name: str,
        deltas: ArrayLike,
        drivers: tuple[tuple[int, float], ...] = (),
        *,
        constant: float = 0.0,
        clamp: tuple[float, float] = (-np.inf, np.inf),
        factors: tuple[Factor, ...] = (),
    ) -> Morph:
        """A morph from (V, 3) displacements: keeps the vertices that move. The other arguments are its attributes."""
        full = Arguments("Morph.dense").numbers("deltas", deltas, "V 3", dtype=np.float32)
        moving = np.flatnonzero(full.any(axis=1))
        return cls(name, moving.astype(np.int32), full[moving], drivers, constant, clamp, factors)
