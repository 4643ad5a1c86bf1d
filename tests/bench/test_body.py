"""The comparison with PyTorch and ONNX Runtime: every form computes what the engine computes. No times here."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.cli import _dispatch as dispatch
from tests.support.cylinder import CylinderRig
from tests.support.cylinder_models import cylinder_body
from tests.support.models import linear_blend, random_body, random_poses

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

from rigcast import _bench as bench
from rigcast._bench.timing import interleaved


@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning", "ignore::DeprecationWarning")
def test_every_form_gives_the_same_vertices(tolerance):
    model = random_body(num_vertices=200, num_sets=6)  # one set without inputs, one without components
    poses = random_poses(model.skeleton, 4, numeric=2, stretch=0.0)
    report = bench.body(model, poses, runs=10, batch=8)
    scale = float(np.abs(model.evaluate(poses)).max())
    assert [row["poses"] for row in report["rows"]] == [1, 8]
    for row in report["rows"]:
        assert row["difference"] <= tolerance["float32_sum"] * scale
        assert set(row["ratios"]) == {"PyTorch", "ONNX Runtime"}
        assert len(row["forms"]) == 6
    assert report["model"]["sets"] == 6


def test_another_kind_is_refused():
    with pytest.raises(ValueError, match=r"bench.body: model is of kind 'linear_blend'"):
        bench.body(linear_blend())


def test_a_body_without_any_network_is_refused():
    with pytest.raises(ValueError, match=r"bench.body: model is a body without any network"):
        bench.body(cylinder_body(CylinderRig()))


def test_the_command_times_a_body_without_any_network_alone(tmp_path, capsys):
    cylinder_body(CylinderRig()).save(tmp_path / "plain.safetensors")
    assert dispatch.main(["bench", str(tmp_path / "plain.safetensors")]) == 0
    assert "the model has no network" in capsys.readouterr().out


def test_functions_take_turns():
    calls = []
    times = interleaved({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 12)
    assert calls == ["a"] * 3 + ["b"] * 3 + ["a", "b"] * 12
    assert all(value >= 0 for value in times.values())


def test_turns_of_several_calls_begin_with_one_that_is_not_timed():
    calls = []
    interleaved({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 2, in_a_row=2, warm_up=0)
    assert "".join(calls) == "aaabbb" * 2
