"""``rigcast synth play`` writes what the library plays."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import main
from rigcast.cli._synth.fit import label_and_file
from tests.support.made.players import arm_synth, face_synth
from tests.support.made.synthesis import face

STORY = {
    "commands": [{"at": 0, "command": "idle", "label": "calm"}, {"at": 1, "command": "transition", "label": "far"}]
}
LAYERS = [{"kind": "blinks", "controls": {"shape5": 1.0}, "per_minute": 30}]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    face_synth().save("synth.safetensors")
    face().save("face.safetensors")
    (tmp_path / "story.json").write_text(json.dumps(STORY))
    (tmp_path / "layers.json").write_text(json.dumps(LAYERS))
    return tmp_path


def result(capsys, *line, code=0):
    assert main(["synth", "play", "synth.safetensors", *line, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_it_writes_what_a_player_plays(folder, capsys):
    facts = result(capsys, "--script", "story.json", "--layers", "layers.json", "--seconds", "12", "-o", "a.npy")
    script = rc.synthesis.Script.load("story.json")
    layers = rc.synthesis.load_layers("layers.json")
    synth = rc.synthesis.load("synth.safetensors")
    expected = synth.player(0, script, settings=rc.synthesis.PlaySettings(layers=layers)).render(12)
    np.testing.assert_array_equal(np.load("a.npy"), expected)
    assert facts["frames"] == 288
    assert {event["kind"] for event in facts["events"]} >= {"command", "second"}
    result(
        capsys,
        "--script",
        "story.json",
        "--layers",
        "layers.json",
        "--without-layer",
        "blinks",
        "--seconds",
        "12",
        "-o",
        "b.npy",
    )
    np.testing.assert_array_equal(np.load("b.npy"), synth.player(0, script).render(12))


def test_formats_of_a_face_are_those_of_the_exporters(folder, capsys):
    for name in ("idle.npz", "idle.csv"):
        result(capsys, "--rig", "face.safetensors", "--label", "lively", "--seconds", "2", "--seed", "3", "-o", name)
    player = face_synth().player(3, label="lively")
    player.idle("lively")
    weights, fps = rc.sources.load_blendshape_weights("idle.npz", face())
    np.testing.assert_allclose(weights, player.step(48), atol=1e-6)  # float32
    assert fps == 24.0
    result(capsys, "--seconds", "1", "-o", "plain.npz")
    with np.load("plain.npz") as kept:
        assert kept["channels"].shape == (24, 6)
        assert kept["names"].tolist() == face_synth().control_names


@pytest.mark.parametrize("ending", ["glb", "usda", "bvh"])
def test_a_character_leaves_with_its_joints(ending, tmp_path, capsys, monkeypatch):
    from tests.support.made.synthesis import arm

    if ending == "usda":
        pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    monkeypatch.chdir(tmp_path)
    arm_synth().save("synth.safetensors")
    rc.sources.save_npz_rig("arm.npz", arm())
    result(capsys, "--rig", "arm.npz", "--label", "calm", "--seconds", "1", "-o", f"minute.{ending}")
    player = arm_synth().player(0, label="calm")
    player.idle("calm")
    motion = rc.sources.load_motion(f"minute.{ending}")
    poses = arm().sample(player.step(24))[0][:, : 12 * len(motion.joint_names)]
    close = 1e-5  # float32, and six digits in .bvh
    np.testing.assert_allclose(motion.local.reshape(24, -1), poses, atol=close)


def test_what_a_file_cannot_hold_is_refused_before_anything_plays(tmp_path, capsys, monkeypatch):
    from tests.support.made.synthesis import arm

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(rc.synthesis.Player, "step", None)
    arm_synth().save("synth.safetensors")
    rc.sources.save_npz_rig("arm.npz", arm())
    said = result(capsys, "--rig", "arm.npz", "-o", "minute.csv", code=2)["error"]
    assert "minute.csv cannot hold the motion of a rig with joints; write .bvh, .glb, .usd" in said


def test_a_skeleton_becomes_bvh(tmp_path):
    from tests.support.made.synthesis import arm

    player = arm_synth().player(1, label="lively")
    player.idle("lively")
    rc.exports.write_bvh(tmp_path / "arm.bvh", arm(), player.step(48), fps=24)
    assert len(rc.sources.load_bvh(tmp_path / "arm.bvh").motion()) == 48


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (("-o", "a.csv"), "shows a rig: give it with --rig"),
        (("-o", "a.npy", "--label", "sad"), "label is 'sad'; it must be one of calm"),
        (("-o", "a.npy", "--layers", "story.json"), "no list of objects"),
        (("-o", "a.npy", "--script", "layers.json"), "without commands"),
        (("-o", "a.npy", "--without-layer", "blinks"), "--without-layer is 'blinks'"),
        (("-o", "a.bvh", "--rig", "face.safetensors"), "cannot hold the motion of a face"),
    ],
)
def test_wrong_input_is_one_sentence(folder, capsys, line, message):
    assert message in result(capsys, *line, code=2)["error"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "no JSON"),
        ('[{"kind": "frown"}]', r"\[0\].kind is 'frown'; it must be one of blinks, gaze, sway"),
        ('[{"kind": "blinks", "rate": 3}]', r"\[0\].rate is no argument"),
        ('[{"kind": "blinks", "per_minute": -3}]', "Blinks: per_minute is -3"),
    ],
)
def test_files_that_are_no_layers_are_refused(tmp_path, content, message):
    path = tmp_path / "layers.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=message):
        rc.synthesis.load_layers(path)


def test_what_was_played_without_a_rig_is_a_clip_of_it(tmp_path, capsys, monkeypatch):
    """Channels, names and rate, as ``read_clips`` takes them."""
    from tests.support.made.synthesis import arm

    monkeypatch.chdir(tmp_path)
    arm_synth().save("synth.safetensors")
    result(capsys, "--label", "calm", "--seconds", "1", "-o", "played.npz")
    player = arm_synth().player(0, label="calm")
    player.idle("calm")
    [clip] = rc.synthesis.read_clips("played.npz", arm())
    np.testing.assert_array_equal(clip.controls, player.step(24))
    assert clip.fps == 24.0


LABELS = {
    "plain": ("calm=calm.npy", ("calm", "calm.npy")),
    "a label with =": ("mood=calm=calm.npy", ("mood=calm", "calm.npy")),
    "a file with =": ("calm=a=b.npy", ("calm", "a=b.npy")),
    "both": ("x=y=a=b.npy", ("x=y", "a=b.npy")),
}


@pytest.mark.parametrize(("entry", "expected"), LABELS.values(), ids=LABELS)
def test_a_label_ends_where_the_name_of_a_file_begins(tmp_path, monkeypatch, entry, expected):
    monkeypatch.chdir(tmp_path)
    for name in ("calm.npy", "a=b.npy"):
        (tmp_path / name).touch()
    assert label_and_file(entry) == expected


@pytest.mark.parametrize("entry", ["calm.npy", "=calm.npy", "calm=", "a=b=none.npy"])
def test_an_entry_without_label_or_file_is_refused(entry):
    with pytest.raises(ValueError, match="it must be LABEL=FILE"):
        label_and_file(entry)


@pytest.mark.parametrize("seconds", ["1e9", "1e300", "50000"])
def test_more_seconds_than_a_clip_may_have_are_refused_before_they_are_played(folder, capsys, seconds):
    said = result(capsys, "--seconds", seconds, "-o", "a.npy", code=2)["error"]
    assert said.startswith("--seconds is ")
    assert "it must be at most 41,667 seconds, 1,000,000 frames at 24 per second" in said
