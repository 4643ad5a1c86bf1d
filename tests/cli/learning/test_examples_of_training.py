"""The examples of ``rigcast train`` and ``rigcast bench``."""

from __future__ import annotations

import pytest

import rigcast as rc
from tests.cli.example_files import example_files
from tests.cli.examples import run_examples, told_if_left_out


@pytest.mark.slow
def test_a_trained_model_follows_its_data(tmp_path):
    """Far nearer to a held-out set than linear skinning is."""
    left_out = run_examples("train", tmp_path)
    held_out, learned = rc.Dataset(example_files() / "held_out.rwdata"), rc.Dataset(tmp_path / "hero.rwdata")
    model = rc.load(tmp_path / "hero.safetensors")
    assert model.metadata["data_hash"] == learned.hash != held_out.hash
    assert not list(tmp_path.glob("*.checkpoint"))
    beside = rc.baselines.linear_blend(learned, 4).evaluate(held_out.poses)
    ours = rc.metrics.vertex_error(held_out.vertices, model.evaluate(held_out.poses))
    assert ours.mean < 0.5 * rc.metrics.vertex_error(held_out.vertices, beside).mean
    told_if_left_out(left_out)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # of PyTorch, for its own reasons
def test_models_are_timed(tmp_path):
    told_if_left_out(run_examples("bench", tmp_path))
