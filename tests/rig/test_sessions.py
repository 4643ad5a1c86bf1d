"""Sessions: what they skip never shows in the bytes."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.kinds import KINDS, MAKERS, WITH_DERIVATIVES, poses_of
from tests.support.made.models import random_poses
from tests.support.made.skinning import bumpy_tube, skinned


def steps(model, seed):
    """A walk through poses: one joint or number at a time, only the root, all, nothing, and the sign of a zero."""
    rng = np.random.default_rng(seed)
    pool = poses_of(model, 40, seed)
    pose = pool[0].copy()
    units = [slice(12 * j, 12 * j + 12) for j in range(0 if model.skeleton is None else model.skeleton.num_joints)]
    units += [slice(c, c + 1) for c in range(12 * len(units), pose.size)]
    for other in pool[1:]:
        change = rng.choice(["one", "one", "one", "first", "all", "nothing", "zeros"])
        if change == "zeros":
            unit = units[rng.integers(len(units))]
            pose[unit] = np.where(rng.random(unit.stop - unit.start) < 0.3, rng.choice([0.0, -0.0]), pose[unit])
        elif change != "nothing":
            first = units[0] if change == "first" else units[rng.integers(len(units))]
            unit = slice(None) if change == "all" else first
            pose[unit] = other[unit]
        yield pose.copy()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_a_walk_has_the_bytes_of_evaluate(kind, seed):
    model = MAKERS[kind]()
    session = model.session()
    for pose in steps(model, seed):
        assert session.evaluate(pose).tobytes() == model.evaluate(pose).tobytes()


def thirds(make):
    """A thousand vertices in three runs that follow a joint each."""
    skeleton, joints = bumpy_tube().skeleton, np.arange(1000)[:, None] * 3 // 1000
    rest = np.random.default_rng(0).standard_normal((1000, 3))
    return make(skeleton, rest, [[0, 1, 2]], (joints, np.ones((1000, 1))))


@pytest.mark.parametrize("make", [rc.LinearBlendSkinning, rc.DualQuaternionSkinning])
def test_one_joint_at_a_time_on_a_large_mesh(make):
    """Many blocks of vertices, of which a joint moves a few."""
    model = thirds(make)
    session, pose = model.session(), model.skeleton.rest.reshape(-1).copy()
    for t, changed in enumerate(random_poses(model.skeleton, 9, stretch=0.0)):
        unit = slice(12 * (t % 3), 12 * (t % 3) + 12)
        pose[unit] = changed[unit]
        assert session.evaluate(pose).tobytes() == model.evaluate(pose).tobytes()


def test_the_first_stretch_reaches_every_vertex():
    """Without stretches dual quaternion skinning skips their blend: one joint's stretch changes how all are skinned."""
    model = thirds(rc.DualQuaternionSkinning)
    pose = random_poses(model.skeleton, 1, stretch=0.0)[0]
    session = model.session()
    for size in (1.0, 1.5, 1.0):
        now = pose.copy()
        now[-12:].reshape(3, 4)[:, :3] *= size
        assert session.evaluate(now).tobytes() == model.evaluate(now).tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_pose_changes_nothing(kind):
    model = MAKERS[kind]()
    session = model.session()
    first, second = poses_of(model, 2)
    session.evaluate(first)
    with pytest.raises(ValueError, match="evaluate: pose is not finite everywhere"):
        session.evaluate(np.full_like(first, np.nan))
    assert session.evaluate(first).tobytes() == model.evaluate(first).tobytes()
    assert session.evaluate(second).tobytes() == model.evaluate(second).tobytes()


@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_a_session_of_a_restricted_model(kind):
    part = MAKERS[kind]().restricted([7, 3, 7])
    session = part.session()
    for pose in steps(part, 5):
        assert session.evaluate(pose).tobytes() == part.evaluate(pose).tobytes()


def test_results_belong_to_the_caller():
    model = MAKERS["linear_blend"]()
    session, (first, second) = model.session(), poses_of(model, 2)
    vertices = session.evaluate(first)
    vertices[:] = np.nan
    assert session.evaluate(first).tobytes() == model.evaluate(first).tobytes()
    out = np.empty_like(vertices)
    assert session.evaluate(second, out=out) is out
    assert out.tobytes() == model.evaluate(second).tobytes()


def test_a_session_keeps_its_model():
    session = MAKERS["dual_quaternion"]().session()
    assert session.model.kind == "dual_quaternion"
    assert session.evaluate(poses_of(session.model, 1)[0]).shape == (40, 3)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"pose": np.zeros(7)}, "evaluate: pose is 7 wide; it must be 61 wide"),
        ({"pose": np.zeros((1, 61))}, r"evaluate: pose is float64 \(1, 61\); it must be an array of numbers \(C,\)"),
        ({"pose": "abc"}, "evaluate: pose is <U3"),
        ({"pose": np.zeros(61), "out": np.zeros((40, 3))}, r"evaluate: out is float64 \(40, 3\)"),
        ({"pose": np.zeros(61), "out": np.zeros((1, 40, 3), np.float32)}, "evaluate: out is float32"),
    ],
)
def test_wrong_arguments_are_named(arguments, text):
    with pytest.raises(ValueError, match=text):
        MAKERS["linear_blend"]().session().evaluate(**arguments)


def test_threads_that_share_a_session_wait_for_each_other():
    model = skinned(rc.DualQuaternionSkinning, num_vertices=2000)
    session, poses = model.session(), random_poses(model.skeleton, 4)
    expected, wrong = model.evaluate(poses), []

    def work(offset):
        for i in range(40):
            t = (i + offset) % 4
            if session.evaluate(poses[t]).tobytes() != expected[t].tobytes():
                wrong.append((offset, i))

    threads = [threading.Thread(target=work, args=(offset,)) for offset in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("magnitude", [3e35, 3e36, 1e37, 3e37])
@pytest.mark.parametrize("kind", KINDS)
def test_a_session_refuses_what_evaluate_refuses(kind, magnitude):
    model = MAKERS[kind]()
    pose = poses_of(model, 1)[0]
    pose[:12] *= np.float32(magnitude)

    def refuses(evaluate):
        try:
            evaluate(pose)
        except ValueError:
            return True
        return False

    assert refuses(model.session().evaluate) == refuses(model.evaluate)
