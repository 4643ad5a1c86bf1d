"""Vertices, faces, skin weights and morph targets of mesh nodes (glTF 2.0, section 3.7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.gltf.accessors import Accessors
from rigcast._formats.gltf.coverage import Coverage
from rigcast._formats.gltf.document import (
    Document,
    attribute_index,
    integer,
    items,
    numbers,
    records,
    refuse,
    text,
    unique_names,
)
from rigcast._rigs.surface import Surface

POINTS, LINES, TRIANGLES, STRIP, FAN = 0, (1, 2, 3), 4, 5, 6


@dataclass(frozen=True)
class Owner:
    """A mesh node with morph targets: their names and default weights, and whether the file names none of them."""

    node: int
    names: list[str]
    weights: NDArray[np.float64]
    nameless: bool = False


@dataclass
class GltfGeometry:
    """The primitives of some mesh nodes joined into one mesh, in mesh space.

    Attributes
    ----------
    vertices : (V, 3) float64 array
    faces : (F, 3) int64 array
    joint, weight : (V, K) arrays, K 0 without a skin
    sizes : list of int
        Vertices of each mesh node.
    owners : list of Owner
    morphs : list of (vertex indices, (n, 3) deltas), in the order of the owners
    surface : Surface
        Each mesh node is a part.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    joint: NDArray[np.int64]
    weight: NDArray[np.float64]
    sizes: list[int] = field(default_factory=list)
    owners: list[Owner] = field(default_factory=list)
    morphs: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = field(default_factory=list)
    surface: Surface = field(default_factory=Surface)


@dataclass
class _Parts:
    """Arrays collected from primitives."""

    coverage: Coverage
    count: int = 0
    vertices: list[NDArray[np.float64]] = field(default_factory=list)
    faces: list[NDArray[np.int64]] = field(default_factory=list)
    joint: list[NDArray[np.int64]] = field(default_factory=list)
    weight: list[NDArray[np.float64]] = field(default_factory=list)


def read_geometry(
    document: Document,
    accessors: Accessors,
    mesh_nodes: list[int],
    skinned: Mapping[int, int],
    names: list[str] | None = None,
) -> GltfGeometry:
    """Merge all triangle primitives of mesh nodes, and points of meshes that have no triangles.

    Parameters
    ----------
    skinned : mapping from mesh node to int
        The number of joints of those with a skin.
    names : list of str, optional
        Of all nodes: what parts are called.
    """
    parts = _Parts(Coverage(document, accessors))
    sizes: list[int] = []
    owners: list[Owner] = []
    morphs: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = []
    meshes = records(document.gltf.meshes, "meshes")
    for node in mesh_nodes:
        record = document.gltf.nodes[node]
        number = integer(record.mesh, 0, len(meshes), f"nodes[{node}].mesh")
        before = parts.count
        targets = _read_mesh(document, accessors, meshes[number], f"meshes[{number}]", parts, skinned.get(node, 0))
        sizes.append(parts.count - before)
        if targets:
            owners.append(_owner(node, record, meshes[number], len(targets)))
            morphs += targets
    if not parts.vertices:
        raise refuse("mesh", "without triangles or points", "a mesh with triangles")
    width = max(joint.shape[1] for joint in parts.joint)
    return GltfGeometry(
        np.concatenate(parts.vertices),
        np.concatenate(parts.faces),
        np.concatenate([np.pad(joint, ((0, 0), (0, width - joint.shape[1]))) for joint in parts.joint]),
        np.concatenate([np.pad(weight, ((0, 0), (0, width - weight.shape[1]))) for weight in parts.weight]),
        sizes,
        owners,
        morphs,
        parts.coverage.surface([names[node] for node in mesh_nodes] if names else [], sizes if names else []),
    )


def _mode(primitive: Any, where: str) -> int:
    """The drawing mode of a primitive: 0 points, 4 and more triangles."""
    return TRIANGLES if primitive.mode is None else integer(primitive.mode, 0, 7, f"{where}.mode")


