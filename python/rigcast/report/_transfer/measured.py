"""A transferred rig compared with its source, plain copies and true shapes: distances, and doubtful places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._blendshapes import Tent
from rigcast._core import BlendshapeRig
from rigcast._shown import one_line
from rigcast._validate import bad_argument
from rigcast.progress import ProgressOption
from rigcast.transfer import (
    Correspondence,
    TransferQuality,
    count_crossings,
    count_new_crossings,
    empty_shapes,
    positions_from_rig,
    quality,
)

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]


@one_line
@dataclass(frozen=True)
class MeasuredTransfer:
    """The result of :func:`measure_transfer`: both rigs and the measurements. N expressions: one per column of the rig.

    Attributes
    ----------
    source, target : BlendshapeRig
    names : list of str
        Of the N expressions; a combination's is that of its factors.
    source_neutral : (V, 3); source_shapes : (N, V, 3)
        The source in the target's topology.
    shapes : (N, V, 3) float32
        The target's expressions.
    copies : (N, V, 3) float32
        Offsets of a plain copy: the source's, in the target's unit.
    truth : (N, V, 3) float32
        True offsets, NaN where there are none.
    quality : TransferQuality
    contacts : (P, 2) int or None
    free_shapes : (N, V, 3) float32 or None
        The expressions as they are without contacts.
    free_crossings : (N,) int or None
        Their new crossings near the contacts, to compare with ``quality.new_crossings``.
    rest_crossings : int
        Crossings of the source's neutral, in its expressions too.
    match : Correspondence or None
        How the target was matched, if it has another topology.
    """

    source: BlendshapeRig
    target: BlendshapeRig
    names: list[str]
    source_neutral: Float32
    source_shapes: Float32
    shapes: Float32
    copies: Float32
    truth: Float32
    quality: TransferQuality
    contacts: NDArray[np.int32] | None
    free_shapes: Float32 | None
    free_crossings: NDArray[np.int64] | None
    rest_crossings: int
    match: Correspondence | None

    @property
    def millimeters(self) -> float:
        """In a unit of the target."""
        return 1e3 * float(self.target.meters_per_unit)

    @property
    def neutral(self) -> Float32:
        """(V, 3) of the target."""
        return np.asarray(self.target.rest_vertices, np.float32)

    @property
    def judged(self) -> NDArray[np.int64]:
        """Expressions with a truth."""
        return np.flatnonzero(np.isfinite(self.truth[:, 0, 0]))

    def moving(self, n: int) -> NDArray[np.bool_]:
        """(V,) vertices that the source's expression or the true one moves: those that errors are averaged over."""
        moved = (self.source_shapes[n] != self.source_neutral).any(axis=1)
        return np.asarray(moved | (np.nan_to_num(self.truth[n]) != 0.0).any(axis=1))

    def distances(self, n: int) -> Float64:
        """Millimeters (V,) between the transferred expression and the true one."""
        return self._apart(self.shapes[n] - self.neutral, n)

    def copy_distances(self, n: int) -> Float64:
        """The same of a plain copy."""
        return self._apart(self.copies[n], n)

    def _apart(self, offsets: Float32, n: int) -> Float64:
        return np.asarray(self.millimeters * np.linalg.norm(offsets.astype(np.float64) - self.truth[n], axis=1))

    @cached_property
    def errors(self) -> Float64:
        """(N,) mean millimeters over the moving vertices, NaN without truth."""
        return self._means(self.distances)

    @cached_property
    def copy_errors(self) -> Float64:
        """The same of a plain copy."""
        return self._means(self.copy_distances)

    def _means(self, distances: Callable[[int], Float64]) -> Float64:
        result = np.full(len(self.names), np.nan)
        for n in self.judged:
            if (moving := self.moving(n)).any():
                result[n] = distances(n)[moving].mean()
        return result

    @property
    def source_crossings(self) -> NDArray[np.int64]:
        """(N,) how many more crossings the source's expressions have than its neutral."""
        return np.maximum(self.quality.source_crossings - self.rest_crossings, 0)

    def order(self) -> NDArray[np.int64]:
        """Expressions from the worst to the best: by error where there is a truth, then by doubt."""
        errors = np.where(np.isnan(self.errors), -1.0, self.errors)
        return np.asarray(np.lexsort((-self.quality.doubt, -errors)))

    @property
    def least_depth(self) -> float:
        """Millimeters from which crossings count."""
        return self.millimeters * self.quality.least_depth

    @property
    def deepest(self) -> float:
        """Millimeters of the deepest new crossing, 0 without one."""
        return self.millimeters * float(self.quality.deepest.max(initial=0.0))

    def figures(self) -> dict[str, object]:
        """Numbers by name."""
        doubt = self.quality
        crossings = {"source": int(self.source_crossings.sum()), "new": int(doubt.new_crossings.sum())}
        result: dict[str, object] = {
            "shapes": self.target.num_shapes,
            "combinations": len(self.names) - self.target.num_shapes,
            "vertices": len(self.neutral),
            "contacts": 0 if self.contacts is None else len(self.contacts),
            "degenerate_faces": int(doubt.degenerate.sum()),
            "empty": empty_shapes(self.target),
            "flipped_faces": int(doubt.flipped.sum()),
            "crossings": crossings,
            "crossings_from_mm": self.least_depth,
            "deepest_crossing_mm": self.deepest,
            "most_doubtful": [self.names[n] for n in self.order()[:5]],
        }
        if self.free_crossings is not None:
            crossings["new_without_contacts"] = int(self.free_crossings.sum())
        if len(judged := self.judged):
            result["mean_error_mm"] = float(np.nanmean(self.errors))
            result["copy_mean_error_mm"] = float(np.nanmean(self.copy_errors))
            result["largest_error_mm"] = max(float(self.distances(n).max()) for n in judged)
            result["judged_shapes"] = len(judged)
            result["errors_mm"] = {self.names[n]: float(self.errors[n]) for n in judged}
        return result


