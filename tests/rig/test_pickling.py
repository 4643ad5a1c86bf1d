"""Models, rigs and skeletons cross process borders: pickle, copy, joblib, spawned processes."""

from __future__ import annotations

import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.kinds import KINDS, MAKERS
from tests.support.made.synthesis import face, wave


def same_file(a: rc.Deformer, b: rc.Deformer, folder) -> bool:
    a.save(folder / "a.safetensors")
    b.save(folder / "b.safetensors")
    return (folder / "a.safetensors").read_bytes() == (folder / "b.safetensors").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("protocol", [2, pickle.HIGHEST_PROTOCOL])
def test_a_pickled_model_writes_the_same_file(kind, protocol, tmp_path):
    model = MAKERS[kind]()
    again = pickle.loads(pickle.dumps(model, protocol))
    assert type(again) is type(model)
    assert same_file(model, again, tmp_path)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_are_models(copied, tmp_path):
    model = MAKERS["body"]()
    assert same_file(model, copied(model), tmp_path)


def test_a_spawned_process_takes_models_and_skeletons():
    model = MAKERS["linear_blend"]()
    pose = np.asarray(model.control_ranges).mean(axis=1, dtype=np.float32)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert np.array_equal(pool.apply(model.evaluate, (pose,)), model.evaluate(pose))
        assert pool.apply(model.skeleton.globals, (pose[None],)).shape[1] == model.skeleton.num_joints


def test_joblib_workers_take_models():
    joblib = pytest.importorskip("joblib", reason="joblib is not installed")
    model = MAKERS["linear_blend"]()
    poses = np.asarray(model.control_ranges).T.astype(np.float32)
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(model.evaluate)(pose) for pose in poses)
    assert np.array_equal(np.stack(found), model.evaluate(poses))


@pytest.mark.parametrize(
    ("kind", "public"),
    [
        ("linear_blend", rc.LinearBlendSkinning),
        ("dual_quaternion", rc.DualQuaternionSkinning),
        ("delta_mush", rc.DeltaMush),
    ],
)
def test_models_are_instances_of_the_public_class(kind, public, tmp_path):
    path = tmp_path / "model.safetensors"
    MAKERS[kind]().save(path)
    assert type(rc.load(path)) is public
    assert repr(rc.load(path)).startswith(f"<rigcast.{public.__name__}")


@pytest.mark.parametrize("kind", KINDS)
def test_notebooks_show_a_table(kind):
    model = MAKERS[kind]()
    assert model._repr_html_().startswith(f"<table><caption>rigcast.{type(model).__name__}</caption>")


def test_names_are_escaped_in_notebooks():
    model = rc.BlendshapeRig(np.zeros((3, 3)), np.ones((1, 3, 3)), metadata={"name": "<script>alert(1)</script>"})
    assert "<script>" not in model._repr_html_()


def test_a_skeleton_is_a_table_in_notebooks():
    rest = np.tile(np.eye(3, 4, dtype=np.float32), (2, 1, 1))
    shown = rc.Skeleton(["hip", "<knee>"], [-1, 0], rest)._repr_html_()
    assert "<tr><td>hip</td><td></td></tr><tr><td>&lt;knee&gt;</td><td>hip</td></tr>" in shown


def test_learned_inverse_kinematics_is_pickled(tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    rig = rc.faces.example()
    ik = rc.training.face_ik(rig, np.arange(0, 700, 35), steps=2, threads=1)
    goals = rig.rest_vertices[ik.vertices]
    for again in (pickle.loads(pickle.dumps(ik)), copy.copy(ik), copy.deepcopy(ik)):
        assert same_file(ik, again, tmp_path)
        np.testing.assert_array_equal(again.solve(goals).channels, ik.solve(goals).channels)


def test_a_synthesizer_is_pickled(tmp_path):
    clips = {"calm": [wave(40, [0.1, 0.2, 0.05, 0.0, 0.0, 0.0])]}
    synth = rc.synthesis.fit(clips, rig=face(), dimensions=2, components=3, iterations=3, held_out=False, threads=1)
    for again in (pickle.loads(pickle.dumps(synth)), copy.deepcopy(synth)):
        assert same_file(synth, again, tmp_path)
        assert again.rig.shape_names == synth.rig.shape_names


@pytest.mark.parametrize("way", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_session_says_why_it_is_not(way):
    session = MAKERS["body"]().session()
    with pytest.raises(TypeError, match="a Session cannot be pickled or copied: it is the memory of one caller"):
        way(session)
