"""``rigcast ik``."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import main
from rigcast.ik import _parts as parts
from tests.ik.solving import arm, channel_arrays

VERTICES = np.array([20, 50, 80])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = arm()
    model.save("arm.safetensors")
    _, high, rest = channel_arrays(model)
    rows = rest + np.sin(np.linspace(0.0, 2.0, 20))[:, None] * 0.3 * (high - rest)
    targets = model.evaluate(model.poses_from_channels(rows))[:, VERTICES]
    np.savez("goals.npz", targets=targets, vertices=VERTICES, fps=24.0)
    turned = np.stack([targets[..., 0], -targets[..., 2], targets[..., 1]], axis=2) * 0.01
    np.savez("meters.npz", targets=turned, vertices=VERTICES)
    return tmp_path


def result(capsys, *line: str) -> dict:
    assert main(["ik", *line, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_it_writes_what_the_library_finds(folder, capsys):
    found = result(capsys, "arm.safetensors", "goals.npz", "-o", "poses.npz", "-o", "channels.csv")
    assert found["error_max_mm"] < 0.1
    with np.load("poses.npz") as archive, np.load("goals.npz") as goals:
        expected = rc.ik.solve(rc.load("arm.safetensors"), goals["targets"], VERTICES)
        assert (archive["poses"] == expected.poses).all()
        assert archive["fps"] == 24.0
    with open("channels.csv", newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows[0] == ["frame", *expected.names]
    assert [float(x) for x in rows[-1][1:]] == expected.channels[-1].tolist()


def test_targets_in_another_unit_and_with_another_axis_up(folder, capsys):
    found = result(capsys, "arm.safetensors", "meters.npz", "-o", "poses.npz", "--unit", "m", "--up-axis", "Z")
    assert found["error_max_mm"] < 0.1


def test_an_interrupted_run_ends_in_the_same_poses(folder, monkeypatch, capsys):
    monkeypatch.setattr(parts, "FRAMES_PER_PART", 6)
    line = ["ik", "arm.safetensors", "goals.npz", "-o"]
    assert main([*line, "whole.npz"]) == 0
    solve, calls = rc.ik.Solver.solve, []

    def interrupted(self, *given, **more):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return solve(self, *given, **more)

    monkeypatch.setattr(rc.ik.Solver, "solve", interrupted)
    assert main([*line, "half.npz"]) == 130
    assert main([*line, "half.npz"]) == 0
    assert len(calls) == 3 + 2
    assert (folder / "half.npz").read_bytes() == (folder / "whole.npz").read_bytes()
    assert not (folder / "half.npz.partial").exists()


def test_learned_inverse_kinematics_is_opened_alike(folder, capsys):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    rig = rc.faces.example()
    points = np.arange(0, 600, 30)
    settings = rc.training.FaceIkSettings(hidden=8, rows=64, bins=1)
    rc.training.face_ik(rig, points, steps=1, settings=settings).save("face.safetensors")
    np.savez("face.npz", targets=rig.rest_vertices[None, points[::-1]], vertices=points[::-1])
    found = result(capsys, "face.safetensors", "face.npz", "-o", "poses.npz", "--polish", "3")
    assert found["targets"] == 20
    assert found["error_mm"] < 0.1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["none.safetensors", "goals.npz", "-o", "a.npz"], "none.safetensors does not exist"),
        (["arm.safetensors", "none.npz", "-o", "a.npz"], "none.npz does not exist"),
        (["arm.safetensors", "goals.npz", "-o", "a.txt"], "it must end in .npz or .csv"),
        (["arm.safetensors", "goals.npz", "-o", "a.npz", "--resume"], "did you mean --restart?"),
        (["arm.safetensors", "goals.npz", "-o", "a.npz", "--unit", "ell"], "is no unit"),
    ],
)
def test_wrong_usage_is_one_line(folder, capsys, line, words):
    assert main(["ik", *line]) == 2
    assert words in capsys.readouterr().err
