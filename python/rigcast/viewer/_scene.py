"""The message that opens a page: meshes and sliders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rigcast.viewer import _geometry
from rigcast.viewer._figures._model import ModelFigure
from rigcast.viewer._movie import can_make_movies
from rigcast.viewer._sliders import part_order
from rigcast.viewer._wire import packed


def color_modes(figures: Sequence[Any]) -> list[str]:
    """What the skin of the first figure can show: errors beside another one, what a model may be wrong by."""
    modes = ["plain"]
    if len(figures) == 2 and len(figures[0].rest_vertices) == len(figures[1].rest_vertices):
        modes.append("error")
    if not isinstance(figures[0], ModelFigure):
        return modes
    return [*modes, "confidence", *(["bound"] if figures[0].has_error_bound else [])]


def _export_formats(figure: Any) -> list[str]:
    has_joints = isinstance(figure, ModelFigure) and figure.skeleton is not None
    return ["npz", *(["bvh"] if has_joints else []), "glb", "blend"]


def scene_message(figures: Sequence[Any], has_handles: bool, more: Mapping[str, Any]) -> bytes:
    """Index buffers of each figure, the sliders of the first, and what the page offers.

    Parameters
    ----------
    figures : sequence of Figure
        The first has sliders.
    has_handles : bool
    more : mapping
        Further entries of the header.
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
        "colors": color_modes(figures),
        "exports": _export_formats(figures[0]),
        "handles": has_handles,
        "movie": can_make_movies(),
        **more,
    }
    return packed(header, arrays)
