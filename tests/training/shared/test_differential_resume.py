"""A training of a differential model that is interrupted goes on to the same bytes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from rigcast.training import _optimize
from tests.training.differential_training import QUICK, learn, saved_bytes


class Interrupted(Exception):
    pass


@pytest.mark.parametrize("optimizer", ["soap", "adam", "sgd"])
def test_interrupted_and_resumed_equals_uninterrupted(face_data, tmp_path, monkeypatch, optimizer):
    monkeypatch.setattr(_optimize, "CHECKPOINT_SECONDS", 0.0)
    file = tmp_path / "run.ckpt"

    def stop(progress):
        if progress.stage == "training" and progress.done > 0.5:
            raise Interrupted

    with pytest.raises(Interrupted):
        learn(face_data, checkpoint=file, progress=stop, optimizer=optimizer)
    assert file.exists()
    resumed = learn(face_data, checkpoint=file, optimizer=optimizer)
    assert not file.exists()
    whole = learn(face_data, optimizer=optimizer)
    assert saved_bytes(resumed, tmp_path / "a") == saved_bytes(whole, tmp_path / "b")


def test_a_checkpoint_of_other_settings_is_refused(face_data, tmp_path, monkeypatch):
    monkeypatch.setattr(_optimize, "CHECKPOINT_SECONDS", 0.0)
    file = tmp_path / "run.ckpt"

    def stop(progress):
        if progress.stage == "training" and progress.done > 0.5:
            raise Interrupted

    with pytest.raises(Interrupted):
        learn(face_data, checkpoint=file, progress=stop)
    with pytest.raises(ValueError, match=r"differential: checkpoint is .*, which belongs to another run"):
        learn(face_data, checkpoint=file, seed=1)
    assert learn(face_data, checkpoint=file, seed=1, restart=True).kind == "differential"


def test_ctrl_c_loses_no_step(face_data, tmp_path):
    file = tmp_path / "run.ckpt"

    def press(progress):
        if progress.stage == "training" and progress.done > 0.3:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        learn(face_data, checkpoint=file, progress=press)
    assert file.exists()
    resumed, whole = learn(face_data, checkpoint=file), learn(face_data)
    assert saved_bytes(resumed, tmp_path / "a") == saved_bytes(whole, tmp_path / "b")


SCRIPT = f"""
import os, signal, sys
import rigcast as rc
from tests.support.trainings import train_with
from rigcast.training import _optimize

_optimize.CHECKPOINT_SECONDS = 0.0


def kill(progress):
    if progress.stage == "training" and progress.done > 0.3:
        os.kill(os.getpid(), signal.SIGKILL)


train_with("differential", rc.Dataset(sys.argv[1]), checkpoint=sys.argv[2], progress=kill, **{QUICK | {"steps": 200}!r})
"""


@pytest.mark.long
def test_a_killed_process_goes_on(face_data, tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    file = tmp_path / "run.ckpt"
    command = [sys.executable, "-c", SCRIPT, str(face_data.path), str(file)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run(command, env=environment, check=False).returncode == -signal.SIGKILL
    assert file.exists()
    resumed, whole = learn(face_data, steps=200, checkpoint=file), learn(face_data, steps=200)
    assert saved_bytes(resumed, tmp_path / "a") == saved_bytes(whole, tmp_path / "b")
