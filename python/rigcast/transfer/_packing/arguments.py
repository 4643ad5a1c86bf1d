"""The checked arguments of ``pack_expressions``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._hashing import padded_faces
from rigcast._validate import Arguments, bad_argument, shown

FUNCTION = "pack_expressions"
NAMED = 8  # shapes that an error names
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
    check = Arguments(FUNCTION)
    rest = _positions(check, "neutral", neutral, "V 3")
    moved = _positions(check, "shapes", shapes, "K V 3")
    corners = padded_faces(faces, FUNCTION, len(rest))
    other = None if target is None else _positions(check, "target_neutral", target, "V 3")
    if isinstance(names, str):
        raise bad_argument(FUNCTION, "names", "a str", "a sequence of them")
    labels = [f"shape{k}" for k in range(len(moved))] if names is None else [str(name) for name in names]
    if len(labels) != len(moved):
        raise bad_argument(FUNCTION, "names", f"{len(labels)} names", f"{len(moved)} names")
    _check_positions(rest, moved)
    return Face(rest, moved, corners, other, labels)


def left_out(without: Sequence[int], names: list[str]) -> set[int]:
    """Shapes that the user leaves out; not all of them."""
    shapes = set(_shapes("without", "", without, names))
    if names and len(shapes) == len(names):
        raise bad_argument(FUNCTION, "without", "every shape", "such that one stays to be packed")
    return shapes


def refused_sets(reject: Sequence[Sequence[int]], names: list[str], absent: set[int]) -> list[frozenset[int]]:
    """Sets of shapes that must not stand together; those with an absent shape never do."""
    if not _several(reject):
        raise bad_argument(FUNCTION, "reject", shown(reject), "a sequence of sets of shapes")
    refused = []
    for given in reject:
        shapes = frozenset(_shapes("reject", "with ", given, names))
        if shapes & absent:
            continue
        if len(shapes) < 2:
            together = ", ".join(names[k] for k in shapes) or "no shape"
            got = f"{_named(given, names)}, which leaves {together} without any expression"
            raise bad_argument(FUNCTION, "reject", got, "sets of two shapes or more (`without` leaves single ones out)")
        refused.append(shapes)
    return refused


def refused_positions(reject_at: Mapping[int, Sequence[int]], names: list[str]) -> dict[int, list[int]]:
    """Shapes refused for the expression at a position."""
    if not isinstance(reject_at, Mapping):
        raise bad_argument(FUNCTION, "reject_at", shown(reject_at), "a mapping from positions to shapes")
    refused = {}
    for position, shapes in reject_at.items():
        if isinstance(position, bool) or not isinstance(position, int | np.integer) or position < 0:
            raise bad_argument(FUNCTION, "reject_at", f"with position {position!r}", "positions from 0")
        refused[int(position)] = _shapes("reject_at", "with ", shapes, names)
    return refused


def _several(given: Any) -> bool:
    return isinstance(given, Sequence | np.ndarray) and not isinstance(given, str)


def _named(shapes: Sequence[int], names: list[str]) -> str:
    """Shapes as an artist calls them, the first few."""
    few = ", ".join(names[k] for k in shapes[:NAMED])
    return few + (f" and {len(shapes) - NAMED} more" if len(shapes) > NAMED else "")


def _shapes(argument: str, prefix: str, given: Any, names: list[str]) -> list[int]:
    count = len(names)
    try:
        shapes = [int(k) for k in given if isinstance(k, int | np.integer) and not isinstance(k, bool)]
        complete = len(shapes) == len(given) and all(0 <= k < count for k in shapes)
    except TypeError:
        complete = False
    if not complete:
        raise bad_argument(FUNCTION, argument, f"{prefix}{shown(given)}", f"lists of shapes from 0 to {count - 1}")
    return shapes


def _positions(check: Arguments, argument: str, given: ArrayLike, shape: str) -> NDArray[np.float32]:
    array: NDArray[np.float32] = check.numbers(argument, given, shape, dtype=np.float32)
    largest = float(np.abs(array).max(initial=0.0))
    if largest > FARTHEST:
        raise check.wrong(argument, f"{largest:g} somewhere", f"at most {FARTHEST:g}")
    return array


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
