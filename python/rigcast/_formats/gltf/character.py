"""The meshes and joints of a glTF file that are one character, in one bind space.

A file may have a skin for each mesh, as avatars of VRM have, with bind matrices that say where each mesh stood. Skins
that share joints are brought into the space of the first one: with bind transforms ``B`` of a joint in both, a vertex
of the other mesh is ``B_first B_other^-1 p`` there, the same for all joints that both have. A mesh without a skin below
a joint, as a hat or teeth, follows that joint.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.gltf.accessors import Accessors
from rigcast._formats.gltf.document import Document, integer, items, records, refuse, text
from rigcast._formats.gltf.face_notes import FaceNotes
from rigcast._formats.gltf.geometry import GltfGeometry, read_geometry, turn_corners
from rigcast._formats.gltf.nodes import Nodes
from rigcast._rigs.description import Joints
from rigcast._rigs.matching import listed
from rigcast._rigs.rotations import Float64, compose, invert

LEVEL = re.compile(r"(.*?)[_.\- ]?lod[_.\- ]?(\d+)$", re.IGNORECASE)
ALIKE = 1e-3  # of the joints' extent: bind poses of two skins that differ by less are one


@dataclass
class GltfCharacter:
    """Meshes and joints.

    Attributes
    ----------
    mesh_nodes : list of int
    geometry : GltfGeometry
        Of all of them, in the space of the first skin; joints are places in ``joints``.
    joints : list of int
        Nodes; none without a skin.
    binds : (J, 3, 4) array
    notes : list of str
        What was left out.
    """

    mesh_nodes: list[int]
    geometry: GltfGeometry
    joints: list[int]
    binds: Float64
    notes: list[str] = field(default_factory=list)


def read_character(
    document: Document, accessors: Accessors, nodes: Nodes, wanted: list[str] | None, face: FaceNotes | None
) -> GltfCharacter:
    """Read the named meshes, or all that belong together.

    Raises
    ------
    ValueError
        If a name is unknown, or meshes do not belong together.
    """
    chosen, notes = _chosen(document, nodes, wanted, face)
    skins = {node: _skin(document, accessors, nodes, node) for node in chosen}
    skinned = [node for node in chosen if skins[node][0]]
    if not skinned:
        geometry = read_geometry(document, accessors, chosen, {}, nodes.names)
        return GltfCharacter(chosen, geometry, [], np.empty((0, 3, 4)), notes)
    if apart := _apart(nodes, {node: set(skins[node][0]) for node in skinned}):
        got = "not given" if wanted is None else f"{', '.join(wanted)}, on {apart} skeletons"
        raise refuse("mesh", got, f"one of {', '.join(nodes.names[node] for node in chosen)[:500]}")
    joints = list(dict.fromkeys(joint for node in skinned for joint in skins[node][0]))
    holders = {node: _joint_above(nodes, node, set(joints)) for node in chosen if node not in skinned}
    if alone := [node for node, holder in holders.items() if holder < 0]:
        if wanted is not None:
            names = ", ".join(nodes.names[node] for node in alone)
            raise refuse("mesh", f"{names}, without a skin and below no joint", "meshes of one character")
        notes.append(f"left out, without a skin and below no joint: {listed([nodes.names[node] for node in alone])}")
        chosen = [node for node in chosen if node not in alone]
    binds, moves = _one_space(nodes, skins, skinned)
    place = {joint: index for index, joint in enumerate(joints)}
    geometry = read_geometry(document, accessors, chosen, {node: len(skins[node][0]) for node in skinned}, nodes.names)
    slots = {node: np.array([place[joint] for joint in skins[node][0]]) for node in skinned}
    for node, holder in holders.items():
        if holder >= 0:
            moves[node] = compose(binds[holder], nodes.relative([holder, node], {})[node])
            slots[node] = np.array([place[holder]])
    _gather(geometry, chosen, moves, slots)
    return GltfCharacter(chosen, geometry, joints, np.array([binds[joint] for joint in joints]), notes)


def shown_meshes(document: Document, nodes: Nodes) -> tuple[list[int], list[str]]:
    """The mesh nodes of the file's scene without lower levels of detail, and what was left out."""
    every = [n for n, record in enumerate(records(document.gltf.nodes, "nodes")) if record.mesh is not None]
    found, notes = [node for node in every if node in nodes.shown], []
    if outside := [nodes.names[node] for node in every if node not in nodes.shown]:
        notes.append(f"left out, outside of the file's scene: {listed(outside)}")
    levels: dict[str, list[tuple[int, int]]] = {}
    for node in found:
        match = LEVEL.match(nodes.names[node])
        base, level = (match[1], int(match[2])) if match else (nodes.names[node], -1)
        levels.setdefault(base.lower(), []).append((level, node))
    lower = {node for rows in levels.values() for level, node in rows if level > min(rows)[0]}
    if lower:
        notes.append(f"left out, lower levels of detail: {listed([nodes.names[node] for node in sorted(lower)])}")
    return [node for node in found if node not in lower], notes