def _read_mesh(
    document: Document, accessors: Accessors, mesh: Any, what: str, parts: _Parts, skinned: int
) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Append a mesh's primitives to ``parts``; gives its morph targets."""
    starts: dict[str, int] = {}
    sizes: dict[str, int] = {}
    pieces: list[list[tuple[NDArray[np.int64], NDArray[np.float64]]]] = []
    counts = set()
    primitives = records(mesh.primitives, f"{what}.primitives")
    modes = [_mode(primitive, f"{what}.primitives[{index}]") for index, primitive in enumerate(primitives)]
    least = TRIANGLES if max(modes, default=POINTS) >= TRIANGLES else POINTS
    for index, (primitive, mode) in enumerate(zip(primitives, modes, strict=True)):
        where = f"{what}.primitives[{index}]"
        if mode in LINES or mode < least:
            continue
        targets = items(primitive.targets, f"{where}.targets")
        counts.add(len(targets))
        sets = _influence_sets(primitive.attributes)
        key = repr((attribute_index(primitive.attributes, "POSITION"), sets, [_position(t) for t in targets]))
        if key not in starts:  # primitives of one mesh often share vertices and differ in faces
            starts[key] = parts.count
            size = _read_vertices(document, accessors, primitive, sets if skinned else [], skinned, parts, where)
            sizes[key] = size
            pieces.append(_read_targets(document, accessors, targets, starts[key], size, where))
        count = sizes[key]
        faces = _faces(accessors, primitive.indices, mode, count, where)
        document.spend(faces.nbytes, where)
        parts.coverage.add(primitive, faces, count, where)
        parts.faces.append(faces + starts[key])
    if len(counts) > 1:
        raise refuse(f"{what}.primitives", "of different numbers of targets", "of one number of targets")
    return [_merged(target) for target in zip(*pieces, strict=True)]


def _merged(pieces: tuple[tuple[NDArray[np.int64], NDArray[np.float64]], ...]) -> tuple[Any, Any]:
    """One target's vertices and offsets, of all primitives."""
    vertices, offsets = zip(*pieces, strict=True)
    return np.concatenate(vertices), np.concatenate(offsets)


def _position(target: object) -> object:
    return attribute_index(target, "POSITION")


def _influence_sets(attributes: Any) -> list[tuple[object, object]]:
    """Accessors of JOINTS_0 and WEIGHTS_0, JOINTS_1 and WEIGHTS_1, ..."""
    sets: list[tuple[object, object]] = []
    while attribute_index(attributes, f"JOINTS_{len(sets)}") is not None:
        names = (f"JOINTS_{len(sets)}", f"WEIGHTS_{len(sets)}")
        sets.append((attribute_index(attributes, names[0]), attribute_index(attributes, names[1])))
    return sets


def _read_vertices(
    document: Document,
    accessors: Accessors,
    primitive: Any,
    sets: list[tuple[object, object]],
    skinned: int,
    parts: _Parts,
    where: str,
) -> int:
    vertices = accessors.floats(attribute_index(primitive.attributes, "POSITION"), "VEC3", f"{where}: POSITION")
    document.spend(vertices.nbytes, where)
    if skinned and not sets:
        raise refuse(where, "skinned without JOINTS_0", "a mesh with joints and weights")
    joints, weights = [np.empty((len(vertices), 0), np.int64)], [np.empty((len(vertices), 0))]
    for joint_accessor, weight_accessor in sets:
        joints.append(accessors.integers(joint_accessor, "VEC4", f"{where}: JOINTS"))
        weights.append(accessors.floats(weight_accessor, "VEC4", f"{where}: WEIGHTS"))
    if any(len(array) != len(vertices) for array in joints + weights):
        raise refuse(where, "a mesh with attributes of different counts", "one of equal counts")
    joint, weight = np.concatenate(joints, axis=1), np.concatenate(weights, axis=1)
    if skinned:
        joint, weight = _clean_influences(joint, weight, skinned, where)
    parts.vertices.append(vertices)
    parts.joint.append(joint)
    parts.weight.append(weight)
    parts.count += len(vertices)
    return len(vertices)