def measure_transfer(
    source: BlendshapeRig,
    target: BlendshapeRig,
    *,
    carried: tuple[ArrayLike, ArrayLike] | None = None,
    truth: BlendshapeRig | None = None,
    contacts: ArrayLike | None = None,
    free_shapes: ArrayLike | None = None,
    match: Correspondence | None = None,
    progress: ProgressOption = None,
) -> MeasuredTransfer:
    """Measure a transferred rig: its errors against true shapes and plain copies, and its doubtful places.

    Parameters
    ----------
    source, target : BlendshapeRig
        The target has the source's shapes and combinations.
    carried : ((V, 3), (N, V, 3)), optional
        The source's neutral and expressions in the target's topology, where they differ.
    truth : BlendshapeRig, optional
        True shapes in the target's topology, found by their names. Their offsets count, each from its own neutral.
    contacts : array_like of int, shape (P, 2), optional
        Crossings are counted near them; without them everywhere.
    free_shapes : array_like, shape (N, V, 3), optional
        The target's expressions as transferred without contacts.
    match : Correspondence, optional
        How a target of another topology was matched: reports show it.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    MeasuredTransfer

    Raises
    ------
    ValueError
        If rigs or arrays do not fit together, or no shape of ``truth`` has a shape's name.
    """
    if (target.shape_names, target.combinations) != (source.shape_names, source.combinations):
        raise bad_argument("report", "target", "with other shapes or combinations", "the source, transferred")
    neutral, shapes = (source.rest_vertices, positions_from_rig(source)) if carried is None else carried
    own, others = np.asarray(neutral, np.float32), np.asarray(shapes, np.float32)
    if others.shape != (target.num_columns, *target.rest_vertices.shape):
        expected = f"({target.num_columns}, {len(target.rest_vertices)}, 3)"
        raise bad_argument("report", "carried" if carried else "source", f"of {others.shape} positions", expected)
    made = positions_from_rig(target)
    pairs = None if contacts is None or not len(np.asarray(contacts)) else np.asarray(contacts, np.int32)
    doubt = quality(
        own, others, target.rest_vertices, target_shapes=made, faces=target.faces, contacts=pairs, progress=progress
    )
    free = None if free_shapes is None else np.asarray(free_shapes, np.float32)
    free_crossings = None
    if free is not None:
        free_crossings = count_new_crossings(others, target.rest_vertices, free, faces=target.faces, near=pairs)
    scale = float(source.meters_per_unit) / float(target.meters_per_unit)
    return MeasuredTransfer(
        source,
        target,
        column_names(target),
        own,
        others,
        made,
        np.float32(scale) * (others - own),
        _true_offsets(target, truth),
        doubt,
        pairs,
        free,
        free_crossings,
        count_crossings(own, target.faces, pairs),
        match,
    )


def column_names(rig: BlendshapeRig) -> list[str]:
    """The shapes' names, then those of the combinations: ``jawOpen * mouthSmileLeft``, ``eyeBlinkLeft at 0.5``."""
    names = list(rig.shape_names)

    def word(factor: int | Tent) -> str:
        return names[factor] if isinstance(factor, int) else f"{names[factor.shape]} at {factor.x2:g}"

    return names + [" * ".join(map(word, factors)) for factors in rig.combinations]


def check_truth(neutral: Float32, names: Sequence[str], truth: BlendshapeRig | None) -> None:
    """Refuse a truth (a rig or None) of another vertex count, or without any shape of these names.

    Raises
    ------
    ValueError
    """
    if truth is None:
        return
    if truth.rest_vertices.shape != neutral.shape:
        got = f"of {len(truth.rest_vertices)} vertices"
        raise bad_argument("report", "truth", got, f"a rig of the target's {len(neutral)}")
    if not set(names) & set(truth.shape_names):
        few = ", ".join(truth.shape_names)[:200]
        raise bad_argument("report", "truth", f"a rig of other shapes ({few})", "one with shapes of the target's names")


def _true_offsets(target: BlendshapeRig, truth: BlendshapeRig | None) -> Float32:
    result = np.full((target.num_columns, *target.rest_vertices.shape), np.nan, np.float32)
    check_truth(target.rest_vertices, target.shape_names, truth)
    if truth is None:
        return result
    known = {name: k for k, name in enumerate(truth.shape_names)}
    scale = float(truth.meters_per_unit) / float(target.meters_per_unit)
    for k in [k for k, name in enumerate(target.shape_names) if name in known]:
        result[k] = scale * truth.column(known[target.shape_names[k]])
    return result
