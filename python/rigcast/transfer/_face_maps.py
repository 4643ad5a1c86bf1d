"""Deformation maps sampled on another mesh whose texture coordinates are aligned (Bailey 2020, section 3.5)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._core import Deformer
from rigcast._hashing import padded_faces, topology_hash
from rigcast._rigs.base_shapes import read_base
from rigcast._rigs.model_surface import surface_tensors
from rigcast._rigs.surface import Surface, check_surface, surface_of
from rigcast._validate import Arguments, bad_argument
from rigcast.transfer._seams import home_rows, islands, within_seams

FAR = 0.02  # in texture coordinates: a vertex farther from the model's texture has no counterpart and stays at rest
SAME_TEXTURE = 1e-4  # of a squared distance in parts of the mesh, relative to squared distances in the texture
OWN = (
    "rest_vertices",
    "faces",
    "segment",
    "inputs.",
    "parts.",
    "surface.",
    "error.",
    "base.",
)  # tensors of mesh and maps

Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]


def transfer_face_maps(model: Deformer, rest_vertices: ArrayLike, faces: ArrayLike, *, surface: Surface) -> Deformer:
    """A model of deformation maps for another mesh: the same networks, whose maps its vertices sample.

    The texture coordinates of both meshes must be aligned: a point of the texture is the same point of the face. Each
    vertex finds its place on the textured triangles of the model's mesh, and samples the maps where that place does;
    offsets are added to its own rest position. Rigid parts follow the vertices nearest to the old followers in the
    texture. A vertex farther than 0.02 from the model's texture stays at rest. Where the texture of the model's mesh
    lies on itself, the first triangle found counts.

    Parameters
    ----------
    model : Deformer
        Of kind "face_maps", with texture coordinates.
    rest_vertices : (V, 3) array_like
        In the unit of the model.
    faces : (F, 3) or (F, 4) array_like
    surface : Surface
        Texture coordinates of the other mesh.

    Returns
    -------
    Deformer
        Of kind "face_maps". It knows no error, since nobody measured it on this mesh.

    Raises
    ------
    ValueError
        If the model is of another kind, either mesh has no texture coordinates, shapes do not fit, or no vertex has a
        place on the model's texture.

    Examples
    --------
    >>> bare = rc.sources.Surface()
    >>> rc.transfer.transfer_face_maps(rc.faces.example(), np.zeros((3, 3)), [[0, 1, 2]], surface=bare)
    Traceback (most recent call last):
    rigcast.errors.ArgumentError: transfer_face_maps: model is of kind 'blendshape'; ...
    """
    if getattr(model, "kind", None) != "face_maps":
        got = f"of kind {model.kind!r}" if isinstance(model, Deformer) else f"a {type(model).__name__}"
        raise bad_argument("transfer_face_maps", "model", got, 'a model of kind "face_maps"')
    check = Arguments("transfer_face_maps")
    rest = check.numbers("rest_vertices", rest_vertices, "V+ 3", dtype=np.float32)
    corners = padded_faces(faces, "transfer_face_maps", len(rest))
    if not isinstance(surface, Surface) or not len(surface.uvs):
        raise check.wrong("surface", "without texture coordinates", "a Surface with some")
    check_surface(surface, len(rest), corners, "transfer_face_maps")
    if not len(surface_of(model).uvs):
        raise check.wrong("model", "without texture coordinates", "one with some")
    places = _places(model, corners, surface, len(rest))
    if not places.found.any():
        got = f"of {len(rest)} vertices none of which lies on the model's texture"
        raise check.wrong("surface", got, "aligned with the model's")
    tensors = model.tensors()
    kept = {name: value for name, value in tensors.items() if not name.startswith(OWN)}
    kept |= {"rest_vertices": rest, "faces": corners, **surface_tensors(surface)}
    kept |= _sampled(tensors, places, rest)
    if (base := read_base(tensors)) is not None:
        kept |= base.moved_to(places.vertices, np.where(places.found[:, None], places.weights, 0.0)).tensors()
    about = {key: value for key, value in model.metadata.items() if key not in ("parts", "materials", "error")}
    about |= {"topology_hash": topology_hash(corners, len(rest)), **surface.names()}
    return _core.model_from_tensors(kept, json.dumps(about))


@dataclass(frozen=True)
class _Places:
    """The places of vertices on the textured triangles of the model's mesh.

    Attributes
    ----------
    vertices : (V, 3) int64
        Of the model's mesh: the corners of the triangle.
    weights : (V, 3) float64
        Barycentric, but for corners across a seam of the texture.
    found : (V,) bool
    uvs : (K, 2) array
        Texture coordinates of the corners of the other mesh.
    corner_vertices : (K,) array
        Their vertices.
    source_uvs : (W, 2) float64
        Texture coordinates of the model's vertices, NaN for none.
    """

    vertices: Int64
    weights: Float64
    found: NDArray[np.bool_]
    uvs: NDArray[np.float32]
    corner_vertices: NDArray[np.int32]
    source_uvs: Float64


def _places(model: Deformer, faces: NDArray[np.int32], surface: Surface, count: int) -> _Places:
    """Places of the vertices of a mesh with these faces."""
    source, source_faces = surface_of(model), np.asarray(model.faces)
    uvs, has = _vertex_uvs(surface, faces, count)
    known, _ = _vertex_uvs(source, source_faces, len(model.rest_vertices))
    used = source.uv_faces[:, 0] >= 0
    points = np.pad(source.uvs, ((0, 0), (0, 1))).astype(np.float32)
    queries = np.pad(np.where(has[:, None], uvs, 0.0), ((0, 0), (0, 1))).astype(np.float32)
    found, weights, distance = _core.closest_points(points, source.uv_faces[used], queries)
    rows = np.array(found)
    vertex_of = np.full(len(points), -1)
    at = source.uv_faces >= 0
    vertex_of[source.uv_faces[at]] = source_faces[at]
    tensors = model.tensors()
    weights, distance = np.array(weights, np.float64), np.array(distance)
    for vertex in np.flatnonzero(has & ~(distance < FAR)):  # on faces without area in the texture
        gap = np.where(vertex_of >= 0, np.linalg.norm(source.uvs - uvs[vertex], axis=1), np.inf)
        if gap.min() < FAR:
            rows[vertex], weights[vertex], distance[vertex] = gap.argmin(), (1.0, 0.0, 0.0), gap.min()
    corners = vertex_of[rows]
    home, label = home_rows(source, source_faces, tensors)[rows], islands(source, source_faces, tensors)[corners]
    own_rows, own_vertices = surface.uv_faces[surface.uv_faces >= 0], faces[surface.uv_faces >= 0]
    shares = within_seams(weights, home, label)
    return _Places(corners, shares, has & (distance < FAR), surface.uvs[own_rows], own_vertices, known)


def _vertex_uvs(surface: Surface, faces: NDArray[np.int32], count: int) -> tuple[Float64, NDArray[np.bool_]]:
    """One texture coordinate per vertex, that of its first corner, and which vertices have one."""
    result = np.full((count, 2), np.nan)
    at = surface.uv_faces >= 0
    result[faces[at][::-1]] = surface.uvs[surface.uv_faces[at][::-1]]
    return result, np.isfinite(result[:, 0])


def _sampled(tensors: dict[str, NDArray[Any]], places: _Places, rest: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
    """The tensors ``segments.*`` and ``parts.*`` of the vertices at these places, which rest at (V, 3)."""
    starts, of = tensors["segments.offset"], tensors["segments.vertex"]
    members = [slice(int(starts[s]), int(starts[s + 1])) for s in range(len(starts) - 1)]
    owner = np.full(len(places.source_uvs), -1)  # groups of coarse segments count from 0, rigid parts after them
    groups = groups_of(tensors, members)
    for group, part in zip(groups, members, strict=False):  # coarse ones come first
        owner[of[part]] = group
    part_starts = tensors["parts.offset"]
    for number in range(len(part_starts) - 1):
        owner[tensors["parts.vertex"][part_starts[number] : part_starts[number + 1]]] = len(members) + number
    for part, number in follower_segments(tensors, members):
        owner[of[part]] = len(members) + number  # around them lies the part itself
    followers, exact = _followers(tensors, places, owner, members, rest)
    own = _owners(places, owner)
    own[list(exact)] = -1
    vertices, uvs, weights = [], [], []
    for number, part in enumerate(members):
        group = groups[number] if number < len(groups) else -1
        inside, shares, share = _shares(places, of[part], group, owner, own)
        found_uv = np.einsum("vc,vcd->vd", shares, _spread(tensors["segments.uv"][part], of[part], places)[inside])
        found_weight = share * np.einsum(
            "vc,vc->v", shares, _spread(tensors["segments.weight"][part], of[part], places)[inside]
        )
        extra = [vertex for vertex, row in exact.items() if part.start <= row < part.stop]
        joined = np.concatenate([inside, np.array(extra, np.int64)])
        order = np.argsort(joined, kind="stable")
        rows = [exact[vertex] for vertex in extra]
        vertices.append(joined[order])
        uvs.append(np.concatenate([found_uv, tensors["segments.uv"][rows].reshape(-1, 2)])[order])
        weights.append(np.concatenate([found_weight, tensors["segments.weight"][rows]])[order])
    parts = [np.flatnonzero(own == len(members) + number) for number in range(len(part_starts) - 1)]
    used = [number for number in range(len(members)) if len(vertices[number])]
    vertices, uvs, weights = ([found[number] for number in used] for found in (vertices, uvs, weights))
    kept = np.array([number for number in range(len(parts)) if len(parts[number])], np.int64)
    return _networks(tensors, used) | {
        "segments.offset": _offsets(vertices),
        "segments.vertex": _joined(vertices, np.int32),
        "segments.uv": np.clip(_joined(uvs, np.float32).reshape(-1, 2), 0.0, 1.0),
        "segments.weight": np.clip(_joined(weights, np.float32), 0.0, 1.0),
        "parts.offset": _offsets([parts[number] for number in kept]),
        "parts.vertex": _joined([parts[number] for number in kept], np.int32),
        "parts.follower": followers[kept],
    }


def _networks(tensors: dict[str, NDArray[Any]], used: list[int]) -> dict[str, NDArray[Any]]:
    """Networks, inputs and levels of the segments that have vertices here, numbered anew."""
    starts = tensors["inputs.offset"]
    columns = [tensors["inputs.column"][starts[number] : starts[number + 1]] for number in used]
    result = {
        "segments.level": tensors["segments.level"][used],
        "inputs.offset": _offsets(columns),
        "inputs.column": _joined(columns, np.int32),
    }
    for place, number in enumerate(used):
        old, new = f"segment.{number:03d}.", f"segment.{place:03d}."
        result |= {new + name.removeprefix(old): value for name, value in tensors.items() if name.startswith(old)}
    return result


def _owners(places: _Places, owner: Int64) -> Int64:
    """The group of coarse segments or part of each vertex: that of most weight among its corners, -1 for none."""
    labels = owner[places.vertices]
    shares = np.stack([(places.weights * (labels == labels[:, [c]])).sum(axis=1) for c in range(3)], axis=1)
    best = labels[np.arange(len(labels)), shares.argmax(axis=1)]
    return np.where(places.found, best, -1)


def _shares(
    places: _Places, of: NDArray[np.int32], group: int, owner: Int64, own: Int64
) -> tuple[Int64, Float64, Float64]:
    """Vertices of a segment, the weights (., 3) of the corners of their places that are in it, of sum 1, and its share.

    A coarse segment has vertices that its group owns, with the share of its corners among those of the group; a
    refinement (group -1) has those with all corners in it that count.
    """
    member = np.isin(places.vertices, of)
    shares = np.where(member, places.weights, 0.0)
    total = shares.sum(axis=1)
    inside = np.flatnonzero((own == group) & (total > 0.0) if group >= 0 else places.found & (total > 1.0 - 1e-6))
    whole = np.where(owner[places.vertices[inside]] == group, places.weights[inside], 0.0).sum(axis=1)
    share = total[inside] / whole if group >= 0 else np.ones(len(inside))
    return inside, shares[inside] / total[inside, None], np.asarray(share)


def _spread(values: NDArray[Any], of: NDArray[np.int32], places: _Places) -> Float64:
    """Values of a segment's vertices at the corners of places, (V, 3) or (V, 3, 2); 0 elsewhere."""
    whole = np.zeros((len(places.source_uvs), *values.shape[1:]))
    whole[of] = values
    return np.asarray(whole[places.vertices])


