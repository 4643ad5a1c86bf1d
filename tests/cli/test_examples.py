"""The example of every command's ``--help``, run as it stands, one after another in one folder."""

from __future__ import annotations

import json
import re
import shlex

import numpy as np
import pytest

from rigwright.cli import _dispatch as dispatch
from tests.cli.command import rigwright_command
from tests.support.cylinder import CylinderRig
from tests.support.cylinder_models import cylinder_file
from tests.support.dog import dog_files, has_blender
from tests.support.plain_face import plain_face
from tests.support.published import small_ict
from tests.support.second_face import second_face_files

# In the order in which a user would meet them: later ones need the files of earlier ones.
ORDER = (
    "doctor",
    "sample",
    "train",
    "solve",
    "evaluate",
    "report",
    "bench",
    "pack",
    "transfer",
    "info",
    "limits",
    "faces",
)
NEEDS = {
    "pack": ("pyvista", "jinja2"),
    "transfer": ("pyvista", "matplotlib", "jinja2"),
    "train": ("torch",),
    "evaluate": ("torch",),
    "report": ("pyvista", "matplotlib", "jinja2"),
    "bench": ("torch", "onnx", "onnxruntime"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("examples")
    cylinder_file(place / "hero.npz")
    (place / "joints.json").write_text(json.dumps({name: name for name in CylinderRig().joint_names}))
    face = plain_face()
    face.save(place / "face.safetensors")
    np.save(place / "take.npy", face.evaluate(np.random.default_rng(0).uniform(0, 1, (12, face.num_shapes))))
    second_face_files(place)
    small_ict(place / "ICT-FaceKit")
    if has_blender():
        dog_files(place)
    return place


def examples(name: str, folder) -> list[list[str]]:
    shown = rigwright_command(name, "--help", folder=folder).stdout
    lines = shown.split("example:\n")[1].splitlines()
    return [shlex.split(line)[1:] for line in lines if line.strip().startswith("rigwright ")]


def test_every_command_has_its_place():
    assert sorted(ORDER) == sorted(dispatch.COMMANDS)


@pytest.mark.parametrize("name", ORDER)
def test_the_example_runs(name, folder):
    for package in NEEDS.get(name, ()):
        pytest.importorskip(package)
    commands = examples(name, folder)
    assert commands
    for arguments in commands:
        if any(argument.endswith(".blend") for argument in arguments) and not has_blender():
            continue
        if "--minutes" in arguments:  # the only changes: less patience
            place = arguments.index("--minutes")
            arguments[place : place + 2] = ["--steps", "200"]
        if name == "bench":
            arguments += ["--runs", "10", "--batch", "16"]
        done = rigwright_command(*arguments, folder=folder)
        assert done.returncode == 0, done.stderr


def test_what_the_examples_leave(folder):
    """The trained model follows what it was trained on; the report and the vertices are there."""
    import rigwright as rw

    if not (folder / "hero.html").exists():
        pytest.skip("an extra is missing: the examples before did not run")
    held_out, learned = rw.Dataset(folder / "held_out.rwdata"), rw.Dataset(folder / "hero.rwdata")
    model = rw.load(folder / "hero.safetensors")
    assert model.metadata["data_hash"] == learned.hash != held_out.hash
    assert not list(folder.glob("*.checkpoint"))
    beside = rw.baselines.linear_blend(learned, 4).evaluate(held_out.poses)
    ours = rw.metrics.vertex_error(held_out.vertices, model.evaluate(held_out.poses))
    assert ours.mean < 0.5 * rw.metrics.vertex_error(held_out.vertices, beside).mean
    assert re.search("linear skinning, all joints", (folder / "hero.html").read_text(encoding="utf-8"))
    assert "Methods at equal objective" in (folder / "take.html").read_text(encoding="utf-8")
