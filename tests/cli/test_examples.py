"""The example of every command's ``--help``, run as it stands in a folder that holds what it reads."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import shutil

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import _dispatch as dispatch
from tests.cli.command import rigcast_command
from tests.support.blender import has_blender
from tests.support.cylinder import CylinderRig
from tests.support.cylinder_models import cylinder_file, learned_looking_body
from tests.support.dog import dog_files
from tests.support.lid import lid_file
from tests.support.mapped_face import clip_data, random_data
from tests.support.mapped_models import mapped_model
from tests.support.plain_face import plain_face
from tests.support.published import small_ict
from tests.support.second_face import second_face_files

# What the example of each command reads, of the folder ``made``.
READS = {
    "doctor": (),
    "sample": ("hero.npz", "dog.blend", "lid.npz"),
    "train": ("hero.rwdata", "hero.npz", "head.rwdata"),
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
    ),
    "solve": ("face.safetensors", "face.blend", "take.npy"),
    "report": ("hero.*", "head*", "held_out.rwdata", "dog*", "face*.safetensors", "take.npy", "weights.npz"),
    "bench": ("hero.npz", "hero.safetensors", "head.safetensors", "held_out.rwdata"),
    "pack": ("face.safetensors",),
    "transfer": ("face.safetensors", "other.obj", "landmarks.csv", "scans", "plan.json"),
    "info": ("hero.*", "smooth.glb", "dog.blend", "lid.npz"),
    "limits": ("dog.blend",),
    "faces": ("ICT-FaceKit",),
    "view": ("hero.npz", "hero.safetensors", "held_out.rwdata", "dog.*", "face.safetensors", "moods.safetensors"),
    "ik": ("hero.safetensors", "goals.*"),
    "synth": ("face.safetensors", "calm.npy", "lively.npy"),
    "batch": ("jobs.toml", "face.safetensors", "take.npy", "hero.npz"),
}
NEEDS = {
    "view": ("websockets",),
    "pack": ("pyvista", "jinja2"),
    "transfer": ("pyvista", "matplotlib", "jinja2"),
    "train": ("torch",),
    "evaluate": ("torch",),
    "report": ("torch", "pyvista", "matplotlib", "jinja2"),
    "synth": ("pyvista", "matplotlib", "jinja2"),
}


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """The files of all examples, small and made without a command."""
    place = tmp_path_factory.mktemp("examples")
    cylinder_file(place / "hero.npz")
    cylinder_file(place / "limb.npz", bulge=0.0)
    lid_file(place / "lid.npz")
    (place / "jobs.toml").write_text(JOBS)
    (place / "joints.json").write_text(json.dumps({name: name for name in CylinderRig().joint_names}))
    hero = rc.sources.load(place / "hero.npz")
    data = rc.sampling.sample(hero, place / "hero.rwdata", count=400, seed=0)
    rc.sampling.sample(hero, place / "held_out.rwdata", count=60, seed=1, probe=0)
    cylinder = CylinderRig()
    cylinder.dial_names = []  # the file has none
    learned_looking_body(cylinder, data_hash=data.hash, channels=data.channel_entry).save(place / "hero.safetensors")
    goals_files(place, rc.load(place / "hero.safetensors"))
    mapped_model(clip_data(place / "head.rwdata", frames=20, count=3)).save(place / "head.safetensors")
    random_data(place / "head_held_out.rwdata", 10)
    face = plain_face()
    face.save(place / "face.safetensors")
    if importlib.util.find_spec("torch"):
        few = rc.training.FaceIkSettings(hidden=8, rows=64, batch=16, bins=1)
        points = np.arange(0, len(face.rest_vertices), 40)
        rc.training.face_ik(face, points, steps=1, threads=1, settings=few).save(place / "face_ik.safetensors")
    weights = np.random.default_rng(0).uniform(0, 1, (12, face.num_shapes))
    np.save(place / "take.npy", face.evaluate(weights))
    speeds = np.linspace(0.1, 0.3, face.num_shapes)
    clips = {
        name: 0.5 + size * np.sin(np.arange(72)[:, None] * speeds) for name, size in (("calm", 0.1), ("lively", 0.4))
    }
    for name, clip in clips.items():
        np.save(place / f"{name}.npy", clip)
    short = {"dimensions": 2, "components": 3, "iterations": 10, "held_out": False}
    rc.synthesis.fit({name: [clip] for name, clip in clips.items()}, rig=face, **short).save(
        place / "moods.safetensors"
    )
    rc.exports.write_blendshape_weights(place / "weights.npz", face, weights)
    rc.exports.write_blendshape_weights(place / "smooth.glb", face, weights)
    shapes = face.rest_vertices + face.columns()
    rc.transfer.pack_expressions(face.rest_vertices, shapes, face.faces, names=face.shape_names).save(
        place / "plan.json"
    )
    second_face_files(place)
    small_ict(place / "ICT-FaceKit")
    if has_blender():
        dog_files(place)
        rc.exports.write_rig(place / "face.blend", face)
    return place


JOBS = """
[[jobs]]
name = "shot"
command = "solve"
arguments = ["face.safetensors", "take.npy", "--fps", 30, "-o", "weights.npz"]

