"""Two commands on one output: the second one is refused in a sentence, before any work."""

from __future__ import annotations

import os

import pytest

from rigcast._resume.parts import PartsFolder
from rigcast.cli import _dispatch as dispatch


@pytest.mark.parametrize("alpha", ["0.01", "0.5"])
def test_a_second_solve_is_refused(shot_files, monkeypatch, capsys, alpha):
    monkeypatch.chdir(shot_files)
    with PartsFolder("w.npz.partial", "solve"):
        assert (
            dispatch.main(["solve", "face.safetensors", "take.npy", "--fps", "30", "-o", "w.npz", "--alpha", alpha])
            == 2
        )
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"rigcast solve: 'w.npz.partial', which process {os.getpid()} on ")
    assert "is writing; it must be" in line
    assert not (shot_files / "w.npz").exists()
    assert not (shot_files / "w.npz.partial").exists()


def test_a_second_transfer_is_refused(face_files, monkeypatch, capsys):
    monkeypatch.chdir(face_files)
    with PartsFolder("w.npz.partial", "transfer"):
        assert dispatch.main(["transfer", "face.safetensors", "other.obj", "-o", "w.npz"]) == 2
    assert f"which process {os.getpid()} on " in capsys.readouterr().err
    assert not (face_files / "w.npz").exists()


def test_a_users_own_folder_beside_the_output_stays(shot_files, monkeypatch, capsys):
    """Of the name that parts are kept under: refused while it holds nothing of ours, kept when it does."""
    monkeypatch.chdir(shot_files)
    folder = shot_files / "own.npz.partial"
    folder.mkdir()
    (folder / "solve.json").write_text('{"solve": "of mine"}')
    line = ["solve", "face.safetensors", "take.npy", "--fps", "30", "-o", "own.npz", "--alpha", "0.01"]
    assert dispatch.main(line) == 2
    assert "holds other files; it must be absent or empty" in capsys.readouterr().err
    with PartsFolder(shot_files / "begun", "solve") as begun:
        begun.put("000000", b"", "0" * 32)
        os.replace(shot_files / "begun" / "rigcast-000000.part", folder / "rigcast-000000.part")
    assert dispatch.main(line) == 0
    assert [path.name for path in folder.iterdir()] == ["solve.json"]
