"""Shapes that go together: left and right versions, and motions that answer each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._validate import Arguments, as_array, bad_argument
from rigcast.transfer._packing.mirror import Mirror

Floats = NDArray[Any]
Active = NDArray[np.bool_]

SHAPE_ERROR = 0.4  # of the smaller largest displacement (Carrigan 2020, equation 3.10)
OPPOSED = -0.985  # cosine of motions that answer each other: 10 degrees
SHARED = 0.5  # of the smaller shape's active vertices that a pair may have in common


@dataclass(frozen=True)
class Pair:
    """Two shapes that always stand in the same expression.

    Attributes
    ----------
    first, second : int
    kind : str
        ``"shape"`` (left and right), ``"motion"`` (painted areas) or ``"gaze"`` (both eyes in one direction).
    error : float
        Shape: equation 3.9 over the bound (3.10), below 1. Motion: the cosine of the mean directions.
    """

    first: int
    second: int
    kind: str
    error: float


def shape_pairs(offsets: Floats, active: Active, mirror: Mirror) -> list[Pair]:
    """Left and right versions of one shape (Carrigan 2020, equations 3.9 and 3.10), best matches first.

    A shape that is its own mirror image has no partner, nor have two shapes that share more than half of the smaller
    one's active vertices: together they would be one wide shape.
    """
    top = np.sqrt(np.einsum("kvc,kvc->kv", offsets, offsets)).max(axis=1).astype(np.float64)
    mirrored = mirror.mask(active)
    both = mirrored.astype(np.float32) @ active.T.astype(np.float32)
    near = _candidates(active, both)
    itself = {k for k, m in near if k == m and _error(offsets, active, mirror, k, k) < SHAPE_ERROR * top[k]}
    found = []
    for k, m in near:
        if k == m or k in itself or m in itself:
            continue
        bound = SHAPE_ERROR * min(top[k], top[m])
        error = _error(offsets, active, mirror, k, m)
        if error < bound and _apart(active[k], active[m]):
            found.append(Pair(k, m, "shape", float(error / bound)))
    return _best(found)


def motion_pairs(offsets: Floats, active: Active, areas: Sequence[tuple[ArrayLike, ArrayLike]]) -> list[Pair]:
    """Shapes of two painted areas that move in opposite directions (Carrigan 2020, equations 3.11 and 3.12).

    Of each pair of areas a shape is a candidate if it moves vertices of one area and of no other area at all.
    """
    painted = _painted(areas, active.shape[1])
    if not painted:
        return []
    touches = np.stack([active[:, mask].any(axis=1) for pair in painted for mask in pair], axis=1)
    single = touches.sum(axis=1) == 1
    total = np.einsum("kv,kvc->kc", active, offsets, dtype=np.float64)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    direction = np.divide(total, length, out=np.zeros_like(total), where=length > 0.0)
    found = []
    for number in range(len(painted)):
        one, other = (np.flatnonzero(single & touches[:, 2 * number + side]) for side in (0, 1))
        for k in one:
            for m in other:
                cosine = float(direction[k] @ direction[m])
                if cosine < OPPOSED and _apart(active[k], active[m]):
                    found.append(Pair(int(min(k, m)), int(max(k, m)), "motion", cosine))
    return _best(found)


def groups(
    count: int, pairs: Sequence[Pair], active: Active, refused: Sequence[frozenset[int]] = ()
) -> tuple[list[list[int]], list[Pair]]:
    """Shapes that go together, and the pairs that brought them together.

    Pairs link up (the upper lids of both eyes with the lower ones) as long as no two of a group share many vertices,
    and the group holds no refused set: who refuses both shapes of a pair takes it apart.
    """
    member = [[k] for k in range(count)]
    kept = []
    for pair in pairs:
        one, other = member[pair.first], member[pair.second]
        joined = sorted(one + other)
        if one is other or any(entry <= set(joined) for entry in refused):
            continue
        if not all(_apart(active[k], active[m]) for k in one for m in other):
            continue
        kept.append(pair)
        for k in joined:
            member[k] = joined
    return [group for k, group in enumerate(member) if group[0] == k], kept


def without_shared(active: Active, distances: Floats, together: Sequence[Sequence[int]]) -> Active:
    """Active vertices, those that shapes of a group share left to the one that moves them most (the first of equals).

    The group's whole area stays as it is, and its shapes can be packed together.
    """
    result = active.copy()
    for group in together:
        if len(group) < 2:
            continue
        strength = np.where(active[group], distances[group], -1.0)
        owner = np.asarray(group)[strength.argmax(axis=0)]
        for k in group:
            result[k] &= owner == k
    return np.asarray(result)


def _candidates(active: Active, both: Floats) -> list[tuple[int, int]]:
    """Pairs k <= m whose areas, one mirrored, share vertices."""
    first, second = np.nonzero(np.triu(np.minimum(both, both.T) > 0.0))
    return [(int(k), int(m)) for k, m in zip(first, second, strict=True)]


def _error(offsets: Floats, active: Active, mirror: Mirror, k: int, m: int) -> float:
    """Equation 3.9: summed distance of k and mirrored m over the vertices that both move."""
    reflection = (np.eye(3) - 2.0 * np.outer(mirror.normal, mirror.normal)).astype(offsets.dtype)
    partner = mirror.partner
    other = active[m, partner] & (partner >= 0)
    shared = int((active[k] & other).sum())
    at = np.flatnonzero((active[k] & (partner >= 0)) | other)
    if shared == 0:
        return float("inf")
    own = np.where(active[k, at, None], offsets[k, at], 0.0)
    mirrored = np.where(other[at, None], offsets[m, partner[at]] @ reflection, 0.0)
    return float(np.linalg.norm(own - mirrored, axis=1).sum(dtype=np.float64) / shared)


def _apart(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> bool:
    return bool((a & b).sum() <= SHARED * min(a.sum(), b.sum()))


def _best(found: list[Pair]) -> list[Pair]:
    """Pairs from the best on, each shape once."""
    taken: set[int] = set()
    chosen = []
    for pair in sorted(found, key=lambda entry: (entry.error, entry.first, entry.second)):
        if taken.isdisjoint((pair.first, pair.second)):
            taken |= {pair.first, pair.second}
            chosen.append(pair)
    return chosen


def _painted(areas: Sequence[tuple[ArrayLike, ArrayLike]], count: int) -> list[tuple[Active, Active]]:
    """Pairs of vertex masks, checked."""
    must = f"pairs of two areas, each vertex indices from 0 to {count - 1} or a mask ({count},)"
    if not isinstance(areas, Sequence):
        raise bad_argument("pack_expressions", "motion_areas", type(areas).__name__, must)
    painted = []
    for pair in areas:
        if not isinstance(pair, Sequence) or len(pair) != 2:
            raise bad_argument("pack_expressions", "motion_areas", f"with {type(pair).__name__} for a pair", must)
        masks = []
        for area in pair:
            given = as_array("pack_expressions", "motion_areas", area, must)
            if given.dtype == bool and given.shape == (count,) and not isinstance(area, np.ma.MaskedArray):
                masks.append(given)
                continue
            mask = np.zeros(count, bool)
            mask[Arguments("pack_expressions").integers("motion_areas", area, "n", below=count, must=must)] = True
            masks.append(mask)
        painted.append((masks[0], masks[1]))
    return painted
