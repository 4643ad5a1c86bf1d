"""Networks that benchmarks of learned inverse kinematics keep."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.systems.ik.kept import trained

import rigcast as rc

pytest.importorskip("torch", reason="PyTorch is not installed")

RIG = rc.faces.example()
POINTS = np.arange(0, len(RIG.rest_vertices), len(RIG.rest_vertices) // 20)
SETTINGS = rc.training.FaceIkSettings(hidden=8, rows=64, batch=16, bins=1)
BUDGET = {"steps": 2}


def test_they_are_trained_once_and_anew_for_other_points(tmp_path, monkeypatch):
    first = trained(tmp_path, RIG, POINTS, SETTINGS, BUDGET)
    trainings = []
    train = rc.training.face_ik
    monkeypatch.setattr(rc.training, "face_ik", lambda *given, **more: trainings.append(given) or train(*given, **more))
    again = trained(tmp_path, RIG, POINTS, SETTINGS, BUDGET)
    assert again.solve(RIG.rest_vertices[POINTS]).poses.tobytes() == (
        first.solve(RIG.rest_vertices[POINTS]).poses.tobytes()
    )
    assert trainings == []
    trained(tmp_path, RIG, POINTS[1:], SETTINGS, BUDGET)
    assert len(trainings) == 1


def test_an_interrupted_training_goes_on(tmp_path, monkeypatch):
    checkpoints = []
    train = rc.training.face_ik

    def interrupted(*given, checkpoint, **more):
        checkpoints.append(checkpoint)
        if len(checkpoints) == 1:
            raise KeyboardInterrupt
        return train(*given, checkpoint=checkpoint, **more)

    monkeypatch.setattr(rc.training, "face_ik", interrupted)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path, RIG, POINTS, SETTINGS, BUDGET)
    trained(tmp_path, RIG, POINTS, SETTINGS, BUDGET)
    assert checkpoints[0] == checkpoints[1]
