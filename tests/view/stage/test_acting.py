"""A synthesizer in the view: what the stage plays, the labels that are requested, and the labels of moods."""

from __future__ import annotations

import base64
import json
import logging
from itertools import pairwise

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import main
from rigcast.viewer._acting._moods import MOODS, load_moods, moods_of
from rigcast.viewer._acting._take import KEPT
from rigcast.viewer._export import Snapshot
from rigcast.viewer._messages import parsed
from rigcast.viewer._received._tab import Inbox
from rigcast.viewer._staging import acting_stage_of, stage_of
from rigcast.viewer._stored._recording import recorded
from tests.support.made.players import face_synth
from tests.support.made.synthesis import face
from tests.view.frames import header_of
from tests.view.page_messages import page_message, page_messages

FPS = 24
ROUNDING = 1e-6  # of a channel and its offset in float32
TELL = {"type": "tell", "label": "lively"}


@pytest.fixture
def stage():
    made = acting_stage_of(face_synth(), seed=5)
    made.step(page_messages({"type": "play", "playing": True}), 100.0)
    return made


def run(stage, frames, *messages, begin=None):
    """Rows (T, N) of as many frames, a 24th of a second each; messages come with the first."""
    begin = stage.timeline._since if begin is None else begin
    rows = []
    for k in range(frames):
        stage.step(page_messages(*messages if k == 0 else []), begin + (k + 1.01) / FPS)
        rows.append(stage.state.row)
    return np.array(rows)


def test_it_plays_what_the_player_of_the_seed_plays(stage):
    synth = face_synth()
    player = synth.player(5, label=synth.labels[0])
    player.idle(synth.labels[0])
    expected = player.step(49)
    assert np.array_equal(run(stage, 48), expected[1:])
    assert np.array_equal(stage.timeline.base(0), expected[0])


def test_a_label_is_reached_by_a_transition_of_the_synthesizer(stage):
    synth = face_synth()
    before = run(stage, 24)
    assert header_of(stage.step(page_messages(TELL), stage.timeline._since))["acting"]["requested"] == "lively"
    after = run(stage, 10 * FPS)
    assert stage.acting() == {"label": "lively", "requested": "lively", "seed": 5}
    rows = np.concatenate([before, after])
    steps = synth.mesh_distance(rows[1:], rows[:-1])
    clips = np.concatenate(
        [synth.mesh_distance(b[None], a[None]) for label in synth.labels for a, b in pairwise(_clip(synth, label))]
    )
    assert steps.max() < 3 * clips.max()  # a jump between labels is many times as far


def _clip(synth, label):
    space = synth.space(label)
    first = space.segments[0]
    return space.frames[first.begin : first.end]


@pytest.mark.parametrize("label", ["nobody", "lively ", "Lively"])
def test_an_unknown_label_changes_nothing_and_is_logged(stage, label, caplog):
    other = acting_stage_of(face_synth(), seed=5)
    other.step(page_messages({"type": "play", "playing": True}), 100.0)
    with caplog.at_level(logging.WARNING, "rigcast.viewer"):
        rows = run(stage, 30, {"type": "tell", "label": label})
    assert "refused: tell: there is no label" in caplog.text
    assert np.array_equal(rows, run(other, 30))
    assert stage.acting() == other.acting()


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "tell"},
        {"type": "tell", "label": 3},
        {"type": "tell", "label": ""},
        {"type": "tell", "label": "x" * 1001},
        {"type": "tell", "label": "lively", "more": 1},
        {"type": "restart", "seed": -1},
        {"type": "restart", "seed": 1.5},
        {"type": "restart", "seed": True},
        {"type": "restart", "seed": 2e9},
    ],
)
def test_wrong_messages_are_refused(wrong):
    with pytest.raises(ValueError, match=r"tell|restart"):
        parsed(json.dumps(wrong))


@pytest.mark.parametrize("message", [TELL, {"type": "restart", "seed": 3}])
def test_a_view_of_something_else_refuses_what_is_told(message, caplog):
    other = stage_of(face())
    before = other.state.row
    with caplog.at_level(logging.WARNING, "rigcast.viewer"):
        header = header_of(other.step(page_messages(message), 0.0))
    assert "this view shows no synthesizer" in caplog.text
    assert header["acting"] is None
    assert np.array_equal(other.state.row, before)


