"""Data of the notebooks: what stands in where the reader has none."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from examples import performances


@pytest.fixture(autouse=True)
def no_data(tmp_path, monkeypatch):
    monkeypatch.setenv("RIGCAST_DATA", str(tmp_path))


def test_an_invented_performance_moves_every_shape_inside_its_bounds():
    rig, weights = performances.performed_face(frames=90)
    assert weights.shape == (90, rig.num_shapes)
    assert weights.min() >= 0.0
    assert weights.max() <= 1.0
    assert (weights.max(axis=0) > 0.2).all()


def test_invented_moods_begin_and_end_at_rest_with_still_lids():
    face, lids, clips = performances.labelled_face()
    assert list(clips) == ["calm", "happy", "cross"]
    for clip in (clip for own in clips.values() for clip in own):
        assert clip.controls.shape == (120, face.num_shapes)
        assert clip.fps == 24
        assert np.abs(clip.controls[[0, -1]]).max() < 1e-7
        assert clip.controls.max() > 0.5
        assert not clip.controls[:, [face.shape_names.index(name) for name in lids]].any()


def test_actors_are_of_the_mask_and_motion_is_missing():
    cast, is_ict = performances.actors_cast()
    assert not is_ict
    assert cast.character.num_shapes == rc.faces.example().num_shapes
    assert performances.captured_motion(rc.sources.example_body()) is None


def test_vertices_far_apart_are_those_of_the_slow_rule():
    rig = rc.faces.example()
    among = np.arange(5, 2000, 7)
    found = performances.far_apart(rig, among, 6)
    expected = [5]
    while len(expected) < 6:
        away = [min(np.linalg.norm(rig.rest_vertices[v] - rig.rest_vertices[e]) for e in expected) for v in among]
        expected.append(int(among[int(np.argmax(away))]))
    assert found.tolist() == expected


def test_a_scratch_folder_is_there():
    assert performances.scratch_folder().is_dir()
