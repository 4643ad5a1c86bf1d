"""Landmarks of a transfer: pairs that cannot be meant are refused, with the case and its cure.

A similarity takes one face's landmarks near another's; what it misses them by, relative to their spread, is a residual
in [0, 1]. Between ICT-FaceKit's identities and MediaPipe's face it is 0.05 to 0.14 for 20 right pairs and 0.31 to 0.81
for indices that are off by one. Left for right fits a mirror image better than a turned face, and a turn then shows one
face from behind: normals at right landmarks agree (mean cosine above 0.35 from four pairs on), there they oppose.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._similarity import BETTER, best_turn, centered, residual
from rigcast._validate import Arguments, bad_argument

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

COLLINEAR = 1e-3  # of the landmarks' extent: across a line, less leaves the turn around it to rounding
LARGE = 0.2  # residual: right pairs stay below, from five on
FITS = 0.3  # residual of a mirror image that is believed
MEANINGFUL = 5  # pairs from which a residual says something; four for what normals say
ALONE = 0.5  # of the landmarks' spread: what a single right pair does not miss
MANY = 300  # pairs: beyond, exchanges of two of them are not tried
SIDES = ("source", "target")


def checked_landmarks(
    landmarks: ArrayLike | None, source: Float32, source_faces: Int32, target: Float32, target_faces: Int32
) -> Int64:
    """The pairs (L, 2), a source vertex and a target vertex each, (0, 2) for None.

    Raises
    ------
    ValueError
        If they are no such pairs, leave the placement open, or fit far better counted from 1, in the other order of
        columns, with left and right exchanged, or with a few pairs exchanged.
    """
    if landmarks is None:
        return np.zeros((0, 2), np.int64)
    must = "integers (L, 2), L at least 3"
    pairs: Int64 = Arguments("correspond").integers("landmarks", landmarks, "L 2", low=-(2**63), must=must)
    if len(pairs) < 3:
        raise bad_argument("correspond", "landmarks", f"{pairs.dtype} {pairs.shape}", must)
    _check_range(pairs, (len(source), len(target)))
    for side, points in zip(SIDES, (source[pairs[:, 0]], target[pairs[:, 1]]), strict=True):
        spread = np.linalg.svd(points.astype(np.float64) - points.mean(axis=0), compute_uv=False)
        if not spread[1] > COLLINEAR * spread[0]:
            got = f"{len(pairs)} pairs whose vertices of the {side} lie on one line or in one point"
            raise _refused(got, "three or more that do not: they place and turn the source")
    given = residual(source[pairs[:, 0]], target[pairs[:, 1]])
    _check_sides(pairs, (source, source_faces), (target, target_faces), given)
    if len(pairs) >= MEANINGFUL and given > LARGE:
        _check_shifts(pairs, source, target, given)
        _check_columns(pairs, source, target, given)
        _check_exchanges(pairs, source, target, given)
    return pairs


def doubtful_landmarks(pairs: Int64, source: Float32, target: Float32) -> tuple[Int64, Float64]:
    """Rows of the pairs (L, 2) that the best similarity misses badly, the worst first, and by how much (L,).

    Badly is more than half of the landmarks' rms distance from their mean, in the unit of the target. If the pairs miss
    each other by a residual above 0.2 in all, the three worst are among them.
    """
    own, other = source[pairs[:, 0]], target[pairs[:, 1]]
    turn, left = best_turn(own, other)
    a, b = centered(own), centered(other)
    turned = a @ turn.T
    missed = np.linalg.norm((turned * b).sum() / np.square(a).sum() * turned - b, axis=1)
    order = np.argsort(-missed, kind="stable")
    bad = missed[order] > ALONE * np.sqrt(np.square(b).sum(axis=1).mean())
    if left > LARGE and len(pairs) >= MEANINGFUL:
        bad[:3] = True
    return order[bad], missed[order[bad]]


def _check_range(pairs: Int64, counts: tuple[int, int]) -> None:
    for side, count in enumerate(counts):
        low, high = int(pairs[:, side].min()), int(pairs[:, side].max())
        if low >= 0 and high < count:
            continue
        must = f"vertex indices below {count}"
        if low >= 1 and high == count:
            must += f"; they look counted from 1: indices count from 0, subtract 1 in column {side + 1}"
        elif (pairs.min(axis=0) >= 0).all() and (pairs.max(axis=0)[::-1] < counts).all():
            must += "; the columns look exchanged: the source's vertex comes first"
        raise _refused(f"{low} to {high} in column {side + 1}, of the {SIDES[side]}", must)


def _check_sides(pairs: Int64, source: tuple[Float32, Int32], target: tuple[Float32, Int32], given: float) -> None:
    """Refuse left for right: a mirror image fits better, or as well and without showing the face from behind."""
    if len(pairs) < 4:
        return
    own, other = source[0][pairs[:, 0]], target[0][pairs[:, 1]]
    mirrored = residual(own, other, mirrored=True)
    normals = [_core.vertex_normals(*mesh)[rows] for mesh, rows in zip((source, target), pairs.T, strict=True)]
    agree = [
        float((normals[0] @ best_turn(own, other, mirrored=m)[0].T * normals[1]).sum(axis=1).mean())
        for m in (False, True)
    ]
    behind = agree[0] < 0.0 < agree[1] and mirrored <= min(FITS, 1.001 * given)
    if behind or (given > LARGE and len(pairs) >= MEANINGFUL and mirrored < BETTER * given):
        shown = ", and would show the face from behind" if behind else ""
        got = f"pairs of left with right: they miss each other by {given:.0%} of their spread{shown}; "
        got += f"those of a mirror image by {mirrored:.0%}"
        raise _refused(got, "the character's own left for left in both columns; exchange left and right in one of them")


def _check_shifts(pairs: Int64, source: Float32, target: Float32, given: float) -> None:
    """Refuse indices that are off by one: counted from 1, or lowered twice."""
    counts = np.array([len(source), len(target)])
    found = {}
    for shift in product((-1, 0, 1), repeat=2):
        moved = pairs + shift
        if any(shift) and moved.min() >= 0 and (moved < counts).all():
            found[shift] = residual(source[moved[:, 0]], target[moved[:, 1]])
    believed = [shift for shift in found if found[shift] < BETTER * given]
    if not believed:
        return
    best = min(believed, key=lambda shift: (max(shift) > 0, found[shift]))  # counting from 1 is the likelier slip
    steps = [
        f"{'subtract 1' if s < 0 else 'add 1'} in the {side}'s column" for side, s in zip(SIDES, best, strict=True) if s
    ]
    counted = "counted from 1" if min(best) < 0 else "off by one"
    got = f"vertices that look {counted}: the pairs miss each other by {given:.0%} of their spread, "
    raise _refused(f"{got}and by {found[best]:.0%} otherwise", f"indices that count from 0; {' and '.join(steps)}")


def _check_columns(pairs: Int64, source: Float32, target: Float32, given: float) -> None:
    if pairs[:, 1].max() >= len(source) or pairs[:, 0].max() >= len(target):
        return
    turned = residual(source[pairs[:, 1]], target[pairs[:, 0]])
    if turned < BETTER * given:
        got = f"pairs that miss each other by {given:.0%} of their spread, and by {turned:.0%} with columns exchanged"
        raise _refused(got, "the source's vertex first and the target's second; exchange the columns")


def _check_exchanges(pairs: Int64, source: Float32, target: Float32, given: float) -> None:
    """Refuse a few pairs that have each other's target: the exchanges that help most, one by one."""
    order, left, exchanged = np.arange(len(pairs)), given, list[tuple[int, int]]()
    first, second = np.triu_indices(len(pairs), 1)
    own, other = source[pairs[:, 0]], target[pairs[:, 1]]
    while len(exchanged) < len(pairs) // 2 and len(pairs) <= MANY:
        residuals = _exchanged(own, other[order], first, second)
        best = int(residuals.argmin())
        if residuals[best] >= 0.9 * left:
            break
        pair = [int(first[best]), int(second[best])]
        order[pair], left = order[pair[::-1]], float(residuals[best])
        exchanged.append((pair[0] + 1, pair[1] + 1))
    if left < min(BETTER * given, LARGE):
        names = ", ".join(f"{a} with {b}" for a, b in exchanged)
        got = f"pairs that miss each other by {given:.0%} of their spread, and by {left:.0%} after exchanges"
        raise _refused(got, f"partners in each line; exchange the target's vertices of lines {names} (left for right?)")


def _refused(got: str, must: str) -> ValueError:
    return bad_argument("correspond", "landmarks", got, must)


def _exchanged(own: Float32, other: Float32, first: Int64, second: Int64) -> Float64:
    """(E,) residuals with rows ``first`` and ``second`` of ``other`` exchanged, one exchange each."""
    a, b = centered(own), centered(other)
    moment = b.T @ a + np.einsum("ei,ej->eij", b[second] - b[first], a[first] - a[second])
    values = np.linalg.svd(moment, compute_uv=False)
    values[:, 2] *= np.sign(np.linalg.det(moment))
    explained = values.sum(axis=1) ** 2 / (np.square(a).sum() * np.square(b).sum())
    return np.asarray(np.sqrt(np.maximum(0.0, 1.0 - explained)))
