"""A character of the scene is learned beside its original, also after a stop in the middle."""

from __future__ import annotations

import json

import pytest

import rigcast as rc


@pytest.fixture
def facts(learned):
    return learned[1]


def test_a_stop_loses_nothing_and_learning_goes_on(facts):
    assert facts["kept_steps"] == ["info"]
    assert facts["kept_files"] > 0
    assert facts["same_beginning"]
    assert facts["steps"] == ["info", "sample", "train"]


def test_progress_says_the_step_and_its_stage(facts):
    assert facts["stopped_text"].startswith("Step 2 of 4: sampling")


def test_a_check_says_what_will_be_learned(facts):
    texts = [text for _, text in facts["lines"]]
    assert texts[0].startswith("130 vertices, 3 joints")
    assert texts[1] == "7 controls that will be learned"


def test_the_original_is_untouched_and_the_model_stands_beside(facts):
    assert facts["original_is_untouched"] == [True, 0.0]
    assert facts["learned"] == ["Skin learned", 130, "Skin"]
    assert facts["shown_aside"] > 1.0  # as wide as it is
    assert facts["aside"] < 1e-6


def test_the_model_follows_the_rig(facts):
    assert facts["mean_error"] < 0.05 * facts["moved"]


def test_the_model_takes_the_shape_keys_of_the_original(facts):
    moved, wrong = facts["bulge"]
    assert wrong < 0.5 * moved


def test_blend_goes_from_the_original_to_the_model(facts):
    assert facts["original_by_blend"] < 1e-6
    assert facts["halfway"] < 1e-6


def test_the_error_map_has_the_errors_of_the_frames(facts, tolerance):
    assert facts["colors"]
    assert facts["map_mean"] == pytest.approx(facts["stated_mean"], rel=tolerance["float32_character"])
    assert 0.0 < facts["map_mean"] < 50.0  # millimeters


def test_the_verdict_states_the_held_out_errors_of_the_training(learned):
    folder, facts, _ = learned
    plan = json.loads(next(folder.glob("cache/learning/*/plan.json")).read_text())
    mean = plan["results"]["train"]["held_out_error_mm"]["mean"]
    assert any(f"mean {mean:.3g} mm" in text for _, text in json.loads(facts["verdict"]))


def test_the_model_lies_beside_the_file_and_any_program_reads_it(learned):
    folder, facts, _ = learned
    assert facts["model"] == ["Rig.safetensors"]
    assert facts["path"] == "//Rig.safetensors"
    model = rc.load(folder / "Rig.safetensors")
    assert model.parts == ["Skin"]
    assert [channel.name for channel in model.channels][-1] == "shape.bulge"
