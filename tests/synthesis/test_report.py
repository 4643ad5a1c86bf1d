"""The page of a synthesizer, the command, and clips of files."""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import main
from rigcast.errors import InputWarning
from tests.support.made.synthesis import arm, face, wave

SPEEDS = [0.1, 0.2, 0.13, 0.07, 0.05, 0.0]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    face().save("face.safetensors")
    np.save("calm.npy", wave(80, SPEEDS, offset=0.3, size=0.1))
    np.save("noise.npy", np.random.default_rng(0).uniform(0, 1, (80, 6)))
    return tmp_path


def result(capsys, *line):
    assert main(["synth", *line, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def fitted(capsys, *more):
    line = ["fit", "face.safetensors", "--take", "calm=calm.npy", "--take", "noise=noise.npy", "-o", "s.safetensors"]
    return result(capsys, *line, "--dimensions", "1", "--components", "3", *more)


def test_the_command_fits_what_the_library_fits(folder, capsys):
    facts = fitted(capsys)
    clips = {name: [rc.synthesis.Clip(np.load(f"{name}.npy"), 30.0, name, f"{name}.npy")] for name in ("calm", "noise")}
    rc.synthesis.fit(clips, rig=rc.load("face.safetensors"), dimensions=1, components=3).save("own.safetensors")
    assert (folder / "own.safetensors").read_bytes() == (folder / "s.safetensors").read_bytes()
    assert facts["labels"]["calm"]["frames"] == 80
    assert facts["dropped"] == {"shape5": "no effect on the mesh"}
    again = result(capsys, "info", "s.safetensors")
    assert again["labels"] == facts["labels"]
    assert main(["info", "s.safetensors", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bridges"] == facts["bridges"]


def test_the_report_tells_where_a_space_is_not_worth_more(folder, capsys):
    pytest.importorskip("jinja2", reason="jinja2 is not installed")
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    pytest.importorskip("pyvista", reason="pyvista is not installed")
    facts = fitted(capsys)
    numbers = result(capsys, "report", "s.safetensors", "-o", "s.html")
    page = re.sub(r"</?a\b[^>]*>", "", (folder / "s.html").read_text())
    assert "noise" in numbers["not_worth_it"]
    assert facts["labels"]["noise"]["worth_it"] is False
    assert "“noise”: the latent space" in page
    assert re.search(r'<p class="headline">It comes within [\d.]+ mm of the frames it has not seen', page)
    assert "pairs of labels have poses that match" in page
    assert page.count("<svg") == 5
    assert "data:image/jpeg" not in page
    assert "worst moments" in page
    assert "shape5" in page
    assert "calm.npy" in page


def test_the_report_draws_transitions_and_worst_moments_of_a_rig(folder, capsys):
    pytest.importorskip("jinja2", reason="jinja2 is not installed")
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    pytest.importorskip("pyvista", reason="pyvista is not installed")
    fitted(capsys)
    few = ["--transitions", "3", "--seconds", "2"]
    numbers = result(capsys, "report", "s.safetensors", "-o", "s.html", "--rig", "face.safetensors", *few)
    page = (folder / "s.html").read_text()
    shown = len(numbers["transitions_within_limit"])
    assert shown >= 2
    assert page.count("data:image/jpeg") == shown + 1 + 2 + 1  # strips, the hardest, two labels, the hardest moment
    bare = result(capsys, "report", "s.safetensors", "-o", "b.html", "--transitions", "0", "--seconds", "0")
    assert (folder / "b.html").read_text().count("<svg") == 3
    assert "transitions_within_limit" not in bare
    assert main(["synth", "report", "s.safetensors", "-o", "c.html", "--seconds", "-1"]) == 2
    assert "--seconds is -1" in capsys.readouterr().err


def test_results_are_replaced_with_overwrite_only(folder, capsys):
    fitted(capsys)
    before = (folder / "s.safetensors").read_bytes()
    line = ["synth", "fit", "face.safetensors", "--take", "calm=calm.npy", "-o", "s.safetensors", "--no-held-out"]
    assert main(line) == 2
    assert "s.safetensors exists; --overwrite replaces it" in capsys.readouterr().err
    assert (folder / "s.safetensors").read_bytes() == before
    assert main([*line, "--overwrite", "--components", "2"]) == 0
    assert (folder / "s.safetensors").read_bytes() != before


WRONG = {
    "synth fit face.safetensors -o s.safetensors": "nothing to learn from",
    "synth fit face.safetensors --take calm.npy -o s.safetensors": "it must be LABEL=FILE",
    "synth fit face.safetensors --take a=none.npy -o s.safetensors": "none.npy",
    "synth fit face.safetensors --take a=calm.npy -o s.npz": "it must end in .safetensors",
    "synth fit face.safetensors --take a=calm.npy -o face.safetensors": "is what RIG reads",
    "synth info face.safetensors": "it must be of kind 'synthesis'",
    "evaluate s2.safetensors calm.npy -o v.npy": "rigcast.synthesis.load opens",
}


@pytest.mark.parametrize("line", WRONG)
def test_wrong_lines_are_one_sentence(line, folder, capsys):
    rc.synthesis.fit({"x": [np.load("calm.npy")]}, rig=face(), dimensions=2, components=2, held_out=False).save(
        "s2.safetensors"
    )
    assert main(line.split()) == 2
    shown = capsys.readouterr().err
    assert WRONG[line] in shown
    assert len(shown.splitlines()) == 1


def test_a_list_of_clips_is_cut_and_keeps_provenance(folder):
    entry = {"file": "calm.npy", "begin": 10, "end": 40, "fps": 48, "licence": "CC0"}
    (folder / "list.json").write_text(json.dumps({"labels": {"a": [entry, {"file": "noise.npy"}]}}))
    first, second = rc.synthesis.read_clip_list("list.json", face())["a"]
    assert (first.controls == np.load("calm.npy")[10:40]).all()
    assert (first.name, first.fps, first.licence, first.origin) == ("calm 10-40", 48.0, "CC0", "calm.npy")
    assert (len(second), second.fps) == (80, None)


LISTS = {
    '{"labels": {"a": [{"file": "calm.npy", "begin": 10, "end": 90}]}}': "frames 10 to 90",
    '{"labels": {"a": [{"file": "calm.npy", "begin": -1}]}}': "a whole number",
    '{"labels": {"a": [{"file": 3}]}}': "a text",
    '{"labels": {"a": [{"file": "calm.npy", "clip": [1]}]}}': r"a\[0\]\.clip is \[1\]; it must be a text",
    '{"labels": {"a": [{"file": "calm.npy", "fps": {}}]}}': r"a\[0\]\.fps is {}",
    '{"labels": {"a": {}}}': "a list of objects",
    '{"labels": {}}': "empty",
    "[]": "a JSON object",
}


@pytest.mark.parametrize("text", LISTS)
def test_wrong_lists_are_named(text, folder):
    (folder / "list.json").write_text(text)
    with pytest.raises(ValueError, match=LISTS[text]):
        rc.synthesis.read_clip_list("list.json", face())


def test_motion_files_are_retargeted(folder, tolerance):
    """A BVH file written of the rig's own motion comes back as that motion."""
    rig = arm()
    rows = np.zeros((12, 7))
    rows[:, :6] = 30.0 * np.sin(np.arange(12)[:, None] * np.linspace(0.1, 0.4, 6))
    rc.exports.write_bvh("arm.bvh", rig, rows, fps=30)
    (clip,) = rc.synthesis.read_clips("arm.bvh", rig, joint_map={name: name for name in rig.skeleton.names})
    assert abs(clip.fps - 30.0) < 1e-3
    np.testing.assert_allclose(clip.controls, rows, atol=tolerance["printed"])
    assert "channels were clipped" in clip.note


def test_archives_are_matched_by_name(folder):
    rig = arm()
    rows = np.random.default_rng(0).normal(size=(5, 7))
    np.savez("a.npz", channels=rows[:, ::-1], names=rig.channel_names[::-1], fps=60.0)
    (clip,) = rc.synthesis.read_clips("a.npz", rig)
    assert (clip.controls == rows).all()
    assert clip.fps == 60.0
    np.savez("b.npz", channels=rows[:, 1:], names=rig.channel_names[1:])
    with pytest.raises(ValueError, match=r"without the channel 'upper\.rz'"):
        rc.synthesis.read_clips("b.npz", rig)


def test_live_link_tables_are_clips(folder, tolerance):
    rig = rc.faces.example()
    names = [name for name in rig.shape_names if name in ("jawOpen", "mouthFunnel", "eyeBlinkLeft")]
    with open("take.csv", "w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["Timecode", "BlendshapeCount", "JawOpen"])
        writer.writerows([f"00:00:{i // 60:02d}:{i % 60:02d}.000", 1, i / 200] for i in range(130))
    with pytest.warns(InputWarning, match="21 of 22 shapes stay at 0, since no curve names them"):
        (clip,) = rc.synthesis.read_clips("take.csv", rig)
    assert clip.fps == 60.0
    assert names
    np.testing.assert_allclose(
        clip.controls[:, rig.shape_names.index("jawOpen")], np.arange(130) / 200, atol=tolerance["float32"]
    )


def test_clips_of_a_data_set_are_clips(folder, tolerance):
    rig = arm()
    rows = 20.0 * np.sin(np.arange(9)[:, None] * np.linspace(0.1, 0.4, 7))
    rows[:, 6] = 0.5
    sampler = rc.sampling.Animation(rows, 0.0, [rc.sampling.Clip("walk", 30.0)], np.zeros(9, np.int64))
    rc.sampling.sample(rig, "arm.rwdata", sampler=sampler, probe=0)
    (clip,) = rc.synthesis.read_clips("arm.rwdata", rig)
    assert (clip.name, clip.fps, clip.origin) == ("walk", 30.0, "arm.rwdata")
    np.testing.assert_allclose(clip.controls, rows, atol=tolerance["float32_scaled"])


def test_files_without_motion_are_named(folder):
    (folder / "a.txt").write_text("")
    with pytest.raises(ValueError, match=r"^read_clips: path is 'a\.txt'"):
        rc.synthesis.read_clips("a.txt", arm())
    with pytest.raises(FileNotFoundError, match="a file with motion"):
        rc.synthesis.read_clips("none.bvh", arm())
