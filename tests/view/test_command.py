"""``rigcast view``: what it says, what it refuses, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")

import rigcast as rc
from rigcast.cli import main
from tests.support.characters.plain_face import plain_face
from tests.support.process import PATIENCE


@pytest.fixture
def file(tmp_path):
    plain_face().save(tmp_path / "face.safetensors")
    return str(tmp_path / "face.safetensors")


def test_it_prints_the_address_and_serves_until_ctrl_c(file):
    command = [sys.executable, "-m", "rigcast", "view", file, "--no-browser"]
    environment = {**os.environ, "PYTHONPATH": str(Path(rc.__file__).parents[1])}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True
    ) as process:
        url = process.stdout.readline().strip()
        assert urlopen(url).status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE) == 0
        assert process.stderr.read() == ""


def test_another_host_is_warned_of(file, capsys):
    assert main(["view", file, "--host", "0.0.0.0", "--seconds", "0.01"]) == 0
    assert "warning: --host 0.0.0.0 lets other machines connect" in capsys.readouterr().err


def test_this_machine_is_not(file, capsys):
    assert main(["view", file, "--host", "127.0.0.1", "--seconds", "0.01"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port", "70000"], "at most 65535"),
        (["--motion", "missing.npz"], "missing.npz does not exist"),
        (["--beside", "missing.npz"], "missing.npz does not exist"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(file, arguments, message, capsys):
    assert main(["view", file, *arguments]) == 2
    assert message in capsys.readouterr().err


def test_what_is_no_figure_is_refused():
    with pytest.raises(ValueError, match="view: model is a str; it must be"):
        rc.view("hero.safetensors")


def test_poses_of_another_width_are_refused():
    with pytest.raises(ValueError, match=r"view: poses is .* it must be"):
        rc.view(plain_face(), poses=[[0.0, 1.0]])
