"""Faces with signed dials: what regressions explain, a learned face explains too, and its file says what they reach."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import main
from rigcast.metrics._difficulty import KINKED
from rigcast.metrics._gate import stated_difficulty
from tests.support.trainings import train_with

SIDE, DIALS = 12, 4


class SignedFace:
    """A square of vertices; each dial drives one shape above 0 and another below, or one in proportion."""

    skeleton = None
    meters_per_unit = 0.01

    def __init__(self, kinked=True, product=0.0):
        self.channel_names = self.dial_names = [f"dial{i}" for i in range(DIALS)]
        self.channel_ranges = np.tile([-1.0, 1.0], (DIALS, 1))
        grid = np.stack(np.meshgrid(np.arange(SIDE), np.arange(SIDE)), axis=-1).reshape(-1, 2)
        self.rest_vertices = np.concatenate([grid, np.zeros((SIDE**2, 1))], axis=1).astype(np.float32)
        corner = (np.arange(SIDE - 1)[:, None] * SIDE + np.arange(SIDE - 1)).ravel()
        self.faces = np.stack([corner, corner + 1, corner + SIDE + 1, corner + SIDE], axis=1).astype(np.int32)
        self.kinked, self.product = kinked, product
        rng = np.random.default_rng(0)
        waves = np.sin(grid @ rng.normal(size=(2, 3 * DIALS)) * 0.3 + rng.uniform(0, 6, 3 * DIALS))
        self.deltas = (waves.T[:, :, None] * rng.normal(size=(3 * DIALS, 1, 3))).astype(np.float32)

    def sample(self, channels):
        x = np.asarray(channels, np.float32)
        positive, negative = (np.maximum(x, 0), np.minimum(x, 0)) if self.kinked else (x, x)
        weights = np.concatenate([positive, negative, self.product * x * np.roll(x, 1, axis=1)], axis=1)
        return x, self.rest_vertices + np.einsum("tk,kvc->tvc", weights, self.deltas).astype(np.float32)


@pytest.fixture(scope="module")
def sampled(tmp_path_factory):
    folder, made = tmp_path_factory.mktemp("signed"), {}

    def get(**face):
        key = json.dumps(face)
        if key not in made:
            made[key] = rc.sampling.sample(SignedFace(**face), folder / f"{len(made)}.rwdata", count=300, seed=0)
        return made[key]

    return get


def learned(data, **settings):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    chosen = {"steps": 3, "threads": 1, "hidden": 16, "components": 48, "anchors": 12, **settings}
    return train_with("differential", data, **chosen)


@pytest.mark.parametrize("face", [{"kinked": False}, {"kinked": True}])
def test_a_face_that_regression_explains_is_learned_in_a_few_steps(face, sampled):
    model = learned(sampled(**face))
    gate = {method.name: method for method in stated_difficulty(model.metadata).methods}
    assert model.metadata["error"]["mean"] < 0.01 * gate["nearest training pose"].mean
    if face["kinked"]:
        linear = gate["PCA + linear regression"]
        assert model.metadata["error"]["mean"] < 0.1 * linear.mean
        assert model.metadata["error"]["max"] < 0.1 * linear.max


def test_networks_that_are_no_better_than_regression_are_left_out(sampled):
    model = learned(sampled(kinked=True), learning_rate=0.3, schedule="constant")
    words = model.metadata["training"]["networks"]
    assert words.startswith("left out: with them held-out rows err by ")
    assert f"by the base alone {1e3 * 0.01 * model.metadata['error']['mean']:.3g} mm" in words


def test_without_time_maps_are_the_base_alone(sampled):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    model = train_with("face_maps", sampled(kinked=True), minutes=1e-4, threads=1)
    training = model.metadata["training"]
    assert training["networks"] == "left out: no time was left for them"
    assert training["too_few_steps"]["steps"] == 0
    gate = stated_difficulty(model.metadata).methods[0]
    assert model.metadata["error"]["mean"] < gate.mean


def test_networks_that_are_better_stay(sampled):
    model = learned(sampled(kinked=True, product=2.0), steps=300, hidden=64)
    assert "networks" not in model.metadata["training"]
    linear = stated_difficulty(model.metadata).methods[0]
    assert (model.metadata["error"]["mean"], model.metadata["error"]["max"]) < (0.5 * linear.mean, 0.9 * linear.max)


@pytest.mark.parametrize(("product", "words"), [(0.0, "As good as "), (9.0, "As good as ")])
def test_train_and_evaluate_say_what_regressions_reach(product, words, sampled, tmp_path, capsys):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    data = sampled(kinked=False, product=product)
    file = tmp_path / "face.safetensors"
    steps = ["--steps", "2", "--threads", "1", "--hidden", "8"]
    assert main(["train", "differential", str(data.path), "-o", str(file), *steps]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "note" not in line]
    gate = stated_difficulty(rc.load(file).metadata)
    error = rc.load(file).metadata["error"]
    assert lines[: 1 + len(gate.lines())] == [gate.verdict(error["mean"], error["max"]), *gate.lines()]
    other = rc.sampling.sample(SignedFace(kinked=False, product=product), tmp_path / "o.rwdata", count=20, seed=9)
    for training, first in (([], "On held-out rows of its training: "), (["--training", str(data.path)], words)):
        assert main(["evaluate", str(file), str(other.path), *training]) == 0
        shown = capsys.readouterr().out.splitlines()
        assert shown[0].startswith(first)
        assert any(line.startswith(f"{KINKED}: mean ") for line in shown)
