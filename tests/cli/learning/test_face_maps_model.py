"""Commands about a face on deformation maps: info, evaluate with detail, bench."""

from __future__ import annotations

import argparse
import json

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import _dispatch as dispatch
from rigcast.cli._inputs.detail import at_quality
from tests.support.characters.mapped_face import clip_data, random_data
from tests.support.made.mapped_models import mapped_model


@pytest.fixture(scope="module")
def head(tmp_path_factory):
    """A folder with ``head.safetensors`` and ``held.rwdata``."""
    folder = tmp_path_factory.mktemp("head")
    mapped_model(clip_data(folder / "head.rwdata", frames=20, count=3)).save(folder / "head.safetensors")
    random_data(folder / "held.rwdata", 10)
    return folder


@pytest.fixture
def call(head, capsys, monkeypatch):
    """Runs a command line: its JSON, or its error."""
    monkeypatch.chdir(head)

    def run(*words):
        code = dispatch.main([*words, "--json"])
        told = capsys.readouterr()
        return json.loads(told.out) if code == 0 else told.err

    return run


def test_info_says_what_a_pose_costs(call, head):
    facts, model = call("info", "head.safetensors"), rc.load(head / "head.safetensors")
    found = [facts[f"multiply_adds_{name}"] for name in ("per_pose", "of_all_texels")]
    assert found == [model.multiply_adds(), model.multiply_adds(all_texels=True)]
    assert facts["bytes_read_per_pose"] == model.num_bytes
    assert facts["bytes"] == (head / "head.safetensors").stat().st_size


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("map_segments", "mouth (78 vertices, 4 inputs, 32 x 32)"),
        ("refinement_maps", "brow 1 ("),
        ("rigid_parts", "tooth (8 vertices, rigid to 0.0125 mm)"),
        ("judged_by", "held-out clips"),
        ("quality", "16-bit: "),
        ("map_floors_mm", "brow 0 mean, 0 max"),
    ],
)
def test_info_names(call, name, words):
    assert words in call("info", "head.safetensors")[name]


def test_info_says_how_long_training_took(call):
    assert call("info", "head.safetensors")["trained_for_minutes"] == 1.5


def test_without_detail_the_coarse_maps_are_judged(call, head, tolerance):
    model, data = rc.load(head / "head.safetensors"), rc.Dataset(head / "held.rwdata")
    expected = 1e3 * np.linalg.norm(model.evaluate_detail(data.poses, [0.0]) - data.vertices, axis=2).mean()
    found = call("evaluate", "head.safetensors", "held.rwdata", "--detail", "0")["mean_mm"]
    assert found == pytest.approx(expected, rel=tolerance["float32_sum"])


@pytest.mark.parametrize("detail", [0.0, 0.3, 1.0])
def test_detail_is_that_of_the_engine(head, detail, tolerance):
    path = head / "head.safetensors"
    model, poses = rc.load(path), rc.Dataset(head / "held.rwdata").poses
    asked = argparse.Namespace(detail=detail, components=None, storage=None)
    found = at_quality(model, path, asked).evaluate(poses)
    np.testing.assert_allclose(found, model.evaluate_detail(poses, [detail]), atol=tolerance["float32_sum"])


def test_16_bit_weights_are_played(call, head):
    call("evaluate", "head.safetensors", "held.rwdata/00000.poses.npy", "--storage", "16-bit", "-o", "half.npy")
    model = rc.load(head / "head.safetensors").stored("16-bit")
    expected = model.evaluate(np.load(head / "held.rwdata" / "00000.poses.npy"))
    assert np.load(head / "half.npy").tobytes() == expected.tobytes()


@pytest.mark.parametrize("option", [("--detail", "0.5"), ("--storage", "16-bit")])
def test_quality_of_another_kind_is_refused(call, head, option):
    rc.baselines.pca_regression(rc.Dataset(head / "head.rwdata"), 2).save(head / "linear.safetensors")
    told = call("evaluate", "linear.safetensors", "held.rwdata", *option)
    assert f"{option[0]} is for faces on deformation maps" in told


@pytest.mark.parametrize("value", ["-0.1", "1.5", "much"])
def test_detail_out_of_range_is_refused(call, value):
    told = call("evaluate", "head.safetensors", "held.rwdata", f"--detail={value}")
    assert f"{value} is not a number from 0 to 1" in told


def test_bench_times_a_face_and_its_coarse_maps_alone(call):
    rows = call("bench", "head.safetensors", "--runs", "10", "--batch", "4")["rows"]
    assert [row["poses"] for row in rows] == [1, 4]
    assert all(set(row["variants"]) == {"16-bit", "coarse"} for row in rows)