def test_of_many_labels_that_wait_the_newest_counts():
    inbox = Inbox()
    for label in ("calm", "lively") * 1000:
        assert inbox.put(page_message({"type": "tell", "label": label}))
    assert inbox.take() == page_messages(TELL)


def test_a_restart_gives_the_motion_of_the_seed_again(stage):
    first = run(stage, 30)
    stage.step(page_messages({"type": "restart", "seed": 6}), stage.timeline._since)
    other = run(stage, 30)
    stage.step(page_messages({"type": "restart", "seed": 5}), stage.timeline._since)
    assert np.array_equal(run(stage, 30), first)
    assert not np.array_equal(other, first)
    assert stage.timeline.frames == 31


def test_a_slider_is_a_layer_on_what_plays_until_it_is_reset(stage):
    plain = acting_stage_of(face_synth(), seed=5)
    plain.step(page_messages({"type": "play", "playing": True}), 100.0)
    begin = stage.state.row[1]
    value = float(begin) + 0.1
    rows = run(stage, 20, {"type": "set", "channel": 1, "value": value, "done": True})
    expected = run(plain, 20)
    offset = np.float32(value) - begin
    assert np.array_equal(np.delete(rows, 1, axis=1), np.delete(expected, 1, axis=1))
    assert rows[:, 1] == pytest.approx(np.clip(expected[:, 1] + offset, 0, 1), abs=ROUNDING)
    assert np.ptp(rows[:, 1]) > 0.01  # it goes on moving
    undone = run(stage, 5, {"type": "undo"})
    assert undone == pytest.approx(run(plain, 5), abs=ROUNDING)
    run(stage, 1, {"type": "redo"})
    run(plain, 1)
    assert abs(stage.state.row[1] - plain.state.row[1]) > 0.05
    reset = run(stage, 5, {"type": "reset", "channels": [0, 1, 2]})
    assert reset == pytest.approx(run(plain, 5), abs=ROUNDING)


def test_a_layer_that_a_limit_cuts_off_is_kept(stage):
    run(stage, 1, {"type": "set", "channel": 0, "value": 1.0, "done": True})
    layer = stage.timeline.layer[0]
    rows = run(stage, 40, {"type": "set", "channel": 1, "value": 0.2, "done": True})
    assert stage.timeline.layer[0] == layer
    assert rows.max() <= 1.0


def test_a_recording_has_every_frame_of_the_last_minute_and_the_view_goes_on(stage):
    run(stage, 7)
    row, frames = stage.state.row, stage.timeline.frames
    page = recorded(stage).page
    texts = json.loads(page.split('id="recording">')[1].split("</script>")[0])
    assert len(texts) == 1 + frames
    sent = [header_of(base64.b64decode(text))["row"] for text in texts[1:]]
    assert len({tuple(row) for row in sent}) == frames
    assert np.array_equal(stage.state.row, row)
    run(stage, 3)
    assert stage.timeline.frames > frames


def test_a_long_delay_is_left_out_and_no_frame_waits(stage):
    before = stage.timeline.frames
    stage.step([], stage.timeline._since + 1000.0)
    assert stage.timeline.frames == before + FPS // 2


