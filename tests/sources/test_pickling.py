"""What sources give crosses process borders (pickle, joblib, spawned processes) and shows itself in notebooks."""

from __future__ import annotations

import multiprocessing
import pickle
from pathlib import Path

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.rotations import transform_of
from rigcast.sources import BlenderRig
from tests.sources.blender.test_rig import uniform
from tests.sources.conftest import Host

ARM = rc.sources.example_body()
REST = np.asarray(ARM.channel_rest)[None]
LOCAL = transform_of(np.tile(np.eye(3), (4, 2, 1, 1)), np.zeros((4, 2, 3)))
MOTION = rc.sources.Motion(["hip", "knee"], np.array([-1, 0], np.int32), LOCAL[0], LOCAL, 0.04, "walk")
SHOT = rc.sources.Shot(np.zeros((3, 5, 3), np.float32), 24.0, np.array([[0, 1, 2, -1]], np.int32), 0.01, "Z")
MESH = rc.sources.Mesh(np.zeros((5, 3)), [[0, 1, 2]], "head", 0.01, "Y")
RETARGETED = rc.sources.Retargeted(np.zeros((4, 2)), 0.04, np.zeros((4, 2)), ["hip"], np.ones((4, 1)), [])
SHOWN = {
    "SkinnedRig": (ARM, "<SkinnedRig 'example arm': 3 joints, 6 channels, 3 morphs, 1,122 vertices>"),
    "Motion": (MOTION, "<Motion 'walk': 2 joints, 4 frames of 0.04 s>"),
    "Shot": (SHOT, "<Shot: 3 frames at 24 per second, 5 vertices, 1 face>"),
    "Mesh": (MESH, "<Mesh 'head': 5 vertices, 1 face>"),
    "Retargeted": (RETARGETED, "<Retargeted: 4 frames, 2 channels, 0 of 2 channels were clipped"),
}


@pytest.mark.parametrize("kind", SHOWN)
def test_a_value_prints_as_one_line(kind):
    value, line = SHOWN[kind]
    assert repr(value).startswith(line)


@pytest.mark.parametrize("kind", SHOWN)
def test_notebooks_show_a_table(kind):
    assert SHOWN[kind][0]._repr_html_().startswith(f"<table><caption>{kind}</caption><tr>")


def test_the_table_has_name_licence_contents_and_unit():
    table = ARM._repr_html_()
    for text in ("example arm", "CC0 1.0", "3 joints, 6 channels", "1 m, Y up"):
        assert text in table


def test_names_are_escaped_in_notebooks():
    mesh = rc.sources.Mesh(np.zeros((1, 3)), name="<script>\x1b[2J")
    assert "&lt;script&gt;\\x1b[2J" in mesh._repr_html_()


@pytest.mark.parametrize("kind", SHOWN)
def test_a_value_comes_back_from_a_pickle(kind):
    value = SHOWN[kind][0]
    again = pickle.loads(pickle.dumps(value))
    assert type(again) is type(value)
    assert repr(again) == repr(value)


def test_a_spawned_process_evaluates_a_rig():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        poses, vertices = pool.apply(ARM.sample, (REST,))
    assert np.array_equal(vertices, ARM.sample(REST)[1])
    assert np.array_equal(poses, ARM.sample(REST)[0])


def test_joblib_workers_evaluate_a_rig():
    joblib = pytest.importorskip("joblib", reason="joblib is not installed")
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(ARM.sample)(REST) for _ in range(2))
    assert all(np.array_equal(vertices, ARM.sample(REST)[1]) for _, vertices in found)


def copied(any_host: Host, folder: Path, name: str = "controls") -> BlenderRig:
    (folder / "hero.blend").write_bytes((any_host.folder / f"{name}.blend").read_bytes())
    return Host(any_host.blender, folder).open("hero")


def test_a_spawned_process_opens_a_blender_rig_again(any_host, tmp_path):
    with copied(any_host, tmp_path) as rig:
        channels = uniform(rig, 2)
        expected = rig.sample(channels)[1]
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            assert np.array_equal(pool.apply(rig.sample, (channels,))[1], expected)


def test_a_pickled_blender_rig_starts_no_blender_before_it_is_used(any_host, tmp_path):
    with copied(any_host, tmp_path) as rig, pickle.loads(pickle.dumps(rig)) as again:
        assert again._host is None
        assert repr(again) == repr(rig)
        assert "evaluated by Blender" in again._repr_html_()


def test_a_pickled_blender_rig_notices_any_change_of_its_file(any_host, tmp_path):
    """Here channels and topology are the same: only the stored pose and a byte of it differ."""
    with copied(any_host, tmp_path) as rig:
        stored = pickle.dumps(rig)
    blend = tmp_path / "hero.blend"
    blend.write_bytes(blend.read_bytes() + b"\0")
    with pickle.loads(stored) as again, pytest.raises(rc.SourceError, match=r"hero\.blend changed since it was opened"):
        again.sample(np.asarray(again.channel_rest)[None])


def test_a_pickled_blender_rig_names_its_missing_file(any_host, tmp_path):
    with copied(any_host, tmp_path) as rig:
        stored = pickle.dumps(rig)
    (tmp_path / "hero.blend").unlink()
    with pickle.loads(stored) as again, pytest.raises(FileNotFoundError, match=r"hero\.blend', which does not exist"):
        again.sample(np.asarray(again.channel_rest)[None])


def test_a_rig_inside_a_running_blender_refuses_to_be_pickled():
    rig = object.__new__(BlenderRig)
    rig.__dict__.update(_settings={"path": "open.blend"}, _host=None)
    with pytest.raises(rc.SourceError, match="cannot be pickled: save its file and open that"):
        pickle.dumps(rig)
