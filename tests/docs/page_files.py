"""The files that pages read: constructed, small, with the names that the pages use."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

import rigcast as rc
from tests.sources.blender.rigify_file import rigify_file
from tests.support.characters.dancer import body, dance
from tests.support.characters.dog import SCRIPT
from tests.support.characters.second_face import write_obj
from tests.support.trained import copied, kept

FRAMES = 12
WALKER = Path(__file__).parents[2] / "examples" / "rigs" / "rigify.py"
FLESH = WALKER.with_name("flesh.py")


def blender_files(folder: Path) -> None:
    """``hero.blend``, a limb with inverse kinematics and an action ``walk``; ``hero.safetensors``, its skinning."""
    copied(kept("hero", make_blender_files, SCRIPT.read_bytes()), folder)


def make_blender_files(folder: Path) -> None:
    from rigcast._formats.blender import run_script

    run_script(SCRIPT, [str(folder / "hero.blend")])
    with rc.sources.load(folder / "hero.blend", ranges=30) as rig:
        data = rc.sampling.sample(rig, folder / "hero.rwdata", count=12, probe=0)
    rc.baselines.linear_blend(data, influences=2).save(folder / "hero.safetensors")
    shutil.rmtree(folder / "hero.rwdata")


def rigify_files(folder: Path) -> None:
    """``dancer.blend``, a generated Rigify human, and ``dance.bvh``, of a skeleton with other names."""
    shutil.copyfile(rigify_file("basic_human"), folder / "dancer.blend")
    rig, motion = body(), dance(frames=24, bend=40.0)
    motion.local[:, 0, :, 3] += np.linspace(0, 2, 24)[:, None] * [0, 0, 1]
    made = rc.sources.retarget(motion, rig, root_translation=True)
    rc.exports.write_bvh(folder / "dance.bvh", rig, made.channels, fps=24)


def walker_files(folder: Path) -> None:
    """``walker.blend``, a generated Rigify character of few bones with a coarse body and an action ``walk``."""
    copied(kept("walker", make_walker_files, WALKER.read_bytes(), FLESH.read_bytes()), folder)


def make_walker_files(folder: Path) -> None:
    from rigcast._formats.blender import run_script

    run_script(WALKER, [str(folder / "walker.blend"), "--metarig", "basic_human", "--vertices", "600"])


def performance() -> np.ndarray:
    """(T, K): a few frames of speech and smiles on the built-in face."""
    names = rc.faces.example().shape_names
    time = np.linspace(0, 1, FRAMES)
    curves = {
        "jawOpen": 0.4 * np.sin(np.pi * time) ** 2,
        "mouthSmileLeft": 0.9 * time,
        "mouthSmileRight": 0.7 * time,
        "browInnerUp": 1 - time,
    }
    return np.stack([curves.get(name, 0 * time) for name in names], axis=1).astype(np.float32)


def face_files(folder: Path) -> None:
    """``face.glb``, and ``scans/`` of a performance, both in meters, with a tenth of a millimeter of noise."""
    copied(kept("pages-face", make_face_files), folder)


def make_face_files(folder: Path) -> None:
    face = rc.faces.example()
    rc.exports.write_rig(folder / "face.glb", face)
    scans = 0.01 * face.evaluate(performance())
    scans += np.random.default_rng(0).normal(0, 1e-4, scans.shape).astype(np.float32)
    (folder / "scans").mkdir()
    for number, points in enumerate(scans):
        write_obj(folder / "scans" / f"scan_{number:04d}.obj", points, face.faces)


def other_files(folder: Path) -> None:
    """``other.obj``, another face of the same topology; ``stranger.obj`` of another one, with ``landmarks.csv``."""
    rig = rc.sources.load_blendshapes(folder / "face.glb")
    x, y, z = rig.rest_vertices.T
    other = np.stack([0.9 * x, 1.1 * y, 1.05 * z], axis=1).astype(np.float32)
    write_obj(folder / "other.obj", other, rig.faces)
    points, faces, pairs = another_topology(other, rig.faces)
    write_obj(folder / "stranger.obj", points, faces)
    (folder / "landmarks.csv").write_text("".join(f"{source},{target}\n" for source, target in pairs))


def another_topology(points: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every quad as four triangles about its center, vertices in another order; landmarks spread over the mesh."""
    quads, triangles = faces[faces[:, 3] >= 0], faces[faces[:, 3] < 0][:, :3]
    centers = len(points) + np.arange(len(quads))
    fans = [np.stack([quads[:, k], quads[:, (k + 1) % 4], centers], axis=1) for k in range(4)]
    dense = np.concatenate([points, points[quads].mean(axis=1)]).astype(np.float32)
    order = np.random.default_rng(0).permutation(len(dense))
    place = np.argsort(order)
    marks = np.linspace(0, len(points) - 1, 40).astype(int)
    return dense[order], place[np.concatenate([*fans, triangles])], np.stack([marks, place[marks]], axis=1)