def _chosen(
    document: Document, nodes: Nodes, wanted: list[str] | None, face: FaceNotes | None
) -> tuple[list[int], list[str]]:
    """The mesh nodes that make up the character."""
    meshes = records(document.gltf.meshes, "meshes")
    labels: dict[int, set[str]] = {}
    for index, record in enumerate(records(document.gltf.nodes, "nodes")):
        if record.mesh is not None:
            number = integer(record.mesh, 0, len(meshes), f"nodes[{index}].mesh")
            labels[index] = {nodes.names[index], text(meshes[number].name)} - {""}
    listing = ", ".join(nodes.names[index] for index in labels)[:500] or "(the file has no mesh)"
    if wanted is not None:
        return [_named(name, labels, listing) for name in wanted], []
    shown, notes = shown_meshes(document, nodes)
    if face is not None:
        return [node for node in shown if nodes.is_below(node, face.node)] or shown, notes
    if len(shown) == 1 or any(document.gltf.nodes[node].skin is not None for node in shown):
        return shown, notes
    raise refuse("mesh", "not given", f"one of {listing}")


def _named(name: str, labels: dict[int, set[str]], listing: str) -> int:
    found = [index for index in labels if name in labels[index]]
    if len(found) != 1:
        raise refuse("mesh", f"{name!r}, the name of {len(found)} meshes", f"one of {listing}")
    return found[0]


def _skin(document: Document, accessors: Accessors, nodes: Nodes, mesh_node: int) -> tuple[list[int], Float64]:
    """Joint nodes in the order of the skin, and their bind transforms (J, 3, 4); none without a skin."""
    index = document.gltf.nodes[mesh_node].skin
    skins = records(document.gltf.skins, "skins")
    if index is None:
        return [], np.empty((0, 3, 4))
    return read_skin(document, accessors, nodes, integer(index, 0, len(skins), f"nodes[{mesh_node}].skin"))


def read_skin(document: Document, accessors: Accessors, nodes: Nodes, number: int) -> tuple[list[int], Float64]:
    """Joint nodes in the order of a skin, and their bind transforms (J, 3, 4)."""
    record, what = records(document.gltf.skins, "skins")[number], f"skins[{number}]"
    joints = [integer(j, 0, len(nodes), f"{what}.joints") for j in items(record.joints, f"{what}.joints")]
    if not joints or len(set(joints)) != len(joints):
        raise refuse(f"{what}.joints", "empty or with a node twice", "different nodes")
    accessor = record.inverseBindMatrices
    if accessor is None:
        return joints, np.tile(np.eye(3, 4), (len(joints), 1, 1))
    inverse = accessors.floats(accessor, "MAT4", f"{what}.inverseBindMatrices").reshape(-1, 4, 4)
    if len(inverse) < len(joints):
        raise refuse(f"{what}.inverseBindMatrices", f"{len(inverse)} matrices", f"one for each of {len(joints)} joints")
    inverse = inverse[: len(joints)].swapaxes(1, 2)[:, :3]  # columns first in the file
    try:
        return joints, invert(inverse)
    except np.linalg.LinAlgError as error:
        raise refuse(f"{what}.inverseBindMatrices", "singular", "matrices that can be inverted") from error


def _apart(nodes: Nodes, skins: dict[int, set[int]]) -> int:
    """Count the skeletons if there is more than one: skins share one if they share a joint, or one hangs on another."""
    groups: list[set[int]] = []
    for joints in skins.values():
        near = [group for group in groups if _touch(nodes, joints, group) or _touch(nodes, group, joints)]
        groups = [group for group in groups if group not in near] + [joints.union(*near)]
    return len(groups) if len(groups) > 1 else 0


def _touch(nodes: Nodes, joints: set[int], others: set[int]) -> bool:
    return any(_joint_above(nodes, joint, others) >= 0 for joint in joints)


