"""``pack_expressions``: from shapes to the few expressions that show them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._validate import Arguments, bad_argument
from rigcast.progress import Progress, ProgressOption, as_callback
from rigcast.transfer._packing import symmetry as pairing
from rigcast.transfer._packing.anatomy import gaze_pairs, opposed_pairs
from rigcast.transfer._packing.arguments import (
    FUNCTION,
    Face,
    checked_face,
    left_out,
    refused_positions,
    refused_sets,
)
from rigcast.transfer._packing.importance import Importance, displacement_strength, distortion_strength, similarities
from rigcast.transfer._packing.mirror import mirror
from rigcast.transfer._packing.plan import ExpressionPlan
from rigcast.transfer._packing.program import Program
from rigcast.transfer._packing.sequence import PackingProgress, Sequencer, search
from rigcast.transfer._packing.solvers import SOLVERS
from rigcast.transfer._positions import check_positions

NODE_LIMIT = 1_000_000  # seconds, not minutes
LARGEST_BETA = 10.0  # above it differences alone decide already
Active = NDArray[np.bool_]
Floats = NDArray[Any]


def pack_expressions(
    neutral: ArrayLike,
    shapes: ArrayLike,
    faces: ArrayLike,
    *,
    target_neutral: ArrayLike | None = None,
    threshold: float = 0.3,
    alpha: float = 0.5,
    beta: float = 0.0,
    symmetry: bool = True,
    method: str = "optimal",
    reject: Sequence[Sequence[int]] = (),
    reject_at: Mapping[int, Sequence[int]] | None = None,
    without: Sequence[int] = (),
    limit: int | None = None,
    overlap: float = 0.0,
    motion_areas: Sequence[tuple[ArrayLike, ArrayLike]] = (),
    minimize: bool = False,
    names: Sequence[str] | None = None,
    anatomy: bool = True,
    node_limit: int = NODE_LIMIT,
    progress: ProgressOption = None,
) -> ExpressionPlan:
    """Choose the few expressions that an actor poses so that their scans show every shape (Carrigan 2020, chapter 3).

    Of each expression the shapes with the largest sum of importance, no two of which move the same vertex (a weighted
    set packing); then the same with the shapes that are left, until all are covered.

    Parameters
    ----------
    neutral : array_like, shape (V, 3)
        Vertices at rest.
    shapes : array_like, shape (K, V, 3)
        Vertices of the shapes at full strength: positions ``v_k``, not offsets.
    faces : array_like of int, shape (F, 3) or (F, 4)
        -1 pads triangles.
    target_neutral : array_like, shape (V, 3), optional
        The character that the scans are for. Without it nothing is known of distortion, and the importance is the
        displacement alone: alpha then has no effect.
    threshold : float
        A vertex is active where it moves at least so much of the shape's largest displacement; in [0, 1], best in
        [0.25, 0.4].
    alpha, beta : float
        Importance ``alpha displacement + (1 - alpha) distortion + beta difference from the shapes used before``;
        alpha in [0, 1], beta in [0, 10].
    symmetry : bool
        Whether left and right versions of a shape, found by themselves, always stand together. A pair is one item with
        the area of both, so it can always be packed; refusing one for an expression refuses the other.
    method : str
        ``"optimal"``: the best expression at each place, by branch and bound. ``"greedy"``: algorithm 1 of the thesis.
    reject : sequence of sequences
        Sets of shapes that must not stand in one expression all together: an expression refused gives the next best,
        and a pair refused (both eyes looking outwards) is taken apart.
    reject_at : mapping, optional
        Shapes refused for the expression at a position (from 0) only; later ones reconsider them.
    without : sequence
        Shapes that nobody is to pose (one that only corrects another): they stand in no expression.
    limit : int, optional
        Expressions at most.
    overlap : float
        The part of a shape's active vertices (with its partners') that may be active in the expression already; in
        [0, 1), with ``method="greedy"`` only. The lower bound holds without overlap.
    motion_areas : sequence of pairs
        Painted areas, two and two, as vertex indices or masks: shapes of one area go together with those of the other
        that move in the opposite direction (upper and lower lid).
    minimize : bool
        Make the number of expressions as small as possible, and choose within it: packing the best expression first
        does not.
    names : sequence of str, optional
        Of the shapes.
    anatomy : bool
        Whether ``names`` tell what a person can do at a time. Both eyes then look in one direction (``eyeLookOut_L``
        stands with ``eyeLookIn_R``, not with its mirror image), and motions that undo each other or need the same lips
        or lids stand apart: ``plan.settings["opposed"]`` lists the pairs with the reasons.
    node_limit : int
        Nodes of each search tree. Where they do not suffice, ``plan.best`` or ``plan.proven_minimal`` is False. A count
        and no time, so that every machine makes the same plan.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    ExpressionPlan

    Raises
    ------
    ValueError
        If sizes do not fit, a value is not finite or outside its bounds, a refused set is a single shape, all shapes
        left at a position are refused, or all are left out.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> shapes = rc.transfer.positions_from_rig(rig)[: rig.num_shapes]
    >>> plan = rc.transfer.pack_expressions(rig.rest_vertices, shapes, rig.faces, names=rig.shape_names)
    >>> len(plan.expressions) < rig.num_shapes, plan.lower_bound <= len(plan.expressions)
    (True, True)
    """
    _check_numbers(threshold, alpha, beta, overlap, node_limit)
    _check_method(method, limit, overlap, minimize, reject_at)
    check_positions("pack_expressions", neutral, shapes, "shapes")
    face = checked_face(neutral, shapes, faces, target_neutral, names)
    report = PackingProgress(as_callback(progress))
    report.report(Progress("finding pairs", 0, 1))
    distances = displacements(face.neutral, face.shapes)
    active = active_vertices(distances, threshold)
    importance = _importance(face, distances, active, alpha, beta)
    pairs, mirrored = _pairs(face, active, symmetry, motion_areas)
    opposed = opposed_pairs(face.names) if anatomy else []
    pairs = [*(gaze_pairs(face.names) if anatomy and symmetry else []), *pairs]
    refusals = _refusals(face.names, active, reject, {} if reject_at is None else reject_at, without, opposed)
    program, pairs = _program(active, pairs, refusals, overlap, node_limit, report)
    report.report(Progress("finding pairs", 1, 1))
    refused_at = {position: program.items(left) for position, left in refusals.at.items()}
    sequencer = Sequencer(program, importance, SOLVERS[method], refused_at)
    found = search(sequencer, minimize, limit, report)
    found["uncovered"] = sorted([*found["uncovered"], *refusals.unwanted])
    return ExpressionPlan(
        **found,
        names=face.names,
        importance=importance.fixed,
        active=pairing.without_shared(active, distances, program.members),
        pairs=pairs,
        mirrored=mirrored,
        empty=sorted(refusals.empty),
        settings={
            "threshold": float(threshold),
            "alpha": float(alpha),
            "beta": float(beta),
            "symmetry": bool(symmetry),
            "method": method,
            "limit": limit,
            "overlap": float(overlap),
            "minimize": bool(minimize),
            "node_limit": int(node_limit),
            "target_neutral": face.target is not None,
            "anatomy": bool(anatomy),
            **refusals.settings(),
        },
    )


@dataclass(frozen=True)
class _Refusals:
    """Shapes that must not share an expression, at a place, or at all."""

    empty: set[int]  # shapes that move nothing
    unwanted: set[int]
    together: list[frozenset[int]]
    opposed: list[tuple[int, int, str]]
    at: dict[int, list[int]]

    def settings(self) -> dict[str, object]:
        """As a plan keeps them."""
        return {
            "reject": [sorted(entry) for entry in self.together],
            "opposed": [list(entry) for entry in self.opposed],
            "reject_at": [[position, sorted(shapes)] for position, shapes in sorted(self.at.items())],
            "without": sorted(self.unwanted),
        }


def _refusals(
    names: list[str],
    active: Active,
    reject: Sequence[Sequence[int]],
    reject_at: Mapping[int, Sequence[int]],
    without: Sequence[int],
    opposed: list[tuple[int, int, str]],
) -> _Refusals:
    empty = set(np.flatnonzero(~active.any(axis=1)).tolist())
    unwanted = left_out(without, names) - empty
    together = refused_sets(reject, names, empty | unwanted)
    absent = empty | unwanted
    apart = [entry for entry in opposed if absent.isdisjoint(entry[:2])]
    return _Refusals(empty, unwanted, together, apart, refused_positions(reject_at, names))


def _check_numbers(threshold: float, alpha: float, beta: float, overlap: float, node_limit: int) -> None:
    check = Arguments(FUNCTION)
    check.number("threshold", threshold, least=0.0, most=1.0)
    check.number("alpha", alpha, least=0.0, most=1.0)
    check.number("beta", beta, least=0.0, most=LARGEST_BETA)
    check.number("overlap", overlap, least=0.0, below=1.0)
    check.whole("node_limit", node_limit, least=1)


def _check_method(method: str, limit: int | None, overlap: float, minimize: bool, reject_at: Any) -> None:
    if method not in SOLVERS:
        raise bad_argument(FUNCTION, "method", repr(method), " or ".join(f'"{name}"' for name in SOLVERS))
    if limit is not None:
        Arguments(FUNCTION).whole("limit", limit, least=1)
    if overlap > 0.0 and (method != "greedy" or minimize):
        which = "minimize" if minimize else f'method="{method}"'
        raise bad_argument(FUNCTION, "overlap", f"{overlap!r} with {which}", '0, or used with method="greedy" alone')
    if minimize and reject_at:
        raise bad_argument(FUNCTION, "reject_at", f"{reject_at!r} with minimize", "empty there: `reject` refuses sets")


def _importance(face: Face, distances: Active, active: Active, alpha: float, beta: float) -> Importance:
    fixed = displacement_strength(distances, active)
    if face.target is not None:
        distortion = distortion_strength(face.neutral, face.target, face.faces, active)
        fixed = alpha * fixed + (1.0 - alpha) * distortion
    return Importance(fixed, beta, similarities(face.neutral, face.shapes) if beta > 0.0 else None)


def _pairs(
    face: Face, active: Active, symmetry: bool, motion_areas: Sequence[tuple[ArrayLike, ArrayLike]]
) -> tuple[list[pairing.Pair], int | None]:
    """Pairs by shape, then by motion; and how many vertices found a partner."""
    offsets = face.shapes - face.neutral
    pairs: list[pairing.Pair] = []
    found = None
    if symmetry and len(face.neutral):
        sides = mirror(face.neutral, face.faces)
        found = sides.found
        pairs += pairing.shape_pairs(offsets, active, sides)
    return pairs + pairing.motion_pairs(offsets, active, motion_areas), found


def _program(
    active: Active,
    pairs: list[pairing.Pair],
    refusals: _Refusals,
    overlap: float,
    node_limit: int,
    report: Callable[[int], None],
) -> tuple[Program, list[pairing.Pair]]:
    """The program of all shapes but the absent ones, and the pairs that made its items."""
    absent = refusals.empty | refusals.unwanted
    refused = [*refusals.together, *(frozenset((k, m)) for k, m, _ in refusals.opposed)]
    near = [pair for pair in pairs if absent.isdisjoint((pair.first, pair.second))]
    groups, kept = pairing.groups(len(active), near, active, refused)
    members = [group for group in groups if absent.isdisjoint(group)]
    return Program(members, active, refused, overlap, node_limit, report), kept


def displacements(neutral: Floats, shapes: Floats) -> Floats:
    """(K, V) distances ``|v_k^n - v_0^n|``, float32."""
    offsets = shapes - neutral
    return np.asarray(np.sqrt(np.einsum("kvc,kvc->kv", offsets, offsets)))


def active_vertices(distances: Floats, threshold: float) -> NDArray[np.bool_]:
    """Binary shapes ``b_k^n`` (Carrigan 2020, equation 3.2): (K, V) bool.

    A vertex is active if it moves at least ``threshold`` times as far as the shape's farthest. Vertices that do not
    move are never active, not even for the threshold 0.
    """
    top = distances.max(axis=1, keepdims=True) if distances.shape[1] else np.zeros((len(distances), 1))
    return np.asarray((distances >= threshold * top) & (distances > 0.0))
