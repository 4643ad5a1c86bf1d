"""The layout of a data set's face on deformation maps, as :func:`rigcast.training.face_maps` makes it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rigcast._validate import Arguments
from rigcast.progress import ProgressOption, as_callback
from rigcast.sampling import Dataset
from rigcast.training._face_maps._layout.influence import moved_by
from rigcast.training._face_maps._layout.segments import Layout
from rigcast.training._face_maps._layout.texture_space import FIELDS, lay_out
from rigcast.training._face_maps._refine.refinement import refinements

SAMPLES = 512  # of a data set that a layout is made from


def face_layout(
    data: Dataset,
    *,
    resolution: int = 32,
    refine: bool = True,
    fields: int = FIELDS,
    seed: int = 0,
    threads: int = 0,
    progress: ProgressOption = None,
) -> Layout:
    """Lay a sampled face out on deformation maps, and say what maps can show of it at best.

    Segments are the face's named parts, else its materials, else its components, cut by texture tile. The artist's
    texture coordinates are mended for the motion; a face without any gets charts of least stretch. Components that
    move rigidly become rigid parts. Where a coarse map cannot show the motion, rectangles of the texture get maps of
    their own (Bailey et al. 2020; Bailey 2020, chapter 3). Print the result for a table of floors with notes, or draw
    it with :func:`rigcast.plot.map_layout`.

    Parameters
    ----------
    data : Dataset
        Of at least two rows; with its influence probe where it has one.
    resolution : int
        Texels along each axis of a coarse map; refinement maps have twice as many.
    refine : bool
        Whether to look for what to refine.
    fields : int
        Samples that texture coordinates are moved by, at most. More take longer and leave less.
    seed : int
        Decides which of the rows are looked at, 512 at most.
    threads : int
        Number of threads; 0 means all processors that this process may use. The result has the same bytes for any.
    progress : True or callable, optional

    Returns
    -------
    Layout

    Raises
    ------
    ValueError
        If ``data`` is no data set, has fewer than two rows, or nothing moves in it.

    Examples
    --------
    >>> ds = rc.sampling.sample(rc.sources.example_body(), "arm.rwdata", count=20, seed=0)
    >>> layout = rc.training.face_layout(ds)
    >>> [segment.name for segment in layout.coarse]
    ['component 1']
    """
    check = Arguments("face_layout")
    if not all(hasattr(data, name) for name in ("take", "rest_vertices", "probe", "poses", "meters_per_unit")):
        raise check.wrong("data", f"a {type(data).__name__}", "a data set: rigcast.Dataset(path)")
    check.whole("resolution", resolution, least=2, most=128)
    check.whole("fields", fields)
    check.threads(threads)
    seed = check.whole("seed", seed)
    report = as_callback(progress)
    rows = np.sort(np.random.default_rng([seed, 6]).permutation(len(data))[:SAMPLES])
    if len(rows) < 2:
        raise check.wrong("data", f"of {len(rows)} rows", "of at least two")
    offsets = data.take(rows)[2] - data.rest_vertices
    masks, notes = moved_by(data)
    how: dict[str, Any] = {
        "unit_to_mm": 1e3 * data.meters_per_unit,
        "seed": seed,
        "threads": threads,
        "progress": report,
    }
    mesh = data.surface, data.rest_vertices, data.faces
    layout = lay_out(*mesh, offsets, masks, resolution=resolution, fields=fields, **how)
    layout.notes.extend(notes)
    if not refine:
        return layout
    return layout.refined(refinements(layout, offsets, influence=masks, resolution=2 * resolution, **how))
