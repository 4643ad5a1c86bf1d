"""Deformation maps trained by the method of the paper."""

from __future__ import annotations

import pytest

from tests.support.characters.mapped_face import clip_data
from tests.support.trainings import train_with

pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return clip_data(tmp_path_factory.mktemp("face") / "face.rwdata", frames=30)


def test_the_published_method_trains(data):
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
