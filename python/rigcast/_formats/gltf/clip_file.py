"""The clips of a glTF file and the joints that they move, with a mesh or without one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import Skeleton
from rigcast._formats.frame_rates import Frames
from rigcast._formats.gltf.accessors import Accessors
from rigcast._formats.gltf.character import bound_joints, read_skin, tree_of
from rigcast._formats.gltf.clips import GltfClip, read_clips
from rigcast._formats.gltf.document import Document, records, refuse
from rigcast._formats.gltf.nodes import Nodes
from rigcast._formats.gltf.playback import GltfPlayback, clip_frames
from rigcast._rigs.description import Joints
from rigcast._rigs.motions.motion import Motion
from rigcast._rigs.rotations import Float64
from rigcast._shown import Described, counted
from rigcast._text import escaped
from rigcast._validate import Arguments, bad_argument


class ClipFile:
    """The clips of a file, and what is needed to play them.

    Attributes
    ----------
    clips : dict from name to GltfClip (``duration`` in seconds)
    notes : list of str
        What of the file was left out, or decided.
    """

    clips: dict[str, GltfClip]
    playback: GltfPlayback
    joints: Joints | None
    notes: list[str]

    def frames(self, clip: str, fps: float | None = None) -> Frames:
        """Times of the frames of a clip, and their rate.

        By default the keys are the frames. Keys that are rare or have gaps are sampled at the usual rate on whose
        frames they lie, others at 30 frames per second (``note`` says so).

        Raises
        ------
        ValueError
            If there is no such clip, or the rate is not above 0.
        """
        return clip_frames(self._clip(clip), fps)

    def _clip(self, name: str | None) -> GltfClip:
        """The named clip, or the only one."""
        found = [clip for clip in self.clips if name in (None, clip)]
        if len(found) != 1:
            got = "not given" if name is None else repr(name)
            raise bad_argument("GltfRig", "clip", got, f"one of {', '.join(self.clips) or '(the file has none)'}")
        return self.clips[found[0]]

    def motion(self, clip: str | None = None, fps: float | None = None) -> Motion:
        """The joints of a clip, to retarget onto another character.

        Parameters
        ----------
        clip : str, optional
            Needed where the file has several.
        fps : float, optional
            Frames per second; default: see :meth:`frames`.
        """
        if self.joints is None:
            raise bad_argument("GltfRig", "clip", "of a file without joints", "of one with joints")
        record = self._clip(clip)
        frames = clip_frames(record, fps)
        local = self.playback.local(record, frames.times)
        joints = self.joints
        notes = (*filter(None, [frames.note]), *getattr(self, "left_out", []))
        dials = self._dials_of(record, frames.times)
        return Motion(joints.names, joints.parents, joints.rest, local, 1.0 / frames.fps, record.name, notes, dials)

    def _dials_of(self, clip: GltfClip, times: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Weights (T,) of morph targets by name; a file without a mesh has none."""
        return {}

    def _moments(self, clip: str, fps: float | None, times: ArrayLike | None) -> tuple[GltfClip, NDArray[np.float64]]:
        record = self._clip(clip)
        if times is None:
            return record, self.frames(clip, fps).times
        return record, Arguments("GltfRig").numbers("times", times, "T", narrow=True)


class GltfSkeleton(ClipFile, Described):
    """A glTF file of motion: joints and clips without a mesh, as libraries of motion have.

    Attributes
    ----------
    clips : dict from name to GltfClip
    skeleton : Skeleton
    name : str
    notes : list of str
    """

    def __init__(self, name: str, joints: Joints, clips: list[GltfClip], *, playback: GltfPlayback) -> None:
        self.name, self.joints, self.playback = name, joints, playback
        self.clips = {clip.name: clip for clip in clips}
        self.skeleton = Skeleton(joints.names, joints.parents, np.asarray(joints.rest, np.float32))
        self.notes: list[str] = []

    def _facts(self) -> list[str]:
        return [counted(len(self.joints.names if self.joints else ()), "joint", "joints"),
                counted(len(self.clips), "clip", "clips")]  # fmt: skip


def is_motion_alone(document: Document) -> bool:
    """True if a file has clips and no node with a mesh."""
    nodes = records(document.gltf.nodes, "nodes")
    return bool(nodes and records(document.gltf.animations, "animations")) and all(node.mesh is None for node in nodes)


def skeleton_of(document: Document) -> GltfSkeleton:
    """A file of motion.

    Joints are those of its skins, which state their rest pose, else the nodes that clips move with all nodes between
    and above them but a camera's; they rest as the file's nodes stand.

    Raises
    ------
    ValueError
        If the file is malformed, or no clip moves a node.
    """
    accessors, nodes = Accessors(document), Nodes(document)
    clips = read_clips(document.gltf, accessors, nodes, {})
    binds: dict[int, Float64] = {}
    for number in range(len(records(document.gltf.skins, "skins"))):
        binds |= dict(zip(*read_skin(document, accessors, nodes, number), strict=True))
    moved = {track.node for clip in clips for track in clip.tracks}
    chosen = set(binds) or (_with_ancestors(nodes, moved) | _below(nodes, moved))
    chosen -= {n for n, record in enumerate(records(document.gltf.nodes, "nodes")) if record.camera is not None}
    if not chosen & moved:
        raise refuse(
            "path", f"{document.path}: without a mesh, and no clip moves a joint", "a character, or a file of motion"
        )
    if binds:
        order, joints, _ = bound_joints(nodes, {node: bind for node, bind in binds.items() if node in chosen})
    else:
        order = [node for node in nodes.order if node in chosen]
        standing = nodes.relative(order, {})
        joints = tree_of(nodes, order, np.array([standing[node] for node in order]))
    return GltfSkeleton(
        escaped(document.path.stem), joints, clips, playback=GltfPlayback(nodes, order, [], joints.rest)
    )


def _with_ancestors(nodes: Nodes, some: set[int]) -> set[int]:
    found: set[int] = set()
    for node in some:
        while node >= 0 and node not in found:
            found.add(node)
            node = nodes.parents[node]
    return found


def _below(nodes: Nodes, some: set[int]) -> set[int]:
    found = set(some)
    for node in nodes.order:
        if nodes.parents[node] in found:
            found.add(node)
    return found
