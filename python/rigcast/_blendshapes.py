"""The arguments of ``rigcast.BlendshapeRig``: arrays, factors, names and metadata, checked for the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._hashing import padded_faces, topology_hash
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, is_text, metadata_text

_FUNCTION = "BlendshapeRig"
_UNCHECKED: Any = {"dtype": np.float32, "finite": False}  # the engine says where a number is not finite


@one_line
@dataclass(frozen=True)
class Tent:
    """A driver over the weight of a shape: 0 at ``x1``, 1 at ``x2``, 0 at ``x3`` and outside, straight between.

    An in-between shape is a combination with a tent: its offsets are in full effect where the weight is ``x2``.
    """

    shape: int
    x1: float
    x2: float
    x3: float


Factors = Sequence[int | Tent]


def combination_name(names: Sequence[str], factors: Factors) -> str:
    """``jawDrop * lipPucker_L``; in-betweens carry their peak: ``jawDrop@0.5``."""
    words = [f"{names[f.shape]}@{f.x2:g}" if isinstance(f, Tent) else names[f] for f in factors]
    return " * ".join(words)


def distinct(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Names with `` (2)``, `` (3)`` after those that stand before them or are taken."""
    used, result = set(taken), []
    for name in names:
        own, number = name, 1
        while own in used:
            number += 1
            own = f"{name} ({number})"
        used.add(own)
        result.append(own)
    return result


def column_names(rig: Any) -> list[str]:
    """The N names of a rig's columns: its shapes', then its combinations' own or those of their factors."""
    shapes = list(rig.shape_names)
    own = rig.metadata.get("combination_names")
    if own is not None:
        return [*shapes, *own]
    return [*shapes, *distinct((combination_name(shapes, factors) for factors in rig.combinations), shapes)]


class Dense(NamedTuple):
    """A rig in arrays, as the engine takes it."""

    neutral: NDArray[np.float32]  # (V, 3)
    deltas: NDArray[np.float32]  # (K, V, 3)
    corrections: list[NDArray[np.float32]]  # C of (V, 3)
    factor_offset: NDArray[np.int32]  # (C + 1,)
    factor_shape: NDArray[np.int32]  # (M,)
    factor_tent: NDArray[np.float32]  # (M, 3), zeros for a plain weight
    bounds: NDArray[np.float32]  # (K, 2)
    faces: NDArray[np.int32]  # (F, 4)
    is_int16: bool
    metadata: str


def dense(
    neutral: ArrayLike,
    deltas: ArrayLike,
    combinations: Sequence[tuple[Factors, ArrayLike]],
    names: Sequence[str] | None,
    bounds: ArrayLike,
    faces: ArrayLike | None,
    storage: str,
    metadata: Mapping[str, object] | None,
) -> Dense:
    """The arguments of ``rigcast.BlendshapeRig`` with types and shapes checked; the engine checks the numbers."""
    check = Arguments(_FUNCTION)
    vertices = check.numbers("neutral", neutral, "V 3", **_UNCHECKED)
    shapes = check.numbers("deltas", deltas, "K V 3", **_UNCHECKED)
    pairs = [_pair(c, combination) for c, combination in enumerate(_listed("combinations", combinations))]
    corrections = [
        check.numbers(f"combinations[{c}] delta", delta, "V 3", **_UNCHECKED) for c, (_, delta) in enumerate(pairs)
    ]
    corners = np.zeros((0, 4), np.int32) if faces is None else padded_faces(faces, _FUNCTION)
    ranges = check.numbers("bounds", bounds, "2", "K 2", **_UNCHECKED)
    ranges = np.tile(ranges, (len(shapes), 1)) if ranges.ndim == 1 else ranges
    offset, shape, tent = _factors([factors for factors, _ in pairs], len(shapes))
    if storage not in ("float32", "int16"):
        raise bad_argument(_FUNCTION, "storage", repr(storage), '"float32" or "int16"')
    text = _metadata_text(_names(names, len(shapes)), len(pairs), topology_hash(corners, len(vertices)), metadata)
    return Dense(vertices, shapes, corrections, offset, shape, tent, ranges, corners, storage == "int16", text)


def _listed(argument: str, values: Iterable[Any]) -> list[Any]:
    try:
        return list(values)
    except TypeError:
        raise bad_argument(_FUNCTION, argument, f"a {type(values).__name__}", "a sequence") from None


def _pair(index: int, combination: tuple[Factors, ArrayLike]) -> tuple[Factors, ArrayLike]:
    try:
        factors, delta = combination
        return tuple(factors), delta
    except (TypeError, ValueError):
        got = f"a {type(combination).__name__}"
        raise bad_argument(_FUNCTION, f"combinations[{index}]", got, "a pair of factors and offsets") from None


