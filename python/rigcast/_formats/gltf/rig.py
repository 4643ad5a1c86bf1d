"""A glTF 2.0 character as a rig.

Evaluation follows the specification: a skinned vertex is ``sum_j w_j G_j B_j^-1 p`` with joint world transforms ``G``
and bind transforms ``B`` (the inverse of ``inverseBindMatrices``); the mesh node's own transform does not matter. The
rig's rest pose is the bind pose, put where the root joint stands in the file's default pose; channels turn joints away
from it: a joint's rotation is ``R_X R_Y R_Z`` of its three channels in its rest axes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._formats.gltf.accessors import Accessors
from rigcast._formats.gltf.clips import Clip, read_clips
from rigcast._formats.gltf.document import Document, integer, items, optional, records, refuse, text
from rigcast._formats.gltf.face_notes import FaceNotes, read_notes
from rigcast._formats.gltf.geometry import Geometry, read_geometry
from rigcast._formats.gltf.nodes import Nodes
from rigcast._formats.gltf.playback import (
    STILL_SHARE,
    Playback,
    dials,
    frame_times,
    joint_channels,
    merge_parts,
    morph_names,
    morphs,
    within,
)
from rigcast._formats.mesh_names import mesh_names
from rigcast._rigs.action import Action
from rigcast._rigs.described import counted
from rigcast._rigs.description import Facts, Joints, Skin
from rigcast._rigs.motion import Motion
from rigcast._rigs.rotations import Float64, compose, invert
from rigcast._rigs.skinned import SkinnedRig
from rigcast._text import escaped
from rigcast._validate import Arguments, bad_argument

ACTION_FPS = 30.0
STILL_TURN = 2e-3  # of a rotation's entries: about the angle below


class GltfRig(SkinnedRig):
    """A :class:`~rigcast.sources.SkinnedRig` with the clips of its file.

    Attributes
    ----------
    clips : dict from name to Clip (``duration`` in seconds)
    """

    clips: dict[str, Clip]
    playback: Playback
    dial_targets: list[int]  # of the file's morph targets those that are dials; the others are correctives
    notes: list[str]

    def _facts(self) -> list[str]:
        return [*super()._facts(), counted(len(self.clips), "clip", "clips")]

    def play(self, clip: str, fps: float = 30.0, times: ArrayLike | None = None) -> NDArray[np.float64]:
        """Channels of a clip.

        What channels cannot say is left out: scaling, and the movement of joints without channels
        (:meth:`sample_clip` is exact).

        Parameters
        ----------
        clip : str
        fps : float
            Frames per second, unless ``times`` are given.
        times : (T,) array, seconds, optional

        Returns
        -------
        (T, N) float64 array
        """
        record, moments = self._moments(clip, fps, times)
        values = np.tile(self.channel_rest, (len(moments), 1))
        if self.joints is not None:
            angles, shift = self.playback.turns(self.playback.local(record, moments))
            for index, channel in enumerate(self.channels):
                source = {"r": angles, "t": shift}.get(channel.kind[0])
                if source is not None:
                    values[:, index] = source[:, channel.joint, "xyz".index(channel.kind[-1])]
        values[:, self._dials] = self.playback.weights(record, moments)[:, self.dial_targets]
        return values

    def sample_clip(
        self, clip: str, fps: float = 30.0, times: ArrayLike | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Poses (T, C) and vertices (T, V, 3) of a clip, as the specification says."""
        record, moments = self._moments(clip, fps, times)
        weights = self.playback.weights(record, moments)
        local = self.playback.local(record, moments).reshape(len(moments), self.joint_columns)
        poses = np.concatenate([local, weights[:, self.dial_targets]], axis=1).astype(np.float32)
        return poses, self.deform(poses, weights)

    @property
    def actions(self) -> dict[str, int]:
        """The clips by name, with the number of their frames at ``ACTION_FPS``."""
        return {name: len(frame_times(clip, ACTION_FPS)) for name, clip in self.clips.items()}

    def action(self, name: str, fps: float = ACTION_FPS) -> Action:
        """A clip as channels, and the joints that it moves otherwise than channels can: by scaling, or without any."""
        channels = self.play(name, fps)
        if self.joints is None:
            return Action(name, channels, fps)
        record, moments = self._moments(name, fps, None)
        gap = np.abs(self.playback.local(record, moments) - self.local_transforms(channels)).max(axis=0)
        size = float(np.ptp(self.rest_vertices, axis=0).max())
        turned = (gap[..., :3] > STILL_TURN).any(axis=(1, 2)) | (gap[..., 3] > STILL_SHARE * size).any(axis=1)
        return Action(name, channels, fps, [f"joint {self.joints.names[j]!r}" for j in np.flatnonzero(turned)])

    def played(self, name: str, fps: float = ACTION_FPS) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Poses (T, C) and vertices (T, V, 3) of a clip as it is, with all that it moves."""
        return self.sample_clip(name, fps)

    def motion(self, clip: str, fps: float = 30.0) -> Motion:
        """The joints of a clip, to retarget onto another character."""
        if self.joints is None:
            raise bad_argument("GltfRig.motion", "clip", "of a character without joints", "of one with joints")
        record, moments = self._moments(clip, fps, None)
        local = self.playback.local(record, moments)
        return Motion(self.joints.names, self.joints.parents, self.joints.rest, local, 1.0 / fps, clip)

    def _moments(self, clip: str, fps: float, times: ArrayLike | None) -> tuple[Clip, NDArray[np.float64]]:
        if clip not in self.clips:
            raise bad_argument(
                "GltfRig", "clip", repr(clip), f"one of {', '.join(self.clips) or '(the file has none)'}"
            )
        record = self.clips[clip]
        if times is None:
            return record, frame_times(record, fps)
        return record, Arguments("GltfRig").numbers("times", times, "T", narrow=True)


def load_gltf_rig(
    path: str | os.PathLike[str],
    mesh: str | Sequence[str] | None = None,
    ranges: float | Literal["actions"] | None = None,
) -> GltfRig:
    """Open a ``.glb`` or ``.gltf`` character.

    Parameters
    ----------
    path : path-like
    mesh : str or sequence of str, optional
        Names of mesh nodes (or their meshes) on one skin. Without it the file must hold one mesh, or several on one
        skin, which are merged: a body and its clothes are one character. So are the parts of a face of this package.
        Each mesh node is a part by its name, in the order of the file, and the primitives of a mesh differ in their
        materials (``rig.surface``).
    ranges : float or "actions", optional
        Every joint turns by so many degrees either way. Default: what the file's clips use ("actions"), and only joints
        that they move have channels; 30 degrees for files without clips.

    Returns
    -------
    GltfRig
        ``dial_names`` are the morph targets, with ranges [0, 1]; a face that this package wrote has its own ranges,
        and its correctives follow its dials. Units are meters, y is up.

    Raises
    ------
    ValueError
        If the file is malformed, truncated or needs extensions; if ``mesh`` is not in it or had to be given.
    """
    if not (ranges is None or ranges == "actions" or (np.isfinite(ranges) and ranges >= 0)):
        raise refuse("ranges", repr(ranges), 'degrees, not negative, or "actions"')
    document = Document(Path(path))
    accessors, nodes = Accessors(document), Nodes(document)
    face = read_notes(document)
    mesh_nodes = _choose(document, nodes, mesh_names("load_gltf_rig", mesh), face)
    joints_of_skin, binds = _skin(document, accessors, nodes, mesh_nodes[0])
    geometry = read_geometry(document, accessors, mesh_nodes, len(joints_of_skin), nodes.names)
    if face is not None:
        merge_parts(geometry)
    owners = geometry.owners
    clips = read_clips(document.gltf, accessors, nodes, {owner.node: len(owner.names) for owner in owners})
    if ranges == "actions" and not clips:
        raise refuse("ranges", "'actions' for a file without clips", "degrees")
    reach = None if ranges == "actions" else ranges
    if not joints_of_skin and _is_moved(nodes, mesh_nodes[0], clips):
        placed = mesh_nodes[0] if face is None else face.node
        joints_of_skin, binds = [placed], np.eye(3, 4)[None]  # a rigid object: its node is its only joint
        geometry.joint, geometry.weight = (np.full((len(geometry.vertices), 1), x) for x in (0, 1.0))
    joints, skin, placement, order = _bind_pose(nodes, geometry, joints_of_skin, binds, mesh_nodes[0])
    rest = joints.rest if joints is not None else np.empty((0, 3, 4))
    playback = Playback(nodes, order, owners, rest)
    vertices = geometry.vertices @ placement[:, :3].T + placement[:, 3]
    size = float(np.linalg.norm(np.ptp(vertices, axis=0)))
    names = morph_names(owners, nodes)
    correctives = {} if face is None else face.of_targets(names)
    turned, dialed = joint_channels(joints, playback, clips, reach, size), dials(names, owners, playback, clips)
    own = [index for index, name in enumerate(names) if name not in correctives]
    channels = turned + [within(dialed[index], {} if face is None else face.bounds) for index in own]
    rig = GltfRig(
        vertices,
        geometry.faces,
        joints,
        skin,
        channels,
        morphs(names, geometry, placement, len(turned), correctives),
        Facts(escaped(Path(path).stem), 1.0, "Y", text(document.gltf.asset.copyright), escaped(Path(path).name)),
        geometry.surface,
    )
    rig.clips, rig.playback, rig.dial_targets = {clip.name: clip for clip in clips}, playback, own
    free = "its {} morph targets are dials of their own: it does not say which of them are correctives of others"
    rig.notes = [free.format(len(names))] if face is None and len(names) > 1 else []
    return rig


def _choose(document: Document, nodes: Nodes, wanted: list[str] | None, face: FaceNotes | None) -> list[int]:
    """The mesh nodes that make up the character."""
    meshes = records(document.gltf.meshes, "meshes")
    labels: dict[int, set[str]] = {}
    for index, record in enumerate(records(document.gltf.nodes, "nodes")):
        if record.mesh is not None:
            number = integer(record.mesh, 0, len(meshes), f"nodes[{index}].mesh")
            labels[index] = {nodes.names[index], text(meshes[number].name)} - {""}
    listing = ", ".join(nodes.names[index] for index in labels)[:500] or "(the file has no mesh)"
    chosen = list(labels)
    if wanted is None and face is not None:
        return [node for node in labels if nodes.is_below(node, face.node)] or chosen
    if wanted is not None:
        chosen = [_named(name, labels, listing) for name in wanted]
    skins = {optional(document.gltf.nodes[i].skin, -1, 0, 1 << 31, f"nodes[{i}].skin") for i in chosen}
    if len(chosen) == 1 or (len(skins) == 1 and -1 not in skins):
        return chosen
    if wanted is None:
        raise refuse("mesh", "not given", f"one of {listing}")
    raise refuse("mesh", f"{', '.join(wanted)}, on {len(skins)} skins or none", "meshes of one skin")


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
    number = integer(index, 0, len(skins), f"nodes[{mesh_node}].skin")
    what = f"skins[{number}]"
    joints = [integer(j, 0, len(nodes), f"{what}.joints") for j in items(skins[number].joints, f"{what}.joints")]
    if not joints or len(set(joints)) != len(joints):
        raise refuse(f"{what}.joints", "empty or with a node twice", "different nodes")
    accessor = skins[number].inverseBindMatrices
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


def _is_moved(nodes: Nodes, node: int, clips: list[Clip]) -> bool:
    """Whether a clip places the node or one of its ancestors."""
    moved = {track.node for clip in clips for track in clip.tracks if track.path != "weights"}
    while node >= 0 and node not in moved:
        node = nodes.parents[node]
    return node >= 0


def _bind_pose(
    nodes: Nodes, geometry: Geometry, skin_joints: list[int], binds: Float64, mesh_node: int
) -> tuple[Joints | None, Skin | None, Float64, list[int]]:
    """Joints at rest, skin, the placement of mesh space in the world, and the joint nodes, parents first."""
    if not skin_joints:
        return None, None, nodes.relative([mesh_node], {})[mesh_node], []
    position = {node: place for place, node in enumerate(nodes.order)}
    order = sorted(skin_joints, key=position.__getitem__)
    place = {node: index for index, node in enumerate(order)}
    bind = {node: binds[index] for index, node in enumerate(skin_joints)}
    above = nodes.nearest(order)
    root = next(node for node in order if above[node] < 0)
    placement = compose(nodes.relative(order, {})[root], invert(bind[root]))
    rest = [compose(invert(bind[above[n]]) if above[n] >= 0 else placement, bind[n]) for n in order]
    parents = np.array([place.get(above[node], -1) for node in order], np.int32)
    joints = Joints([nodes.names[node] for node in order], parents, np.array(rest))
    slots = np.array([place[node] for node in skin_joints])
    return joints, Skin(slots[geometry.joint], geometry.weight), placement, order
