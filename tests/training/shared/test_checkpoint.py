"""The file of a training that goes on: everything is kept, and damaged files are named."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from rigcast.training._checkpoint import TrainingState, read_checkpoint, write_checkpoint


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
