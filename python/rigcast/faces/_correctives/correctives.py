"""Constructed correctives: what linear addition of shapes gets wrong, as combination shapes.

A face without sculpted correctives gets plausible ones. The wanted face at weights w is made by a slow nonlinear
model of four parts, each of which leaves the neutral and every single shape at full weight as they were sculpted:

1. skin moves along arcs, not chords, where its normal turns on the way (a lid slides over the eye): half-way a vertex
   stands off its chord by the height ``(n_1 - n_0) . d / 8`` of a flat arc between normals n_0 and n_1;
2. the jaw turns about its hinge, after all other shapes have acted, so that what sits on the jaw turns with it;
3. lips, and lids where they close, do not pass each other more than they do in one of the shapes alone;
4. where shapes overlap, the volume that the skin sweeps is the sum of what the single shapes sweep there.

The delta of a combination is the wanted face where all its factors are at their peak, minus what the rig so far gives
there; combinations are taken by the number of their factors, so that the sum is right at every peak.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rigcast._blendshapes import column_names, combination_name, distinct
from rigcast._validate import bad_argument
from rigcast.faces._combinations import shape_of
from rigcast.faces._correctives.contacts import Contacts
from rigcast.faces._correctives.surface import TriangleMesh, area_vectors, corner_mean, swept_volume

if TYPE_CHECKING:
    from rigcast._blendshapes import Tent
    from rigcast._core import BlendshapeRig

    Factors = Sequence[int | Tent]

Float64 = NDArray[np.float64]

REACH = 0.006  # of the mesh's diagonal: surfaces this close to each other face each other
STILL = 2e-5  # of the mesh's diagonal: a corrective moves a vertex by more, or not at all
ARC_SMOOTHING = 3  # rounds of averaging over neighbors
VOLUME_STEPS = 3  # of Newton's method on one unknown
LEAST_SHARE = 1e-3  # triangles that all shapes together influence less are left out of the volume
LARGEST_BULGE = 0.5  # of the largest displacement of the shapes taking part

UNTURNED = 5e-8  # of the mesh's longest side: what a hinge moves less lies on its axis
RIGID_SHARE = 0.7  # vertices that a shape moves by so much of its largest displacement turn rigidly with the bone


@dataclass(frozen=True)
class Hinge:
    """A linear shape seen as a rotation about an axis, weighted by vertex, plus what is left.

    Attributes
    ----------
    shape : int
    center : (3,) array, a point of the axis
    axis : (3,) array, unit
    angle : float, radians at weight 1
    share : (V,) array in [0, 1], how much of the rotation a vertex takes
    rest : (V, 3) array, the neutral
    remainder : (V, 3) array, the shape minus its rotation
    """

    shape: int
    center: Float64
    axis: Float64
    angle: float
    share: Float64
    rest: Float64
    remainder: Float64

    @staticmethod
    def fit(shape: int, rest: Float64, delta: Float64) -> Hinge | None:
        """The rotation nearest to a shape's strongest displacements (Kabsch 1976); None if they do not turn."""
        length = np.linalg.norm(delta, axis=1)
        rigid = length > RIGID_SHARE * length.max(initial=0.0)
        if rigid.sum() < 4:
            return None
        before, after = rest[rigid], (rest + delta)[rigid]
        mean = before.mean(axis=0)
        u, _, vt = np.linalg.svd((before - mean).T @ (after - after.mean(axis=0)))
        flip = np.diag([1.0, 1.0, np.sign(np.linalg.det(vt.T @ u.T))])
        rotation = vt.T @ flip @ u.T
        twist = np.array(
            [rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]]
        )
        angle = float(np.arctan2(0.5 * np.linalg.norm(twist), 0.5 * (np.trace(rotation) - 1)))
        if angle < 1e-3:
            return None
        axis = twist / np.linalg.norm(twist)
        shift = after.mean(axis=0) - rotation @ mean
        across = shift - axis * (axis @ shift)  # what lies along the axis stays in the remainder
        center = np.linalg.lstsq(np.eye(3) - rotation, across, rcond=1e-6)[0]
        turned = turn(rest, center, axis, np.full(len(rest), angle)) - rest
        least = np.square(UNTURNED * np.ptp(rest, axis=0).max())
        share = np.clip((delta * turned).sum(axis=1) / np.maximum((turned**2).sum(axis=1), least), 0.0, 1.0)
        remainder = delta - (turn(rest, center, axis, share * angle) - rest)
        return Hinge(shape, center, axis, angle, share, rest, remainder)

    def apply(self, points: Float64, weight: float) -> Float64:
        """Turn points (V, 3), which already carry all other shapes; from the rest at weight 1 it gives the shape."""
        return turn(points, self.center, self.axis, weight * self.share * self.angle) + weight * self.remainder


def turn(points: Float64, center: Float64, axis: Float64, angle: Float64) -> Float64:
    """Rotate each point by its own angle about an axis (Rodrigues)."""
    arm = points - center
    cosine, sine = np.cos(angle)[:, None], np.sin(angle)[:, None]
    along = (arm @ axis)[:, None] * axis
    return np.asarray(center + along + cosine * (arm - along) + sine * np.cross(axis, arm))


