"""The layout that a trained model stands on, read from its file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import Deformer
from rigcast._rigs.drawn_maps import check_mapped, map_resolution, segment_names
from rigcast._rigs.surface import Surface, surface_of
from rigcast.training._face_maps._layout.charts import stretched
from rigcast.training._face_maps._layout.segments import COARSE, Floors, Layout, MapSegment, RigidPart
from rigcast.training._face_maps._layout.uvs import vertex_uvs


def model_layout(model: Deformer) -> Layout:
    """The layout of a model on deformation maps, for tables and pictures.

    What training measured (floors, errors of rigid parts, notes) is that of the model's metadata. Texture coordinates
    before mending are the artist's; a segment that was laid out anew has none.

    Parameters
    ----------
    model : Deformer
        Of kind "face_maps".

    Returns
    -------
    Layout

    Raises
    ------
    ValueError
        If the model is of another kind.

    Examples
    --------
    >>> rc.training.model_layout(rc.faces.example())
    Traceback (most recent call last):
    ...
    rigcast.errors.ArgumentError: model_layout: model is of kind 'blendshape'; it must be a model of kind 'face_maps'
    """
    check_mapped(model, "model_layout")
    tensors = model.tensors()
    stated: dict[str, Any] = model.metadata.get("face_maps", {})
    segments = _segments(model, tensors)
    floors = {floor["name"]: floor for floor in stated.get("floors", [])}
    coarse = [segment for segment in segments if segment.level == COARSE]
    return Layout(
        segments,
        _parts(tensors, stated.get("rigid_parts", [])),
        [str(note) for note in stated.get("notes", [])],
        [_floor(segment, floors.get(segment.name)) for segment in coarse],
        _before(model, coarse, floors),
    )


def _segments(model: Deformer, tensors: dict[str, NDArray[Any]]) -> list[MapSegment]:
    starts, inputs = tensors["segments.offset"], tensors["inputs.offset"]
    found = []
    for number, name in enumerate(segment_names(model)):
        own = slice(starts[number], starts[number + 1])
        found.append(
            MapSegment(
                name,
                int(tensors["segments.level"][number]),
                tensors["segments.vertex"][own].astype(np.int64),
                tensors["segments.uv"][own].astype(np.float64),
                tensors["segments.weight"][own],
                tensors["inputs.column"][inputs[number] : inputs[number + 1]].astype(np.int64),
                map_resolution(tensors, number),
            )
        )
    return found


def _parts(tensors: dict[str, NDArray[Any]], stated: list[dict[str, Any]]) -> list[RigidPart]:
    starts, followers = tensors["parts.offset"], tensors["parts.follower"]
    known = len(stated) == len(followers)
    found = []
    for number, own in enumerate(followers):
        vertices = tensors["parts.vertex"][starts[number] : starts[number + 1]].astype(np.int64)
        name = str(stated[number]["name"]) if known else f"part {number + 1}"
        error = float(stated[number]["error_mm"]) if known else np.nan
        found.append(RigidPart(name, vertices, own.astype(np.int64), error))
    return found


def _floor(segment: MapSegment, stated: dict[str, Any] | None) -> Floors:
    if stated is None:
        nothing = (np.nan, np.nan)
        return Floors(segment.name, segment.resolution, nothing, nothing, 0, 0, 0, 0)
    before, after = ((float(mean), float(most)) for mean, most in (stated["before_mm"], stated["after_mm"]))
    counts = [int(stated.get(key, 0)) for key in ("folded_before", "folded_after")]
    counts += [int(stated.get(key, 0)) for key in ("overlapped_before", "overlapped_after")]
    return Floors(segment.name, segment.resolution, before, after, *counts)


def _before(model: Deformer, coarse: list[MapSegment], stated: dict[str, dict[str, Any]]) -> list[NDArray[np.float64]]:
    """The artist's coordinates of each segment, stretched to the square; none of a segment that lies on new charts."""
    artists = artists_uvs(surface_of(model), np.asarray(model.faces), coarse, len(model.rest_vertices))
    kept = [stated.get(segment.name, {}).get("artists_uvs", True) for segment in coarse]
    return [uvs if known else np.zeros((0, 2)) for uvs, known in zip(artists, kept, strict=True)]


def artists_uvs(
    surface: Surface, faces: NDArray[np.int32], segments: list[MapSegment], num_vertices: int
) -> list[NDArray[np.float64]]:
    """Texture coordinates (M, 2) of the mesh at each segment's vertices, stretched to the square; (0, 2) for none."""
    uvs = vertex_uvs(surface, faces, num_vertices).uvs
    own = [uvs[segment.vertices] for segment in segments]
    return [stretched(at) if len(at) and np.isfinite(at).all() else np.zeros((0, 2)) for at in own]


def floors_record(
    layout: Layout, surface: Surface, faces: NDArray[np.int32], num_vertices: int
) -> list[dict[str, Any]]:
    """The floors in a model's metadata, and the segments that lie on the artist's texture coordinates."""
    artists = artists_uvs(surface, faces, layout.coarse, num_vertices)
    kept = zip(layout.floors, artists, layout.original_uvs, strict=False)  # layouts made by hand have no floors
    return [
        {
            "name": floors.name,
            "resolution": floors.resolution,
            "before_mm": floors.before,
            "after_mm": floors.after,
            "folded_before": floors.folded_before,
            "folded_after": floors.folded_after,
            "overlapped_before": floors.overlapped_before,
            "overlapped_after": floors.overlapped_after,
            "artists_uvs": own.shape == before.shape and bool(np.allclose(own, before)),
        }
        for floors, own, before in kept
    ]
