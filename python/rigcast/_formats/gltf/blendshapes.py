"""Morph targets of glTF 2.0 files as a blendshape rig, and the clips that animate them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.gltf.accessors import Accessors
from rigcast._formats.gltf.character import shown_meshes
from rigcast._formats.gltf.clips import GltfClip, read_clips
from rigcast._formats.gltf.document import Document, integer, records, refuse, text
from rigcast._formats.gltf.face_notes import FaceNotes, read_notes
from rigcast._formats.gltf.geometry import GltfGeometry, Owner, read_geometry, turn_corners
from rigcast._formats.gltf.nodes import Nodes
from rigcast._formats.gltf.playback import clip_frames
from rigcast._notes import tell
from rigcast._rigs.description import Factor
from rigcast._rigs.matching import by_name, listed
from rigcast._rigs.model_surface import with_surface
from rigcast._rigs.surface import joined
from rigcast._text import escaped

if TYPE_CHECKING:
    from rigcast._blendshapes import Tent
    from rigcast._core import BlendshapeRig

LARGEST = 1 << 32  # bytes of dense deltas that a file may claim


@dataclass(frozen=True)
class MorphFile:
    """The morphing meshes of a file.

    Attributes
    ----------
    document, nodes, accessors
        The file, opened.
    mesh_nodes : list of int
        Nodes of meshes with morph targets (or of the one mesh that was asked for).
    geometry : list of GltfGeometry, one per mesh node, in mesh space
    names : list of str
        Targets; those of the same name in several meshes are one, as avatars in several meshes mean it.
    notes : FaceNotes, optional
        What a file of this package says of its face.
    left_out : list of str
        What is no part of it: meshes outside of the scene, or lower levels of detail.
    """

    document: Document
    nodes: Nodes
    accessors: Accessors
    mesh_nodes: list[int]
    geometry: list[GltfGeometry]
    names: list[str]
    notes: FaceNotes | None
    left_out: list[str] = field(default_factory=list)

    @staticmethod
    def open(path: Path, mesh: str | None) -> MorphFile:
        """Read all but the clips."""
        document = Document(path)
        accessors, nodes = Accessors(document), Nodes(document)
        chosen, left_out = _choose(document, nodes, mesh)
        geometry = [read_geometry(document, accessors, [node], {}) for node in chosen]
        _name_apart(geometry, nodes)
        names = list(dict.fromkeys(name for part in geometry for owner in part.owners for name in owner.names))
        if not names:
            raise refuse("path", f"{path}: without morph targets", "a mesh with morph targets")
        return MorphFile(document, nodes, accessors, chosen, geometry, names, read_notes(document), left_out)

    @property
    def owners(self) -> list[Owner]:
        """The mesh nodes that have targets."""
        return [owner for part in self.geometry for owner in part.owners]

    def placement(self, node: int) -> NDArray[np.float64]:
        """The transform of a mesh in the default pose (3, 4); a skinned mesh stays in its bind space."""
        if self.document.gltf.nodes[node].skin is not None:
            return np.eye(3, 4)
        return self.nodes.relative([node], {})[node]

    def clips(self) -> list[GltfClip]:
        """All animations of the file."""
        counts = {owner.node: len(owner.names) for owner in self.owners}
        return read_clips(self.document.gltf, self.accessors, self.nodes, counts)

    def curves(self, clip: GltfClip, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights (T, K) of a clip; where meshes share a shape the first animated one speaks for it."""
        animated = clip.at(times)
        result = np.zeros((len(times), len(self.names)))
        for owner in sorted(self.owners, key=lambda o: (o.node, "weights") in animated):  # animated ones write last
            values = np.broadcast_to(
                animated.get((owner.node, "weights"), owner.weights), (len(times), len(owner.names))
            )
            result[:, [self.names.index(name) for name in owner.names]] = values
        return result


def load_gltf_blendshapes(path: Path, mesh: str | None = None) -> BlendshapeRig:
    """Morph targets as linear shapes, and those that a file of this package notes as correctives as these.

    Parameters
    ----------
    path : path-like
    mesh : str, optional
        Name of a mesh node (or its mesh). Without it all meshes with morph targets are merged.

    Returns
    -------
    BlendshapeRig
        Vertices stand where the nodes of the default pose put them; a skinned mesh stands in its own bind space. Bounds
        are those that the file notes, else [0, 1], wider where default weights or clips go beyond.
        ``metadata["default_weights"]`` is what the file shows when nothing is animated. Each mesh is a part, with
        materials and texture coordinates where the file has some. Units are meters, y is up.

    Raises
    ------
    ValueError
        If the file is malformed, needs extensions, or has no morph targets.
    """
    file = MorphFile.open(path, mesh)
    tell(*file.left_out)
    return face_of(file)