def _followers(
    tensors: dict[str, NDArray[Any]],
    places: _Places,
    owner: Int64,
    members: list[slice],
    rest: NDArray[np.float32],
) -> tuple[NDArray[np.int32], dict[int, int]]:
    """Followers (P, F) of the parts: the nearest vertices in the texture, all different.

    Of vertices at one place of the texture, as on teeth that share theirs, the nearest in space.

    Where followers belong to a part itself, they alone are on a map: the second result has the row of
    ``segments.vertex`` that such a vertex stands for.
    """
    coarse = [part for number, part in enumerate(members) if tensors["segments.level"][number] == 0]
    row_of = {int(tensors["segments.vertex"][row]): row for part in coarse for row in range(part.start, part.stop)}
    new, exact = tensors["parts.follower"].copy(), {}
    extent = float(np.linalg.norm(np.ptp(tensors["rest_vertices"], axis=0)))
    for followers in new:
        free = places.found.copy()
        for place, vertex in enumerate(followers.tolist()):
            away = np.square((rest - tensors["rest_vertices"][vertex]) / extent).sum(axis=1)
            gap = np.full(len(rest), np.inf)
            corner_gap = np.square(places.uvs - places.source_uvs[vertex]).sum(axis=1)
            np.minimum.at(gap, places.corner_vertices, corner_gap)
            gap = np.where(free, gap + SAME_TEXTURE * away, np.inf)
            nearest = int(np.argmin(gap))
            free[nearest] = False
            followers[place] = nearest
            if owner[vertex] >= len(members):
                exact[nearest] = row_of[vertex]
    return new, exact


