"""Folders that the commands work in."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.cli import _dispatch as dispatch
from tests.cli.sheet import sheet_files
from tests.support.characters.second_face import first_face, second_face_files


@pytest.fixture(scope="module")
def shot_files(tmp_path_factory):
    """A rig, a shot, and the shot's weights."""
    folder = tmp_path_factory.mktemp("solve")
    np.save(folder / "truth.npy", sheet_files(folder))
    return folder


@pytest.fixture(scope="module")
def face_files(tmp_path_factory):
    """A face with its shapes, and what a second one is made of."""
    folder = tmp_path_factory.mktemp("transfer")
    first_face().save(folder / "face.safetensors")
    second_face_files(folder)
    return folder


@pytest.fixture
def run(shot_files, capsys, monkeypatch):
    """Runs a command line in this process: its exit code, and the last line that it said on stderr."""
    monkeypatch.chdir(shot_files)

    def call(*words):
        code = dispatch.main([str(word) for word in words])
        told = capsys.readouterr()
        assert "Traceback" not in told.err
        call.out = told.out
        return code, told.err.rstrip("\n").split("\n")[-1]

    return call