def face_of(file: MorphFile, linear: bool = False) -> BlendshapeRig:
    """The face of a file.

    Parameters
    ----------
    linear : bool
        Whether every target is a shape of its own, as clips key them.
    """
    from rigcast._core import BlendshapeRig

    path = file.document.path
    count = sum(len(part.vertices) for part in file.geometry)
    if len(file.names) * count * 12 > LARGEST:
        raise refuse(
            "path", f"{path}: {len(file.names)} shapes of {count} vertices", f"at most {LARGEST} bytes of deltas"
        )
    deltas = np.zeros((len(file.names), count, 3), np.float32)
    vertices, faces, start = [], [], 0
    for node, part in zip(file.mesh_nodes, file.geometry, strict=True):
        placement = file.placement(node)
        vertices.append(part.vertices @ placement[:, :3].T + placement[:, 3])
        if np.linalg.det(placement[:, :3]) < 0:
            turn_corners(part, np.ones(len(part.faces), np.bool_))
        faces.append(part.faces + start)
        names = [name for owner in part.owners for name in owner.names]
        for name, (moving, offsets) in zip(names, part.morphs, strict=True):
            np.add.at(deltas[file.names.index(name)], moving + start, offsets @ placement[:, :3].T)
        start += len(part.vertices)
    rest, low, high = _weight_range(file)
    correctives = {} if linear or file.notes is None else file.notes.of_targets(file.names)
    shapes = [index for index, name in enumerate(file.names) if name not in correctives]
    facts = {
        "name": escaped(path.stem),
        "licence": text(file.document.gltf.asset.copyright),
        "origin": escaped(path.name),
        "default_weights": rest[shapes].tolist(),
        "constructed": [] if linear or file.notes is None else file.notes.constructed,
        **({"combination_names": list(correctives)} if correctives else {}),
    }
    bounds = np.stack([low, high], axis=1)[shapes]
    combinations = [(drivers_of(factors), deltas[file.names.index(name)]) for name, factors in correctives.items()]
    parts = zip([file.nodes.names[node] for node in file.mesh_nodes], file.geometry, strict=True)
    surface = joined([(name, len(part.vertices), len(part.faces), part.surface) for name, part in parts])
    rig = BlendshapeRig(
        np.concatenate(vertices),
        deltas[shapes],
        combinations,
        names=[file.names[index] for index in shapes],
        bounds=bounds,
        faces=np.concatenate(faces),
        metadata=facts,
    )
    return with_surface(rig, surface)


def drivers_of(factors: Iterable[Factor]) -> list[int | Tent]:
    """The drivers of a corrective, as a blendshape rig takes them."""
    from rigcast._blendshapes import Tent

    return [shape if tent is None else Tent(shape, *tent) for shape, tent in factors]


def load_gltf_weights(
    path: Path, rig: BlendshapeRig, clip: str | None = None, fps: float | None = None
) -> tuple[NDArray[np.float32], float]:
    """Weights of a clip (STEP, LINEAR or CUBICSPLINE), sampled.

    Parameters
    ----------
    path : path-like
    rig : BlendshapeRig
    clip : str, optional
        Needed where several clips move morph weights.
    fps : float, optional
        Frames per second. By default the keys are the frames, or lie on those of a usual rate.
    """
    file = MorphFile.open(path, None)
    record = morph_clip(file, clip)
    frames = clip_frames(record, fps)
    tell(frames.note)
    return by_name(file.names, file.curves(record, frames.times), rig), frames.fps


def morph_clip(file: MorphFile, name: str | None) -> GltfClip:
    """The named clip, or the only one that moves morph weights."""
    clips = [clip for clip in file.clips() if any(track.path == "weights" for track in clip.tracks)]
    found = [clip for clip in clips if name in (None, clip.name)]
    if len(found) != 1:
        listing = ", ".join(clip.name for clip in clips)[:300] or "(no clip of the file moves morph weights)"
        raise refuse("clip", "not given" if name is None else repr(name), f"one of {listing}")
    return found[0]


def _choose(document: Document, nodes: Nodes, mesh: str | None) -> tuple[list[int], list[str]]:
    """Mesh nodes, and what was left out."""
    meshes = records(document.gltf.meshes, "meshes")
    found, listing, still = [], [], []
    shown, left_out = shown_meshes(document, nodes)
    for index, record in enumerate(records(document.gltf.nodes, "nodes")):
        if record.mesh is None or (mesh is None and index not in shown):
            continue
        target = meshes[integer(record.mesh, 0, len(meshes), f"nodes[{index}].mesh")]
        listing.append(nodes.names[index])
        morphs = any(primitive.targets for primitive in records(target.primitives, "meshes.primitives"))
        if morphs if mesh is None else mesh in (nodes.names[index], text(target.name)):
            found.append(index)
        elif mesh is None:
            still.append(nodes.names[index])
    if still and found:
        left_out.append(f"left out, without morph targets: {listed(still)}")
    if not found:
        got = "not given, and no mesh has morph targets" if mesh is None else repr(mesh)
        raise refuse("mesh", got, f"one of {', '.join(listing)[:300] or '(the file has no mesh)'}")
    return found, left_out if mesh is None else []


def _name_apart(geometry: list[GltfGeometry], nodes: Nodes) -> None:
    """Put a mesh's name before its targets that the file does not name, if several meshes have targets."""
    several = sum(len(part.owners) for part in geometry) > 1
    for part in geometry if several else []:
        part.owners = [
            replace(owner, names=[f"{nodes.names[owner.node]}.{name}" for name in owner.names])
            if owner.nameless
            else owner
            for owner in part.owners
        ]


def _weight_range(file: MorphFile) -> tuple[NDArray[np.float64], ...]:
    rest = np.zeros(len(file.names))
    for owner in file.owners:
        rest[[file.names.index(name) for name in owner.names]] = owner.weights
    low, high = np.minimum(0.0, rest), np.maximum(1.0, rest)
    for clip in file.clips():
        if any(track.path == "weights" for track in clip.tracks):
            keys = np.unique(np.concatenate([track.times for track in clip.tracks]))
            values = file.curves(clip, keys)
            low, high = np.minimum(low, values.min(axis=0)), np.maximum(high, values.max(axis=0))
    for name, stated in (file.notes.bounds if file.notes else {}).items():
        if name in file.names:
            low[file.names.index(name)], high[file.names.index(name)] = stated
    return rest, low, high
