"""Models, rigs and skeletons cross process borders: pickle, copy, joblib, spawned processes."""

from __future__ import annotations

import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import rigcast as rc
from tests.support.kinds import KINDS, MAKERS


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
