"""Sets whose vertices do not fit in memory are trained on: vertices are read piece by piece."""

from __future__ import annotations

import pytest

import rigcast as rc


@pytest.mark.parametrize("train", [rc.training.body, rc.training.differential, rc.training.face_maps])
def test_training_never_asks_for_all_vertices(cylinder_data, monkeypatch, train):
    def everything(_):
        raise AssertionError("all vertices were read at once")

    monkeypatch.setattr(rc.Dataset, "vertices", property(everything))
    assert train(cylinder_data, steps=2).metadata["error"]["mean"] > 0.0
