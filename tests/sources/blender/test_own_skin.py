"""The weights of vertex groups as a rig's own skinning, from the file to a learned body."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rigcast as rc
from rigcast.sources import Skin
from tests.sources.conftest import Host
from tests.support.glb import character
from tests.support.trainings import train_with

# Files whose vertex groups say what moves each vertex, and files of which they do not.
STATED = ["plain", "posed_chain"]
UNSTATED = ["dressed", "subdivided"]


@pytest.mark.parametrize("name", STATED)
def test_own_weights_are_what_blender_skins_by(any_host: Host, name: str, tolerance) -> None:
    """Linear skinning by them gives the vertices that Blender gives."""
    with any_host.open(name, ranges=30.0) as rig:
        assert rig.own_skin is not None
        low, high = np.asarray(rig.channel_ranges).T
        rows = np.random.default_rng(0).uniform(low, high, (6, len(low)))
        poses, vertices = rig.sample(rows)
        weights = rig.own_skin.joint, np.asarray(rig.own_skin.weight, np.float32)
        skinning = rc.LinearBlendSkinning(rig.skeleton, rig.rest_vertices, rig.faces, weights, dials=rig.dial_names)
    assert np.abs(skinning.evaluate(poses) - vertices).max() < 20 * tolerance["float32"]


@pytest.mark.parametrize("name", UNSTATED)
def test_where_groups_do_not_say_it_there_are_none(any_host: Host, name: str) -> None:
    with any_host.open(name) as rig:
        assert rig.own_skin is None


@pytest.fixture(scope="module")
def folder(hosts: dict[str, Host], tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.sources.conftest import host_of

    out = tmp_path_factory.mktemp("own") / "set.rwdata"
    rc.sampling.sample(host_of("bpy", hosts).rig("plain"), out, count=40, seed=0, probe=1)
    return out


def test_a_data_set_keeps_them_and_a_body_corrects_them(folder: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    data = rc.Dataset(folder)
    assert data.skin is not None
    np.testing.assert_array_equal(data.skin[1].sum(axis=1).round(5), 1.0)
    model = train_with("body", data, steps=20, threads=1)
    trials = model.metadata["training"]["linear_trials"]
    assert set(trials["held_out_mean"]) == {"rigid", "skinning, K = 2", "skinning, K = 4", "the rig's own weights"}
    own = train_with("body", data, steps=5, threads=1, linear="own")
    assert own.metadata["error"]["mean"] < 1e-5  # the file has nothing but linear skinning


class Stranger:
    """The built-in arm with other weights of its own."""

    def __init__(self, own_skin: Skin | None) -> None:
        self.rig, self.own_skin = rc.sources.example_body(), own_skin

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rig, name)


def test_a_set_without_them_refuses_their_choice(tmp_path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    data = rc.sampling.sample(Stranger(None), tmp_path / "arm.rwdata", count=20, seed=0, probe=1)
    assert data.skin is None
    with pytest.raises(ValueError, match=r'^body: linear is "own"; it must be another linear part'):
        train_with("body", data, steps=1, threads=1, linear="own")


def test_a_body_tries_those_of_a_file_without_blender(tmp_path) -> None:
    """A .glb: skinning is the best of it, and its morphs are what remains."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    rig = rc.sources.load(character().write(tmp_path / "hero.glb"))
    data = rc.sampling.sample(rig, tmp_path / "hero.rwdata", count=80, seed=0, probe=1)
    trials = train_with("body", data, steps=20, threads=1).metadata["training"]["linear_trials"]
    assert "the rig's own weights" in trials["held_out_mean"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"skin": 0}, "manifest.json: skin is 0; it must be an integer from 1 to 64"),
        ({"skin": 65}, "manifest.json: skin is 65"),
        ({"skin": "2"}, "manifest.json: skin is"),
        ({"skin": 9}, "skin_joint.npy"),
    ],
)
def test_broken_sets_are_refused_by_name(folder: Path, tmp_path, change: dict[str, Any], words: str) -> None:
    import shutil

    from rigcast.sampling._store.manifest import manifest_hash

    broken = tmp_path / "broken.rwdata"
    shutil.copytree(folder, broken)
    manifest = json.loads((broken / "manifest.json").read_text()) | change
    (broken / "manifest.json").write_text(json.dumps(manifest | {"hash": manifest_hash(manifest)}))
    with pytest.raises(ValueError, match=words):
        rc.Dataset(broken)


@pytest.mark.parametrize(("joint", "words"), [(9, "joints 9 to 9"), (99, "joints 99 to 99")])
def test_weights_of_joints_that_do_not_exist_are_refused(joint: int, words: str) -> None:
    count = len(rc.sources.example_body().rest_vertices)
    with pytest.raises(ValueError, match=words):
        rc.sampling.check_rig(Stranger(Skin(np.full((count, 1), joint), np.ones((count, 1)))))
