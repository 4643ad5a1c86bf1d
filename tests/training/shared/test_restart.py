"""``restart`` begins anew, and takes nothing away from a run that is at work."""

import numpy as np
import pytest

from rigcast.cli import _dispatch as dispatch
from rigcast.training._checkpoint import TrainingState, only_run, write_checkpoint

pytest.importorskip("torch", reason="the training extra is not installed")


def test_a_second_command_leaves_the_checkpoint_of_the_first(cylinder_data, tmp_path, capsys):
    file = tmp_path / "m.safetensors.checkpoint"
    write_checkpoint(file, TrainingState(), "the first run's")
    before = file.read_bytes()
    line = ["train", "body", cylinder_data.path, "-o", tmp_path / "m.safetensors", "--restart", "--steps", 1]
    with only_run(file):
        assert dispatch.main([str(word) for word in line]) == 2
    assert "is writing" in capsys.readouterr().err
    assert file.read_bytes() == before


def test_a_checkpoint_of_another_run_is_replaced(cylinder_data, train, tmp_path):
    file = tmp_path / "run.ckpt"
    write_checkpoint(file, TrainingState(), "another run's")
    poses = cylinder_data.poses[:5]
    restarted = train(cylinder_data, checkpoint=file, restart=True, steps=5)
    np.testing.assert_array_equal(restarted.evaluate(poses), train(cylinder_data, steps=5).evaluate(poses))
    assert not file.exists()
