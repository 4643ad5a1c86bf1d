"""What counts as wrong input (exit code 2), and what as a failure or a fault of our own (1)."""

from __future__ import annotations

import errno
import json
import os

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import _arguments as arguments
from rigcast.cli import _dispatch as dispatch
from tests.cli.command import rigcast_process


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["info", "a" * 300], "File name too long"),
        (["solve", "face.safetensors", "take.npy", "-o", "a" * 300 + ".npz"], "File name too long"),
        (["solve", "face.safetensors", "take.npy", "-o", "a" * 250 + ".npz"], "File name too long"),
    ],
)
def test_a_name_that_is_too_long_is_wrong_input(run, words, said):
    code, told = run(*words, "--json")
    assert code == 2
    assert said in told
    assert json.loads(run.out)["exit_code"] == 2


def test_a_folder_without_permission_is_wrong_input(run, monkeypatch):
    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(arguments.Path, "exists", refuse)
        code, told = run("info", "locked/face.npz", "--json")
    assert (code, told) == (
        2,
        "rigcast info: locked/face.npz: Permission denied (rigcast info --help shows an example)",
    )


def test_a_fault_of_numpy_is_our_own(monkeypatch, capsys):
    monkeypatch.setattr("rigcast.cli._commands.doctor.run", lambda args, console: np.zeros(3) + np.zeros(4))
    assert dispatch.main(["doctor"]) == 1
    assert "internal error, please report it: ValueError" in capsys.readouterr().err


def test_what_this_package_raises_is_wrong_input(monkeypatch, capsys):
    monkeypatch.setattr("rigcast.cli._commands.doctor.run", lambda args, console: rc.topology_hash([[0, 1]], 2))
    assert dispatch.main(["doctor"]) == 2
    assert "internal error" not in capsys.readouterr().err


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_a_full_disk_and_a_broken_one_are_failures(monkeypatch, number):
    def fail(args, console):
        raise OSError(number, os.strerror(number), "a")

    monkeypatch.setattr("rigcast.cli._commands.doctor.run", fail)
    assert dispatch.main(["doctor"]) == 1


@pytest.mark.parametrize("number", [errno.ENAMETOOLONG, errno.EACCES, errno.ENOENT, errno.EROFS, errno.EISDIR])
def test_a_path_that_the_system_refuses_is_wrong_input(monkeypatch, number):
    def fail(args, console):
        raise OSError(number, os.strerror(number), "a/b")

    monkeypatch.setattr("rigcast.cli._commands.doctor.run", fail)
    assert dispatch.main(["doctor"]) == 2


def test_a_real_command_refuses_a_long_name_without_a_traceback(tmp_path):
    assert rigcast_process("info", "a" * 300, folder=tmp_path).returncode == 2
