"""Devices that training cannot use: absent ones are named, full ones are a lack of memory."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="training needs PyTorch")

from rigcast.training._body import pipeline as _pipeline  # noqa: E402
from rigcast.training._budget import check_device  # noqa: E402
from tests.support.trainings import train_with  # noqa: E402


class TwoDevices:
    """PyTorch as it looks on a machine with two GPUs."""

    class cuda:
        is_available = staticmethod(lambda: True)
        device_count = staticmethod(lambda: 2)


@pytest.mark.parametrize("device", ["cuda:7", "cuda:2", "cuda:", "cuda:one", "cuda:-1", "cpu:1"])
def test_a_device_that_is_not_there_is_refused_by_name(device):
    with pytest.raises(ValueError, match=rf'body: device is {device!r}; it must be "\w+:0" to "\w+:\d" here'):
        check_device("body", TwoDevices, device)


@pytest.mark.parametrize("device", ["cuda", "cuda:0", "cuda:1", "cpu"])
def test_a_device_that_is_there_is_taken(device):
    check_device("body", TwoDevices, device)


def test_a_full_device_is_a_lack_of_memory(cylinder_rig, tmp_path, monkeypatch):
    import rigcast as rc

    def full(*_, **__):
        raise torch.cuda.OutOfMemoryError("CUDA out of memory")

    data = rc.sampling.sample(cylinder_rig, tmp_path / "c.rwdata", count=60, seed=0)
    monkeypatch.setattr(_pipeline.Networks, "train", full)
    with pytest.raises(MemoryError, match="body: cpu has too little memory"):
        train_with("body", data, steps=1)
