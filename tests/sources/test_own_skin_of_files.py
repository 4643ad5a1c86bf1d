"""Skin weights that a file states: data sets keep them, and bodies may correct them."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.glb import character


def in_memory(_folder):
    return rc.sources.example_body()


def from_npz(folder):
    rc.sources.save_npz_rig(folder / "arm.npz", rc.sources.example_body())
    return rc.sources.load(folder / "arm.npz")


def from_glb(folder):
    return rc.sources.load(character().write(folder / "hero.glb"))


@pytest.mark.parametrize("opened", [in_memory, from_npz, from_glb])
def test_sets_keep_the_weights_of_their_rig(opened, tmp_path):
    rig = opened(tmp_path)
    data = rc.sampling.sample(rig, tmp_path / "set.rwdata", count=20, seed=0, probe=1)
    joint, weight = rc.Dataset(data.path).skin
    assert data.joint_names == rig.joints.names
    assert joint.tolist() == rig.skin.joint.tolist()
    np.testing.assert_allclose(weight, rig.skin.weight, atol=1e-6)


def test_dials_alone_have_none(tmp_path):
    rig = rc.sources.dials_only(rc.sources.example_body())
    assert rc.sampling.sample(rig, tmp_path / "arm.rwdata", count=20, seed=0, probe=1).skin is None


def test_a_body_may_correct_them(tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    data = rc.sampling.sample(rc.sources.example_body(), tmp_path / "arm.rwdata", count=60, seed=0, probe=1)
    model = rc.training.body(data, linear="own", steps=3, seed=0)
    assert model.metadata["training"]["linear"] == "own"
