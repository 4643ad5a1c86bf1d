"""The scene that a page draws: meshes, sliders, and the skin colored by error or confidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.viewer import _geometry
from rigcast.viewer._figures._figure import State, Vertices
from rigcast.viewer._figures._model import ModelFigure
from rigcast.viewer._movie import can_make_movies
from rigcast.viewer._protocol import Refused
from rigcast.viewer._sliders import part_order
from rigcast.viewer._wire import packed

Marks = NDArray[np.uint8]  # one byte per vertex
ERROR_SHARE = 0.0025  # of the character's size: the error that is drawn in the last color


def color_modes(figures: Sequence[Any]) -> list[str]:
    """The colors that the first figure can have: errors compared with another one, the bound of a model's error."""
    modes = ["plain"]
    if len(figures) == 2 and len(figures[0].rest_vertices) == len(figures[1].rest_vertices):
        modes.append("error")
    if not isinstance(figures[0], ModelFigure):
        return modes
    return [*modes, "confidence", *(["bound"] if figures[0].has_error_bound else [])]


def check_color(mode: str, figures: Sequence[Any]) -> None:
    """Refuse a color that the first figure cannot show."""
    if mode not in color_modes(figures):
        needs = "a model that states one" if mode == "bound" else "another figure of the same mesh beside it"
        raise Refused(f"{mode} needs {needs}")


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


def error_marks(
    vertices: Vertices, truth: Vertices, size: float, meters_per_unit: float
) -> tuple[Marks, dict[str, Any]]:
    """Distances of vertices (V, 3) to the true ones, 255 at 0.25 % of the size; mean and largest in millimeters."""
    return distance_marks(np.linalg.norm(vertices.astype(np.float64) - truth, axis=1), size, meters_per_unit)


def distance_marks(
    distance: NDArray[np.floating[Any]], size: float, meters_per_unit: float
) -> tuple[Marks, dict[str, Any]]:
    """Lengths (V,), 255 at 0.25 % of the size; mean and largest in millimeters."""
    most = ERROR_SHARE * size
    in_mm = 1000.0 * meters_per_unit
    facts = {"mean": float(distance.mean() * in_mm), "max": float(distance.max() * in_mm), "full": most * in_mm}
    return np.clip(255.0 * distance / most, 0, 255).astype(np.uint8), facts


def confidence_marks(confidence: float, num_vertices: int) -> Marks:
    """0 inside the training poses, 255 where nothing is known."""
    return np.full(num_vertices, round(255.0 * (1.0 - confidence)), np.uint8)


def confidence_of(figure: Any, state: State) -> float | None:
    """The confidence of a model in a pose; None for a rig."""
    if not isinstance(figure, ModelFigure):
        return None
    return float(figure.model.confidence(figure.pose(state)[None])[0])


def bound_of(figure: Any, state: State) -> NDArray[np.float32]:
    """The error bound of each vertex, of a model that states one."""
    assert isinstance(figure, ModelFigure)  # which alone offer this color
    return figure.error_bound(state)


def marks_of(
    mode: str,
    shown: Sequence[Vertices],
    confidence: float,
    size: float,
    meters_per_unit: float,
    bound: Callable[[], NDArray[np.float32]],
) -> tuple[Marks | None, dict[str, Any] | None]:
    """The color values of the first figure's vertices, and figures of its errors; None for what is not shown.

    ``bound`` is called if the bound of the model's error is shown.
    """
    if mode == "bound":
        return distance_marks(bound(), size, meters_per_unit)
    if mode == "confidence":
        return confidence_marks(confidence, len(shown[0])), None
    if mode == "error" and len(shown) == 2:
        return error_marks(shown[0], shown[1], size, meters_per_unit)
    return None, None
