"""PyTorch computes what the engine computes of a differential model, in every form. No times here."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from tests.rig.base_shapes import based_model
from tests.support.made.differential import random_differential, random_differential_tensors

pytest.importorskip("torch", reason="PyTorch is not installed")

from benchmarks import peers


@pytest.fixture(scope="module", params=[0, 3, "base"], ids=["no joints", "joints", "on a base"])
def found(request):
    if request.param == "base":
        return peers.compare(based_model(*random_differential_tensors()), runs=10, batch=4)
    model = random_differential(joints=request.param)  # a network without inputs, one of two anchors
    return peers.compare(model, runs=10, batch=4)


def test_every_form_gives_the_same_vertices(found, tolerance):
    assert [row["poses"] for row in found["rows"]] == [1, 4, 1, 4]
    assert all(row["difference"] <= tolerance["float32_sum"] * 10 for row in found["rows"])


def test_the_whole_model_and_its_reconstruction_have_peers(found):
    assert [sorted(row["peers"]) for row in found["rows"]] == 2 * [["PyTorch", "PyTorch, solve"]] + 2 * [
        ["basis and solve"]
    ]


def test_16_bit_weights_and_the_other_last_step_are_timed(found):
    assert set(found["rows"][0]["variants"]) == {"16-bit", "factorized"}


def test_a_module_per_anchor_is_one_of_the_forms(found):
    assert {"modules, folded", "batched, folded"} <= set(found["rows"][0]["forms"])


def test_onnx_runtime_is_not_needed(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)  # an import of it fails
    assert set(peers.compare(random_differential(), runs=10, batch=2)["versions"]) == {
        "rigcast",
        "torch",
        "numpy",
    }


def test_the_model_is_as_it_was_for_the_poses_given():
    model = random_differential()
    poses = np.zeros((2, len(model.control_names)), np.float32)
    assert peers.compare(model, poses, runs=10, batch=3)["rows"][1]["poses"] == 3
