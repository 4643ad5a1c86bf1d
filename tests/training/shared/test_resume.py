"""A training that is interrupted, or killed, goes on from its checkpoint to the same model, whatever it learns."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from rigcast.training import _optimize
from rigcast.training._body import trainer as body_trainer
from tests.support.characters.mapped_face import clip_data
from tests.support.trainings import train_with
from tests.training.conftest import QUICK as BODY
from tests.training.differential_training import QUICK as DIFFERENTIAL

pytest.importorskip("torch", reason="PyTorch is not installed")

MAPS = {"steps": 40, "hidden": 8, "first_channels": 2, "channels": 4, "batch": 4, "threads": 1}


@dataclass(frozen=True)
class Trainer:
    """A training, its settings, and its stages in their order."""

    name: str
    settings: dict[str, Any]
    stages: tuple[str, ...] = ("training",)

    def checkpoint(self, file, stage):
        """The file of a stage."""
        number = self.stages.index(stage)
        return file.with_name(f"{file.name}.{number}") if number else file


TRAINERS = [
    Trainer("body", BODY),
    Trainer("differential", DIFFERENTIAL),
    Trainer("face_maps", MAPS, ("training coarse coefficients", "training coarse maps")),
]
ALL = [pytest.param(trainer, id=trainer.name) for trainer in TRAINERS]
STAGES = [
    pytest.param(trainer, stage, id=f"{trainer.name}, {stage}") for trainer in TRAINERS for stage in trainer.stages
]
OPTIONS = {
    "body": [{"optimizer": "soap"}, {"optimizer": "adam"}, {"linear": "auto"}],
    "differential": [{"optimizer": "soap"}, {"optimizer": "adam"}, {"optimizer": "sgd"}],
    "face_maps": [{}],
}
CASES = [
    pytest.param(trainer, stage, options, id=f"{trainer.name}, {stage}, {options}")
    for trainer in TRAINERS
    for stage in trainer.stages
    for options in OPTIONS[trainer.name]
]


class Interrupted(Exception):
    pass


class Runs:
    """Trainings on one data set each, and the files of their models."""

    def __init__(self, data, folder):
        self.data, self.folder = data, folder
        self._whole = {}

    def train(self, trainer, **more):
        return train_with(trainer.name, self.data[trainer.name], **(trainer.settings | more))

    def saved(self, trainer, **more):
        """The bytes of a model."""
        self.train(trainer, **more).save(self.folder / "model")
        return (self.folder / "model").read_bytes()

    def whole(self, trainer, **options):
        """Those of a training that nothing interrupts."""
        key = trainer.name, *options.items()
        if key not in self._whole:
            self._whole[key] = self.saved(trainer, **options)
        return self._whole[key]


@pytest.fixture(scope="module")
def runs(cylinder_data, face_data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    maps = clip_data(folder / "maps.rwdata", frames=30)
    return Runs({"body": cylinder_data, "differential": face_data, "face_maps": maps}, folder)


def interruption(stage, share=0.5):
    """Stop a training after a share of a stage."""

    def stop(progress):
        if progress.stage == stage and progress.done > share:
            raise Interrupted

    return stop


@pytest.mark.parametrize(("trainer", "stage", "options"), CASES)
@pytest.mark.parametrize("after", [*(pytest.param(share, marks=pytest.mark.long) for share in (0.1, 0.8)), 0.34])
def test_interrupted_and_resumed_equals_uninterrupted(runs, tmp_path, monkeypatch, trainer, stage, options, after):
    monkeypatch.setattr(_optimize, "CHECKPOINT_SECONDS", 0.0)
    file = tmp_path / "run"
    with pytest.raises(Interrupted):
        runs.train(trainer, checkpoint=file, progress=interruption(stage, after), **options)
    assert trainer.checkpoint(file, stage).exists()
    assert runs.saved(trainer, checkpoint=file, **options) == runs.whole(trainer, **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("trainer", "stage"), STAGES)
def test_ctrl_c_loses_no_step(runs, tmp_path, trainer, stage):
    """The checkpoint is written at the step at which Ctrl-C came, however long ago the last one was."""
    file = tmp_path / "run"

    def press(progress):
        if progress.stage == stage and progress.done > 0.3:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        runs.train(trainer, checkpoint=file, progress=press)
    written = [own for own in trainer.stages if trainer.checkpoint(file, own).exists()]
    assert written[-1] == stage
    assert runs.saved(trainer, checkpoint=file) == runs.whole(trainer)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("trainer", ALL)
def test_a_checkpoint_of_other_settings_is_refused(runs, tmp_path, monkeypatch, trainer):
    monkeypatch.setattr(_optimize, "CHECKPOINT_SECONDS", 0.0)
    file = tmp_path / "run"
    with pytest.raises(Interrupted):
        runs.train(trainer, checkpoint=file, progress=interruption(trainer.stages[0]))
    with pytest.raises(ValueError, match=rf"{trainer.name}: checkpoint is .*, which belongs to another run"):
        runs.train(trainer, checkpoint=file, seed=1)
    assert runs.train(trainer, checkpoint=file, seed=1, restart=True).kind == trainer.name


@pytest.mark.parametrize("trainer", ALL)
def test_a_second_run_on_one_checkpoint_is_refused(runs, tmp_path, trainer):
    """While the first one trains, whatever the settings of the second."""
    file, refused = tmp_path / "run", []

    def second(progress):
        if progress.stage in trainer.stages and not refused:
            for seed in (0, 1):
                message = rf"{trainer.name}: checkpoint is .*, which process {os.getpid()} on"
                with pytest.raises(ValueError, match=message) as caught:
                    runs.train(trainer, checkpoint=file, seed=seed)
                refused.append(caught.value)

    runs.train(trainer, checkpoint=file, progress=second)
    assert len(refused) == 2
    assert not list(tmp_path.iterdir())


SCRIPT = """
import json, os, signal, sys
from pathlib import Path
import rigcast as rc
from rigcast.training import _optimize
from tests.support.trainings import train_with

