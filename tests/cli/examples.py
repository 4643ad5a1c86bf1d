"""Runs the examples of a command's ``--help``; the slow ones have test files of their own, for workers to share."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from tests.cli.command import rigcast_command
from tests.cli.example_files import example_files
from tests.support.blender import has_blender
from tests.support.detector import finds_faces
from tests.support.webassembly import has_module

# What the example of each command reads, of the folder of ``example_files``.
READS = {
    "doctor": (),
    "sample": ("hero.npz", "dog.blend", "lid.npz"),
    "train": ("hero.rwdata", "hero.npz", "head.rwdata", "face.safetensors"),
    "evaluate": (
        "hero.safetensors",
        "held_out.rwdata",
        "joints.json",
        "face.safetensors",
        "smooth.glb",
        "dog.*",
        "limb.npz",
        "head.safetensors",
        "head_held_out.rwdata",
        "stage.usda",
    ),
    "export": ("hero.safetensors", "face.safetensors", "held_out.rwdata", "stages"),
    "solve": ("face.safetensors", "face.blend", "take.npy"),
    "report": ("hero.*", "head*", "held_out.rwdata", "dog*", "face*.safetensors", "take.npy", "weights.npz"),
    "bench": ("hero.npz", "hero.safetensors", "head.safetensors", "held_out.rwdata"),
    "pack": ("face.safetensors",),
    "transfer": ("face.safetensors", "other.obj", "landmarks.csv", "scans", "plan.json"),
    "info": ("hero.*", "smooth.glb", "dog.blend", "lid.npz"),
    "limits": ("dog.blend",),
    "faces": ("ICT-FaceKit",),
    "view": (
        "hero.npz",
        "hero.usda",
        "hero.safetensors",
        "held_out.rwdata",
        "dog.*",
        "face.safetensors",
        "moods.safetensors",
        "weights.npz",
        "frames",
        "captured.npz",
        "points.csv",
    ),
    "ik": ("hero.safetensors", "goals.*"),
    "synth": ("face.safetensors", "calm.npy", "lively.npy"),
    "blender-addon": (),
    "capture": ("points.csv", "map.json", "face.safetensors", "frames", "webcam.mp4", "arkit.safetensors"),
    "actors": (),
    "perceive": ("face.safetensors", "smooth.glb", "weights.npz"),
    "study": ("face.safetensors", "ratings.csv"),
    "completion": (),
    "batch": ("jobs.toml", "face.safetensors", "take.npy", "hero.npz"),
}
NEEDS = {
    "capture": ("imageio", "pyvista", "matplotlib", "jinja2", "torch"),
    "export": ("pxr",),
    "view": ("websockets", "imageio", "pxr"),
    "blender-addon": ("rigcast_runtime",),  # with the C library
    "pack": ("pyvista", "jinja2"),
    "transfer": ("pyvista", "matplotlib", "jinja2"),
    "train": ("torch",),
    "evaluate": ("torch", "pxr"),
    "study": ("scipy", "matplotlib", "jinja2"),
    "report": ("torch", "pyvista", "matplotlib", "jinja2"),
    "synth": ("pyvista", "matplotlib", "jinja2"),
}


def run_examples(name: str, folder: Path) -> int:
    """Run the examples of a command as they stand, in a folder with what they read and nothing else.

    Returns how many were left out because there is no Blender, no face detector or no WebAssembly.
    """
    for package in NEEDS.get(name, ()):
        pytest.importorskip(package, reason=f"{package} is not installed", exc_type=ImportError)
    for pattern in READS[name]:
        for source in example_files().glob(pattern):
            target = folder / source.name
            shutil.copytree(source, target) if source.is_dir() else shutil.copyfile(source, target)
    commands = examples(name, folder)
    assert commands
    hosted = [words for words in commands if any(word.endswith(".blend") for word in words)]
    left_out = [] if has_blender() else hosted
    left_out += [] if has_module() else [words for words in commands if name == "view" and "-o" in words]
    left_out += [] if finds_faces() else [words for words in commands if "webcam.mp4" in words]
    for words in commands:
        if words not in left_out:
            done = rigcast_command(*shorter(name, words), folder=folder)
            assert done.returncode == 0, done.stderr
    return len(left_out)


def examples(name: str, folder: Path) -> list[list[str]]:
    """The words of each example, without the program's name."""
    shown = rigcast_command(name, "--help", folder=folder).stdout
    lines = shown.split("example:\n")[1].splitlines()
    return [shlex.split(line)[1:] for line in lines if line.strip().startswith("rigcast ")]


def shorter(name: str, words: list[str]) -> list[str]:
    """The only changes: less patience, and no threads that wait for each other on a busy machine."""
    if "--minutes" in words:
        place = words.index("--minutes")
        steps = "100" if "body" in words else "4"
        words = [*words[:place], "--steps", steps, "--threads", "1", *words[place + 2 :]]
    if words[:2] == ["study", "serve"]:
        return [*words, "--seconds", "0.1"]
    if words[0] == "view" and "-o" in words:
        return words
    return words + {"view": ["--seconds", "0.1"], "bench": ["--runs", "10", "--batch", "16"]}.get(name, [])


def told_if_left_out(count: int) -> None:
    """Skip the rest of a test whose examples could not all run."""
    if count:
        pytest.skip(f"{count} of the examples, without Blender to read .blend files, a face detector, or WebAssembly")