@dataclass(frozen=True)
class NonlinearFace:
    """The wanted face as a function of the weights.

    Attributes
    ----------
    rest : (V, 3) array
    deltas : (K, V, 3) array
    arcs : (K, V, 3) array, how far from its chord a vertex stands half-way to each shape
    surface : TriangleMesh
    hinge : Hinge or None
    contacts : Contacts
    """

    rest: Float64
    deltas: Float64
    arcs: Float64
    surface: TriangleMesh
    hinge: Hinge | None
    contacts: Contacts

    def vertices(self, weights: Float64) -> Float64:
        """Vertices (V, 3) at weights (K,)."""
        active = np.flatnonzero(weights)
        posed = self._turned(weights, active)
        allowed = np.min([np.zeros(len(self.contacts.first)), self._gaps[-1], *self._gaps[active]], axis=0)
        posed = posed + self.contacts.resolve(self.surface, posed, allowed)
        return posed + self._bulge(posed, weights, active)

    @cached_property
    def _gaps(self) -> Float64:
        """Gaps (K + 1, P) of each shape alone, and of the neutral."""
        return np.stack([self.contacts.gaps(self.rest + delta) for delta in [*self.deltas, np.zeros_like(self.rest)]])

    def _turned(self, weights: Float64, active: NDArray[np.intp]) -> Float64:
        turning = -1 if self.hinge is None else self.hinge.shape
        posed = self.rest.copy()
        for k in active[active != turning]:
            w = weights[k]
            posed += w * self.deltas[k] + 4 * w * (1 - w) * self.arcs[k]
        return posed if self.hinge is None else self.hinge.apply(posed, float(weights[turning]))

    def _bulge(self, posed: Float64, weights: Float64, active: NDArray[np.intp]) -> Float64:
        """Displacement along the normals that gives the volume swept where all active shapes overlap its right size."""
        length = np.linalg.norm(self.deltas[active], axis=2)
        largest = length.max(axis=1, initial=0.0)
        if len(active) < 2 or not (largest > 0).all():
            return np.zeros_like(posed)
        influence = np.prod(length / largest[:, None], axis=0) ** (1 / len(active))
        share = corner_mean(influence[self.surface.triangles])
        inside = np.flatnonzero(share > LEAST_SHARE)
        triangles, share = self.surface.triangles[inside], share[inside]
        rest = self.rest[triangles]
        wanted = sum(weights[k] * (share * swept_volume(rest, rest + self.deltas[k][triangles])).sum() for k in active)
        near = TriangleMesh(self.surface.num_vertices, triangles, self.surface.edges)
        along = influence[:, None] * near.normals(posed)
        amount, bound = 0.0, LARGEST_BULGE * float(largest.max())
        for _ in range(VOLUME_STEPS):
            now = (posed + amount * along)[triangles]
            slope = (share * (corner_mean(along[triangles]) * area_vectors(now)).sum(axis=1)).sum()
            if not slope > 0:
                break
            missing = wanted - (share * swept_volume(rest, now)).sum()
            amount = float(np.clip(amount + missing / slope, -bound, bound))
        return np.asarray(amount * along)


def constructed_correctives(
    rig: BlendshapeRig,
    combinations: Sequence[Factors],
    *,
    jaw: str | None = None,
    closing: Sequence[str] = (),
) -> BlendshapeRig:
    """A rig with constructed shapes for combinations that nobody sculpted.

    Parameters
    ----------
    rig : BlendshapeRig
        With faces; combinations that it has stay as they are.
    combinations : sequence of factors
        As for :class:`~rigcast.BlendshapeRig`: each a tuple of shape indices and Tents.
    jaw : str, optional
        The shape that opens the jaw; it turns about a hinge fitted to it.
    closing : sequence of str
        Shapes at which surfaces meet that are apart in the neutral (lids).

    Returns
    -------
    BlendshapeRig
        The same call gives the same bytes. ``metadata["constructed"]`` names the new columns.

    Raises
    ------
    ValueError
        If a shape is unknown, the rig has no faces, or a combination is none for this rig.
    """
    from rigcast._core import BlendshapeRig

    _check(rig, combinations, [*([jaw] if jaw is not None else []), *closing])
    face = _nonlinear_face(rig, jaw, closing)
    old = [(tuple(factors), rig.column(rig.num_shapes + c)) for c, factors in enumerate(rig.combinations)]
    made = _constructed_deltas(face, combinations, old, np.asarray(rig.bounds, np.float64)[:, 1])
    linear = face.deltas.astype(np.float32)
    added = [(tuple(factors), delta) for factors, delta in zip(combinations, made, strict=True)]
    before = column_names(rig)
    names = distinct((combination_name(rig.shape_names, factors) for factors in combinations), before)
    facts = {**rig.metadata, "constructed": [*rig.metadata.get("constructed", []), *names]}
    if "combination_names" in facts:
        facts["combination_names"] = [*before[rig.num_shapes :], *names]
    return BlendshapeRig(
        rig.rest_vertices,
        linear,
        [*old, *added],
        names=rig.shape_names,
        bounds=rig.bounds,
        faces=rig.faces,
        metadata=facts,
    )


