"""The message that opens a page: meshes and sliders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rigwright.viewer import _geometry
from rigwright.viewer._movie import can_make_movies
from rigwright.viewer._sliders import part_order
from rigwright.viewer._wire import packed


def scene_message(figures: Sequence[Any], colors: Sequence[str], exports: Sequence[str], has_handles: bool) -> bytes:
    """Index buffers of each figure, the sliders of the first, and what the page offers.

    Parameters
    ----------
    figures : sequence of Figure
        The first has sliders.
    colors, exports : sequence of str
        What the skin can show, and formats that can be written.
    has_handles : bool
    """
    facts, arrays = [], []
    for figure in figures:
        all_triangles = _geometry.triangles(figure.faces)
        buffers = [
            all_triangles,
            _geometry.reduced(figure.rest_vertices, all_triangles),
            _geometry.edges(figure.faces, len(figure.rest_vertices)),
        ]
        sizes = dict(zip(("triangles", "reduced", "edges"), map(len, buffers), strict=True))
        box = [figure.rest_vertices.min(axis=0).tolist(), figure.rest_vertices.max(axis=0).tolist()]
        about = {"name": figure.name, "kind": figure.kind, "vertices": len(figure.rest_vertices)}
        facts.append({**about, **sizes, "up": figure.up_axis, "box": box})
        arrays += buffers
    sliders = figures[0].sliders
    header = {
        "type": "scene",
        "figures": facts,
        "sliders": [vars(slider) for slider in sliders],
        "groups": part_order([slider.group for slider in sliders]),
        "colors": list(colors),
        "exports": list(exports),
        "handles": has_handles,
        "movie": can_make_movies(),
    }
    return packed(header, arrays)
