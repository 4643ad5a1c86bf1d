"""What real data brings, over all baselines: constant columns, idle controls, few poses, more bones than vertices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import rigcast as rc
from rigcast import baselines
from rigcast.baselines import Samples
from tests.support.made.models import chain_skeleton

TINY = {"hidden": 4, "steps": 2, "threads": 1}
ON_FACES: dict[str, Callable[..., rc.Deformer]] = {
    "pca_regression": baselines.pca_regression,
    "kpsa": lambda data, **more: baselines.kpsa(data, **({"points": 2, "vectors": 2} | more)),
    "ssdr": lambda data, **more: baselines.ssdr(data, **({"bones": 2, "influences": 2} | more)),
    "pose_space_deformation": lambda data, **more: baselines.pose_space_deformation(data, **({"count": 3} | more)),
    "dense_network": lambda data, **more: baselines.dense_network(data, **TINY, **more),
}
ON_BODIES: dict[str, Callable[..., rc.Deformer]] = {
    **ON_FACES,
    "linear_blend": baselines.linear_blend,
    "direct_delta_mush": baselines.direct_delta_mush,
    "rotational_regression": baselines.rotational_regression,
}


@pytest.fixture(autouse=True)
def _torch(request):
    if getattr(request.node, "callspec", None) and request.node.callspec.params.get("name") == "dense_network":
        pytest.importorskip("torch", reason="PyTorch is not installed")


def face(frames=12, vertices=9):
    """Three controls: one moves the mesh, one is constant, one varies without any effect."""
    rng = np.random.default_rng(frames)
    x = rng.random((frames, 3)).astype(np.float32)
    x[:, 1] = 0.25
    rest = np.random.default_rng(1).standard_normal((vertices, 3)).astype(np.float32)
    delta = np.random.default_rng(2).standard_normal((vertices, 3)).astype(np.float32)
    faces = np.array([[i, i + 1, i + 2] for i in range(vertices - 2)], np.int32)
    return Samples(None, rest, faces, x, rest + x[:, :1, None] * delta)


def body(frames=12, joints=4, vertices=9):
    """Joints that shift a little, of which the last one moves nothing."""
    skeleton = chain_skeleton(joints)
    still = face(frames, vertices)
    poses = np.tile(skeleton.rest.reshape(1, -1), (frames, 1))
    poses[:, 3::12] += 0.1 * np.random.default_rng(3).standard_normal((frames, joints)).astype(np.float32)
    weight = np.zeros((vertices, joints))
    weight[np.arange(vertices), np.arange(vertices) % max(joints - 1, 1)] = 1.0
    skin = rc.LinearBlendSkinning(
        skeleton, still.rest_vertices, still.faces, (np.tile(np.arange(joints), (vertices, 1)), weight)
    )
    return Samples(skeleton, still.rest_vertices, still.faces, poses, skin.evaluate(poses))


@pytest.mark.parametrize("name", ON_FACES)
def test_constant_columns_and_idle_controls_do_no_harm(name):
    data = face()
    model = ON_FACES[name](data)
    assert np.isfinite(model.evaluate(data.poses)).all()
    still = rc.metrics.vertex_error(data.vertices, np.broadcast_to(data.vertices.mean(axis=0), data.vertices.shape))
    assert model.metadata["error"]["mean"] < 2.0 * still.mean


@pytest.mark.parametrize("name", ON_BODIES)
def test_joints_without_effect_do_no_harm(name):
    data = body()
    model = ON_BODIES[name](data)
    assert np.isfinite(model.evaluate(data.poses)).all()


@pytest.mark.parametrize("name", ON_BODIES)
def test_more_joints_than_vertices_do_no_harm(name):
    data = body(joints=7, vertices=4)
    model = ON_BODIES[name](data)
    assert np.isfinite(model.evaluate(data.poses)).all()


@pytest.mark.parametrize("name", ON_BODIES)
def test_a_clip_without_frames_is_named(name):
    data = body()
    empty = Samples(data.skeleton, data.rest_vertices, data.faces, data.poses[:0], data.vertices[:0])
    with pytest.raises(ValueError, match=rf"{name}: .*(fit_on|data|rows)"):
        ON_BODIES[name](data, fit_on=empty)


@pytest.mark.parametrize("name", sorted(set(ON_BODIES) - {"linear_blend"}))
def test_a_clip_of_one_frame_is_named(name):
    data = body()
    one = Samples(data.skeleton, data.rest_vertices, data.faces, data.poses[:1], data.vertices[:1])
    with pytest.raises(ValueError, match=rf"{name}: fit_on is .*(1 poses|of at least)"):
        ON_BODIES[name](data, fit_on=one)


def test_one_frame_is_enough_for_skin_weights():
    data = body()
    one = Samples(data.skeleton, data.rest_vertices, data.faces, data.poses[:1], data.vertices[:1])
    assert np.isfinite(baselines.linear_blend(data, fit_on=one).evaluate(data.poses)).all()


@pytest.mark.parametrize(
    ("name", "options", "text"),
    [
        ("pca_regression", {"components": 12}, "components is 12"),
        ("kpsa", {"vectors": 12, "points": 9}, "vectors is 12"),
        ("kpsa", {"points": 10}, "points is 10"),
        ("ssdr", {"bones": 10}, "bones is 10"),
        ("ssdr", {"influences": 3}, "influences is 3"),
        ("pose_space_deformation", {"count": 13}, "count is 13"),
    ],
)
def test_more_parts_than_poses_or_vertices_are_named(name, options, text):
    with pytest.raises(ValueError, match=f"{name}: {text}"):
        ON_FACES[name](face(), **options)


def test_a_network_has_as_many_components_as_poses_allow():
    pytest.importorskip("torch", reason="PyTorch is not installed")
    data = face(frames=4)
    assert baselines.dense_network(data, hidden=64, steps=2, threads=1).metadata["error"]["poses"] == 1


@pytest.mark.parametrize("name", ["linear_blend", "direct_delta_mush", "rotational_regression"])
def test_a_rig_without_joints_is_named(name):
    with pytest.raises(ValueError, match=f"{name}: data is without a skeleton"):
        ON_BODIES[name](face())


@pytest.mark.parametrize("name", sorted(set(ON_BODIES) - {"linear_blend", "direct_delta_mush"}))
def test_constant_poses_are_named(name):
    data = body()
    still = Samples(data.skeleton, data.rest_vertices, data.faces, data.poses[:1].repeat(9, 0), data.vertices[:9])
    with pytest.raises(ValueError, match=f"{name}: data is of constant poses"):
        ON_BODIES[name](still)