def _clean_influences(
    joint: NDArray[np.int64], weight: NDArray[np.float64], count: int, where: str
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows of sum 1 (exporters round; a row of zeros goes to joint 0), slots without weight name joint 0."""
    if (weight < 0).any():
        raise refuse(f"{where}: WEIGHTS", f"as low as {weight.min():.4g}", "not negative")
    joint = np.where(weight > 0, joint, 0)
    if joint.max() >= count:
        raise refuse(f"{where}: JOINTS", f"as high as {joint.max()}", f"below {count}, the joints of the skin")
    weight = weight.copy()
    weight[weight.sum(axis=1) == 0, 0] = 1.0
    return joint, weight / weight.sum(axis=1, keepdims=True)


def _read_targets(
    document: Document, accessors: Accessors, targets: list[Any], start: int, size: int, where: str
) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Vertices that move and how, for every target of a primitive."""
    result = []
    for index, target in enumerate(targets):
        what = f"{where}.targets[{index}]"
        accessor = _position(target)
        deltas = np.zeros((0, 3))
        if accessor is not None:
            deltas = accessors.floats(accessor, "VEC3", what)
            if len(deltas) != size:
                raise refuse(what, f"of {len(deltas)} vertices", f"of {size}, like the primitive")
        moving = np.flatnonzero(deltas.any(axis=1))
        document.spend(moving.size * 32, what)
        result.append((moving + start, deltas[moving]))
    return result


def _faces(accessors: Accessors, index: object, mode: int, size: int, where: str) -> NDArray[np.int64]:
    if mode == POINTS:
        return np.zeros((0, 3), np.int64)
    if index is None:
        corners = np.arange(size)
    else:
        corners = accessors.integers(index, "SCALAR", f"{where}: indices")[:, 0]
        if corners.max() >= size:
            raise refuse(f"{where}: indices", f"as high as {corners.max()}", f"below {size}")
    if mode == TRIANGLES:
        return np.asarray(corners[: len(corners) // 3 * 3].reshape(-1, 3))
    if mode == FAN:
        return np.stack([np.full(max(0, len(corners) - 2), corners[0]), corners[1:-1], corners[2:]], axis=1)
    strip = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1)
    strip[1::2] = strip[1::2, [0, 2, 1]]  # every other triangle of a strip winds the other way
    return np.asarray(strip)


def _owner(node: int, record: Any, mesh: Any, count: int) -> Owner:
    names = _target_names(mesh, count)
    default = getattr(record, "weights", None) or mesh.weights
    weights = numbers(default, count, f"nodes[{node}]: weights") if default else np.zeros(count)
    listed = unique_names(name or f"morph {i}" for i, name in enumerate(names))
    return Owner(node, listed, weights, not any(names))


def _target_names(mesh: Any, count: int) -> list[str]:
    """Names of the targets of a mesh, empty where the file has none.

    They stand with the mesh, once or once for each primitive, or with a primitive, as in avatars of VRM 0, or with each
    target, as in those of its first exporters. A list may name only the first ones.
    """
    primitives = records(mesh.primitives, "primitives")
    for given in (getattr(holder.extras, "targetNames", None) for holder in [mesh, *primitives]):
        if not isinstance(given, list) or not given or (len(given) > count and len(given) % count):
            continue
        names = [text(name) for name in given]
        if all(names[i] == names[i % count] for i in range(len(names))):
            return [*names[:count], *[""] * (count - len(names))]
    for primitive in primitives:
        targets = items(primitive.targets, "targets")
        holders = [getattr(target, "extras", None) or getattr(target, "extra", None) for target in targets]
        names = [text(getattr(holder, "name", None)) for holder in holders]
        if len(names) == count and any(names):
            return names
    return [""] * count


def turn_corners(geometry: GltfGeometry, rows: NDArray[np.bool_]) -> None:
    """Turn round the corners of some triangles, whose surface is mirrored: fronts stay fronts (section 3.7.4)."""
    for corners in (geometry.faces, geometry.surface.uv_faces):
        if len(corners):
            corners[rows] = corners[rows][:, [0, 2, 1]]
