"""The demo from Blender to the report, in small: interrupted, continued, and re-used."""

from __future__ import annotations

import os

import pytest

import rigcast as rc
from examples.characters.assets import asset_folder
from examples.demo.pipeline import Demo, Settings
from examples.demo.summary import summary
from rigcast._extras import MissingExtra
from rigcast.cli._result import as_json
from rigcast.progress import Progress

FACE = {
    "numbers": {
        "milliseconds_per_pose": {"learned model": {"single_one_thread": 1.0}},
        "accuracy": {"animation": {"learned model": {"mean_mm": 0.5, "max_mm": 4.0}}},
        "model_bytes": {"learned model": 2_000_000},
    },
    "page": "learned-face.html",
    "dials": 154,
    "vertices": 15755,
    "poses": 3000,
}
SMALL = Settings(poses=60, held_out=8, minutes=0.1, clip=12, face_minutes=0.1)


class Interrupt:
    """Progress that presses Ctrl-C at the first sign of one of some stages."""

    def __init__(self, *stages: str) -> None:
        self.stages = stages

    def __call__(self, progress: Progress) -> None:
        if progress.stage in self.stages:
            raise KeyboardInterrupt


@pytest.mark.long
def test_demo_goes_on_after_every_interruption_and_is_reused(tmp_path, monkeypatch, tolerance):
    monkeypatch.setattr("examples.demo.shot.BESIDE", ("descent", "cet"))  # the others take their time
    monkeypatch.setattr("examples.demo.pipeline.learn_face", lambda *given: FACE)  # test_learned_face.py tests it
    for package in ("bpy", "torch", "pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason=f"the demo needs {package}")
    try:
        asset_folder()
    except MissingExtra as missing:
        pytest.skip(str(missing))
    said: list[str] = []

    def run(progress):
        said.clear()
        return Demo(tmp_path / "demo", SMALL, 1, said.append, progress).run()

    # On a busy machine the minutes of the training are over when it is prepared: then it goes straight to measuring.
    for stages in (("training", "measuring"), ("drawing",)):
        with pytest.raises(KeyboardInterrupt):
            run(Interrupt(*stages))
    result = run(lambda progress: None)
    assert said[0] == "re-using the character"
    assert said[4] == "re-using the model: model.safetensors"
    written = {path: os.stat(path).st_mtime_ns for path in (tmp_path / "demo").rglob("*") if path.is_file()}

    again = run(lambda progress: None)
    assert [text for text in said if text.startswith("re-using")][-5:] == [
        "re-using what the model plays of the action 'walk'",
        "re-using the report",
        "re-using the solved shot",
        "re-using the idling face",
        "re-using the second face",
    ]
    assert again["numbers"] == result["numbers"]
    assert again["face"] == as_json(result["face"])
    assert again["idle"] == as_json(result["idle"])
    assert again["second_face"] == as_json(result["second_face"])
    assert {path: os.stat(path).st_mtime_ns for path in written} == written
    assert not list((tmp_path / "demo").glob("*.checkpoint"))
    check_summary(summary(again), result, tolerance)


def check_summary(lines, result, tolerance):
    assert len(lines) == 14
    check_played(result["action"], tolerance)
    text = dict(lines)
    assert "13,380 vertices, 125 joints" in text["character"]
    accuracy = result["numbers"]["accuracy"]["random poses"]
    assert f"{accuracy['learned model']['mean_mm']:.3g}"[:4] in text["error, random poses"]
    assert os.path.getsize(result["model"]) == result["numbers"]["model_bytes"]["learned model"]
    assert text["played"].startswith("action 'walk', 40 frames at 24 per second")
    assert "12 frames of the face solved" in text["inverse rig"]
    assert "52 shapes and 26 combinations for a second face" in text["transfer"]
    assert "154 dials, 15,755 vertices" in text["learned face"]
    assert text["pose it yourself"] == f"rigcast view {result['model']}"
    assert result["report"].stat().st_size > 300_000


def check_played(action, tolerance):
    """The caches hold the model's frames: as far from Blender's own as the command says of the model."""
    assert action["cache_mean_mm"] == pytest.approx(action["mean_mm"], rel=tolerance["float32_character"])
    assert action["cache_max_mm"] == pytest.approx(action["max_mm"], rel=tolerance["float32_character"])
    assert [os.path.basename(path) for path in action["caches"]] == ["walk.mdd", "walk.blend"]
    assert action["fps"] == 24.0 == rc.sources.load_shot(action["caches"][0]).fps
    assert "--action walk" in action["command"]
