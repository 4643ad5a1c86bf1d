"""VRM is glTF: every reader takes it."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import main
from tests.sources.gltf.test_rigs import character


@pytest.fixture
def avatar(tmp_path):
    character(bind_is_default=True).write(tmp_path / "avatar.glb")
    (tmp_path / "avatar.vrm").write_bytes((tmp_path / "avatar.glb").read_bytes())
    return tmp_path


def test_every_reader_takes_it(avatar, capsys):
    rigs = [rc.sources.load(avatar / f"avatar.{ending}") for ending in ("glb", "vrm")]
    np.testing.assert_array_equal(rigs[0].sample_clip("wave")[1], rigs[1].sample_clip("wave")[1])
    faces = [rc.sources.load_blendshapes(avatar / f"avatar.{ending}") for ending in ("glb", "vrm")]
    np.testing.assert_array_equal(faces[0].columns(), faces[1].columns())
    shots = [rc.sources.load_shot(avatar / f"avatar.{ending}", clip="wave") for ending in ("glb", "vrm")]
    np.testing.assert_array_equal(shots[0].vertices, shots[1].vertices)
    meshes = [rc.sources.load_mesh(avatar / f"avatar.{ending}") for ending in ("glb", "vrm")]
    np.testing.assert_array_equal(meshes[0].vertices, meshes[1].vertices)
    assert main(["info", str(avatar / "avatar.vrm")]) == 0
    assert "wave" in capsys.readouterr().out