[[jobs]]
command = "info"
each = "*.npz"
arguments = ["{path}"]
"""


def goals_files(place, model):
    """Targets for three vertices over five frames, as both formats."""
    low, high = np.array([(c.low, c.high) for c in model.channels]).T
    rows = np.linspace(0.0, 0.3, 5)[:, None] * np.where(high > -low, high, low)
    vertices = np.array([30, 90, 140])
    targets = model.evaluate(model.poses_from_channels(rows))[:, vertices].astype(np.float64)
    np.savez(place / "goals.npz", targets=targets, vertices=vertices, fps=24.0)
    lines = [f"{t},{v},{x},{y},{z}" for t in range(5) for v, (x, y, z) in zip(vertices, targets[t], strict=True)]
    (place / "goals.csv").write_text("frame,vertex,x,y,z\n" + "\n".join(lines) + "\n")


@pytest.fixture
def folder(request, made, tmp_path):
    """A folder with what the example of the test's command reads, and nothing else."""
    for pattern in READS[request.node.callspec.params["name"]]:
        for source in made.glob(pattern):
            target = tmp_path / source.name
            shutil.copytree(source, target) if source.is_dir() else shutil.copyfile(source, target)
    return tmp_path


def examples(name: str, folder) -> list[list[str]]:
    shown = rigcast_command(name, "--help", folder=folder).stdout
    lines = shown.split("example:\n")[1].splitlines()
    return [shlex.split(line)[1:] for line in lines if line.strip().startswith("rigcast ")]


def test_every_command_has_its_files():
    assert sorted(READS) == sorted(dispatch.COMMANDS)


SLOW = ("report", "train", "sample", "bench")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in READS]
)
def test_the_example_runs(name, folder, made):
    for package in NEEDS.get(name, ()):
        pytest.importorskip(package, reason=f"{package} is not installed")
    commands = examples(name, folder)
    assert commands
    hosted = [arguments for arguments in commands if any(argument.endswith(".blend") for argument in arguments)]
    left_out = [] if has_blender() else hosted
    for arguments in commands:
        if arguments in left_out:
            continue
        if "--minutes" in arguments:  # the only changes: less patience
            place = arguments.index("--minutes")
            arguments[place : place + 2] = ["--steps", "200" if "body" in arguments else "4"]
        if name == "view":
            arguments += ["--seconds", "0.1"]
        if name == "bench":
            arguments += ["--runs", "10", "--batch", "16"]
        done = rigcast_command(*arguments, folder=folder)
        assert done.returncode == 0, done.stderr
    if name in LEAVES:
        LEAVES[name](folder, made)
    if left_out:
        pytest.skip(
            f"{len(left_out)} of the examples, without a blender executable or the bpy wheel to read .blend files"
        )


def trained(folder, made):
    """The model follows what it was trained on, far nearer to a held-out set than linear skinning is."""
    held_out, learned = rc.Dataset(made / "held_out.rwdata"), rc.Dataset(folder / "hero.rwdata")
    model = rc.load(folder / "hero.safetensors")
    assert model.metadata["data_hash"] == learned.hash != held_out.hash
    assert not list(folder.glob("*.checkpoint"))
    beside = rc.baselines.linear_blend(learned, 4).evaluate(held_out.poses)
    ours = rc.metrics.vertex_error(held_out.vertices, model.evaluate(held_out.poses))
    assert ours.mean < 0.5 * rc.metrics.vertex_error(held_out.vertices, beside).mean


def reported(folder, made):
    """Fitted skinning stands beside the body, other methods beside the solution."""
    assert re.search("linear skinning, all joints", (folder / "hero.html").read_text(encoding="utf-8"))
    assert "Methods at equal objective" in (folder / "take.html").read_text(encoding="utf-8")


def sampled(folder, made):
    """The sets that the other examples read are those that this one makes."""
    for name in ("hero.rwdata", "held_out.rwdata"):
        assert rc.Dataset(folder / name).hash == rc.Dataset(made / name).hash


LEAVES = {"train": trained, "report": reported, "sample": sampled}
