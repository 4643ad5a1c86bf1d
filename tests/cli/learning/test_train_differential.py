"""``rigcast train differential`` trains; info, evaluate and bench know the model."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import _dispatch as dispatch
from tests.support.made.cylinder_models import cylinder_file

pytest.importorskip("torch", reason="PyTorch is not installed")

SMALL = ["--steps", "2", "--hidden", "8", "--threads", "1", "--components", "6", "--anchors", "5"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A rig, a data set of it, and a model with the rig's own skinning."""
    place = tmp_path_factory.mktemp("subspace")
    cylinder_file(place / "hero.npz")
    rc.sampling.sample(rc.sources.load(place / "hero.npz"), place / "hero.rwdata", count=60, seed=0, probe=1)
    line = ["train", "differential", str(place / "hero.rwdata"), "-o", str(place / "m.safetensors"), *SMALL]
    assert dispatch.main([*line, "--skin", str(place / "hero.npz")]) == 0
    return place


@pytest.fixture
def call(folder, capsys, monkeypatch):
    """Runs a command line: its JSON, or its error."""
    monkeypatch.chdir(folder)

    def run(*words):
        code = dispatch.main([*words, "--json"])
        told = capsys.readouterr()
        return json.loads(told.out) if code == 0 else told.err

    return run


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", "differential"),
        ("components", 6),
        ("anchors", 5),
        ("linear_transforms", "source"),
        ("last_step", "folded"),
        ("network_storage", "float32"),
    ],
)
def test_info_names(call, name, value):
    assert call("info", "m.safetensors")[name] == value


def test_info_says_what_a_pose_costs(call, folder):
    facts, model = call("info", "m.safetensors"), rc.load(folder / "m.safetensors")
    assert facts["bytes_read_per_pose"] == model.num_bytes
    weights = sum(a.size for n, a in model.tensors().items() if ".layer" in n and n.endswith("weight"))
    count, influences = model.tensors()["skin.joint"].shape
    assert facts["multiply_adds_per_pose"] == weights + 3 * count * (6 + 5) + count * (12 * influences + 9)


def test_info_says_how_long_training_took(call):
    words = ["train", "differential", "hero.rwdata", "-o", "timed.safetensors", "--overwrite", *SMALL]
    call(*words, "--minutes", "0.01")
    assert call("info", "timed.safetensors")["trained_for_minutes"] >= 0.0


@pytest.mark.parametrize(("given", "origin"), [(["--skin", "identity"], "identity"), ([], "fitted")])
def test_where_the_transforms_come_from_can_be_said(call, given, origin):
    call("train", "differential", "hero.rwdata", "-o", "other.safetensors", "--overwrite", *SMALL, *given)
    assert call("info", "other.safetensors")["linear_transforms"] == origin


def test_the_published_method_is_a_method(call):
    words = ["train", "differential", "hero.rwdata", "-o", "paper.safetensors", "--overwrite", *SMALL]
    call(*words, "--recipe", "paper")
    assert call("info", "paper.safetensors")["training"]["recipe"] == "paper"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["body", "--anchors", "5"], "--anchors is an option of differential, not of body"),
        (["differential", "--tau", "2"], "--tau is an option of body, not of differential"),
        (["differential", "--recipe", "blended"], "--recipe blended is a recipe of body"),
        (["differential", "--skin", "none.npz"], "none.npz"),
        (["differential", "--components", "500"], "components is 500 with 54 training poses"),
        (["differential", "--anchors", "5000"], "count is 5000"),
    ],
)
def test_wrong_options_are_named(call, words, text):
    kind, *options = words
    assert text in call("train", kind, "hero.rwdata", "-o", "wrong.safetensors", *options)


def test_fewer_components_are_judged(call, folder, tolerance):
    data = rc.Dataset(folder / "hero.rwdata")
    model = rc.load(folder / "m.safetensors").reduced(3).stored("16-bit")
    expected = 1e3 * data.meters_per_unit * np.linalg.norm(model.evaluate(data.poses) - data.vertices, axis=2).mean()
    found = call("evaluate", "m.safetensors", "hero.rwdata", "--components", "3", "--storage", "16-bit")
    assert found["mean_mm"] == pytest.approx(expected, rel=tolerance["float32_sum"])


def test_components_of_another_kind_are_refused(call, folder):
    rc.baselines.pca_regression(rc.Dataset(folder / "hero.rwdata"), 2).save(folder / "linear.safetensors")
    told = call("evaluate", "linear.safetensors", "hero.rwdata", "--components", "1")
    assert "--components is for differential subspaces" in told


def test_bench_times_it(call):
    rows = call("bench", "m.safetensors", "--runs", "10", "--batch", "4")["rows"]
    assert [row["poses"] for row in rows] == [1, 4]
    assert all(set(row["variants"]) == {"16-bit"} for row in rows)
