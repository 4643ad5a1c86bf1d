"""Python drivers of a file: not run unasked, all named with the true reason, on the screen, in sets and in models."""

from __future__ import annotations

import json
import shutil
import warnings

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import main
from tests.support.trainings import train_with

REASON = "its driver is Python in the file, which was not run"
LIMITS = {"bone1.rotation_x": (-40.0, 40.0)}


def test_python_is_not_run_and_every_driver_is_named(host):
    with host.open("scripted", limits=LIMITS) as rig:
        notes, resting = rig.notes, rig.resting
    (drivers,) = [note for note in notes if "2 drivers" in note]
    assert "Python in the file was not run: 2 drivers (shape.python, shape.open); --run-scripts" in drivers
    assert any("text setup.py, which registers itself" in note for note in notes)
    assert {name: why for name, why in resting.items() if REASON in why} == {
        "shape.python": f"{REASON} ([abs(turn)][0])",
        "shape.open": f"{REASON} (max([turn, 0.0]))",
    }


def test_trusted_python_is_run(host):
    rows = np.array([[0.0], [30.0]], np.float32)
    with host.open("scripted", limits=LIMITS) as rig, host.open("scripted", limits=LIMITS, run_scripts=True) as trusted:
        assert not any("was not run" in note for note in trusted.notes)
        still, moved = (np.ptp(each.sample(rows)[1], axis=0).max() for each in (rig, trusted))
    assert moved > still


def test_a_set_and_a_command_say_it(host, tmp_path, capsys, monkeypatch):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    monkeypatch.chdir(tmp_path)
    with host.open("scripted", limits=LIMITS) as rig:
        data = rc.sampling.sample(rig, "set.rwdata", count=30, probe=0)
    assert REASON in data.resting["shape.python"]
    model = train_with("body", data, steps=2, threads=1)
    assert REASON in model.metadata["resting"]["shape.python"]
    model.save("model.safetensors")
    for file in ("set.rwdata", "model.safetensors"):
        assert main(["info", file]) == 0
        assert f"resting: {REASON}" in capsys.readouterr().out
        assert main(["info", file, "--json"]) == 0
        assert REASON in json.loads(capsys.readouterr().out)["resting"]["shape.open"]


NOT_RUN = "Python in the file was not run: 1 driver (shape.python); --run-scripts"
FACE = "scripted_face.blend"


@pytest.fixture
def face_place(any_host, tmp_path, monkeypatch):
    """A folder with the face, a shot of it, and weights."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(any_host.folder / FACE, FACE)
    rig = rc.sources.load_blendshapes(FACE, drop_unreadable=True)
    shot = rig.evaluate(np.random.default_rng(0).uniform(0, 1, (6, 2)).astype(np.float32))
    np.save("shot.npy", shot)
    np.savez("w.npz", weights=np.zeros((6, 2), np.float32), names=np.array(rig.shape_names, np.str_))
    rig.save("saved.safetensors")
    return tmp_path


def test_a_face_names_its_python_and_keeps_the_note(face_place):
    face = rc.sources.load_blendshapes(FACE, drop_unreadable=True)
    trusted = rc.sources.load_blendshapes(FACE, drop_unreadable=True, run_scripts=True)
    assert [note for note in face.metadata["notes"] if NOT_RUN in note]
    assert any("text setup.py" in note for note in face.metadata["notes"])
    assert not any("not run" in note for note in trusted.metadata["notes"])
    assert face.metadata["dropped"] == trusted.metadata["dropped"] == ["python"]
    mesh = rc.sources.load_mesh("saved.safetensors")
    assert any(NOT_RUN in note for note in mesh.notes)
    data = rc.sampling.sample(rc.sources.rig_of_face(face), "set.rwdata", count=20, sampler="sparse", probe=0)
    assert any(NOT_RUN in note for note in data.notes)
    assert any(NOT_RUN in note for note in rc.baselines.pca_regression(data).metadata["notes"])


def test_weights_from_a_file_name_its_python(face_place):
    face = rc.sources.load_blendshapes(FACE, drop_unreadable=True)
    for trusted in (False, True):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", rc.errors.InputWarning)
            rc.sources.load_blendshape_weights(FACE, face, run_scripts=trusted)
        assert any(str(one.message).startswith(f"{FACE}: {NOT_RUN}") for one in caught) is not trusted


COMMANDS = {
    "info": f"info {FACE}",
    "info of what was saved": "info saved.safetensors",
    "solve": f"solve {FACE} shot.npy -o out.npz --fps 24 --alpha 1e-3 --drop-unreadable",
    "pack": f"pack {FACE} -o plan.json --drop-unreadable",
    "transfer": f"transfer {FACE} saved.safetensors -o out.safetensors --drop-unreadable",
    "transfer to it": "transfer saved.safetensors saved.safetensors -o out.safetensors",
    "evaluate": f"evaluate saved.safetensors {FACE} -o out.npy",
    "limits": f"limits {FACE} -o limits.json",
    "sample": f"sample {FACE} -o out.rwdata --count 10 --probe 0",
}


@pytest.mark.parametrize("line", COMMANDS.values(), ids=COMMANDS)
def test_every_command_names_it_on_the_screen_and_in_its_object(face_place, capsys, line):
    assert main(line.split()) == 0
    shown = capsys.readouterr().out
    assert shown.count(NOT_RUN) == len({text for text in shown.split("\n") if NOT_RUN in text}) > 0
    again = [] if line.startswith("info") else ["--overwrite"]
    assert main([*line.split(), *again, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert any(NOT_RUN in note for note in result["notes"])
    assert "input_notes" not in result


@pytest.mark.parametrize("name", ["solve", "pack", "transfer", "info", "limits", "sample"])
def test_commands_run_it_if_they_are_told_to(face_place, capsys, name):
    assert main([*COMMANDS[name].split(), "--run-scripts", "--json"]) == 0
    notes = json.loads(capsys.readouterr().out).get("notes", [])
    assert not any(note.startswith(FACE) and "not run" in note for note in notes)
