"""Which functions open which kind of file, and what is computed with what they return."""

from __future__ import annotations

import contextlib
import dataclasses
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import rigcast as rc
from rigcast import capture, ik, inverse, sources, synthesis, transfer
from rigcast._formats.alembic_times import sample_times
from rigcast._formats.blender.limits import load_limits, stated_limits
from rigcast.cli._batch.job_file import read_jobs
from rigcast.cli._inputs.motion import joint_names_map
from rigcast.viewer._acting._moods import load_moods
from tests.support.characters.faces import small_face
from tests.support.made.synthesis import face

Reader = Callable[[Path], object]
FRAMES = 5


def _limits(path: Path) -> object:
    return load_limits(path), stated_limits(str(path))


def _clip(path: Path) -> object:
    rig = sources.load(path)
    motions = [rig.motion(name) for name in getattr(rig, "clips", [])] if getattr(rig, "joints", None) else []
    return motions, _posed(rig)


def _posed(rig: Any) -> object:
    return rig.sample(rig.channel_ranges[:, 0][None]) if hasattr(rig, "sample") else None


def _face(path: Path) -> object:
    rig = sources.load_blendshapes(path)
    return rig.evaluate(np.zeros((1, rig.num_shapes), np.float32))


def _model(path: Path) -> object:
    model = rc.load(path)
    with contextlib.suppress(ValueError):  # of numbers that are finite, and too large for some poses
        model.evaluate(np.zeros((1, len(model.control_names)), np.float32))
    return model.control_ranges


def _face_ik(path: Path) -> object:
    model = ik.load(path)
    return model.solve(np.zeros((1, len(model.vertices), 3), np.float32)).poses


def _solution(path: Path) -> object:
    found = inverse.Solution.load(path)
    return found.weights, found.transforms, found.constraints()["priors"] if found.prior_target is not None else None


def _weights(path: Path) -> object:
    return sources.load_blendshape_weights(path, small_face())


def _dataset(path: Path) -> object:
    data = rc.Dataset(path.parent)
    return data.poses.shape, data.vertices.shape, data.verify()


RIG_FILES: tuple[Reader, ...] = (_clip, _face, sources.load_shot, _weights, sources.load_mesh)
READERS: dict[str, tuple[Reader, ...]] = {
    ".glb": RIG_FILES,
    ".gltf": RIG_FILES,
    ".vrm": RIG_FILES,
    ".npz": (_clip, _face, sources.load_shot, _weights, sources.load_mesh),
    ".npy": (sources.load_shot, sources.load_mesh),
    ".safetensors": (_model, sources.load),
    ".usd": (sources.load_shot, _weights),
    ".usda": (sources.load_shot, _weights),
    ".pc2": (sources.load_shot,),
    ".mdd": (sources.load_shot,),
    ".csv": (_weights,),
    ".bvh": (sources.load_bvh,),
    ".obj": (sources.load_shot, sources.load_mesh),
    ".ply": (sources.load_mesh,),
    ".toml": (read_jobs,),
    ".abc": (sample_times,),
    "landmarks.txt": (sources.load_landmarks,),
    "indices.csv": (sources.load_vertex_indices,),
    "markers.txt": (sources.load_markers,),
    "targets.csv": (ik.load_targets,),
    "targets.npz": (ik.load_targets,),
    "pins.npz": (lambda path: np.isnan(inverse.load_pins(path, small_face(), FRAMES)),),
    "captured.npz": (lambda path: capture.load_capture(path, small_face()).motion,),
    "priors.npz": (lambda path: inverse.load_priors(path, small_face(), FRAMES),),
    "pairs.json": (lambda path: inverse.load_symmetric_pairs(path, small_face()),),
    "rig.limits.json": (_limits,),
    "joints.json": (joint_names_map,),
    "names.json": (lambda path: sources.rename_shapes(small_face(), path),),
    "script.json": (synthesis.Script.load,),
    "layers.json": (synthesis.load_layers,),
    "moods.json": (load_moods,),
    "plan.json": (transfer.ExpressionPlan.load,),
    "clips.json": (lambda path: synthesis.read_clip_list(path, face()),),
    "manifest.json": (_dataset,),
    "solution.npz": (_solution,),
    "face_ik.safetensors": (_face_ik,),
    "moods.safetensors": (synthesis.load,),
}


def readers_of(path: Path) -> tuple[Reader, ...]:
    """By the file's name, else by its ending."""
    return READERS.get(path.name) or READERS[path.suffix]


def damaged_copy(seed: Path, content: bytes, place: Path) -> Path:
    """The folder of a good file copied to ``place``, with other content in that file."""
    shutil.rmtree(place, ignore_errors=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(seed.parent, place)
    (place / seed.name).write_bytes(content)
    return place / seed.name


def arrays_in(value: object, depth: int = 0) -> Iterator[np.ndarray]:
    """The arrays of numbers in tuples, lists, mappings and records."""
    if isinstance(value, np.ndarray):
        yield value
    elif depth < 4 and isinstance(value, (tuple, list)):
        for entry in value[:50]:
            yield from arrays_in(entry, depth + 1)
    elif depth < 4 and isinstance(value, dict):
        yield from arrays_in(list(value.values()), depth + 1)
    elif depth < 4 and dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from arrays_in([getattr(value, field.name) for field in dataclasses.fields(value)], depth + 1)