def _names(names: Sequence[str] | None, num_shapes: int) -> list[str]:
    if names is None:
        return [f"shape{k}" for k in range(num_shapes)]
    own = _listed("names", names)
    if len(own) != num_shapes or not all(isinstance(name, str) for name in own):
        raise bad_argument(_FUNCTION, "names", f"{len(own)} long", f"{num_shapes} texts, one per shape")
    unwritable = [name for name in own if not is_text(name)]
    if unwritable:
        raise bad_argument(_FUNCTION, "names", f"holding {unwritable[0]!r}", "Unicode text, without lone surrogates")
    repeated = sorted(name for name, count in Counter(own).items() if count > 1)
    if repeated:
        raise bad_argument(_FUNCTION, "names", f"holding {repeated[0]!r} more than once", "all different")
    return [str(name) for name in own]


def _factors(
    combinations: Sequence[Factors], num_shapes: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
    shape, tent, offset = [], [], [0]
    for c, factors in enumerate(combinations):
        rows = [_factor(f"combinations[{c}]", factor, num_shapes) for factor in factors]
        own = [row[0] for row in rows]
        if len(set(own)) != len(own):
            raise bad_argument(_FUNCTION, f"combinations[{c}]", f"a product over shapes {own}", "each shape once")
        if len(rows) < 2 and not any(isinstance(factor, Tent) for factor in factors):
            got = f"a product of {len(rows)} factors"
            raise bad_argument(_FUNCTION, f"combinations[{c}]", got, "two factors or more, or a single tent")
        shape += own
        tent += [row[1] for row in rows]
        offset.append(len(shape))
    return np.array(offset, np.int32), np.array(shape, np.int32), np.array(tent, np.float32).reshape(-1, 3)


def _factor(argument: str, factor: int | Tent, num_shapes: int) -> tuple[int, tuple[float, float, float]]:
    points = (0.0, 0.0, 0.0)
    index: object = factor
    if isinstance(factor, Tent):
        points = _points(factor)
        index = factor.shape
        with np.errstate(invalid="ignore", over="ignore"):
            sides = np.diff(np.array(points, np.float32))
            usable = (sides >= np.finfo(np.float32).tiny).all() and np.isfinite(sides.sum())
        if not usable:
            expected = "a tent with x1 < x2 < x3, with distances and slopes that are finite"
            raise bad_argument(_FUNCTION, argument, f"{factor}", expected)
    if isinstance(index, bool) or not isinstance(index, (int, np.integer)) or not 0 <= index < num_shapes:
        raise bad_argument(_FUNCTION, argument, f"a factor over shape {index!r}", f"shapes 0 to {num_shapes - 1}")
    return int(index), points


def _points(tent: Tent) -> tuple[float, float, float]:
    """As they are stored; NaN for what is no number."""
    try:
        with np.errstate(over="ignore"):
            x1, x2, x3 = np.array([tent.x1, tent.x2, tent.x3], np.float64).astype(np.float32).tolist()
        return x1, x2, x3
    except (TypeError, ValueError):
        return np.nan, np.nan, np.nan


def _metadata_text(
    names: list[str], num_combinations: int, mesh_hash: str, metadata: Mapping[str, object] | None
) -> str:
    if metadata is not None and not isinstance(metadata, Mapping):
        raise bad_argument(_FUNCTION, "metadata", f"a {type(metadata).__name__}", "a mapping")
    given = dict(metadata or {})
    constructed = given.get("constructed", [])
    if not isinstance(constructed, list) or not all(isinstance(name, str) for name in constructed):
        raise bad_argument("metadata", "constructed", repr(constructed), "a list of names of columns")
    if "combination_names" in given:
        given["combination_names"] = _combination_names(given["combination_names"], names, num_combinations)
    about = {"name": "", "meters_per_unit": 1.0, "up_axis": "Y", "licence": "", "origin": "", "constructed": []}
    about |= given
    about |= {
        "kind": "blendshape",
        "version": 1,
        "joint_names": [],
        "numeric_controls": names,
        "topology_hash": mesh_hash,
    }
    return metadata_text(_FUNCTION, about)


def _combination_names(given: object, shapes: list[str], count: int) -> list[str]:
    """The names of C combinations, made distinct: shape keys that become several combinations give theirs to each."""
    if not isinstance(given, list) or len(given) != count or not all(isinstance(name, str) for name in given):
        got = f"{len(given)} long" if isinstance(given, list) else repr(given)
        raise bad_argument("metadata", "combination_names", got, f"a list of {count} texts, one per combination")
    return distinct(given, shapes)