def _joint_above(nodes: Nodes, node: int, joints: set[int]) -> int:
    """The nearest joint above a node, -1 if there is none."""
    while node >= 0 and node not in joints:
        node = nodes.parents[node]
    return node


def _one_space(
    nodes: Nodes, skins: dict[int, tuple[list[int], Float64]], skinned: list[int]
) -> tuple[dict[int, Float64], dict[int, Float64]]:
    """Bind transforms of all joints in the space of the first mesh, and the transform of each mesh into it."""
    first, *others = skinned
    binds = dict(zip(*skins[first], strict=True))
    moves: dict[int, Float64] = {}
    for node in others:
        own = dict(zip(*skins[node], strict=True))
        shared = [joint for joint in own if joint in binds]
        if shared:
            found = np.array([compose(binds[joint], invert(own[joint])) for joint in shared])
            extent = float(np.ptp([bind[:, 3] for bind in binds.values()], axis=0).max()) or 1.0
            gap = np.abs(found - found[0]) / np.array([1.0, 1.0, 1.0, extent])
            if gap.max() > ALIKE * max(1.0, float(np.abs(found[0][:, :3]).max())):
                joint = nodes.names[shared[int(gap.max(axis=(1, 2)).argmax())]]
                got = f"of which {nodes.names[node]} and {nodes.names[first]} were bound in other poses of {joint}"
                raise refuse("mesh", got, "meshes of one bind pose; name one")
            moves[node] = found[0]
        else:
            moves[node] = compose(invert(_standing(nodes, binds)), _standing(nodes, own))
        binds |= {joint: compose(moves[node], bind) for joint, bind in own.items() if joint not in binds}
    return binds, moves


def _standing(nodes: Nodes, binds: dict[int, Float64]) -> Float64:
    """The transform by which the first joint places its mesh in the file's default pose."""
    root = next(node for node in nodes.order if node in binds)
    return compose(nodes.relative([root], {})[root], invert(binds[root]))


def bound_joints(nodes: Nodes, binds: dict[int, Float64]) -> tuple[list[int], Joints, Float64]:
    """Joint nodes, parents first; joints at rest in their bind pose; and where that puts mesh space in the world.

    The first joint stands where the file's default pose has it.
    """
    order = [node for node in nodes.order if node in binds]
    above, placement = nodes.nearest(order), _standing(nodes, binds)
    rest = [compose(invert(binds[above[n]]) if above[n] >= 0 else placement, binds[n]) for n in order]
    return order, tree_of(nodes, order, np.array(rest)), placement


def tree_of(nodes: Nodes, order: list[int], rest: Float64) -> Joints:
    """Nodes, parents first, as joints that rest so (J, 3, 4), each below its nearest ancestor among them."""
    place, above = {node: index for index, node in enumerate(order)}, nodes.nearest(order)
    parents = np.array([place.get(above[node], -1) for node in order], np.int32)
    return Joints([nodes.names[node] for node in order], parents, rest)


def _gather(
    geometry: GltfGeometry,
    chosen: list[int],
    moves: dict[int, Float64],
    slots: dict[int, NDArray[np.int64]],
) -> None:
    """Bring meshes into one space, and their joints into one list, in place."""
    ends = np.cumsum(geometry.sizes)
    if not geometry.joint.shape[1]:
        geometry.joint, geometry.weight = np.zeros((ends[-1], 1), np.int64), np.zeros((ends[-1], 1))
    for node, begin, end in zip(chosen, [0, *ends[:-1]], ends, strict=True):
        rows = slice(begin, end)
        bare = geometry.weight[rows].sum(axis=1) == 0  # of a mesh that follows a joint as a whole
        geometry.weight[rows, 0] = np.where(bare, 1.0, geometry.weight[rows, 0])
        geometry.joint[rows] = slots[node][np.minimum(geometry.joint[rows], len(slots[node]) - 1)]
        if node not in moves:
            continue
        move = moves[node]
        geometry.vertices[rows] = geometry.vertices[rows] @ move[:, :3].T + move[:, 3]
        for vertices, deltas in geometry.morphs:
            own = (vertices >= begin) & (vertices < end)
            deltas[own] = deltas[own] @ move[:, :3].T
        if np.linalg.det(move[:, :3]) < 0 and len(geometry.faces):
            turn_corners(geometry, (geometry.faces[:, 0] >= begin) & (geometry.faces[:, 0] < end))
