"""The tensors of a blendshape rig from arrays; ``rigwright.BlendshapeRig`` is made of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright.errors import bad_argument
from rigwright.hashing import padded_faces, topology_hash

WINDOW = 512  # vertices whose groups are formed together, as in cpp/rigwright/rig/blendshapes/grouped_columns.h

_FUNCTION = "BlendshapeRig"


@dataclass(frozen=True)
class Tent:
    """A factor over the weight of a shape: 0 at ``x1``, 1 at ``x2``, 0 at ``x3`` and outside, straight between.

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


def tensors(
    neutral: ArrayLike,
    deltas: ArrayLike,
    combinations: Sequence[tuple[Factors, ArrayLike]],
    names: Sequence[str] | None,
    bounds: ArrayLike,
    faces: ArrayLike | None,
    storage: str,
    metadata: Mapping[str, object] | None,
) -> tuple[dict[str, NDArray[Any]], str]:
    """The tensors and the metadata text of a rig; parameters and errors are those of ``rigwright.BlendshapeRig``."""
    vertices = _numbers("neutral", neutral, (None, 3))
    shapes = _numbers("deltas", deltas, (None, len(vertices), 3))
    pairs = [_pair(c, combination) for c, combination in enumerate(_listed("combinations", combinations))]
    corrections = [
        _numbers(f"combinations[{c}] delta", delta, (len(vertices), 3)) for c, (_, delta) in enumerate(pairs)
    ]
    columns = [*shapes, *corrections]
    if not len(shapes):
        raise bad_argument(_FUNCTION, "deltas", "empty", "one shape or more")
    if not len(vertices):
        raise bad_argument(_FUNCTION, "neutral", "empty", "one vertex or more")
    made: dict[str, NDArray[Any]] = {
        "rest_vertices": vertices,
        "faces": _faces(faces, len(vertices)),
        "control_ranges": _bounds(bounds, len(shapes)),
    }
    made |= _factor_tensors([factors for factors, _ in pairs], len(shapes))
    if storage == "int16":
        made |= _halved(columns)
    elif storage == "float32":
        made |= _grouped(columns, "blendshape.delta")
    else:
        raise bad_argument(_FUNCTION, "storage", repr(storage), '"float32" or "int16"')
    return made, _metadata_text(_names(names, len(shapes)), made, metadata)


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


def _array(argument: str, value: ArrayLike) -> NDArray[Any]:
    try:
        return np.asarray(value)
    except ValueError:
        raise bad_argument(_FUNCTION, argument, "ragged", "an array of numbers") from None


def _numbers(argument: str, value: ArrayLike, shape: tuple[int | None, ...]) -> NDArray[np.float32]:
    """A finite contiguous float32 array; None leaves an extent open."""
    array = _array(argument, value)
    fits = array.dtype.kind in "fiu" and array.ndim == len(shape)
    if not fits or any(n is not None and n != m for n, m in zip(shape, array.shape, strict=True)):
        expected = ", ".join("any" if n is None else str(n) for n in shape)
        raise bad_argument(_FUNCTION, argument, f"{array.dtype} {array.shape}", f"numbers ({expected})")
    with np.errstate(over="ignore"):
        narrow = np.ascontiguousarray(array, np.float32)
    if not np.isfinite(narrow).all():
        raise bad_argument(_FUNCTION, argument, "not finite everywhere", "finite")
    return narrow


def _faces(faces: ArrayLike | None, num_vertices: int) -> NDArray[np.int32]:
    if faces is None:
        return np.zeros((0, 4), np.int32)
    corners = padded_faces(faces, _FUNCTION)
    pad = np.zeros(corners.shape, bool)
    pad[:, 3] = corners[:, 3] == -1
    if not (pad | ((corners >= 0) & (corners < num_vertices))).all():
        raise bad_argument(_FUNCTION, "faces", "out of range somewhere", f"vertex indices below {num_vertices}")
    return corners


def _bounds(bounds: ArrayLike, num_shapes: int) -> NDArray[np.float32]:
    array = _array("bounds", bounds)
    ranges = np.tile(array, (num_shapes, 1)) if array.shape == (2,) else array
    checked = _numbers("bounds", ranges, (num_shapes, 2))
    wrong = np.flatnonzero(checked[:, 0] > checked[:, 1])
    if len(wrong):
        got = f"{checked[wrong[0]].tolist()} for shape {wrong[0]}"
        raise bad_argument(_FUNCTION, "bounds", got, "the lower bound first")
    return checked


def _names(names: Sequence[str] | None, num_shapes: int) -> list[str]:
    if names is None:
        return [f"shape{k}" for k in range(num_shapes)]
    own = _listed("names", names)
    if len(own) != num_shapes or not all(isinstance(name, str) for name in own):
        raise bad_argument(_FUNCTION, "names", f"{len(own)} long", f"{num_shapes} texts, one a shape")
    repeated = sorted(name for name, count in Counter(own).items() if count > 1)
    if repeated:
        raise bad_argument(_FUNCTION, "names", f"holding {repeated[0]!r} more than once", "all different")
    return [str(name) for name in own]


