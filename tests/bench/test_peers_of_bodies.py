"""The comparison with PyTorch and ONNX Runtime: every form computes what the engine computes. No times here."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.characters.cylinder import CylinderRig
from tests.support.made.cylinder_models import cylinder_body
from tests.support.made.models import random_body, random_poses

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

from benchmarks import peers


@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning", "ignore::DeprecationWarning")
def test_every_form_gives_the_same_vertices(tolerance):
    model = random_body(num_vertices=200, num_sets=6)  # one set without inputs, one without components
    poses = random_poses(model.skeleton, 4, numeric=2, stretch=0.0)
    report = peers.compare(model, poses, runs=10, batch=8)
    scale = float(np.abs(model.evaluate(poses)).max())
    assert [row["poses"] for row in report["rows"]] == [1, 8]
    for row in report["rows"]:
        assert row["difference"] <= tolerance["float32_sum"] * scale
        assert set(row["ratios"]) == {"PyTorch", "ONNX Runtime"}
        assert len(row["forms"]) == 6
    assert report["model"]["sets"] == 6


def test_a_body_without_any_network_is_refused():
    with pytest.raises(ValueError, match=r"peers.compare: model is without any network"):
        peers.compare(cylinder_body(CylinderRig()))
