"""Places where no result can be written: one sentence before any work, for every command that writes."""

from __future__ import annotations

import errno
import os
import stat

import pytest

from rigcast.cli import _dispatch as dispatch
from rigcast.cli import _written as written

COMMANDS = [
    "sample rig.glb -o {}new.rwdata",
    "train body set -o {}m.safetensors",
    "evaluate r.safetensors t.npy -o {}v.npy",
    "solve r.safetensors t.npy -o w.npz -o {}w.glb",
    "report r.safetensors --data set -o {}r.html",
    "transfer r.safetensors t.npy -o {}r.npz",
    "transfer r.safetensors t.npy -o o.npz --report {}r.html",
    "transfer r.safetensors t.npy -o o.npz --save-contacts {}c.txt",
    "limits rig.glb -o {}rig.limits.json",
    "pack r.safetensors -o {}p.json",
    "pack r.safetensors -o p.json --sheet {}s.html",
]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Files of any content: places are looked at before anything is opened."""
    for name in ("r.safetensors", "t.npy", "rig.glb"):
        (tmp_path / name).write_bytes(b"kept")
    for name in ("set", "locked"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def said(place, capsys):
    """What a refused command says."""

    def run(line):
        before = {path for path in place.rglob("*") if path.name != "existing"}
        assert dispatch.main(line.split()) == 2
        shown = capsys.readouterr()
        assert shown.out == ""
        assert {path for path in place.rglob("*") if path.name != "existing"} == before
        (text,) = shown.err.splitlines()
        return text

    return run


@pytest.mark.parametrize("line", COMMANDS)
def test_a_folder_where_nothing_can_be_made(said, monkeypatch, line):
    """As a read-only file system answers, to administrators too."""
    original = written.tempfile.TemporaryFile

    def locked(dir):
        if os.path.basename(dir) == "locked":
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return original(dir=dir)

    monkeypatch.setattr(written.tempfile, "TemporaryFile", locked)
    text = said(line.format("locked/"))
    assert "cannot be written (Read-only file system); it must be in a folder where files can be made" in text


@pytest.mark.parametrize("line", [line for line in COMMANDS if not line.startswith("sample")])
@pytest.mark.parametrize("kind", ["read-only", "pipe", "link to a pipe"])
def test_a_file_that_is_not_to_be_replaced(place, said, line, kind):
    path = place / line.rpartition("{}")[2]
    if kind == "read-only":
        path.write_bytes(b"mine")
        path.chmod(0o444)
    else:
        os.mkfifo(place / "pipe")
        if kind == "pipe":
            os.rename(place / "pipe", path)
        else:
            path.symlink_to("pipe")
    words = "is read-only; it must be writable" if kind == "read-only" else "is a pipe or a device; it must be a file"
    assert f"{path.name} {words}" in said(line.format(""))
    assert kind != "read-only" or (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"mine", 0o444)


def test_a_name_that_leaves_no_room_for_what_is_kept_beside_it(said):
    name = "n" * 245 + ".npz"
    assert f"{name} cannot be written (File name too long); its name must leave" in said(
        f"solve r.safetensors t.npy -o {name}"
    )


@pytest.mark.parametrize("ending", ["glb", "gltf", "csv", "usd", "obj", "ply", "npz", "bvh", "blend", "safetensors"])
@pytest.mark.parametrize("command", ["info", "limits"])
def test_a_pipe_is_refused_before_it_is_opened(command, ending, tmp_path, capsys):
    os.mkfifo(tmp_path / f"f.{ending}")
    output = [] if command == "info" else ["-o", str(tmp_path / "out.html")]
    assert dispatch.main([command, str(tmp_path / f"f.{ending}"), *output]) == 2
    assert "is a pipe; it must be a file" in capsys.readouterr().err
