"""Frames per second: one range, wherever a rate is taken."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats.blender.alembic import _frames
from rigcast._rigs.motions.resampling import resampled
from rigcast.cli import main

WRONG = (0.0, -24.0, 1e-300, 9e-4, 1001.0, 1e300, np.inf, np.nan)
WEIGHTS = np.zeros((2, 3))
LIVE_LINK = "Timecode,BlendshapeCount,a\n00:00:00:00,1,0\n"
BVH = (
    "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n}\n"
    "MOTION\nFrames: 1\nFrame Time: %r\n0 0 0\n"
)


def written(name, content):
    with open(name, "w", encoding="utf-8") as stream:
        stream.write(content)
    return name


def npz(**arrays):
    np.savez("rate.npz", **arrays)
    return "rate.npz"


TAKEN = {
    "Shot": lambda fps: rc.sources.Shot(np.zeros((1, 1, 3)), fps),
    "load_shot": lambda fps: rc.sources.load_shot(npz(vertices=np.zeros((2, 1, 3))), fps=fps),
    "load_shot, stated": lambda fps: rc.sources.load_shot(npz(vertices=np.zeros((2, 1, 3)), fps=fps)),
    "weights, stated": lambda fps: rc.sources.load_blendshape_weights(
        npz(weights=WEIGHTS.astype("f4"), fps=fps), rig()
    ),
    "Live Link": lambda fps: rc.sources.load_blendshape_weights(written("a.csv", LIVE_LINK), rig(), fps=fps),
    "BVH, stated": lambda fps: rc.sources.load_bvh(written("a.bvh", BVH % (1.0 / fps if fps else 0.0))),
    "write_blendshape_weights": lambda fps: rc.exports.write_blendshape_weights("w.npz", rig(), WEIGHTS, fps=fps),
    "write_vertices": lambda fps: rc.exports.write_vertices("v.npz", np.zeros((1, 3, 3)), [[0, 1, 2]], fps=fps),
    "resampled_weights": lambda fps: rc.exports.resampled_weights(WEIGHTS, fps, 24.0),
    "resampled_weights, to": lambda fps: rc.exports.resampled_weights(WEIGHTS, 24.0, fps),
    "view": lambda fps: rc.viewer.record(rig(), fps=fps),
    "fit": lambda fps: rc.synthesis.fit({"a": [WEIGHTS]}, fps=fps, rig=rig()),
    "clips": lambda fps: rc.synthesis.fit({"a": [rc.synthesis.Clip(WEIGHTS, fps)]}, rig=rig()),
    "read_clips": lambda fps: rc.synthesis.read_clips(npz(weights=WEIGHTS), rig(), fps=fps),
    "Alembic": lambda fps: _frames("a.abc", fps),
}
OPTIONS = (
    "solve f.safetensors s.npy -o w.npz",
    "report f.safetensors --shot s.npy --weights w.npz -o r.html",
    "evaluate f.safetensors s.npy -o v.npy",
    "view f.safetensors",
    "synth fit f.safetensors --take a=s.npy -o synth.safetensors",
)


def rig():
    return rc.BlendshapeRig(np.eye(3), np.ones((3, 3, 3)), names=["a", "b", "c"], faces=[[0, 1, 2]])


@pytest.mark.parametrize("fps", WRONG)
@pytest.mark.parametrize("call", TAKEN.values(), ids=TAKEN)
def test_a_rate_out_of_range_is_refused(tmp_path, monkeypatch, call, fps):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("rigcast._formats.blender.alembic.sample_times", lambda _: np.array([0.0, 1.0]))
    with pytest.raises(
        ValueError, match=r"at least 0\.001 and at most 1000|a frame time of 0\.001 to 1000|finite numbers here"
    ):
        call(fps)


@pytest.mark.parametrize("fps", ["0", "1e-300", "1001", "nan", "inf", "x"])
@pytest.mark.parametrize("line", OPTIONS)
def test_every_option_refuses_it(tmp_path, monkeypatch, capsys, line, fps):
    monkeypatch.chdir(tmp_path)
    for name in ("f.safetensors", "s.npy", "w.npz"):
        (tmp_path / name).touch()
    assert main([*line.split(), "--fps", fps, "--json"]) == 2
    said = json.loads(capsys.readouterr().out)["error"]
    assert f"argument --fps: {fps} is no number of frames per second, 0.001 to 1000" in said


COUNTS = {
    "poses of a set": "sample arm.npz -o x.rwdata --count",
    "poses of a benchmark": "bench f.safetensors --batch",
    "rounds of a benchmark": "bench f.safetensors --runs",
    "poses to judge": "evaluate f.safetensors arm.npz --count",
    "steps of a training": "train body f.safetensors -o m.safetensors --steps",
    "iterations of a solve": "solve f.safetensors s.npy -o w.npz --fps 24 --alpha 1 --max-iterations",
}


@pytest.mark.parametrize("count", ["0", "-1", "1.5", "9" * 19, "1" + 40 * "0"])
@pytest.mark.parametrize("line", COUNTS.values(), ids=COUNTS)
def test_a_count_that_is_none_is_refused(tmp_path, monkeypatch, capsys, line, count):
    monkeypatch.chdir(tmp_path)
    rc.sources.save_npz_rig("arm.npz", rc.sources.example_body())
    for name in ("f.safetensors", "s.npy"):
        (tmp_path / name).touch()
    assert main([*line.split(), count, "--json"]) == 2
    option = line.split()[-1]
    said = json.loads(capsys.readouterr().out)["error"]
    assert f"argument {option}: {count} is not a whole number of at least 1" in said


def test_more_poses_than_a_set_may_have_are_refused_before_they_are_drawn():
    with pytest.raises(ValueError, match="count is 2000000000; it must be an integer from 1 to 100,000,000"):
        rc.sampling.sample(rc.sources.example_body(), "none.rwdata", count=2_000_000_000)


def test_frames_without_end_are_refused_before_they_are_made():
    with pytest.raises(ValueError, match=r"which makes 999,000,001 frames of 1,000 at 0\.001; it must be one"):
        resampled(np.zeros((1000, 1)), 0, 0.001, 1000.0)
