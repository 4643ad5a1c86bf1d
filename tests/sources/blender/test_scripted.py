"""Python drivers of a file: not run unasked, all named with the true reason, on the screen, in sets and in models."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import main

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
    model = rc.training.body(data, steps=2, threads=1)
    assert REASON in model.metadata["resting"]["shape.python"]
    model.save("model.safetensors")
    for file in ("set.rwdata", "model.safetensors"):
        assert main(["info", file]) == 0
        assert f"resting: {REASON}" in capsys.readouterr().out
        assert main(["info", file, "--json"]) == 0
        assert REASON in json.loads(capsys.readouterr().out)["resting"]["shape.open"]
