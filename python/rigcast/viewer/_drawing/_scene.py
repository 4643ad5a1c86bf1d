"""The scene that a page draws: meshes, sliders, and what the page offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.viewer._drawing import _geometry
from rigcast.viewer._drawing._colors import color_modes
from rigcast.viewer._figures._model import ModelFigure
from rigcast.viewer._playing._movie import can_make_movies
from rigcast.viewer._sliders import part_order
from rigcast.viewer._wire import packed


def _export_formats(figure: Any) -> list[str]:
    has_joints = isinstance(figure, ModelFigure) and figure.skeleton is not None
    return ["npz", *(["bvh"] if has_joints else []), "glb", "blend"]


def _buffers(figure: Any, has_images: bool) -> tuple[list[NDArray[Any]], dict[str, Any]]:
    """Index buffers of a figure and the arrays of its materials, if they are known; and how many there are."""
    triangles = _geometry.triangles(figure.faces)
    parts = {"triangles": triangles, "reduced": _geometry.reduced(figure.rest_vertices, triangles)}
    edges = _geometry.edges(figure.faces, len(figure.rest_vertices))
    look = figure.look if has_images or figure.look is None or not figure.look.images else None
    facts: dict[str, Any] = {name: len(part) for name, part in parts.items()} | {"edges": len(edges)}
    if look is None:
        return [*parts.values(), edges], {**facts, "look": None}
    grouped = {name: look.grouped(part) for name, part in parts.items()}
    images = [np.frombuffer(image.image.ljust(-(-len(image.image) // 4) * 4, b"\0"), np.uint8) for image in look.images]
    uvs = [] if look.uvs is None else [look.uvs]
    facts["look"] = {
        "groups": {name: groups for name, (_, groups) in grouped.items()},
        "hasUvs": bool(uvs),
        "images": [{"type": image.image_type, "bytes": len(image.image)} for image in look.images],
    }
    return [*(part for part, _ in grouped.values()), edges, look.tints, *uvs, *images], facts


def scene_message(figures: Sequence[Any], has_handles: bool, more: Mapping[str, Any], has_images: bool = True) -> bytes:
    """Index buffers of each figure, the sliders of the first, and what the page offers.

    Joints are offered where ``more`` says so.

    Parameters
    ----------
    figures : sequence of Figure
        The first has sliders.
    has_handles : bool
    more : mapping
        Further entries of the header.
    has_images : bool
        False for a page that is to stay small: figures with textures have no materials there.
    """
    facts, arrays = [], []
    for figure in figures:
        box = [figure.rest_vertices.min(axis=0).tolist(), figure.rest_vertices.max(axis=0).tolist()]
        about = {"name": figure.name, "kind": figure.kind, "vertices": len(figure.rest_vertices)}
        skeleton = getattr(figure, "skeleton", None)
        parents = [] if skeleton is None else np.asarray(skeleton.parents).tolist()
        own, sizes = _buffers(figure, has_images)
        facts.append({**about, **sizes, "up": figure.up_axis, "box": box, "parents": parents})
        arrays += own
    sliders = figures[0].sliders
    header = {
        "type": "scene",
        "figures": facts,
        "sliders": [vars(slider) for slider in sliders],
        "groups": part_order([slider.group for slider in sliders]),
        "colors": color_modes(figures),
        "exports": _export_formats(figures[0]),
        "handles": has_handles,
        "bones": False,
        "movie": can_make_movies(),
        **more,
    }
    return packed(header, arrays)