def _constructed_deltas(
    face: NonlinearFace,
    combinations: Sequence[Factors],
    old: Sequence[tuple[Factors, NDArray[np.float32]]],
    upper: Float64,
) -> list[NDArray[np.float32]]:
    """The residual of each combination at its peak, given all of fewer factors and those before it."""
    columns: list[tuple[Factors, Float64]] = [(factors, np.asarray(delta, np.float64)) for factors, delta in old]
    made = [np.zeros(face.rest.shape, np.float32)] * len(combinations)
    still = STILL * float(np.linalg.norm(np.ptp(face.rest, axis=0)))
    for place in sorted(range(len(combinations)), key=lambda c: (len(combinations[c]), c)):
        weights = _peak(combinations[place], upper)
        active = np.flatnonzero(weights)
        sum_so_far = face.rest + np.tensordot(weights[active], face.deltas[active], axes=1)
        for factors, delta in columns:
            activation = float(np.prod([_value(factor, weights) for factor in factors]))
            if activation:
                sum_so_far += activation * delta
        missing = face.vertices(weights) - sum_so_far
        missing /= np.prod([_value(factor, weights) for factor in combinations[place]])
        missing[np.linalg.norm(missing, axis=1) < still] = 0
        columns.append((combinations[place], missing))
        made[place] = missing.astype(np.float32)
    return made


def _check(rig: BlendshapeRig, combinations: Sequence[Factors], named: Sequence[str]) -> None:
    function = "constructed_correctives"
    if rig.faces is None or not len(rig.faces):
        raise bad_argument(function, "rig", "without faces", "a rig with faces")
    for name in named:
        if name not in rig.shape_names:
            raise bad_argument(function, "jaw or closing", repr(name), f"one of {', '.join(rig.shape_names)[:300]}")
    upper = np.asarray(rig.bounds, np.float64)[:, 1]
    for place, factors in enumerate(combinations):
        shapes = [shape_of(factor) for factor in factors]
        if not shapes or len(set(shapes)) != len(shapes) or min(shapes) < 0 or max(shapes) >= rig.num_shapes:
            got, expected = f"about shapes {shapes}", f"of different shapes below {rig.num_shapes}"
            raise bad_argument(function, f"combinations[{place}]", got, expected)
        if not _peak(factors, upper)[shapes].all():
            raise bad_argument(
                function, f"combinations[{place}]", "at its peak where a weight is 0", "at its peak beyond 0"
            )


def _nonlinear_face(rig: BlendshapeRig, jaw: str | None, closing: Sequence[str]) -> NonlinearFace:
    rest = np.asarray(rig.rest_vertices, np.float64)
    deltas = np.stack([np.asarray(rig.column(k), np.float64) for k in range(rig.num_shapes)])
    surface = TriangleMesh.of(rig.faces, len(rest))
    hinge = None
    if jaw is not None:
        index = rig.shape_names.index(jaw)
        hinge = Hinge.fit(index, rest, deltas[index])
    reach = REACH * float(np.linalg.norm(np.ptp(rest, axis=0)))
    poses = [rest, *(rest + deltas[rig.shape_names.index(name)] for name in closing)]
    arcs = np.stack([_arc(surface, rest, delta) for delta in deltas])
    return NonlinearFace(rest, deltas, arcs, surface, hinge, Contacts.find(surface, poses, reach))


def _arc(surface: TriangleMesh, rest: Float64, delta: Float64) -> Float64:
    """Offset (V, 3) of each vertex from its chord half-way, smoothed: crumpled skin has wild normals."""
    before, after = surface.normals(rest), surface.normals(rest + delta)
    height = surface.smooth(((after - before) * delta).sum(axis=1) / 8, ARC_SMOOTHING)
    middle = before + after
    length = np.linalg.norm(middle, axis=1, keepdims=True)
    along = np.divide(middle, length, out=np.zeros_like(middle), where=length > 1e-6)
    return np.asarray(height[:, None] * along)


def _peak(factors: Factors, upper: Float64) -> Float64:
    """Weights (K,) where all factors are at their largest and all other shapes at 0."""
    weights = np.zeros(len(upper))
    for factor in factors:
        shape = shape_of(factor)
        weights[shape] = upper[shape] if isinstance(factor, int | np.integer) else factor.x2
    return weights


def _value(factor: int | Tent, weights: Float64) -> float:
    if isinstance(factor, int | np.integer):
        return float(weights[factor])
    w = float(weights[factor.shape])
    return float(max(0.0, min((w - factor.x1) / (factor.x2 - factor.x1), (factor.x3 - w) / (factor.x3 - factor.x2))))
