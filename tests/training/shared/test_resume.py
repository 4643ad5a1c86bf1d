"""A run that is killed goes on from its checkpoint to the same model."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rigcast.training import _optimize as optimize
from rigcast.training._body import trainer as trainer
from rigcast.training._checkpoint import TrainingState, read_checkpoint, write_checkpoint
from tests.support.trainings import train_with


class Interrupted(Exception):
    pass


def saved_bytes(model, path):
    model.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("options", [{"optimizer": "soap"}, {"optimizer": "adam"}, {"linear": "auto"}], ids=str)
@pytest.mark.parametrize("after", [*(pytest.param(step, marks=pytest.mark.long) for step in (1, 40)), 17])
def test_interrupted_and_resumed_equals_uninterrupted(cylinder_data, train, tmp_path, monkeypatch, after, options):
    monkeypatch.setattr(optimize, "CHECKPOINT_SECONDS", 0.0)
    file = tmp_path / "run.ckpt"

    def stop(progress):
        if progress.stage == "training" and progress.done > after / 50:
            raise Interrupted

    with pytest.raises(Interrupted):
        train(cylinder_data, checkpoint=file, progress=stop, **options)
    assert file.exists()
    resumed = train(cylinder_data, checkpoint=file, **options)
    assert not file.exists()
    whole = train(cylinder_data, **options)
    assert saved_bytes(resumed, tmp_path / "a") == saved_bytes(whole, tmp_path / "b")


@pytest.mark.slow
def test_a_second_run_on_one_checkpoint_is_refused(cylinder_data, train, tmp_path):
    """While the first one trains, whatever the settings of the second."""
    file, refused = tmp_path / "run.ckpt", []

    def second(progress):
        if progress.stage == "training" and not refused:
            for seed in (0, 1):
                with pytest.raises(
                    ValueError, match=rf"body: checkpoint is .*, which process {os.getpid()} on"
                ) as caught:
                    train(cylinder_data, checkpoint=file, seed=seed)
                refused.append(caught.value)

    train(cylinder_data, checkpoint=file, progress=second)
    assert len(refused) == 2
    assert not list(tmp_path.iterdir())


def test_ctrl_c_loses_no_step(cylinder_data, train, tmp_path):
    """The checkpoint is written at the step at which Ctrl-C came, however long ago the last one was."""
    file = tmp_path / "run.ckpt"

    def press(progress):
        if progress.stage == "training" and progress.done > 0.3:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train(cylinder_data, checkpoint=file, progress=press)
    assert file.exists()
    resumed, whole = train(cylinder_data, checkpoint=file), train(cylinder_data)
    assert saved_bytes(resumed, tmp_path / "a") == saved_bytes(whole, tmp_path / "b")


@pytest.mark.slow
def test_finished_training_survives_an_interruption_of_what_follows(cylinder_data, train, tmp_path, monkeypatch):
    file = tmp_path / "run.ckpt"

    def stop(progress):
        if progress.stage == "measuring":
            raise Interrupted

    with pytest.raises(Interrupted):
        train(cylinder_data, checkpoint=file, progress=stop)
    whole = train(cylinder_data)
    monkeypatch.setattr(trainer.Trainer, "_step", lambda *step: pytest.fail("a step was done again"))
    resumed = train(cylinder_data, checkpoint=file)
    assert saved_bytes(resumed, tmp_path / "a") == saved_bytes(whole, tmp_path / "b")


SCRIPT = """
import os, signal, sys
import rigcast as rc
from tests.support.trainings import train_with
from rigcast.training import _optimize as optimize

optimize.CHECKPOINT_SECONDS = 0.0
data, checkpoint, file, killed_at = sys.argv[1:]


def note(progress):
    if progress.stage == "training" and progress.done > float(killed_at):
        os.kill(os.getpid(), signal.SIGKILL)


train_with("body", rc.Dataset(data), steps=100, hidden=8, batch=32, max_components=6, border=1.0, threads=1,
                 checkpoint=checkpoint, progress=note).save(file)
"""
NEVER = 2.0


@pytest.mark.slow
def test_killed_process_goes_on(cylinder_data, tmp_path):
    """To the bytes of a process that is not killed; this one has other libraries loaded, which may round otherwise."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    checkpoint, environment = tmp_path / "run.ckpt", os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}

    def run(file, model, killed_at):
        command = [sys.executable, "-c", SCRIPT, str(cylinder_data.path), str(file), str(tmp_path / model)]
        return subprocess.run([*command, str(killed_at)], env=environment, check=False).returncode

    assert run(checkpoint, "killed", 0.3) == -signal.SIGKILL
    assert checkpoint.exists()
    assert run(checkpoint, "resumed", NEVER) == run(tmp_path / "other.ckpt", "whole", NEVER) == 0
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()


def test_checkpoint_keeps_everything(tmp_path):
    rng = np.random.default_rng(0)
    groups = [{"weight1": rng.random((2, 3)).astype(np.float32)} for _ in range(3)]
    state = TrainingState(7, 1.5, 0.25, 3, *groups)
    write_checkpoint(tmp_path / "c", state, "run")
    read = read_checkpoint(tmp_path / "c", "run")
    assert (read.step, read.seconds, read.best_loss, read.stale) == (7, 1.5, 0.25, 3)
    for name, group in zip(("parameters", "optimizer", "best"), groups, strict=True):
        assert getattr(read, name)["weight1"].tobytes() == group["weight1"].tobytes()
    assert os.listdir(tmp_path) == ["c"]


def test_no_checkpoint_is_a_fresh_start(tmp_path):
    assert read_checkpoint(tmp_path / "none", "run") is None


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 torn"])
def test_unreadable_checkpoint_is_named(tmp_path, content):
    file = Path(tmp_path / "bad.ckpt")
    file.write_bytes(content)
    with pytest.raises(ValueError, match=r"body: checkpoint is the unreadable file .*bad\.ckpt"):
        read_checkpoint(file, "run")


def test_a_checkpoint_with_a_wrong_byte_is_named_or_read(tmp_path):
    file = tmp_path / "run.ckpt"
    group = {"weight1": np.arange(6.0)}
    write_checkpoint(file, TrainingState(3, 1.0, 0.5, 0, group, group, group), "run")
    whole = file.read_bytes()
    for place in [*range(0, 64, 3), *range(len(whole) - 300, len(whole), 2)]:
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            read_checkpoint(file, "run")
        except ValueError as error:
            assert "run.ckpt" in str(error), place


@pytest.mark.parametrize("threads", [2**31, 10**20, True])
def test_no_number_of_threads_is_refused_before_work(cylinder_data, threads):
    with pytest.raises(
        ValueError, match=r"body: threads is .*; it must be 0 \(all processors\) or more, up to 2147483647"
    ):
        train_with("body", cylinder_data, threads=threads)


def test_checkpoint_of_another_run_is_refused(cylinder_data, train, tmp_path):
    file = tmp_path / "run.ckpt"
    write_checkpoint(file, TrainingState(), "another")
    with pytest.raises(ValueError, match="belongs to another run"):
        train(cylinder_data, checkpoint=file)
