"""Scripts: what they say happens at its time, and what is wrong in them is named."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.players import face_synth

STORY = [
    {"at": 0, "command": "idle", "label": "calm", "hold": 1},
    {"at": 3, "command": "transition", "label": "far"},
    {"at": 8, "command": "play", "label": "lively", "segment": "lively-0", "begin": 4, "end": 30},
    {"at": 14, "command": "move", "label": "lively", "to": ["lively-1", 7], "along": "straight"},
]


def test_a_script_does_what_commands_do_at_their_times():
    synth = face_synth()
    told = synth.player(seed=1)
    told.idle("calm", hold=1)
    rows = [told.step(72)]
    told.transition("far")
    rows.append(told.step(120))
    told.play("lively", "lively-0", begin=4, end=30)
    rows.append(told.step(144))
    told.move("lively", ("lively-1", 7), along="straight")
    rows.append(told.step(120))
    read = synth.player(seed=1, script=rc.synthesis.Script(STORY, seconds=19))
    assert read.render().tobytes() == np.concatenate(rows).tobytes()
    commands = [e for e in read.events if e.kind == "command"]
    assert [e.command.split("(")[0] for e in commands] == ["idle", "transition", "play", "move"]
    assert commands[1].seconds == pytest.approx(3.0, abs=0.6)  # what is blended is finished first


def test_a_script_is_read_from_a_file(tmp_path):
    path = tmp_path / "story.json"
    path.write_text(json.dumps({"commands": STORY, "seconds": 19}))
    script = rc.synthesis.Script.load(path)
    assert (script.seconds, len(script)) == (19.0, 4)
    rows = face_synth().player(seed=1, script=script).render()
    assert rows.tobytes() == face_synth().player(seed=1, script=rc.synthesis.Script(STORY, 19)).render().tobytes()


def test_a_state_in_the_middle_of_a_script_goes_on():
    script = rc.synthesis.Script(STORY)
    player = face_synth().player(seed=2, script=script)
    player.step(197)
    state = player.state()
    expected = player.step(240)
    other = face_synth().player(seed=2, script=script)
    other.restore(state)
    assert other.step(240).tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("commands", "message"),
    [
        ("idle", "Script: commands is a str; it must be a list of commands"),
        ([3], r"Script: commands\[0\] is a int; it must be an object"),
        ([{"at": 0, "command": "sleep", "label": "calm"}], r"commands\[0\].command is 'sleep'; it must be one of idle"),
        ([{"command": "idle", "label": "calm"}], r"commands\[0\].at is missing"),
        ([{"at": -1, "command": "idle", "label": "calm"}], r"commands\[0\].at is -1"),
        ([{"at": 0, "command": "idle"}], r"commands\[0\].label is missing"),
        ([{"at": 0, "command": "play", "label": "calm"}], r"commands\[0\].segment is missing"),
        ([{"at": 0, "command": "idle", "label": "calm", "to": 3}], r"commands\[0\].to is no argument"),
        ([STORY[1], STORY[0]], r"commands\[1\].at is 0; it must be at least 3"),
    ],
)
def test_wrong_scripts_are_named(commands, message):
    with pytest.raises(ValueError, match=message):
        rc.synthesis.Script(commands)


def test_a_player_names_the_command_with_an_unknown_label():
    script = rc.synthesis.Script([STORY[0], {"at": 1, "command": "idle", "label": "sad"}])
    with pytest.raises(ValueError, match=r"Script: commands\[1\]: idle: label is 'sad'; it must be one of calm"):
        face_synth().player(script=script)


@pytest.mark.parametrize("content", ["{", "[]", '{"commands": [], "speed": 3}', '{"seconds": 3}', "[" * 5000])
def test_files_that_are_no_scripts_are_refused(tmp_path, content):
    path = tmp_path / "story.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"Script.load: path is .*; it must be"):
        rc.synthesis.Script.load(path)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        rc.synthesis.Script.load(tmp_path / "none.json")
