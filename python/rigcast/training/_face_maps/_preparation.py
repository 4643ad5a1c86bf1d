"""Everything before the networks: held-out rows, bins, and how the face is laid out on maps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.base_shapes import BaseShapes
from rigcast._rigs.surface import surface_of
from rigcast.progress import Progress
from rigcast.training._base import fit_base
from rigcast.training._budget import Budget
from rigcast.training._face_maps._layout.charts import FRAMES, floors_of
from rigcast.training._face_maps._layout.influence import moved_by
from rigcast.training._face_maps._layout.segments import Layout
from rigcast.training._face_maps._layout.texture_space import lay_out
from rigcast.training._face_maps._refine.refinement import refinements
from rigcast.training._face_maps._refine.regions import with_regions
from rigcast.training._face_maps._rows import Rows, balanced_bins
from rigcast.training._face_maps._settings import LENGTH, FaceMapsSettings
from rigcast.training._face_maps._train.shapes import FIRST
from rigcast.training._held_out import split

LOOKED_AT = 256  # training rows that decide the layout, evenly spaced
LOOKED_AT_PER_MINUTE, LEAST_LOOKED_AT = (
    64,
    32,
)  # of them, with a budget of minutes: laying out takes time by their number


@dataclass(frozen=True)
class MapPreparation:
    """The data that networks are trained on.

    Attributes
    ----------
    poses : (T, C) float32 array
    training, held_out : arrays of int
        Row numbers, ascending.
    judged_by : str
        What the held-out rows are, in words.
    bins : list of arrays of int
        The training rows, by what the face does in them.
    influence : (V, C) bool array
        Columns that move each vertex.
    layout : Layout
        Its floors and refinements are those of what the base leaves.
    base : BaseShapes or None
        Zero at vertices of rigid parts.
    about_base : dict
        What metadata say of it.
    extent : float
        Length of the diagonal of the rest mesh, rig unit.
    """

    poses: NDArray[np.float32]
    training: Rows
    held_out: Rows
    judged_by: str
    bins: list[Rows]
    influence: NDArray[np.bool_]
    layout: Layout
    base: BaseShapes | None
    about_base: dict[str, Any]
    extent: float

    @property
    def length(self) -> float:
        """The unit of length of the loss, in the rig's."""
        return LENGTH * self.extent


def prepare(ds: Any, settings: FaceMapsSettings, budget: Budget) -> MapPreparation:
    """Part the rows and lay the face out.

    Raises
    ------
    ValueError
        If there are too few rows, or no vertex moves.
    """
    training, held_out, judged_by = split("face_maps", ds, settings.holdout, budget.seed)
    budget.progress(Progress("balancing", 0, 1))
    bins = [training[rows] for rows in balanced_bins(ds, training, settings.bins)]
    influence, notes = moved_by(ds)
    budget.progress(Progress("laying out", 0, 1))
    offsets = _offsets(ds, training, budget.minutes, None)
    layout = lay_out(
        surface_of(ds),
        np.asarray(ds.rest_vertices),
        np.asarray(ds.faces),
        offsets,
        influence,
        unit_to_mm=1e3 * ds.meters_per_unit,
        seed=budget.seed,
        threads=budget.threads,
        published=settings.layout == "published",
    )
    layout = layout.with_small_followers(FIRST)
    base, about = None, dict[str, Any]()
    if settings.base:
        flexible = influence.copy()
        for part in layout.parts:
            flexible[part.vertices] = False
        base, about = fit_base(ds, training, flexible, budget)
        layout = _with_floors(layout, _offsets(ds, training, budget.minutes, base), ds, budget.threads)
    layout = replace(layout, notes=[*layout.notes, *notes, f"Judged by {judged_by}."])
    extent = float(np.linalg.norm(np.ptp(ds.rest_vertices, axis=0)))
    found = bins, influence, layout, base, about, extent
    return MapPreparation(np.asarray(ds.poses), training, held_out, judged_by, *found)


def _with_floors(layout: Layout, left: NDArray[np.float32], ds: Any, threads: int) -> Layout:
    """The layout with the floors of what a base leaves, offsets (T, V, 3) of some rows."""
    unit = np.float32(1e3 * ds.meters_per_unit)
    floors = []
    for segment, known in zip(layout.segments, layout.floors, strict=True):
        own = np.ascontiguousarray(left[:FRAMES, segment.vertices] * unit)
        found = floors_of(segment.name, segment.uvs, own, segment.resolution, threads)
        floors.append(replace(known, before=found.after, after=found.after))
    return replace(layout, floors=floors)


def refined(ds: Any, ready: MapPreparation, settings: FaceMapsSettings, budget: Budget) -> MapPreparation:
    """The preparation with refinement segments where coarse maps cannot show the motion, and regions around them."""
    if settings.refinement == 0.0:
        return ready
    budget.progress(Progress("finding what to refine", 0, 1))
    offsets, unit = _offsets(ds, ready.training, budget.minutes, ready.base), 1e3 * ds.meters_per_unit
    chosen: dict[str, Any] = {"unit_to_mm": unit, "seed": budget.seed, "threads": budget.threads}
    chosen["squares"] = settings.layout == "published"
    layout = ready.layout.refined(refinements(ready.layout, offsets, influence=ready.influence, **chosen))
    if settings.regions:
        layout = with_regions(
            layout, offsets, ready.influence, unit_to_mm=unit, seed=budget.seed, threads=budget.threads
        )
    return replace(ready, layout=layout)


def _offsets(ds: Any, training: Rows, minutes: float | None, base: BaseShapes | None) -> NDArray[np.float32]:
    """Offsets (T, V, 3) from the rest, or from the base, of some training rows; of fewer if minutes are few."""
    most = LOOKED_AT
    if minutes is not None:
        most = int(min(LOOKED_AT, max(LEAST_LOOKED_AT, LOOKED_AT_PER_MINUTE * minutes)))
    some = training[:: max(1, -(-len(training) // most))]
    _, poses, vertices = ds.take(some)
    offsets: NDArray[np.float32] = vertices - np.asarray(ds.rest_vertices)
    return offsets if base is None else offsets - base.offsets(poses)
