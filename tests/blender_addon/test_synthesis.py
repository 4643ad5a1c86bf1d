"""A synthesizer's label as keys of the rig's controls."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.blender_addon.working import told

NAMES = ["upper.rotation_y", "lower.rotation_y", "shape.bulge"]


@pytest.fixture(scope="module")
def facts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("synthesis")
    beat = np.arange(72)[:, None] / 24
    clips = {
        label: [np.array([20.0, 30.0, 0.3]) * (1.0 + np.sin(beat * speed + np.arange(3)))]
        for label, speed in (("rest", 2.0), ("wave", 5.0))
    }
    synth = rc.synthesis.fit(clips, names=NAMES, dimensions=2, components=2)
    synth.save(folder / "arm.safetensors")
    return told("synthesis.py", folder, folder / "arm.safetensors")


def test_the_panel_knows_the_labels(facts):
    assert facts["labels"] == ["rest", "wave"]


def test_keys_are_what_the_trainer_plays(facts):
    assert facts["frames"] == 24
    assert facts["error"] < 1e-3
    assert facts["moved"] > 1.0


def test_the_scene_becomes_as_long_as_the_motion(facts):
    assert facts["end"] == 28


def test_a_missing_file_is_said(facts):
    assert "name the file of a synthesizer" in facts["refused"]