_optimize.CHECKPOINT_SECONDS = 0.0
name, data, settings, checkpoint, written, model = sys.argv[1:]


def kill(progress):
    if progress.done > 0.3 and Path(written).exists():
        os.kill(os.getpid(), signal.SIGKILL)


train_with(name, rc.Dataset(data), **json.loads(settings), checkpoint=checkpoint, progress=kill).save(model)
"""


@pytest.mark.long
@pytest.mark.parametrize(("trainer", "stage"), STAGES)
def test_a_killed_process_goes_on(runs, tmp_path, trainer, stage):
    """To the bytes of a process that is not killed; this one has other libraries loaded, which may round otherwise."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    file, never = tmp_path / "run", tmp_path / "never"
    given = [trainer.name, str(runs.data[trainer.name].path), json.dumps(trainer.settings)]

    def run(checkpoint, killed_by, model):
        command = [sys.executable, "-c", SCRIPT, *given, str(checkpoint), str(killed_by), str(tmp_path / model)]
        return subprocess.run(command, env=environment, check=False).returncode

    assert run(file, trainer.checkpoint(file, stage), "killed") == -signal.SIGKILL
    assert trainer.checkpoint(file, stage).exists()
    assert run(file, never, "resumed") == run(tmp_path / "other", never, "whole") == 0
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.slow
def test_finished_training_survives_an_interruption_of_what_follows(runs, tmp_path, monkeypatch):
    file, body = tmp_path / "run", TRAINERS[0]
    with pytest.raises(Interrupted):
        runs.train(body, checkpoint=file, progress=interruption("measuring", -1.0))
    whole = runs.whole(body)
    monkeypatch.setattr(body_trainer.Trainer, "_step", lambda *step: pytest.fail("a step was done again"))
    assert runs.saved(body, checkpoint=file) == whole