def _offsets(parts: list[Any]) -> NDArray[np.int32]:
    return np.array([0, *np.cumsum([len(part) for part in parts])], np.int32)


def _joined(parts: list[Any], dtype: Any) -> NDArray[Any]:
    return np.asarray(np.concatenate([np.zeros(0), *(np.asarray(part).reshape(-1) for part in parts)]), dtype)


def groups_of(tensors: dict[str, NDArray[Any]], members: list[slice]) -> list[int]:
    """For each coarse segment the number of the first one that it blends with at some vertex, or with its kin."""
    taken = np.full(len(tensors["rest_vertices"]), -1)
    result: list[int] = []
    for number, part in enumerate(members):
        if tensors["segments.level"][number] == 0:
            own = tensors["segments.vertex"][part]
            met = np.unique(taken[own][taken[own] >= 0])
            first = int(met[0]) if len(met) else number
            result = [first if group in met else group for group in result] + [first]
            taken[np.isin(taken, met)] = first
            taken[own] = first
    return result


def follower_segments(tensors: dict[str, NDArray[Any]], members: list[slice]) -> list[tuple[slice, int]]:
    """Coarse segments of followers alone, each with its rigid part."""
    result = []
    for number, followers in enumerate(tensors["parts.follower"]):
        for segment, part in enumerate(members):
            vertices = tensors["segments.vertex"][part]
            if tensors["segments.level"][segment] == 0 and len(vertices) and np.isin(vertices, followers).all():
                result.append((part, number))
    return result
