"""Good files of every format, small, written by the package's own writers; each in a folder of its own."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

import rigcast as rc
from tests.cli.example_files import JOBS
from tests.support.characters.faces import random_curves, small_face
from tests.support.glb import character
from tests.support.made import kinds
from tests.support.made.synthesis import arm, face, wave

FRAMES = 5
OBJ = "mtllib a.mtl\n{}vt 0 0\nvt 1 0\nvn 0 0 1\ng all\nusemtl skin\ns 1\nf 1/1/1 2/2/1 7/1/1 6\nf -1 -2 -7\nl 1 2 3\n"
PLY = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
PLY += "property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n"


def write_seeds(place: Path) -> list[Path]:
    """One folder per kind of file, with the file to damage and what it needs beside it; returns those files, sorted."""
    found = []
    for name, writer in SEEDS.items():
        folder = place / name.replace(".", "_").replace("/", "_")
        folder.mkdir(parents=True)
        writer(folder / Path(name).name)
        found.append(folder / Path(name).name)
    return sorted(found)


def _gltf(path: Path) -> None:
    character().write(path)


def _rig(path: Path) -> None:
    rc.exports.write_rig(path, small_face())


def _weights(path: Path) -> None:
    rc.exports.write_blendshape_weights(path, small_face(), random_curves(0, FRAMES), fps=24.0)


def _captured(path: Path) -> None:
    rig, landmarks = small_face(), np.arange(0, 24, 2)
    shown = rig.evaluate(0.02 * random_curves(0, FRAMES))[:, landmarks].astype(np.float64)
    rc.capture.solve(rig, shown, landmarks, neutral=0).save(path)


def _vertices(path: Path) -> None:
    rig = small_face()
    rc.exports.write_vertices(path, rig.evaluate(random_curves(0, FRAMES)), rig.faces, fps=24.0, meters_per_unit=0.01)


def _moved(path: Path) -> None:
    motion = np.tile(np.eye(3, 4), (FRAMES, 1, 1))
    motion[:, 0, 3] = np.arange(FRAMES)
    rc.exports.write_blendshape_weights(path, small_face(), random_curves(0, FRAMES), fps=24.0, transforms=motion)


def _bvh(path: Path) -> None:
    rig = arm()
    channels = np.random.default_rng(0).uniform(-30, 30, (FRAMES, len(rig.channels)))
    rc.exports.write_bvh(path, rig, channels, fps=24.0)


def _character(path: Path) -> None:
    rc.sources.save_npz_rig(path, arm())


def _obj(path: Path) -> None:
    path.write_text(OBJ.format("".join(f"v {x:g} {y:g} {z:g}\n" for x, y, z in small_face().rest_vertices)))


def _ply_binary(path: Path) -> None:
    head, _, _ = PLY.replace("ascii", "binary_little_endian").partition("0 0 0\n")
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], "<f4").tobytes()
    path.write_bytes(head.encode() + corners + b"\4" + np.arange(4, dtype="<i4").tobytes())


def _npy(path: Path) -> None:
    np.save(path, small_face().evaluate(random_curves(0, FRAMES)))


def _model(kind: str) -> Callable[[Path], None]:
    return lambda path: kinds.MAKERS[kind]().save(path)


def _synthesizer(path: Path) -> None:
    clips = {name: [wave(30, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], size=size)] for name, size in (("a", 0.1), ("b", 0.4))}
    options = {"dimensions": 2, "components": 3, "iterations": 5, "held_out": False}
    rc.synthesis.fit(clips, rig=face(), **options).save(path)


def _face_ik(path: Path) -> None:
    few = rc.training.FaceIkSettings(hidden=4, rows=16, batch=8, bins=1)
    rc.training.face_ik(small_face(), np.arange(0, 30, 5), steps=1, threads=1, settings=few).save(path)


def _solution(path: Path) -> None:
    rig = small_face()
    rc.inverse.solve(rig, rig.evaluate(random_curves(0, FRAMES)), alpha=0.0).save(path)


def _clip_list(path: Path) -> None:
    np.save(path.parent / "take.npy", wave(30, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]))
    entry = {"file": "take.npy", "begin": 2, "end": 20, "fps": 30.0, "origin": "made", "licence": "CC0"}
    path.write_text(json.dumps({"labels": {"calm": [entry], "lively": [{"file": "take.npy", "fps": 24}]}}))


def _text(content: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_text(content)

    return write


def _archive(**arrays: object) -> Callable[[Path], None]:
    return lambda path: np.savez(path, **arrays)


def _jobs(path: Path) -> None:
    path.write_text(JOBS)
    for name in ("a.npz", "b.npz"):
        (path.parent / name).write_bytes(b"")


def _dataset(path: Path) -> None:
    rc.sampling.sample(arm(), path.parent, count=40, seed=0, probe=0, workers=1)


def _plan(path: Path) -> None:
    rig = small_face()
    shapes = rig.rest_vertices + rig.columns()
    rc.transfer.pack_expressions(rig.rest_vertices, shapes, rig.faces, names=rig.column_names).save(path)


LIMITS = {
    "format": "rigcast.limits",
    "version": 1,
    "channels": {"arm.rotate_x": [-90, 45.5], "dial": [0, 1]},
    "groups": {"on": ["dial"], "switch": [], "held": ["arm.rotate_x"]},
    "sources": {"dial": "the file"},
}
LAYERS = [
    {"kind": "blinks", "controls": {"eyeBlink_L": 1.0}, "per_minute": 12},
    {"kind": "sway", "controls": {"jawOpen": 0.5}},
]
SCRIPT = {"seconds": 2, "commands": [{"at": 0.5, "command": "transition", "label": "b"}]}
TARGETS = "frame,vertex,x,y,z\n0,3,0.5,1,2\n0,7,1,1,1\n1,3,0.25,1e-3,2\n1,7,1,1,1\n"
JOINTS = {"Hips": "upper", "Spine": "lower"}
SEEDS: dict[str, Callable[[Path], None]] = {
    "character.glb": _gltf,
    "character_text.gltf": _gltf,
    "avatar.vrm": _gltf,
    "shapes.glb": _rig,
    "weights.glb": _weights,
    "moving.glb": _vertices,
    "head.glb": _moved,
    "shapes.npz": _rig,
    "weights.npz": _weights,
    "moving.npz": _vertices,
    "character.npz": _character,
    "moving.npy": _npy,
    "shapes.safetensors": _rig,
    "moving.usd": _vertices,
    "moving_text.usda": _vertices,
    "weights.usd": _weights,
    "weights_text.usda": _weights,
    "head.usda": _moved,
    "moving.pc2": _vertices,
    "moving.mdd": _vertices,
    "live.csv": _weights,
    "head.csv": _moved,
    "motion.bvh": _bvh,
    "mesh.obj": _obj,
    "mesh.ply": _text(PLY),
    "packed.ply": _ply_binary,
    "landmarks.txt": _text("# source, target\nsource target\n3 5\n7 9\n29 29\n"),
    "indices.csv": _text("vertex\n3\n5\n29\n"),
    "markers.txt": _text("3 1.0\n5 0.5\n29 2\n"),
    "targets.csv": _text(TARGETS),
    "targets.npz": _archive(targets=np.ones((2, 3, 3)), vertices=np.array([0, 4, 8]), weights=np.ones(3), fps=24.0),
    "pins.npz": _weights,
    "captured.npz": _captured,
    "priors.npz": _archive(target=np.zeros(6), strength=np.full((FRAMES, 6), 2.0)),
    "pairs.json": _text(json.dumps([["eyeBlink_L", "eyeBlink_R"]])),
    "rig.limits.json": _text(json.dumps(LIMITS)),
    "joints.json": _text(json.dumps(JOINTS)),
    "names.json": _text(json.dumps({"jawOpen": "Jaw", "my shape": "Mine"})),
    "script.json": _text(json.dumps(SCRIPT)),
    "layers.json": _text(json.dumps(LAYERS)),
    "moods.json": _text(json.dumps({"bored": "tired"})),
    "plan.json": _plan,
    "clips.json": _clip_list,
    "jobs.toml": _jobs,
    "data.rwdata/manifest.json": _dataset,
    "moods.safetensors": _synthesizer,
    "solution.npz": _solution,
    **({"face_ik.safetensors": _face_ik} if importlib.util.find_spec("torch") else {}),
    **{f"{kind.replace(' ', '_')}.safetensors": _model(kind) for kind in kinds.KINDS},
}
