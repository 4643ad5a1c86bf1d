"""Clips that a page can choose from."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.motions.action import Action
from rigcast.cli import main
from rigcast.viewer._playing._clips import Clip
from rigcast.viewer._staging import stage_of
from tests.view.frames import header_of
from tests.view.page_messages import page_messages


class Animated:
    """A rig whose file holds actions; ``read`` lists those that were read."""

    def __init__(self, actions):
        self._rig, self._actions, self.read = rc.sources.example_body(), actions, []
        self.actions = {name: len(action) for name, action in actions.items()}

    def __getattr__(self, name):
        return getattr(self._rig, name)

    def action(self, name):
        self.read.append(name)
        return self._actions[name]


def bending(channel, frames, fps, missed=()):
    rows = np.linspace(0, 40, frames)[:, None] * (np.arange(len(rc.sources.example_body().channel_names)) == channel)
    return Action(f"bend {channel}", rows, fps, list(missed))


@pytest.fixture
def rig():
    return Animated({"wave": bending(0, 24, 24.0), "nod": bending(1, 12, 30.0, ["joint 'hat'"])})


def sent(stage, *values, now=0.0):
    return header_of(stage.step(page_messages(*values), now))


def test_a_page_is_told_the_clips_of_the_file_and_opens_at_rest(rig):
    stage = stage_of(rig)
    assert header_of(stage.scene())["clips"] == ["wave", "nod"]
    frame = sent(stage)
    assert (frame["timeline"]["name"], frame["timeline"]["clip"], rig.read) == ("", False, [])


def test_a_clip_that_is_chosen_plays_at_its_rate_and_is_read_once(rig):
    stage = stage_of(rig)
    chosen = sent(stage, {"type": "clip", "name": "nod"})
    timeline = chosen["timeline"]
    assert (timeline["name"], timeline["frames"], timeline["fps"]) == ("nod", 12, 30.0)
    assert chosen["notice"] == "nod also moves what is no channel: joint 'hat'"
    end = sent(stage, {"type": "seek", "at": 11})
    assert end["row"][1] == pytest.approx(40.0)
    sent(stage, {"type": "clip", "name": "wave"})
    again = sent(stage, {"type": "clip", "name": "nod"})
    assert (again["timeline"]["at"], again["notice"], rig.read) == (0.0, "", ["nod", "wave"])


def test_play_without_a_clip_takes_the_first(rig):
    stage = stage_of(rig)
    sent(stage, {"type": "play", "playing": True}, now=0.0)
    later = sent(stage, now=0.5)
    assert (later["timeline"]["name"], later["timeline"]["playing"]) == ("wave", True)
    assert later["row"][0] == pytest.approx(40.0 * 12 / 23, abs=1e-4)  # as rounded for the page


def test_keys_stay_with_their_clip_and_no_clip_is_the_rest_pose(rig):
    stage = stage_of(rig)
    sent(stage, {"type": "clip", "name": "wave"}, {"type": "seek", "at": 5}, {"type": "key"})
    resting = sent(stage, {"type": "clip", "name": ""})
    assert (resting["timeline"]["keys"], resting["timeline"]["clip"]) == ([], False)
    np.testing.assert_allclose(resting["row"], stage.rest, atol=1e-4)  # as rounded for the page
    assert sent(stage, {"type": "clip", "name": "wave"})["timeline"]["keys"] == [5]


def test_playing_goes_on_in_the_clip_that_is_chosen(rig):
    stage = stage_of(rig)
    sent(stage, {"type": "clip", "name": "wave"}, {"type": "speed", "speed": 2}, {"type": "play", "playing": True})
    changed = sent(stage, {"type": "clip", "name": "nod"}, now=0.25)["timeline"]
    assert (changed["playing"], changed["speed"], changed["name"]) == (True, 2.0, "nod")


def test_an_unknown_clip_is_refused_and_named(rig):
    stage = stage_of(rig)
    assert sent(stage, {"type": "clip", "name": "hop"})["notice"] == "there is no clip 'hop': wave, nod"


def test_a_clip_that_cannot_be_read_leaves_the_view_as_it_is():
    def broken() -> Clip:
        raise ValueError("the file is gone")

    stage = stage_of(rc.sources.example_body(), clips={"lost": broken})
    frame = sent(stage, {"type": "clip", "name": "lost"})
    assert (frame["notice"], frame["timeline"]["name"]) == ("the file is gone", "")


def test_the_terminal_names_the_clips_of_a_motion(tmp_path, capsys):
    arm = rc.sources.example_body()
    rc.exports.write_bvh(tmp_path / "wave.bvh", arm, bending(0, 24, 24.0).channels, fps=24)
    data = rc.sampling.sample(arm, tmp_path / "arm.rwdata", count=40, seed=0)
    rc.baselines.linear_blend(data, influences=4).save(tmp_path / "arm.safetensors")
    command = ["view", str(tmp_path / "arm.safetensors"), "--no-browser", "--seconds", "0.01"]
    command += ["--motion", str(tmp_path / "wave.bvh")]
    assert main(command) == 0
    assert "clips, chosen beside Play: " in capsys.readouterr().out
    assert main([*command, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out.splitlines()[-1])["clips"]) == 1


@pytest.mark.parametrize("more", [[], ["--action", "Run"]])
def test_the_clips_of_a_file_are_listed_in_its_order(more, data_path, capsys):
    file = data_path("skinned_glb", "Fox.glb")
    assert main(["view", str(file), "--no-browser", "--seconds", "0.01", "--json", *more]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["clips"] == ["Survey", "Walk", "Run"]
