"""What ``pack_expressions`` takes, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright._hashing import padded_faces
from rigwright._validate import bad_argument

FUNCTION = "pack_expressions"
FARTHEST = 1e12  # squares of distances, summed over a mesh, are float32 numbers still


@dataclass(frozen=True)
class Face:
    """The rig: neutral (V, 3), shapes (K, V, 3) as positions, faces (F, 4), the target's neutral, K names."""

    neutral: NDArray[np.float32]
    shapes: NDArray[np.float32]
    faces: NDArray[np.int32]
    target: NDArray[np.float32] | None
    names: list[str]


def checked_face(
    neutral: ArrayLike, shapes: ArrayLike, faces: ArrayLike, target: ArrayLike | None, names: Sequence[str] | None
) -> Face:
    """The arrays of a face rig that fit together."""
    rest = _numbers("neutral", neutral, (None, 3))
    moved = _numbers("shapes", shapes, (None, *rest.shape))
    corners = padded_faces(faces, FUNCTION)
    used = corners[corners != -1]
    if used.size and (used.min() < 0 or used.max() >= len(rest)):
        got = f"vertex {used.min() if used.min() < 0 else used.max()} somewhere"
        raise bad_argument(FUNCTION, "faces", got, f"vertices from 0 to {len(rest) - 1}")
    other = None if target is None else _numbers("target_neutral", target, rest.shape)
    if isinstance(names, str):
        raise bad_argument(FUNCTION, "names", "a str", "a sequence of them")
    labels = [f"shape{k}" for k in range(len(moved))] if names is None else [str(name) for name in names]
    if len(labels) != len(moved):
        raise bad_argument(FUNCTION, "names", f"{len(labels)} names", f"{len(moved)} names")
    _check_positions(rest, moved)
    return Face(rest, moved, corners, other, labels)


def check_range(argument: str, value: float, low: float, high: float, open_end: bool = False) -> None:
    """A number between bounds."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not (low <= value <= high) or (open_end and value == high):
        interval = f"a number in [{low:g}, {high:g}{')' if open_end else ']'}"
        raise bad_argument(FUNCTION, argument, repr(value), interval)


def check_count(argument: str, value: int) -> None:
    """A whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise bad_argument(FUNCTION, argument, repr(value), "a whole number of at least 1")


def left_out(without: Sequence[int], names: list[str]) -> set[int]:
    """Shapes that the user leaves out; not all of them."""
    shapes = set(_shapes("without", "", without, len(names)))
    if names and len(shapes) == len(names):
        raise bad_argument(FUNCTION, "without", "every shape", "such that one stays to be packed")
    return shapes


def refused_sets(reject: Sequence[Sequence[int]], names: list[str], absent: set[int]) -> list[frozenset[int]]:
    """Sets of shapes that must not stand together; those with an absent shape never do."""
    if not _several(reject):
        raise bad_argument(FUNCTION, "reject", repr(reject), "a sequence of sets of shapes")
    refused = []
    for given in reject:
        shapes = frozenset(_shapes("reject", "with ", given, len(names)))
        if shapes & absent:
            continue
        if len(shapes) < 2:
            together = ", ".join(names[k] for k in shapes) or "no shape"
            got = f"{list(given)!r}, which leaves {together} without any expression"
            raise bad_argument(FUNCTION, "reject", got, "sets of two shapes or more (`without` leaves single ones out)")
        refused.append(shapes)
    return refused


def refused_positions(reject_at: Mapping[int, Sequence[int]], names: list[str]) -> dict[int, list[int]]:
    """Shapes refused for the expression at a position."""
    if not isinstance(reject_at, Mapping):
        raise bad_argument(FUNCTION, "reject_at", repr(reject_at), "a mapping from positions to shapes")
    refused = {}
    for position, shapes in reject_at.items():
        if isinstance(position, bool) or not isinstance(position, int | np.integer) or position < 0:
            raise bad_argument(FUNCTION, "reject_at", f"with position {position!r}", "positions from 0")
        refused[int(position)] = _shapes("reject_at", "with ", shapes, len(names))
    return refused


def _several(given: Any) -> bool:
    return isinstance(given, Sequence | np.ndarray) and not isinstance(given, str)


def _shapes(argument: str, prefix: str, given: Any, count: int) -> list[int]:
    try:
        shapes = [int(k) for k in given if not isinstance(k, bool | float | str)]
        complete = len(shapes) == len(given) and all(0 <= k < count for k in shapes)
    except TypeError:
        complete = False
    if not complete:
        raise bad_argument(FUNCTION, argument, f"{prefix}{given!r}", f"lists of shapes from 0 to {count - 1}")
    return shapes


def _numbers(argument: str, given: ArrayLike, shape: tuple[int | None, ...]) -> NDArray[np.float32]:
    try:
        array = np.asarray(given)
    except ValueError:  # rows of different lengths
        array = np.asarray(None)
    must = f"numbers ({', '.join('any' if extent is None else str(extent) for extent in shape)})"
    fits = array.ndim == len(shape) and all(want in (None, have) for want, have in zip(shape, array.shape, strict=True))
    if array.dtype.kind not in "iuf" or not fits:
        raise bad_argument(FUNCTION, argument, f"{array.dtype} {array.shape}", must)
    if not np.isfinite(array).all():
        raise bad_argument(FUNCTION, argument, "not finite everywhere", "finite")
    largest = float(np.abs(array).max(initial=0.0))
    if largest > FARTHEST:
        raise bad_argument(FUNCTION, argument, f"{largest:g} somewhere", f"at most {FARTHEST:g}")
    return np.ascontiguousarray(array, np.float32)


def _check_positions(rest: NDArray[np.float32], moved: NDArray[np.float32]) -> None:
    """Offsets instead of positions are the likely mistake: their vertices mostly stand at the origin."""
    if len(moved) == 0 or len(rest) == 0:
        return
    away = (rest != 0.0).any(axis=1)
    at_origin = ~(moved != 0.0).any(axis=2)
    if away.mean() > 0.9 and (at_origin.mean(axis=1) > 0.5).all():
        raise bad_argument(
            FUNCTION, "shapes", "at the origin in more than half of the vertices", "positions: neutral + offsets"
        )
