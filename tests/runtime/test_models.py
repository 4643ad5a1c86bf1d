"""Models of every kind have the bytes that the package rigcast computes."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import rigcast as rc
from tests.runtime.library import both, rr, same
from tests.support.made.kinds import FORWARD_ONLY, KINDS, MAKERS, WITH_DERIVATIVES, poses_of
from tests.support.made.models import random_body


@pytest.fixture(scope="module", params=KINDS)
def models(request, tmp_path_factory):
    return both(MAKERS[request.param](), tmp_path_factory.mktemp("kind"))


@pytest.mark.parametrize("threads", [0, 1])
def test_vertices(models, threads):
    model, own = models
    poses = poses_of(model, 5)
    same(own.evaluate(poses, threads=threads), model.evaluate(poses, threads=threads))
    same(own.evaluate(poses[0].astype(np.float64)), model.evaluate(poses[0]))
    assert own.evaluate(poses[:0]).shape == (0, own.num_vertices, 3)


def test_confidence(models):
    model, own = models
    poses = poses_of(model, 4)
    same(own.confidence(poses), model.confidence(poses))
    same(own.confidence(poses[1]), model.confidence(poses[1]))


def test_derivatives(models):
    model, own = models
    if model.kind in FORWARD_ONLY:
        with pytest.raises(rr.ArgumentError, match="vjp"):
            own.vjp(own.rest_pose, own.rest_vertices)
        return
    poses, rng = poses_of(model, 3), np.random.default_rng(1)
    cotangents, tangents = rng.standard_normal((3, own.num_vertices, 3)), rng.standard_normal(poses.shape)
    same(own.vjp(poses, cotangents), model.vjp(poses, cotangents))
    same(own.vjp(poses[0], cotangents[0]), model.vjp(poses[0], cotangents[0]))
    same(own.jvp(poses, tangents), model.jvp(poses, tangents))
    same(own.jvp(poses[0], tangents[0]), model.jvp(poses[0], tangents[0]))


def test_sessions(models):
    model, own = models
    poses, session, out = poses_of(model, 4), own.session(), np.empty((own.num_vertices, 3), np.float32)
    for pose in poses:
        assert session.evaluate(pose, out) is out
        same(out, model.evaluate(pose))
    assert session.model is own


@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_restricted_models(kind, tmp_path):
    model, own = both(MAKERS[kind](), tmp_path)
    vertices, poses = [7, 0, 3, 3], poses_of(model, 3)
    part, own_part = model.restricted(vertices), own.restricted(vertices)
    assert type(own_part) is type(own)
    same(own_part.evaluate(poses), part.evaluate(poses))
    same(own_part.faces, part.faces)


def test_files_are_saved(models, tmp_path):
    """With the bytes of the package."""
    model, own = models
    for path, saved in ((tmp_path / "package", model), (tmp_path / "own", own)):
        path.write_bytes(b"an older file")
        saved.save(path)
    assert (tmp_path / "own").read_bytes() == (tmp_path / "package").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["own", "package"]


def test_the_description_says_whether_channels_decide(models):
    own = models[1]
    try:
        own.poses_from_channels([channel.rest for channel in own.channels])
        expected = len(own.channels) > 0
    except rr.ArgumentError:
        expected = False
    assert bool(own._facts.channels_decide) is expected


FACTS = ("kind", "metadata", "meters_per_unit", "up_axis", "num_vertices", "control_names", "joint_names", "parts")
FACT_ARRAYS = ("rest_vertices", "faces", "control_ranges", "vertex_parts", "face_materials", "uvs", "uv_faces")
CHANNEL = ("name", "kind", "low", "high", "rest", "unit", "joint", "whole", "reason", "index", "follows_kinematics")


def test_facts(models):
    model, own = models
    for name in (*FACTS, "materials"):
        assert getattr(own, name) == getattr(model, name), name
    for name in FACT_ARRAYS:
        same(getattr(own, name), getattr(model, name))
    assert (own.skeleton is None) is (model.skeleton is None)
    if model.skeleton is not None:
        assert own.skeleton.names == model.skeleton.names
        same(own.skeleton.parents, model.skeleton.parents)
        same(own.skeleton.rest, model.skeleton.rest)
    if model.kind not in FORWARD_ONLY:
        same(own.rest_pose, rc.ik.Solver(model).rest[0][0])


def test_channels(models):
    model, own = models
    for mine, theirs in zip(own.channels, model.channels, strict=True):
        assert {name: getattr(mine, name) for name in CHANNEL} == {name: getattr(theirs, name) for name in CHANNEL}
    if not model.channels:
        with pytest.raises(rr.ArgumentError, match="channels"):
            own.channels_from_poses(own.rest_pose)


def test_channels_become_poses_and_back(tmp_path):
    data = rc.sampling.sample(rc.sources.example_body(), tmp_path / "arm.rwdata", count=60, seed=0)
    model, own = both(rc.baselines.linear_blend(data, influences=4), tmp_path)
    channels = data.channels[:5]
    poses = own.poses_from_channels(channels)
    same(poses, model.poses_from_channels(channels))
    same(own.poses_from_channels(channels[0]), model.poses_from_channels(channels[0]))
    for mine, theirs in zip(own.channels_from_poses(poses), model.channels_from_poses(poses), strict=True):
        same(mine, theirs)
    mine, theirs = own.channels_from_poses(poses[2]), model.channels_from_poses(poses[2])
    same(mine[0], theirs[0])
    assert mine[1] == theirs[1]


def test_error_bounds(tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    data = rc.sampling.sample(rc.sources.example_body(), tmp_path / "many.rwdata", count=300, seed=0)
    model, own = both(rc.training.body(data, seed=0, steps=1), tmp_path)
    poses = data.poses[:3]
    same(own.error_bound(poses), model.error_bound(poses))
    same(own.error_bound(poses[0]), model.error_bound(poses[0]))


def test_a_model_without_error_bounds_says_so(tmp_path):
    _, own = both(random_body(), tmp_path)
    with pytest.raises(rr.ArgumentError, match="error_bound"):
        own.error_bound(own.rest_pose)


def test_detail_of_faces_on_maps(tmp_path):
    model, own = both(MAKERS["face_maps"](), tmp_path)
    with pytest.raises(rr.ArgumentError, match="set_detail"):
        own.session().set_detail([2.0])
    session, theirs, pose = own.session(), model.session(), poses_of(model, 1)[0]
    detail = np.full(own._facts.detail_segments, 0.5)
    session.set_detail(detail)
    theirs.set_detail(detail)
    same(session.evaluate(pose), theirs.evaluate(pose))


def test_bytes_are_read_as_files_are(tmp_path):
    model = random_body()
    model.save(tmp_path / "a.safetensors")
    content = (tmp_path / "a.safetensors").read_bytes()
    poses = poses_of(model, 2)
    for data in (content, bytearray(content), memoryview(content)):
        same(rr.parse(data).evaluate(poses), model.evaluate(poses))


def test_sessions_and_arrays_outlive_the_names_of_their_model(tmp_path):
    model, own = both(random_body(), tmp_path)
    session, rest, pose = own.session(), own.rest_vertices, own.rest_pose
    del own
    gc.collect()
    same(session.evaluate(pose), model.evaluate(pose))
    same(rest, model.rest_vertices)


def test_arrays_of_a_model_are_copies(tmp_path):
    _, own = both(random_body(), tmp_path)
    own.rest_vertices[:] = 0
    assert own.rest_vertices.any()
