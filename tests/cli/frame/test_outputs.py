"""Results never replace what a command reads, nor each other: every command that writes."""

from __future__ import annotations

import os

import numpy as np
import pytest

from rigcast.cli import _dispatch as dispatch
from rigcast.cli._written import is_written


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Files that are there, of any content: names are looked at before anything is opened."""
    for name in ("r.safetensors", "t.npy", "s.npz", "w.csv", "p.json", "h.html", "rig.glb", "pairs.txt"):
        (tmp_path / name).write_bytes(b"kept")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("transfer r.safetensors t.npy -o r.safetensors", "--output r.safetensors is what SOURCE_RIG reads"),
        ("transfer r.safetensors t.npy -o ./folder/../r.safetensors", "is what SOURCE_RIG reads"),
        ("transfer rig.glb t.npy -o rig.glb", "--output rig.glb is what SOURCE_RIG reads"),
        ("transfer rig.glb t.npy -o linked.glb", "--output linked.glb is what SOURCE_RIG reads"),
        ("transfer rig.glb t.npy -o s.npz --truth s.npz", "--output s.npz is what --truth reads"),
        ("transfer rig.glb t.npy -o s.npz --examples w.csv --examples s.npz", "is what --examples reads"),
        ("transfer rig.glb t.npy -o o.npz --contacts pairs.txt --save-contacts pairs.txt", "is what --contacts reads"),
        ("transfer rig.glb t.npy -o o.npz --save-contacts r.safetensors", "r.safetensors has a format"),
        ("transfer rig.glb t.npy -o o.npz --report x.pdf", "x.pdf has a format that cannot be written"),
        ("transfer rig.glb t.npy -o w.fbx", "it must end in .glb, .npz, .safetensors or .blend"),
        ("pack r.safetensors -o p.json --sheet r.safetensors", "it must end in .html or .htm"),
        ("pack r.safetensors -o p.json --sheet p.json", "it must end in .html or .htm"),
        ("pack r.safetensors -o r.safetensors", "it must end in .json"),
        ("pack r.safetensors -o p.json --areas p.json", "--output p.json is what --areas reads"),
        ("solve rig.glb t.npy -o o.npz -o rig.glb", "--output rig.glb is what RIG reads"),
        ("solve rig.glb s.npz -o s.npz", "--output s.npz is what SHOT reads"),
        ("solve rig.glb t.npy -o o.npz -o o.npz", "--output o.npz is --output too"),
        ("solve rig.glb t.npy -o o.txt", "o.txt has a format that cannot be written"),
        ("sample rig.glb -o rig.glb", "rig.glb is a file; it must be a folder"),
        ("train body folder -o folder", "folder has a format"),
        ("train body folder -o m.npz", "it must end in .safetensors"),
        ("evaluate r.safetensors t.npy -o t.npy", "--output t.npy is what SET|MOTION reads"),
        ("evaluate r.safetensors t.npy -o t.safetensors", "it must end in .glb, .npz, .npy"),
        ("report r.safetensors --data folder -o r.safetensors", "it must end in .html or .htm"),
        ("perceive r.safetensors rig.glb --motion w.csv --junit w.csv", "it must end in .xml"),
        ("perceive r.safetensors rig.glb --motion s.npz -o folder/../s.npz", "s.npz is what --motion reads"),
        ("report h.html --data folder -o h.html", "--output h.html is what MODEL reads"),
    ],
)
def test_outputs_that_are_taken_are_refused(place, line, words, capsys):
    os.link(place / "rig.glb", place / "linked.glb")
    before = {path.name: path.read_bytes() for path in place.iterdir() if path.is_file()}
    assert dispatch.main(line.split()) == 2
    shown = capsys.readouterr()
    assert words in shown.err
    assert len(shown.err.splitlines()) == 1
    assert {path.name: path.read_bytes() for path in place.iterdir() if path.is_file()} == before


def test_every_command_that_writes_says_so():
    """An option called --output whose type is none of those would escape the check."""
    found = set()
    for name, command in dispatch.load_commands().items():
        parser = dispatch.argparse.ArgumentParser()
        command.add_arguments(parser)
        for action in parser._actions:
            if action.dest == "output":
                assert is_written(action), name
                found.add(name)
    assert found == {
        "sample", "train", "evaluate", "solve", "report", "transfer", "pack", "limits", "faces", "ik",
        "actors", "perceive", "blender-addon", "view",
    }  # fmt: skip


@pytest.fixture
def played(tmp_path, monkeypatch):
    """A folder with a face and its weights, and the command that plays them."""
    from tests.support.characters.plain_face import plain_face

    monkeypatch.chdir(tmp_path)
    plain_face().save("face.safetensors")
    np.save("poses.npy", np.zeros((2, 6)))
    return lambda *more: dispatch.main(["evaluate", "face.safetensors", "poses.npy", "--fps", "24", *more])


def test_a_finished_result_is_replaced_with_overwrite_only(played, tmp_path, capsys):
    assert played("-o", "v.npy") == 0
    before = (tmp_path / "v.npy").stat().st_ino
    assert played("-o", "v.npy") == 2
    assert "v.npy exists; --overwrite" in capsys.readouterr().err
    assert (tmp_path / "v.npy").stat().st_ino == before
    assert played("-o", "v.npy", "--overwrite") == 0
    assert (tmp_path / "v.npy").stat().st_ino != before


def test_a_cache_that_a_blend_would_lie_beside_is_replaced_with_overwrite_only(played, tmp_path, capsys):
    (tmp_path / "v.pc2").write_bytes(b"an artist's own")
    assert played("-o", "v.blend") == 2
    assert "v.pc2 exists; --overwrite" in capsys.readouterr().err
    assert (tmp_path / "v.pc2").read_bytes() == b"an artist's own"
