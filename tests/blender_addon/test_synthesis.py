"""Labels of a synthesizer as keys of the rig's controls, by the engine of the add-on alone."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.blender_addon import models
from tests.blender_addon.working import blenders, told

NAMES = ["upper.rotation_y", "lower.rotation_y", "shape.bulge"]
KEYED = 1e-3  # of degrees: float32 radians and back


@pytest.fixture(scope="module")
def synth(tmp_path_factory):
    beat = np.arange(72)[:, None] / 24
    clips = {
        label: [np.array([20.0, 30.0, 0.3]) * (1.0 + np.sin(beat * speed + np.arange(3)))]
        for label, speed in (("rest", 2.0), ("wave", 5.0))
    }
    made = rc.synthesis.fit(clips, 24.0, names=NAMES, dimensions=2, components=2)
    made.save(tmp_path_factory.mktemp("synthesizer") / "arm.safetensors")
    return made


@pytest.fixture(scope="module", params=blenders())
def facts(request, synth, tmp_path_factory):
    folder = tmp_path_factory.mktemp("synthesis")
    synth.save(folder / "arm.safetensors")
    models.tube(folder / "tube.safetensors")
    arguments = folder / "arm.safetensors", folder / "tube.safetensors"
    return told("synthesis.py", folder, *arguments, blender=request.param)


def rendered(synth, script=None, label=None):
    """What rigcast plays with the same seed."""
    player = synth.player(3, script, label=label)
    if script is None:
        player.idle(player.label)
    return player.render(1.0)


def test_the_panel_knows_the_labels(facts):
    assert facts["labels"] == ["rest", "wave"]


def test_keys_are_what_rigcast_plays(facts, synth):
    np.testing.assert_allclose(facts["wave"], rendered(synth, label="wave"), rtol=0, atol=KEYED)
    assert facts["moved"] > 1.0


def test_a_script_plays_label_after_label(facts, synth):
    commands = [{"at": 0.0, "command": "idle", "label": "rest"}, {"at": 0.4, "command": "transition", "label": "wave"}]
    expected = rendered(synth, rc.synthesis.Script(commands))
    np.testing.assert_allclose(facts["both"], expected, rtol=0, atol=KEYED)


def test_the_scene_becomes_as_long_as_the_motion(facts):
    assert facts["end"] == 28


def test_a_file_that_is_missing_or_of_another_kind_is_said(facts):
    assert "name the file of a synthesizer" in facts["missing"]
    assert "tube.safetensors moves vertices" in facts["of_vertices"]
    assert "script.json" in facts["broken"]