def test_the_last_minute_is_kept_sought_and_exported(stage):
    most = round(KEPT * FPS)
    now = stage.timeline._since
    for k in range(2 * most // 12 + 1):
        stage.step([], now + 0.5 * (k + 1))
    assert stage.timeline.frames == len(stage.timeline._made) == most
    stage.step(page_messages({"type": "play", "playing": False}, {"type": "seek", "at": 10}), now)
    assert np.array_equal(stage.state.row, stage.timeline.base(10))
    assert not stage.is_restless
    snapshot = Snapshot.of(stage)
    assert snapshot.rows.shape == (most, 6)
    assert np.array_equal(snapshot.rows[10], stage.state.row)
    header = header_of(stage.step(page_messages({"type": "play", "playing": True}), now))
    assert header["timeline"]["at"] == most - 1


@pytest.mark.parametrize("message", [{"type": "key"}, {"type": "frames", "frames": 9}])
def test_keys_are_refused_with_a_reason(stage, message):
    assert "plays without end" in header_of(stage.step(page_messages(message), 0.0))["notice"]
    assert stage.timeline.facts()["keys"] == []


def test_a_scene_has_labels_and_moods(stage):
    header = header_of(stage.scene())
    assert header["labels"] == ["calm", "lively", "far"]
    assert header["moods"]["waiting"] == {"label": "calm", "how": "name"}
    assert header["moods"]["pleased"] == {"label": "lively", "how": "name"}
    assert header["moods"]["bored"]["how"] == "turn"


def test_a_body_plays_by_its_channels():
    body = rc.sources.example_body()
    count = len(body.channel_names)
    t = np.arange(60)[:, None]
    clip = np.asarray(body.channel_ranges)[:, 1] * (0.3 + 0.2 * np.sin(t * np.linspace(0.1, 0.3, count)))
    size = {"dimensions": 2, "components": 4, "iterations": 10, "held_out": False}
    made = acting_stage_of(rc.synthesis.fit({"sway": [clip]}, rig=body, **size))
    made.step(page_messages({"type": "play", "playing": True}), 100.0)
    rows = run(made, 12)
    assert np.ptp(rows, axis=0).max() > 0
    assert made.vertices == pytest.approx(body.sample(rows[-1:, :count])[1][0], abs=ROUNDING)


def test_labels_of_moods_come_as_given_by_name_and_in_turn():
    labels = ["happy", "grumpy", "Head shake", "roar", "curious"]
    found = moods_of(labels, {"bored": "roar"})
    assert list(found) == list(MOODS)
    assert found["bored"] == {"label": "roar", "how": "given"}
    assert found["annoyed"] == {"label": "grumpy", "how": "name"}
    assert found["thinking"] == {"label": "curious", "how": "name"}
    assert found["waiting"] == {"label": "Head shake", "how": "turn"}  # the one that no mood has
    assert {entry["label"] for entry in moods_of(["only"]).values()} == {"only"}


@pytest.mark.parametrize(
    ("given", "message"),
    [({"angry": "calm"}, "moods is with 'angry'"), ({"bored": "tired"}, r"moods\['bored'\] is 'tired'")],
)
def test_unknown_moods_and_labels_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        acting_stage_of(face_synth(), moods=given)


@pytest.mark.parametrize("content", ["[1]", "{", '{"bored": 3}', "[" * 100000])
def test_a_file_of_moods_is_checked(tmp_path, content):
    (tmp_path / "moods.json").write_text(content)
    with pytest.raises(ValueError, match="view: moods is"):
        load_moods(tmp_path / "moods.json")


def test_a_synthesizer_without_its_rig_and_options_of_others_are_refused(tmp_path):
    synth = face_synth()
    synth.save(tmp_path / "synth.safetensors")
    with pytest.raises(ValueError, match="a synthesizer without its rig"):
        rc.view(rc.synthesis.load(tmp_path / "synth.safetensors"))
    with pytest.raises(ValueError, match="poses is given for a synthesizer"):
        rc.view(synth, poses=np.zeros((2, 6)))
    with pytest.raises(ValueError, match="seed is given for what is no synthesizer"):
        rc.view(face(), seed=3)


def test_the_command_opens_a_synthesizer_with_its_rig(tmp_path, capsys):
    pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")
    face().save(tmp_path / "face.safetensors")
    face_synth().save(tmp_path / "synth.safetensors")
    other_file = tmp_path / "other.safetensors"
    rc.faces.example().save(other_file)
    (tmp_path / "moods.json").write_text('{"bored": "far"}')
    synth, own = str(tmp_path / "synth.safetensors"), str(tmp_path / "face.safetensors")
    ending = ["--no-browser", "--seconds", "0.01"]
    assert main(["view", synth, own, "--seed", "4", "--moods", str(tmp_path / "moods.json"), *ending]) == 0
    assert capsys.readouterr().out.startswith("http://127.0.0.1:")
    for arguments, message in [
        ([synth], "holds a synthesizer and no rig"),
        ([synth, str(other_file)], "a rig with 22 controls"),
        ([synth, own, "--fps", "30"], "--fps is not for a synthesizer"),
        ([own, own], "RIG is for a synthesizer alone"),
        ([own, "--seed", "3"], "--seed is for a synthesizer alone"),
    ]:
        assert main(["view", *arguments, *ending]) == 2
        assert message in capsys.readouterr().err
