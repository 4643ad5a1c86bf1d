"""A skinned character and its motion as one binary glTF 2.0 file: joints, weights, and a clip of their keys."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.gltf.builder import PER_SET, Builder, mesh_of
from rigcast._formats.gltf.write import asset
from rigcast._rigs.description import Morph
from rigcast._rigs.motions.skinned_motion import Keys, SkinnedMotion
from rigcast._rigs.pieces import pieces, seam_copies
from rigcast._rigs.rotations import invert

REST = {"translation": 0.0, "rotation": (0.0, 0.0, 0.0, 1.0), "scale": 1.0}  # of a node that states nothing


def write_glb_skinned(path: Path, motion: SkinnedMotion, extras: dict[str, Any] | None = None) -> list[str]:
    """Write joints as nodes at rest, meshes with JOINTS and WEIGHTS, and LINEAR clips with a key per frame.

    The character stands in meters, y up. Morphs are targets with keys of their own. What does not move has two keys,
    and none if it stays at rest. ``extras`` are those of the file's ``asset``.

    Returns
    -------
    list of str
        What viewers may show otherwise.
    """
    motion = motion.placed(1.0, "Y")
    rig, joints, document = motion.rig, motion.joints, Builder()
    skin = rig.own_skin
    assert skin is not None
    count, parts = len(joints.names), pieces(rig.faces, rig.surface, len(rig.rest_vertices))
    targets = [(morph.name, partial(_offsets, morph, len(rig.rest_vertices))) for morph in rig.morphs]
    meshes = [mesh_of(document, rig.rest_vertices, targets, part, rig.surface.materials, skin) for part in parts]
    names = [part.name or rig.name or path.stem for part in parts]
    inverse = np.tile(np.eye(4), (count, 1, 1))
    inverse[:, :3] = invert(joints.rest_globals)
    matrices = document.vectors(inverse.swapaxes(1, 2).reshape(count, 16), "MAT4")
    roots = np.flatnonzero(np.asarray(joints.parents) < 0).tolist()
    skeleton = {"name": f"{rig.name or path.stem} skeleton", "children": roots}
    document.write(
        path,
        {
            "asset": asset({"licence": rig.licence}) | ({"extras": extras} if extras else {}),
            "scene": 0,
            "scenes": [{"nodes": [count + len(parts), *range(count, count + len(parts))]}],
            "nodes": [
                *_joint_nodes(motion),
                *({"name": name, "mesh": number, "skin": 0} for number, name in enumerate(names)),
                skeleton,
            ],
            "meshes": [{"name": name, **mesh} for name, mesh in zip(names, meshes, strict=True)],
            "skins": [{"joints": [*range(count)], "inverseBindMatrices": matrices, "skeleton": count + len(parts)}],
            **({"materials": [{"name": name} for name in rig.surface.materials]} if rig.surface.materials else {}),
            "animations": [_clip(document, motion, name, len(parts)) for name in motion.spans],
        },
    )
    return _notes(path, motion, skin.joint.shape[1])


def _offsets(morph: Morph, count: int) -> NDArray[np.float32]:
    result = np.zeros((count, 3), np.float32)
    result[morph.vertices] = morph.deltas
    return result


def _joint_nodes(motion: SkinnedMotion) -> list[dict[str, Any]]:
    joints, rest = motion.joints, Keys.of(motion.joints.rest[None])
    parents = np.asarray(joints.parents)
    nodes = []
    for joint, name in enumerate(joints.names):
        children = np.flatnonzero(parents == joint).tolist()
        parts = {path: getattr(rest, path)[0, joint] for path in REST}
        placed = {path: values.tolist() for path, values in parts.items() if (values != REST[path]).any()}
        nodes.append({"name": name, **placed, **({"children": children} if children else {})})
    return nodes


def _clip(document: Builder, clips: SkinnedMotion, name: str, num_meshes: int) -> dict[str, Any]:
    frames = clips.spans[name]
    motion = replace(clips, local=clips.local[frames], amounts=clips.amounts[frames], clips=())
    seconds = (np.arange(len(motion)) / motion.fps).astype(np.float32)
    every, ends = document.numbers(seconds), document.numbers(seconds[[0, -1]]) if len(motion) > 2 else None
    keys, rest = motion.keys(), Keys.of(motion.joints.rest[None])
    tracks: list[tuple[int, str, int, int]] = []
    for joint in range(len(motion.joints.names)):
        for path, kind in (("translation", "VEC3"), ("rotation", "VEC4"), ("scale", "VEC3")):
            values = getattr(keys, path)[:, joint]
            still = bool((values == values[0]).all()) and ends is not None
            whole = joint == 0 and path == "rotation"  # says how many frames there are
            if still and not whole and (values[0] == getattr(rest, path)[0, joint]).all():
                continue
            two = still and not whole
            output = document.vectors(values[[0, -1]] if two else values, kind)
            tracks.append((joint, path, ends if two and ends is not None else every, output))
    if motion.rig.morphs:
        weights = document.numbers(np.ascontiguousarray(motion.amounts, np.float32).reshape(-1))
        first = len(motion.joints.names)
        tracks += [(first + number, "weights", every, weights) for number in range(num_meshes)]
    samplers = [{"input": start, "output": output, "interpolation": "LINEAR"} for _, _, start, output in tracks]
    channels = [{"sampler": n, "target": {"node": node, "path": path}} for n, (node, path, _, _) in enumerate(tracks)]
    return {"name": name, "samplers": samplers, "channels": channels}


def _notes(path: Path, motion: SkinnedMotion, influences: int) -> list[str]:
    notes = []
    if influences > PER_SET:
        notes.append(
            f"{path.name}: up to {influences} joints move a vertex; some programs read the {PER_SET} strongest alone"
        )
    if copies := seam_copies(motion.rig.surface, motion.rig.faces):
        notes.append(
            f"{copies} vertices were duplicated: they have several texture coordinates, and glTF has one per vertex"
        )
    return notes
