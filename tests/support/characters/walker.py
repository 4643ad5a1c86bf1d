"""A walk of one body, and another one that has not walked yet, in files of every format."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path

import numpy as np

import rigcast as rc
from rigcast._formats.blender import run_script
from rigcast.sources import Facts, Joints, RigChannel, Skin, SkinnedRig
from tests.support.characters.dancer import LOCAL, NAMES, PARENTS, REST, body, dance

FRAMES, FPS = 20, 25.0
WAY = np.array([0.5, 0.0, 3.0])  # meters that the walker goes
SCALE = 1.6  # of the other body
TO_FBX = Path(__file__).parents[2] / "sources" / "blender" / "scenes" / "to_fbx.py"
FORMATS = ("bvh", "bvh.gz", "glb", "gltf", "vrm", "fbx", "usd")


def walk() -> tuple[SkinnedRig, np.ndarray]:
    """The dancer with limits of 180 degrees, and rows of its channels: it dances on its way."""
    rig = body()
    made = rc.sources.retarget(dance(FRAMES, bend=25.0), rig, {name: name for name in NAMES})
    rows = made.channels
    shift = [rig.channel_names.index(f"Hips.t{axis}") for axis in "xyz"]
    rows[:, shift] = np.linspace(0, 1, FRAMES)[:, None] * WAY
    return rig, rows


def write_walk(path: Path) -> Path:
    """Write the walk as motion, in the format that the ending names; .fbx needs Blender's wheel."""
    rig, rows = walk()
    if path.name.endswith(".bvh.gz"):
        plain = path.with_name("plain.bvh")
        rc.exports.write_motion(plain, rig, rows, fps=FPS)
        path.write_bytes(gzip.compress(plain.read_bytes()))
        return path
    return _written(path, rig, rows)


def write_other(path: Path) -> Path:
    """Write the other body, at rest: larger, below an armature's root that moves no vertex, no clip shifts it."""
    names = ["root", *NAMES]
    parents = np.append([-1], np.array(PARENTS) + 1).astype(np.int32)
    local = np.concatenate([np.eye(3, 4)[None], LOCAL])
    local[..., 3] *= SCALE
    skin = Skin(np.arange(1, len(names))[:, None], np.ones((len(NAMES), 1)))
    channels = [RigChannel("Head.rx", "rotate_x", names.index("Head"), -10.0, 10.0)]
    faces = np.arange(18).reshape(6, 3) % len(NAMES)  # all vertices: FBX has no loose ones
    rig = SkinnedRig(
        SCALE * REST,
        faces,
        Joints(names, parents, local),
        skin=skin,
        channels=channels,
        morphs=[],
        facts=Facts("other"),
    )
    return _written(path, rig, np.zeros((2, 1)))


def _written(path: Path, rig: SkinnedRig, rows: np.ndarray) -> Path:
    if path.suffix in (".bvh", ".glb", ".usd"):
        rc.exports.write_motion(path, rig, rows, fps=FPS)
        return path
    glb = path.with_name("plain.glb")
    rc.exports.write_motion(glb, rig, rows, fps=FPS)
    if path.suffix == ".fbx":
        run_script(TO_FBX, [str(glb), str(path)])
    elif path.suffix == ".gltf":
        path.write_text(_embedded(glb.read_bytes()))
    else:
        path.write_bytes(glb.read_bytes())
    return path


def _embedded(content: bytes) -> str:
    """A .glb as .gltf with its buffer inside."""
    length = int.from_bytes(content[12:16], "little")
    document, blob = json.loads(content[20 : 20 + length]), content[28 + length :]
    document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(blob).decode()
    return json.dumps(document)


def places(motion: rc.sources.Motion, name: str) -> np.ndarray:
    """Where a joint is in the world (T, 3)."""
    return motion.globals()[:, motion.joint_names.index(name), :, 3]
