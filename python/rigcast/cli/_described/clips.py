"""The lines of ``rigcast info`` about the clips of a glTF file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rigcast._formats.gltf import GltfRig
from rigcast._formats.gltf.clips import GltfClip
from rigcast._formats.gltf.scene import bare_scene
from rigcast._pages.words import plural


def describe_scene(path: Path) -> dict[str, Any] | None:
    """Facts of a glTF file without triangles, such as exported joints or a camera; None if it has a surface."""
    scene = bare_scene(path)
    if scene is None:
        return None
    return {
        "type": "scene without a surface",
        "name": path.name,
        "nodes": len(scene.nodes),
        "node_names": scene.nodes,
        "meshes": [f"{name} ({kinds})" for name, kinds in scene.meshes.items()],
        "joints": scene.joints,
        "cameras": scene.cameras,
        "licence": scene.licence,
        "bytes": path.stat().st_size,
        "clips": [
            {"name": c.name, "frames": c.frames, "fps": c.fps, "seconds": c.seconds, "nodes": len(c.nodes), "shapes": 0}
            for c in scene.clips
        ],
        "notes": ["no triangles: there is nothing to learn from or to draw; export the character's mesh with it"],
    }


def described_clip(clip: GltfClip, rig: GltfRig) -> dict[str, Any]:
    """Frames, rate and length of a clip, and how many nodes and shapes it moves."""
    frames = rig.frames(clip.name)
    placed = {track.node for track in clip.tracks if track.path != "weights"}
    morphed = {track.node for track in clip.tracks if track.path == "weights"}
    return {
        "name": clip.name,
        "frames": len(frames.times),
        "fps": frames.fps if clip.tracks else 0.0,
        "seconds": clip.duration,
        "nodes": len(placed),
        "shapes": len({name for o in rig.playback.owners if o.node in morphed for name in o.names}),
    }


def clip_line(clip: dict[str, Any]) -> str:
    """The same in one line."""
    moved = " and ".join(plural(clip[f"{kind}s"], kind) for kind in ("node", "shape") if clip[f"{kind}s"])
    moves = f"moves {moved}" if moved else "moves nothing"
    return f"{clip['name']}: {plural(clip['frames'], 'frame')} at {clip['fps']:g} per second, {moves}"
