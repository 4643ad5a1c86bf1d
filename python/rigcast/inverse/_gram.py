"""A rig seen from chosen vertices: its columns and their Gram matrix."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._core import BlendshapeRig
from rigcast._validate import Arguments, bad_argument, check_blendshape_rig
from rigcast.inverse._activations import Activations
from rigcast.inverse._shot import DeviceTargets, Shot

Float64 = NDArray[np.float64]


class Gram:
    """Everything of a rig that does not depend on the targets.

    With the N columns of the rig on M vertices as Phi (3 M, N) and vertex weights as Omega (diagonal), a frame's
    fidelity is ``|Phi phi(w) - b|^2 = phi^T G phi - 2 p^T phi + |b|^2`` with ``G = Phi^T Omega Phi`` and
    ``p = Phi^T Omega b``: after one projection per frame no step touches the vertices. The price is the square of Phi's
    condition number, so everything here is float64, and ``independence`` finds shapes that are nearly made
    up of others. Above 1e-6 of a shape's own, the weights are those of least squares on the vertices.

    Parameters
    ----------
    rig : BlendshapeRig
    vertices : array_like of int, shape (M,), optional
        Vertices of the rig that the targets give (markers); all by default.
    vertex_weights : array_like, shape (M,), optional
        Not negative; 1 by default.

    Attributes
    ----------
    matrix : (N, N) float64
    idle : (K,) bool
        Shapes that move none of the chosen vertices, neither alone nor in a combination.
    duplicates : list of (int, int)
        Shapes that move the chosen vertices alike, the first one first; shapes in combinations are left out.
    independence : (K,) float64
        The part of each shape's offsets on the chosen vertices that no weights of the other shapes make up: the sine of
        its angle to their span, down to rounding at 1e-8. 1 for idle shapes and for those identical to an earlier one.
    warnings : list of str
        Shapes that move nothing, shapes that are alike or nearly made up of others, too few vertices.
    prepared : dict
        Arrays that methods made of this rig to use again, each under a key of its own.
    """

    def __init__(
        self, rig: BlendshapeRig, *, vertices: ArrayLike | None = None, vertex_weights: ArrayLike | None = None
    ) -> None:
        check_blendshape_rig("solve", rig)
        self.rig = rig
        self.num_vertices = len(rig.rest_vertices)
        self.vertices = _vertices(vertices, self.num_vertices)
        self.vertex_weights = _vertex_weights(vertex_weights, len(self.vertices))
        self.prepared: dict[Hashable, Any] = {}
        #: the same in the engine, with packed columns
        self.core = _core.InverseGram(rig, self.vertices, self.vertex_weights)
        self.matrix = np.asarray(self.core.matrix)
        self.idle = np.array(self.core.idle, bool)
        self.duplicates: list[tuple[int, int]] = self.core.duplicates
        self.independence: Float64 = self.core.independence
        self.warnings = self._warnings()

    @cached_property
    def activations(self) -> Activations:
        """The activations of the columns, as functions of the weights."""
        return Activations(self.rig.num_shapes, self.rig.combinations)

    @cached_property
    def columns(self) -> NDArray[np.float32]:
        """(N, M, 3): the rig's columns on the chosen vertices."""
        return np.ascontiguousarray(np.asarray(self.rig.columns(), np.float32)[:, self.vertices])

    @cached_property
    def neutral(self) -> NDArray[np.float32]:
        """(M, 3)"""
        return np.asarray(self.rig.rest_vertices, np.float32)[self.vertices]

    @cached_property
    def reach(self) -> Float64:
        """(K,): the farthest distance by which each shape moves a vertex of a weight above 0."""
        shapes = self.columns[: self.rig.num_shapes, self.vertex_weights > 0]
        return np.asarray(np.sqrt(np.square(shapes, dtype=np.float64).sum(axis=2).max(axis=1, initial=0.0)))

    def checked(self, targets: ArrayLike) -> NDArray[np.float32]:
        """Targets (T, V, 3), (T, M, 3), or one frame of these, as (T, V or M, 3); see also :meth:`checked_shot`."""
        count, chosen = self.num_vertices, len(self.vertices)
        must = f"numbers (T, {count}, 3)" + (f" or (T, {chosen}, 3)" if chosen != count else "")
        check = Arguments("solve", V=count, M=chosen)
        shapes = ("T V 3", "T M 3", "V 3", "M 3")
        array = check.numbers("targets", targets, *shapes, dtype=np.float32, finite=False, must=must)
        array = array[None] if array.ndim == 2 else array
        if len(array) == 0:
            raise check.wrong("targets", "an empty shot", "at least one frame")
        return array

    def checked_shot(self, targets: ArrayLike | DeviceTargets) -> Shot:
        """The same, for targets that may be on a device; their shape is the engine's to check."""
        return targets if isinstance(targets, DeviceTargets) else self.checked(targets)

    def chosen(self, targets: NDArray[np.float32]) -> NDArray[np.float32]:
        """The chosen vertices' rows of checked targets: (T, M, 3)."""
        whole = targets.shape[1] == self.num_vertices
        return targets[:, self.vertices] if whole else targets

    def offsets(self, targets: NDArray[np.float32]) -> NDArray[np.float32]:
        """Checked targets minus the neutral on the chosen vertices: (T, M, 3)."""
        return np.subtract(self.chosen(targets), self.neutral, dtype=np.float64).astype(np.float32)

    def _warnings(self) -> list[str]:
        names = list(self.rig.shape_names)
        warnings: list[str] = []
        if self.idle.any():
            idle = ", ".join(names[k] for k in np.flatnonzero(self.idle))
            warnings.append(f"shapes that move none of the chosen vertices are left at rest: {idle}")
        for i, j in self.duplicates:
            warnings.append(
                f"shapes {names[i]} and {names[j]} are identical: only the sum of their weights is determined "
                f"(descent gives it to {names[i]} first)"
            )
        markers, unknown = int((self.vertex_weights > 0).sum()), self.rig.num_shapes - int(self.idle.sum())
        if 3 * markers < unknown:
            warnings.append(
                f"too few markers: {markers} vertices give {3 * markers} numbers per frame for {unknown} weights, so "
                "that other weights fit as well; add markers or pin weights"
            )
        elif len(weak := np.flatnonzero(self.independence < _core.InverseGram.nearly_dependent)):
            worst = np.sort(weak[np.argsort(self.independence[weak], kind="stable")[:12]])
            least, some = self.independence[weak].min(), ", ".join(names[k] for k in worst)
            warnings.append(
                f"shapes that are nearly made up of others: {some}{', ...' if len(weak) > 12 else ''}; the motion that "
                f"they make together is found, but how it is divided among them is not reliable (noise counts "
                f"up to {1.0 / least:.0e} times)"
            )
        return warnings

    def __reduce__(self) -> tuple[partial[Gram], tuple[BlendshapeRig]]:
        """For pickle and copy: the arguments that it is made of."""
        return partial(Gram, vertices=self.vertices, vertex_weights=self.vertex_weights), (self.rig,)


def _vertices(vertices: ArrayLike | None, count: int) -> NDArray[np.int64]:
    if vertices is None:
        return np.arange(count)
    return different_vertices("vertices", vertices, count)


def different_vertices(argument: str, vertices: ArrayLike, count: int) -> NDArray[np.int64]:
    """At least one of ``count`` vertices, none of them twice."""
    must = f"different vertex indices below {count}"
    array: NDArray[np.int64] = Arguments("solve").integers(argument, vertices, "M+", below=count, must=must)
    if len(np.unique(array)) != len(array):
        raise bad_argument("solve", argument, "with an index given twice", must)
    return array


def _vertex_weights(weights: ArrayLike | None, count: int) -> Float64:
    if weights is None:
        return np.ones(count)
    must = f"({count},) finite numbers >= 0, not all 0"
    array = Arguments("solve", M=count).numbers("vertex_weights", weights, "M", must=must)
    if not ((array >= 0).all() and array.any()):
        raise bad_argument("solve", "vertex_weights", f"{array.min():g} to {array.max():g}", must)
    return np.array(array)
