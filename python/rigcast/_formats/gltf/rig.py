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
from rigcast._formats.gltf.character import bound_joints, read_character
from rigcast._formats.gltf.clip_file import ClipFile
from rigcast._formats.gltf.clips import GltfClip, read_clips
from rigcast._formats.gltf.document import Document, refuse, text
from rigcast._formats.gltf.face_notes import read_notes
from rigcast._formats.gltf.geometry import GltfGeometry, turn_corners
from rigcast._formats.gltf.nodes import Nodes
from rigcast._formats.gltf.playback import (
    STILL_SHARE,
    GltfPlayback,
    carriers_of,
    dials,
    held_of,
    joint_channels,
    merge_parts,
    morph_names,
    morphs,
    within,
)
from rigcast._formats.mesh_names import mesh_names
from rigcast._rigs.description import Facts, Joints, Skin
from rigcast._rigs.motions.action import Action
from rigcast._rigs.resting import carrying_notes
from rigcast._rigs.rotations import Float64
from rigcast._rigs.skinned import SkinnedRig
from rigcast._shown import counted
from rigcast._text import escaped

STILL_TURN = 2e-3  # of a rotation's entries: about the angle below


class GltfRig(ClipFile, SkinnedRig):
    """A :class:`~rigcast.sources.SkinnedRig` with the clips of its file.

    Attributes
    ----------
    clips : dict from name to GltfClip (``duration`` in seconds)
    """

    path: Path  # of the file
    left_out: list[str]  # of the notes those on meshes
    dial_targets: list[int]  # of the file's morph targets those that are dials; the others are correctives

    def _facts(self) -> list[str]:
        return [*super()._facts(), counted(len(self.clips), "clip", "clips")]

    def play(self, clip: str, fps: float | None = None, times: ArrayLike | None = None) -> NDArray[np.float64]:
        """Channels of a clip.

        What channels cannot say is left out: scaling, and the movement of joints without channels
        (:meth:`sample_clip` is exact).

        Parameters
        ----------
        clip : str
        fps : float, optional
            Frames per second, unless ``times`` are given. Default: see :meth:`frames`.
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
        for index, weights in zip(self._dials, self._dials_of(record, moments).values(), strict=True):
            values[:, index] = weights
        return values

    def _dials_of(self, clip: GltfClip, times: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        weights = self.playback.weights(clip, times)[:, self.dial_targets]
        return dict(zip(self.dial_names, weights.T, strict=True))

    def sample_clip(
        self, clip: str, fps: float | None = None, times: ArrayLike | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Poses (T, C) and vertices (T, V, 3) of a clip, as the specification says."""
        record, moments = self._moments(clip, fps, times)
        weights = self.playback.weights(record, moments)
        local = self.playback.local(record, moments).reshape(len(moments), self.joint_columns)
        poses = np.concatenate([local, weights[:, self.dial_targets]], axis=1).astype(np.float32)
        return poses, self.deform(poses, weights)

    @property
    def actions(self) -> dict[str, int]:
        """The clips by name, with the number of their frames."""
        return {name: len(self.frames(name).times) for name in self.clips}

    def action(self, name: str, fps: float | None = None) -> Action:
        """A clip as channels, and the joints that it moves otherwise than channels can: by scaling, or without any."""
        channels, rate = self.play(name, fps), self.frames(name, fps).fps
        if self.joints is None:
            return Action(name, channels, rate)
        record, moments = self._moments(name, fps, None)
        gap = np.abs(self.playback.local(record, moments) - self.local_transforms(channels)).max(axis=0)
        size = float(np.ptp(self.rest_vertices, axis=0).max())
        turned = (gap[..., :3] > STILL_TURN).any(axis=(1, 2)) | (gap[..., 3] > STILL_SHARE * size).any(axis=1)
        return Action(name, channels, rate, [f"joint {self.joints.names[j]!r}" for j in np.flatnonzero(turned)])

    def played(self, name: str, fps: float | None = None) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Poses (T, C) and vertices (T, V, 3) of a clip as it is, with all that it moves."""
        return self.sample_clip(name, fps)


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
        Names of mesh nodes (or their meshes). Without it the file must hold one mesh, or meshes with skins, which are
        merged: a body and its clothes are one character, and what hangs below a joint without a skin follows it. So are
        the parts of a face of this package. What stands outside of the scene, or for another mesh from afar, is left
        out; ``notes`` says so.
        Each mesh node is a part by its name, in the order of the file, and the primitives of a mesh differ in their
        materials (``rig.surface``).
    ranges : float or "actions", optional
        Every joint turns by so many degrees either way. Default: what the file's clips use ("actions"), and only joints
        that they move have channels; 30 degrees for files without clips. The joints that carry a body have channels in
        any case, held at rest if nothing gives them a range; motion of another skeleton moves them.

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
    return rig_of(Document(Path(path)), mesh, ranges)


def rig_of(document: Document, mesh: str | Sequence[str] | None, ranges: float | Literal["actions"] | None) -> GltfRig:
    """:func:`load_gltf_rig` of a file that is read."""
    if not (ranges is None or ranges == "actions" or (np.isfinite(ranges) and ranges >= 0)):
        raise refuse("ranges", repr(ranges), 'degrees, not negative, or "actions"')
    accessors, nodes = Accessors(document), Nodes(document)
    face = read_notes(document)
    character = read_character(document, accessors, nodes, mesh_names("load_gltf_rig", mesh), face)
    mesh_nodes, geometry = character.mesh_nodes, character.geometry
    joints_of_skin, binds = character.joints, character.binds
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
    playback = GltfPlayback(nodes, order, owners, rest)
    vertices = geometry.vertices @ placement[:, :3].T + placement[:, 3]
    if np.linalg.det(placement[:, :3]) < 0:
        turn_corners(geometry, np.ones(len(geometry.faces), np.bool_))
    size = float(np.linalg.norm(np.ptp(vertices, axis=0)))
    names = morph_names(owners, nodes)
    correctives = {} if face is None else face.of_targets(names)
    turned, dialed = joint_channels(joints, skin, playback, clips, reach, size), dials(names, owners, playback, clips)
    own = [index for index, name in enumerate(names) if name not in correctives]
    channels = turned + [within(dialed[index], {} if face is None else face.bounds) for index in own]
    rig = GltfRig(
        vertices,
        geometry.faces,
        joints,
        skin=skin,
        channels=channels,
        morphs=morphs(names, geometry, placement, len(turned), correctives),
        facts=Facts(
            escaped(document.path.stem), 1.0, "Y", text(document.gltf.asset.copyright), escaped(document.path.name)
        ),
        surface=geometry.surface,
    )
    rig.clips, rig.playback, rig.dial_targets = {clip.name: clip for clip in clips}, playback, own
    free = "its {} morph targets are dials of their own: it does not say which of them are correctives of others"
    rig.path, rig.left_out = document.path, character.notes
    rig.notes = character.notes + ([free.format(len(names))] if face is None and len(names) > 1 else [])
    carriers = [] if joints is None or skin is None else carriers_of(joints, skin)
    rig.notes += carrying_notes(held_of(turned, carriers))
    return rig


def _is_moved(nodes: Nodes, node: int, clips: list[GltfClip]) -> bool:
    """True if a clip places the node or one of its ancestors."""
    moved = {track.node for clip in clips for track in clip.tracks if track.path != "weights"}
    while node >= 0 and node not in moved:
        node = nodes.parents[node]
    return node >= 0


def _bind_pose(
    nodes: Nodes, geometry: GltfGeometry, skin_joints: list[int], binds: Float64, mesh_node: int
) -> tuple[Joints | None, Skin | None, Float64, list[int]]:
    """Joints at rest, skin, the placement of mesh space in the world, and the joint nodes, parents first."""
    if not skin_joints:
        return None, None, nodes.relative([mesh_node], {})[mesh_node], []
    order, joints, placement = bound_joints(nodes, dict(zip(skin_joints, binds, strict=True)))
    place = {node: index for index, node in enumerate(order)}
    slots = np.array([place[node] for node in skin_joints])
    return joints, Skin(slots[geometry.joint], geometry.weight), placement, order
