"""The content of a glTF 2.0 file without a surface: nodes that move, cameras, points and lines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rigcast._formats.gltf.accessors import Accessors
from rigcast._formats.gltf.clips import read_clips
from rigcast._formats.gltf.document import Document, records, text
from rigcast._formats.gltf.nodes import Nodes
from rigcast._formats.gltf.playback import clip_frames

TRIANGLES = 4
KINDS = {0: "points", 1: "lines", 2: "lines", 3: "lines"}


@dataclass(frozen=True)
class SceneClip:
    """An animation: its frames at the rate of its keys, and the names of the nodes that it places."""

    name: str
    frames: int
    fps: float
    seconds: float
    nodes: list[str]


@dataclass(frozen=True)
class BareScene:
    """Names of nodes; meshes by name with what they are made of; joints of skins; cameras; animations; licence."""

    nodes: list[str]
    meshes: dict[str, str]
    joints: int
    cameras: int
    clips: list[SceneClip]
    licence: str


def bare_scene(path: Path) -> BareScene | None:
    """The scene of a file without triangles; None if it has any.

    Raises
    ------
    ValueError
        If the file is malformed.
    """
    document = Document(path)
    meshes = records(document.gltf.meshes, "meshes")
    used = {node.mesh for node in records(document.gltf.nodes, "nodes") if node.mesh is not None}
    made = {number: _kinds(mesh, number) for number, mesh in enumerate(meshes)}
    if any("triangles" in made.get(number, {"triangles"}) for number in used):
        return None
    nodes = Nodes(document)
    return BareScene(
        nodes=nodes.names,
        meshes={text(meshes[n].name) or f"mesh {n}": " and ".join(sorted(kinds)) for n, kinds in made.items()},
        joints=sum(len(skin.joints or []) for skin in records(document.gltf.skins, "skins")),
        cameras=len(records(document.gltf.cameras, "cameras")),
        clips=_clips(document, nodes),
        licence=text(document.gltf.asset.copyright),
    )


def _kinds(mesh: Any, number: int) -> set[str]:
    primitives = records(mesh.primitives, f"meshes[{number}].primitives")
    modes = [TRIANGLES if primitive.mode is None else primitive.mode for primitive in primitives]
    return {KINDS.get(mode, "triangles") for mode in modes}


def _clips(document: Document, nodes: Nodes) -> list[SceneClip]:
    found = []
    for clip in read_clips(document.gltf, Accessors(document), nodes, {}):
        frames = clip_frames(clip, None)
        moved = [nodes.names[node] for node in sorted({track.node for track in clip.tracks})]
        found.append(SceneClip(clip.name, len(frames.times), frames.fps if clip.tracks else 0.0, clip.duration, moved))
    return found
