"""Meshes of different topology: where on the source each vertex of the target lies.

Order: it is said which components may meet, the source is bent onto the target, and matches that would tear a shape
are left out. What is held and what must meet is decided in Python; the solves are the engine's.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._hashing import padded_faces
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument
from rigcast.errors import CorrespondenceWarning
from rigcast.progress import Progress, ProgressOption, as_callback
from rigcast.transfer._matching.components import ComponentMesh, component_of, drawn_to, marked, partners, parts_of
from rigcast.transfer._matching.fit import SourceFit
from rigcast.transfer._matching.fitting import Pairs, fit_surface, mean_edge, similarity
from rigcast.transfer._matching.landmarks import checked_landmarks
from rigcast.transfer._matching.match import match
from rigcast.transfer._positions import check_positions

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Flags = NDArray[np.bool_]

PLACES = 3  # named


@one_line
@dataclass(frozen=True)
class Correspondence:
    """The place of each vertex of a target on a source, and how sure it is.

    Attributes
    ----------
    corners : (V, 3) int32
        Vertices of the source's triangle, for V vertices of the target.
    weights : (V, 3) float32
        Barycentric weights on it.
    distance : (V,) float32
        From the vertex to the fitted source, in the target's unit.
    matched : (V,) bool
        A landmark; or near enough, not on the source's border, not astray among its neighbors' matches, and in a
        component that has enough such vertices.
    fitted : (V', 3) float32
        The source's neutral, fitted to the target.
    landmark_error : (L,) float64
        Distance of each landmark pair after the fit.
    placed : (V, 3) float32
        The target's neutral, moved and scaled onto the source as a whole.
    unmatched_components : list of int
        Components of the target, numbered by first vertices, that nothing of the source corresponds to: they rest.
    attached_components : list of int
        Components of the target without a landmark that nothing of their own corresponds to, and that follow the
        surface nearest to them, which landmarks tie to another component: teeth of a target on the lips of a source
        without teeth. A landmark on such a component decides; :meth:`doubt` says
        where they are.
    torn : (N, 2) int64
        Edges of the target whose ends are matched to places far apart along the source. Right where the target's faces
        bridge a gap of the source, as a mouth that is one surface with the lips; elsewhere look there first.
    undecided : (U,) int64
        Vertices at the ends of torn edges, and those that count as unmatched as they are astray: nothing says on which
        side of a gap of the source they lie. :meth:`doubt` says where they are.
    target : (V, 3) float32
        The target's neutral.
    faces : (F, 4) int32
        Of the target.
    landmarks : (L, 2) int64
        The pairs, as given.
    """

    corners: Int32
    weights: Float32
    distance: Float32
    matched: NDArray[np.bool_]
    fitted: Float32
    landmark_error: Float64
    placed: Float32
    unmatched_components: list[int]
    attached_components: list[int]
    torn: Int64
    undecided: Int64
    target: Float32
    faces: Int32
    landmarks: Int64

    @property
    def coverage(self) -> float:
        """Part of the target's vertices that are matched."""
        return float(self.matched.mean())

    @property
    def mean_distance(self) -> float:
        """Over matched vertices, in the target's unit."""
        return float(self.distance[self.matched].mean())

    def doubt(self) -> str:
        """The components whose match nothing decides, and their place: a sentence or two, empty if there are none."""
        return "; ".join(filter(None, (self._undecided(), self._attached())))

    def _attached(self) -> str:
        if not self.attached_components:
            return ""
        rows, columns, _ = _core.graph_laplacian(self.faces, len(self.target))
        of = component_of(rows, columns, len(self.target))
        places = []
        for component in self.attached_components[:PLACES]:
            own = of == component
            x, y, z = self.target[own].mean(axis=0, dtype=np.float64)
            places.append(f"{np.count_nonzero(own):,} vertices about ({x:.4g}, {y:.4g}, {z:.4g})")
        more = ", ..." if len(self.attached_components) > PLACES else ""
        count = len(self.attached_components)
        parts = f"{count} parts of the target that lie" if count > 1 else "a part of the target that lies"
        return (
            f"{parts} apart ({', '.join(places)}{more}): the source has none of their own, so they follow the surface "
            "nearest to them, which may be a lip; a source with such parts or landmarks on them decide"
        )

    def _undecided(self) -> str:
        if not len(self.undecided):
            return ""
        undecided = np.zeros(len(self.matched), bool)
        undecided[self.undecided] = True
        edges = _core.edges(self.faces, len(undecided)).astype(np.int64)
        edges = edges[undecided[edges].any(axis=1)]  # those with a common neighbor belong together
        part = parts_of(edges, len(undecided))[self.undecided]
        sizes = np.bincount(part)
        order = np.argsort(-sizes, kind="stable")[: min(PLACES, np.count_nonzero(sizes))]
        places = []
        for place in order:
            x, y, z = self.target[self.undecided[part == place]].mean(axis=0, dtype=np.float64)
            places.append(f"{sizes[place]:,} about ({x:.4g}, {y:.4g}, {z:.4g})")
        more = ", ..." if np.count_nonzero(sizes) > PLACES else ""
        count = f"{len(self.undecided):,} vertices of the target lie" if len(self.undecided) > 1 else "a vertex lies"
        return (
            f"{count} between places that are far apart along the source, and neither faces nor neighbors decide "
            f"({', '.join(places)}{more}): right across a mouth that is one surface, elsewhere landmarks there decide"
        )

    def resample(self, neutral: ArrayLike, shapes: ArrayLike) -> tuple[Float32, Float32]:
        """The source in the target's topology: neutral (V, 3) and shapes (K, V, 3).

        Matched vertices take the source's offset there, the others continue those of matched ones as smoothly as
        possible (harmonically); in components without any match they rest. Positions in the neutral are the source's
        surface points, continued likewise at unmatched vertices and at the ends of torn edges: a gap that the target
        bridges keeps a height like the target's own, else the gradient across it would be the opening over the height
        of a shut gap, which has no bound. Hand both to :func:`deformation_transfer` with the target's neutral and
        faces.

        Raises
        ------
        ValueError
            If the neutral is of another mesh than the source, sizes differ, or the shapes are offsets.
        """
        check_positions("resample", neutral, shapes, "shapes")
        check = Arguments("resample", V=len(self.fitted))
        own: Float32 = check.numbers("neutral", neutral, "V 3", dtype=np.float32)
        others: Float32 = check.numbers("shapes", shapes, "K V 3", dtype=np.float32)
        torn = np.zeros_like(self.matched)
        torn[self.torn] = True
        shift = _continued(self._at(own[None]) - self.placed, self.matched & ~torn, self.faces)[0]
        offsets = _continued(self._at(others - own), self.matched, self.faces)
        rest = self.placed + shift
        return rest.astype(np.float32), (rest + offsets).astype(np.float32)

    def _at(self, values: Float32) -> Float32:
        return np.asarray(np.einsum("kvca,vc->kva", values[:, np.maximum(self.corners, 0)], self.weights))


def correspond(
    source: ArrayLike,
    source_faces: ArrayLike,
    target: ArrayLike,
    target_faces: ArrayLike,
    *,
    landmarks: ArrayLike | None = None,
    reach: float = 2.0,
    iterations: int = 12,
    threads: int = 0,
    progress: ProgressOption = None,
) -> Correspondence:
    """Find where on a source each vertex of a target of another topology lies.

    The source's neutral is placed on the target by the similarity of the landmarks, then bent onto it: in each
    iteration every vertex is drawn to the closest point of the target that faces the same way, landmarks to their
    partners, while differences between neighboring displacements are held small, less from iteration to iteration
    (Amberg et al. 2007, with displacements in place of affine maps). Then every vertex of the target is looked up on
    the fitted surface.

    Components meet as landmarks tie them: skin with a landmark on skin is drawn and matched to no gums or lashes. A
    component of the target without a landmark is matched to the nearest that half of it is near to, or rests. What is
    welded to a component with landmarks and lies behind it, as teeth and gums that are one surface with the skin,
    follows components of the source that nothing else corresponds to.

    Parts that touch, as shut lips and lids, are told apart by connectivity: where matches of neighbors lie far apart
    along the source, vertices around are matched anew, outward from those that are sure. Vertices that are still astray
    count as unmatched; what is left is ``torn``.

    Parameters
    ----------
    source, target : (V', 3), (V, 3)
        Neutrals. What the target has no counterpart of may stay in the source, but the inside of the mouth or of the
        eyes in one piece with the skin is better left out: parts of lips and lids find it. What the target has, keep:
        its vertices then have something to follow.
    source_faces, target_faces : array_like, shape (F, 3) or (F, 4)
    landmarks : array_like of int, shape (L, 2), optional
        Pairs of a source vertex and a target vertex, counted from 0, three or more not on one line. Without them the
        meshes are taken as already placed. Any pairs of the user's help, not only well-known points. One in each
        component that is to be matched says which to which; those on the edges of lips and lids help most.
    reach : float
        A target vertex is matched up to this many mean edges of the fitted source away; above 0.
    iterations : int
        Rounds of bending, at least 0: that places the source only.
    threads : int
        Number of threads; 0 means all processors that this process may use.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    Correspondence
        Look at ``coverage``, ``mean_distance``, ``landmark_error``, ``torn`` and ``unmatched_components``. A warning
        :class:`rigcast.errors.CorrespondenceWarning` says how many vertices are ``undecided``, which components are
        ``attached_components``, and where.

    Raises
    ------
    ValueError
        On indices out of range, values that are not finite, landmarks that leave the placement open or fit far better
        counted from 1, with columns exchanged or left for right, or if nothing corresponds.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> pairs = np.stack([np.arange(0, 2000, 50)] * 2, axis=1)
    >>> match = rc.transfer.correspond(rig.rest_vertices, rig.faces, rig.rest_vertices, rig.faces, landmarks=pairs)
    >>> neutral, shapes = match.resample(rig.rest_vertices, rc.transfer.positions_from_rig(rig)[:2])
    >>> shapes.shape
    (2, 2536, 3)
    """
    check = Arguments("correspond")
    check.threads(threads)
    show = as_callback(progress)
    reach, iterations = check.number("reach", reach, above=0.0), check.whole("iterations", iterations)
    own: Float32 = check.numbers("source", source, "V+ 3", dtype=np.float32)
    other: Float32 = check.numbers("target", target, "W+ 3", dtype=np.float32)
    own_faces = padded_faces(source_faces, "correspond", len(own), "source_faces")
    other_faces = padded_faces(target_faces, "correspond", len(other), "target_faces")
    pairs = checked_landmarks(landmarks, own, own_faces, other, other_faces)
    move = similarity(own[pairs[:, 0]], other[pairs[:, 1]]) if len(pairs) else similarity(own[:0], own[:0])
    start, goal = ComponentMesh.of(move.apply(own), own_faces), ComponentMesh.of(other, other_faces)
    tied = marked(pairs, start, goal)
    fitted = fit_surface(
        start,
        goal,
        drawn_to(tied),
        Pairs(pairs[:, 0], other[pairs[:, 1]]),
        iterations,
        threads,
        lambda i: show(Progress("fitting", i, iterations)),
    )
    edge = mean_edge(fitted)
    near = reach * edge
    error = np.linalg.norm(fitted.points[pairs[:, 0]].astype(np.float64) - other[pairs[:, 1]], axis=1)
    held = error <= near
    met = partners(tied, fitted, goal, near, threads)
    fit = SourceFit(fitted, goal, tied, met, pairs[held, 1], edge, near, threads)
    found, torn, undecided = match(fit, pairs[held], error[held])
    if not found.matched.any():
        raise bad_argument("correspond", "target", f"nowhere within {near:.3g} of the fitted source", "near")
    made = Correspondence(
        corners=found.corners,
        weights=found.weights,
        distance=found.distance,
        matched=found.matched,
        fitted=fitted.points,
        landmark_error=error,
        placed=move.inverse().apply(other),
        unmatched_components=[int(c) for c in np.flatnonzero(np.bincount(goal.component, found.matched) == 0)],
        attached_components=_attached(tied, met, goal.component, found.matched),
        torn=torn,
        undecided=undecided,
        target=other,
        faces=other_faces,
        landmarks=pairs,
    )
    if made.doubt():
        warnings.warn(f"correspond: {made.doubt()}", CorrespondenceWarning, stacklevel=2)
    return made


def _attached(tied: Flags, met: Flags, component: Int64, matched: Flags) -> list[int]:
    """Components of the target without a landmark that are matched only to what landmarks tie to others."""
    used = np.bincount(component, matched) > 0
    free = ~tied.any(axis=0) & met.any(axis=1) & used
    return [int(t) for t in np.flatnonzero(free & (met <= tied.any(axis=1)).all(axis=1))]


def _continued(offsets: Float32, matched: NDArray[np.bool_], faces: Int32) -> Float32:
    """Offsets (K, V, 3) with those of unmatched vertices by the Laplace equation on the target's graph."""
    rows, columns, values = _core.graph_laplacian(faces, len(matched))
    components = component_of(rows, columns, len(matched))
    reached = np.zeros(components.max() + 1, bool)
    reached[components[matched]] = True
    offsets = np.where(matched[:, None], offsets, np.float32(0.0))
    free = ~matched & reached[components]
    if not free.any():
        return offsets
    index = np.cumsum(free) - 1
    inside = free[rows] & free[columns]
    cholesky = _core.SparseCholesky(index[rows[inside]], index[columns[inside]], values[inside], int(free.sum()))
    flat = offsets.transpose(1, 0, 2).reshape(len(matched), -1).astype(np.float64)
    across = free[rows] & matched[columns]
    right = np.zeros((int(free.sum()), flat.shape[1]))
    np.add.at(right, index[rows[across]], -values[across, None] * flat[columns[across]])
    flat[free] = cholesky.solve(right)
    return np.asarray(flat.reshape(len(matched), len(offsets), 3).transpose(1, 0, 2), np.float32)
