"""The demo's learned face: judged, kept and re-used. A small rig stands in for Blender's production face."""

from __future__ import annotations

import os

import pytest

from examples.demo import learned_face
from examples.demo.summary import summary_of_face
from tests.support.characters.mapped_face import clip_data, random_data

POSES, MINUTES = 40, 0.02


@pytest.fixture
def learn(tmp_path, monkeypatch):
    """Learns the small face in a folder; gives the result and what was said."""
    for package in ("torch", "pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason=f"the demo needs {package}")
    sets = [random_data(tmp_path / "a.rwdata", 40), random_data(tmp_path / "b.rwdata", 6, seed=2)]
    sets.append(clip_data(tmp_path / "c.rwdata", frames=6, count=1))
    monkeypatch.setattr(learned_face, "_sampled", lambda *given: sets)

    def run(progress=lambda progress: None):
        said: list[str] = []
        return learned_face.learn_face(tmp_path, POSES, MINUTES, 1, said.append, progress), said

    return run


def test_it_is_learned_once_and_re_used(learn, tmp_path):
    result, _ = learn()
    written = {path: os.stat(path).st_mtime_ns for path in tmp_path.iterdir() if path.is_file()}
    again, said = learn()
    assert said == ["re-using the face: learned-face.safetensors"]
    assert again["numbers"] == result["numbers"]
    assert {path: os.stat(path).st_mtime_ns for path in written} == written


def test_an_interruption_while_drawing_keeps_the_model(learn, tmp_path):
    def interrupt(progress):
        if progress.stage == "drawing":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn(interrupt)
    assert learn()[1] == ["re-using the face: learned-face.safetensors", "measuring the face, and writing its page"]


def test_the_summary_says_what_it_learned_from_and_how_far_it_is(learn):
    result, _ = learn()
    text = summary_of_face(result)
    assert text.startswith("5 dials, 177 vertices, constructed; from 40 random poses. random poses: ")
    assert f"{os.path.getsize(result['model'])}" == str(result["numbers"]["model_bytes"]["learned model"])
