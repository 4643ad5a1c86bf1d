"""The demo's performance: captured from a rendered actor, better than doing nothing, made once."""

from __future__ import annotations

import os

import numpy as np
import pytest

import rigcast as rc
from examples.characters.face import build_face
from examples.demo.performance import FPS, SECONDS, capture_performance, on_face
from rigcast.progress import Progress

pytest.importorskip("pyvista", reason="its page needs pyvista")
pytest.importorskip("jinja2", reason="its page needs jinja2")


def test_names_decide_what_the_face_gets():
    face = rc.faces.example()
    names = list(reversed(face.shape_names))[1:]
    weights = np.arange(2.0 * len(names)).reshape(2, -1)
    given = on_face(weights, names, face)
    assert given.shape == (2, face.num_shapes)
    assert [given[1, face.shape_names.index(name)] for name in names] == list(weights[1])
    assert not given[:, -1].any(), "a shape that nobody names stays at rest"


@pytest.mark.long
def test_an_actor_of_another_topology_performs_on_the_face_and_is_made_once(assets, tmp_path):
    said: list[str] = []
    numbers = capture_performance(tmp_path, said.append, lambda progress: None)
    assert numbers["frames"] == SECONDS * FPS
    assert numbers["millimeters"] < 0.9 * numbers["mean"] < numbers["neutral"]
    face = build_face()
    weights, fps = rc.sources.load_blendshape_weights(tmp_path / "performance.npz", face)
    assert fps == FPS
    assert weights.shape == (SECONDS * FPS, face.num_shapes)
    assert weights.max() > 0.3

    written = {path: os.stat(path).st_mtime_ns for path in tmp_path.iterdir()}
    assert capture_performance(tmp_path, said.append, lambda progress: None) == numbers
    assert said[-1] == "re-using the performance"
    assert {path: os.stat(path).st_mtime_ns for path in tmp_path.iterdir()} == written


def test_an_interruption_leaves_nothing_half_done(assets, tmp_path):
    def press(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        capture_performance(tmp_path, lambda text: None, press)
    assert not list(tmp_path.iterdir())