def _factor_tensors(combinations: Sequence[Factors], num_shapes: int) -> dict[str, NDArray[Any]]:
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
    return {
        "blendshape.factor.offset": np.array(offset, np.int32),
        "blendshape.factor.shape": np.array(shape, np.int32),
        "blendshape.factor.tent": np.array(tent, np.float32).reshape(-1, 3),
    }


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


def _halved(columns: Sequence[NDArray[np.float32]]) -> dict[str, NDArray[Any]]:
    """16-bit numbers: of each column whole multiples of its scale, the largest coordinate / 32767."""
    scale = np.array([np.abs(column).max(initial=0.0) / 32767.0 for column in columns], np.float32)
    steps = np.where(scale > 0, scale, 1.0)
    whole = [
        np.clip(np.rint(column / step), -32767, 32767).astype(np.int16)
        for column, step in zip(columns, steps, strict=True)
    ]
    made = _grouped(whole, "blendshape.delta16")
    numbers = made["blendshape.delta16"]
    padded = np.append(numbers, np.zeros(len(numbers) % 2, np.int16))
    return made | {"blendshape.delta16": padded.astype("<i2").view("<i4"), "blendshape.scale": scale}


def _grouped(columns: Sequence[NDArray[Any]], name: str) -> dict[str, NDArray[Any]]:
    """The groups of vertices that the same columns move (cpp/rigwright/rig/blendshapes/grouped_columns.h)."""
    num_vertices = len(columns[0])
    moved = np.zeros((num_vertices, -(-len(columns) // 32) * 32), bool)
    for n, column in enumerate(columns):
        moved[:, n] = (column != 0).any(axis=1)
    bits = np.packbits(moved, axis=1, bitorder="little").view("<i4")
    members, words = [], []
    numbers = [np.zeros(0, columns[0].dtype)]
    for first in range(0, num_vertices, WINDOW):
        own = slice(first, first + WINDOW)
        offsets = np.stack([column[own] for column in columns])
        distinct, group = np.unique(bits[own], axis=0, return_inverse=True)
        for g, columns_of_group in enumerate(distinct):
            if not columns_of_group.any():
                continue  # still
            inside = np.flatnonzero(group.reshape(-1) == g)
            members.append(first + inside)
            words.append(columns_of_group)
            numbers.append(offsets[np.ix_(np.flatnonzero(moved[first + inside[0]]), inside)].reshape(-1))
    return {
        "blendshape.group.offset": np.cumsum([0, *map(len, members)]).astype(np.int32),
        "blendshape.group.vertex": np.concatenate([np.zeros(0, np.int32), *members]).astype(np.int32),
        "blendshape.group.columns": np.array(words, np.int32).reshape(-1, bits.shape[1]),
        name: np.concatenate(numbers),
    }


def _metadata_text(names: list[str], made: dict[str, NDArray[Any]], metadata: Mapping[str, object] | None) -> str:
    if metadata is not None and not isinstance(metadata, Mapping):
        raise bad_argument(_FUNCTION, "metadata", f"a {type(metadata).__name__}", "a mapping")
    given = dict(metadata or {})
    axis = given.get("up_axis", "Y")
    if axis not in ("X", "Y", "Z"):
        raise bad_argument("metadata", "up_axis", repr(axis), '"X", "Y" or "Z"')
    constructed = given.get("constructed", [])
    if not isinstance(constructed, list) or not all(isinstance(name, str) for name in constructed):
        raise bad_argument("metadata", "constructed", repr(constructed), "a list of names of columns")
    if "combination_names" in given:
        count = len(made["blendshape.factor.offset"]) - 1
        given["combination_names"] = _combination_names(given["combination_names"], names, count)
    about = {"name": "", "meters_per_unit": 1.0, "up_axis": "Y", "licence": "", "origin": "", "constructed": []}
    about |= given
    about |= {
        "kind": "blendshape",
        "version": 1,
        "joint_names": [],
        "numeric_controls": names,
        "topology_hash": topology_hash(made["faces"], len(made["rest_vertices"])),
    }
    try:
        return json.dumps(about, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise bad_argument(_FUNCTION, "metadata", f"no JSON ({error})", "what JSON can hold") from None


def _combination_names(given: object, shapes: list[str], count: int) -> list[str]:
    """The names of C combinations, made distinct: shape keys that become several combinations give theirs to each."""
    if not isinstance(given, list) or len(given) != count or not all(isinstance(name, str) for name in given):
        got = f"{len(given)} long" if isinstance(given, list) else repr(given)
        raise bad_argument("metadata", "combination_names", got, f"a list of {count} texts, one a combination")
    return distinct(given, shapes)
