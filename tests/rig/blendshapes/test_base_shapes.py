"""Base shapes: what lies under the networks of learned faces."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast import _core
from rigcast._rigs.base_shapes import read_base
from tests.rig.base_shapes import slow_base, with_base
from tests.support.made.differential import random_differential_tensors, slow_differential
from tests.support.made.face_maps import random_face_maps_tensors, slow_face_maps
from tests.support.made.models import random_body_tensors

FACES = {
    "maps": lambda: random_face_maps_tensors(),
    "maps with a basis": lambda: random_face_maps_tensors(components=4, hidden_layers=2),
    "maps without parts": lambda: random_face_maps_tensors(parts=0),
}
SUBSPACES = {
    "subspace": lambda: random_differential_tensors(joints=0, numeric=9),
    "subspace with joints": lambda: random_differential_tensors(numeric=6),
}


def poses_of(tensors, frames):
    """Away from the corners of positive parts."""
    rng = np.random.default_rng(3)
    shape = frames, len(tensors["control_ranges"])
    return (rng.choice([-1.0, 1.0], shape) * rng.uniform(0.1, 0.8, shape)).astype(np.float32)


@pytest.mark.parametrize("name", FACES)
def test_maps_add_to_the_base(name):
    plain, text = FACES[name]()
    tensors, _ = with_base(plain, text)
    model, poses = _core.model_from_tensors(tensors, text), poses_of(tensors, 20)
    found = model.evaluate(poses)
    for pose, vertices in zip(poses, found, strict=True):
        assert np.abs(slow_face_maps(model, pose) - vertices).max() < 2e-5
    moved = found - _core.model_from_tensors(plain, text).evaluate(poses)
    free = np.setdiff1d(np.arange(len(plain["rest_vertices"])), plain["parts.vertex"])
    assert np.abs(moved - slow_base(tensors, poses))[:, free].max() < 2e-5
    assert np.abs(moved).max() > 0.1


@pytest.mark.parametrize("name", SUBSPACES)
def test_a_subspace_adds_to_the_base(name):
    tensors, text = with_base(*SUBSPACES[name]())
    poses = poses_of(tensors, 5)
    expected = slow_differential(tensors, poses)
    found = _core.model_from_tensors(tensors, text).evaluate(poses)
    assert np.abs(found - expected).max() < 1e-4 * np.abs(expected).max()


def test_without_derived_features_it_is_linear():
    plain, text = random_face_maps_tensors(parts=0)
    tensors, _ = with_base(plain, text, products=0)
    poses = poses_of(tensors, 4)
    found = _core.model_from_tensors(tensors, text).evaluate(poses)
    moved = found - _core.model_from_tensors(plain, text).evaluate(poses)
    assert np.abs(moved - slow_base(tensors, poses)).max() < 2e-5


def keep_constant(tensors):
    for name in [name for name in tensors if name.startswith("base.") and name != "base.constant"]:
        del tensors[name]


DAMAGES = {
    "second missing": (lambda t: t.pop("base.second"), r"base\.second"),
    "lengths": (lambda t: t.update({"base.second": t["base.second"][1:]}), r"base\.second"),
    "first below 0": (lambda t: t["base.first"].__setitem__(0, -1), r"base\.first"),
    "second too large": (lambda t: t["base.second"].__setitem__(0, 99), r"base\.second"),
    "constant of fewer points": (lambda t: t.update({"base.constant": t["base.constant"][1:]}), r"base\.constant"),
    "no columns": (lambda t: t.pop("base.group.columns"), r"base\.\*"),
    "fewer values": (lambda t: t.update({"base.delta": t["base.delta"][1:]}), r"base\.\*"),
    "no features for the columns": (
        lambda t: t.update({name: t[name][:1] for name in ("base.first", "base.second")}),
        r"base\.\*",
    ),
    "a vertex that is not there": (lambda t: t["base.group.vertex"].__setitem__(0, 999), r"base\.\*"),
    "only the constant": (
        lambda t: [t.pop(n) for n in list(t) if n.startswith("base.") and n != "base.constant"],
        "base",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", ["maps", "subspace"])
def test_malformed_files_are_refused(damage, name):
    tensors, text = with_base(*(FACES | SUBSPACES)[name]())
    tensors = {name: value.copy() for name, value in tensors.items()}
    change, named = DAMAGES[damage]
    change(tensors)
    with pytest.raises(ValueError, match=named):
        _core.model_from_tensors(tensors, text)


def test_a_pose_that_is_too_large_is_named():
    tensors, text = with_base(*random_face_maps_tensors())
    poses = poses_of(tensors, 3)
    poses[1, :] = 1e30
    with pytest.raises(ValueError, match="row 1"):
        _core.model_from_tensors(tensors, text).evaluate(poses)


def test_bodies_have_none():
    tensors, text = random_body_tensors()
    with pytest.raises(ValueError, match="base"):
        _core.model_from_tensors(*with_base(tensors, text))


def test_python_reads_and_writes_them():
    tensors, text = with_base(*random_face_maps_tensors())
    base = read_base(tensors)
    poses = poses_of(tensors, 6)
    assert np.abs(base.offsets(poses) - slow_base(tensors, poses)).max() < 1e-5
    written = {name: value for name, value in tensors.items() if not name.startswith("base.")} | base.tensors()
    again = _core.model_from_tensors(written, text)
    error = 8 * np.abs(base.shapes).max() / 32767  # 16 bits
    assert np.abs(again.evaluate(poses) - _core.model_from_tensors(tensors, text).evaluate(poses)).max() < error
    assert np.abs(read_base(written).shapes - base.shapes).max() <= np.abs(base.shapes).max() / 32767
    few = again.restricted([3, 0]).evaluate(poses)
    assert few.tobytes() == again.evaluate(poses)[:, [3, 0]].tobytes()
    assert read_base({name: value for name, value in tensors.items() if not name.startswith("base.")}) is None


def test_a_blend_of_vertices_has_the_blend_of_their_offsets():
    tensors, _ = with_base(*random_face_maps_tensors())
    base, poses = read_base(tensors), poses_of(tensors, 4)
    corners, weights = np.int64([[0, 5, 7], [3, 3, 9]]), np.float64([[0.2, 0.3, 0.5], [0.5, 0.25, 0.25]])
    expected = np.einsum("twka,wk->twa", slow_base(tensors, poses)[:, corners], weights)
    assert np.abs(base.moved_to(corners, weights).offsets(poses) - expected).max() < 1e-5
