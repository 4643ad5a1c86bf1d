"""Training of deformation maps that is killed or interrupted goes on from its checkpoints to the same model."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.support.characters.mapped_face import clip_data
from tests.support.trainings import train_with

pytest.importorskip("torch", reason="PyTorch is not installed")

SMALL = {"hidden": 8, "first_channels": 2, "channels": 4, "batch": 4, "threads": 1}
STAGES = ("training coarse coefficients", "training coarse maps")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return clip_data(tmp_path_factory.mktemp("face") / "face.rwdata", frames=30)


@pytest.fixture(scope="module")
def whole(data, tmp_path_factory):
    return saved_bytes(train_with("face_maps", data, **SMALL, steps=40), tmp_path_factory.mktemp("whole") / "a")


def saved_bytes(model, path):
    """The file without how long it took."""
    tensors, about = model.tensors(), model.metadata
    about["face_maps"].pop("seconds", None)
    about["training"].pop("seconds", None)
    return about, {name: value.tobytes() for name, value in tensors.items()}


@pytest.mark.parametrize("stage", STAGES)
def test_ctrl_c_loses_no_step(data, whole, tmp_path, stage):
    """The checkpoint is written at the step at which Ctrl-C came, however long ago the last one was."""
    file = tmp_path / "run"

    def press(progress):
        if progress.stage == stage and progress.done >= 0.5:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train_with("face_maps", data, **SMALL, steps=40, checkpoint=file, progress=press)
    assert file.with_name("run.1").exists() == (stage == STAGES[1])
    resumed = train_with("face_maps", data, **SMALL, steps=40, checkpoint=file)
    assert saved_bytes(resumed, tmp_path / "a") == whole
    assert not list(tmp_path.glob("run*"))


SCRIPT = """
import os, signal, sys
from pathlib import Path
import rigcast as rc
from tests.support.trainings import train_with
from rigcast.training import _optimize as optimize

optimize.CHECKPOINT_SECONDS = 0.0
data, checkpoint, written = sys.argv[1:]


def kill(progress):
    if Path(written).exists():
        os.kill(os.getpid(), signal.SIGKILL)


train_with("face_maps", rc.Dataset(data), steps=40, hidden=8, first_channels=2, channels=4, batch=4, threads=1,
                      checkpoint=checkpoint, progress=kill)
"""


@pytest.mark.long
@pytest.mark.parametrize("written", ["run", "run.1"])
def test_a_killed_process_goes_on(data, whole, tmp_path, written):
    """Killed as soon as the checkpoint of a stage is there: in the first stage, or in the second one."""
    command = [sys.executable, "-c", SCRIPT, str(data.path), str(tmp_path / "run"), str(tmp_path / written)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run(command, env=environment, check=False).returncode == -signal.SIGKILL
    assert (tmp_path / written).exists()
    resumed = train_with("face_maps", data, **SMALL, steps=40, checkpoint=tmp_path / "run")
    assert saved_bytes(resumed, tmp_path / "a") == whole


def test_a_second_run_on_one_checkpoint_is_refused(data, tmp_path):
    refused = []

    def second(progress):
        if progress.stage in STAGES and not refused:
            with pytest.raises(
                ValueError, match=rf"face_maps: checkpoint is .*, which process {os.getpid()} on"
            ) as error:
                train_with("face_maps", data, **SMALL, steps=8, checkpoint=tmp_path / "run")
            refused.append(error.value)

    train_with("face_maps", data, **SMALL, steps=8, checkpoint=tmp_path / "run", progress=second)
    assert refused


def test_the_published_method_trains(data, tolerance):
    """Batches of 8, Adam with three learning rates in turn, 8 first channels, one coarse map per segment."""
    model = train_with("face_maps", data, method="paper", steps=30, threads=1)
    record = model.metadata["training"]
    expected = {"method": "paper", "batch": 8, "optimizer": "adam", "schedule": "thirds", "regions": 0, "texels": 0.0}
    assert {name: record[name] for name in expected} == expected
    tensors = model.tensors()
    assert tensors["segment.000.dense1.weight"].shape[0] == 256
    assert tensors["segment.000.dense2.weight"].shape == (512, 256)
    assert tensors["segment.000.conv1.weight"].shape == (16, 8, 3, 3)
    assert set(record["steps_done"]) == {"training coarse maps"}


def test_the_published_method_learns(data):
    errors = []

    def note(progress):
        if progress.stage.startswith("training coarse"):
            errors.append(float(progress.message.split()[2]))

    train_with("face_maps", data, method="paper", steps=120, threads=1, progress=note)
    assert errors[-1] < 0.7 * errors[0]
